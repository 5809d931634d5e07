package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/train"
)

// Train a robust model of denied loans and see who is worst off.
func Example() {
	cfg := train.DefaultConfig()
	cfg.Data = "builtin:loans" // or a Parquet, Arrow or CSV file
	cfg.Target = "deny"
	cfg.Groups = []string{"region", "sex"}

	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	s := model.Summary("")
	fmt.Println("certified:", s.Certified, *s.Certificate.RelativeGap < 1e-6)
	fmt.Printf("worst group %s: %.3f, with ERM %.3f\n", s.WorstGroup.Name, s.WorstGroup.Risk, s.ERM.WorstGroup.Risk)
	fmt.Printf("effective sample size: %.0f of %d rows\n", s.EffectiveSampleSize, s.N)
	// Output:
	// certified: true true
	// worst group west / female: 0.470, with ERM 0.470
	// effective sample size: 1600 of 1600 rows
}
