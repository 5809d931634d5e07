package data_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

func Example() {
	csv := "wage,age,region,union\n10,30,north,yes\n14,40,south,no\n12,50,south,yes\n8,20,west,no\n"
	frame, err := data.ReadBytes(context.Background(), "wages.csv", []byte(csv))
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := encode.NewEncoder(context.Background(), frame, nil, encode.Spec{
		Target: "wage", Task: encode.Regression, Groups: []string{"union"}, Scale: "none", Intercept: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	dataset, _, err := encoder.Encode(context.Background(), frame, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dataset.Names)
	for i := 0; i < dataset.N; i++ {
		g := dataset.Groups[0]
		fmt.Println(dataset.Target[i], dataset.Row(i), g.Labels[g.Index[i]])
	}
	// Output:
	// [age region=north region=south region=west (intercept)]
	// 10 [30 1 0 0 1] union=yes
	// 14 [40 0 1 0 1] union=no
	// 12 [50 0 1 0 1] union=yes
	// 8 [20 0 0 1 1] union=no
}

func ExampleFromStructs() {
	type loan struct {
		Income float64 `drotrain:"income"`
		Region string  `drotrain:"region"`
		Denied bool    `drotrain:"denied"`
	}
	f, err := data.FromStructs([]loan{{31, "north", false}, {12, "south", true}, {44, "north", false}, {9, "south", true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := encode.NewEncoder(context.Background(), f, nil, encode.Spec{Target: "denied", Scale: "none"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Rows, e.Names())
	// Output: 4 [income region=south]
}
