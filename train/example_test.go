package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/train"
)

// Train a robust model on handwritten digits, and compare its risk in the worst group with that of ERM on the
// training rows.
func Example() {
	cfg := train.DefaultConfig()
	cfg.Data = "builtin:digits" // or a Parquet, Arrow or CSV file
	cfg.Target = "size"
	cfg.Groups = []string{"agrees"}

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
	// worst group agrees=yes: 0.318, with ERM 0.645
	// effective sample size: 515 of 1438 rows
}
