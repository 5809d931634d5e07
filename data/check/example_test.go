package check_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
)

// Find what may be wrong with a table before a model is trained on it: here a column that gives the outcome away.
func ExampleExamine() {
	type loan struct {
		Income  float64
		Closed  string // is only known after the outcome
		Default bool
	}
	var loans []loan
	for i := range 200 {
		late := i*i%11 > 6
		loans = append(loans, loan{float64(i * 37 % 101), map[bool]string{true: "collections", false: "paid"}[late], late})
	}
	table, err := data.FromStructs(loans)
	if err != nil {
		log.Fatal(err)
	}
	findings, err := check.Examine(context.Background(), table, nil, check.Roles{Target: "Default"})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range findings {
		fmt.Println(f.Column, f.IsLeak())
	}
	// Output: Closed true
}
