package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Score rows in the program that trained the model. All goroutines can share one Scorer. ExampleRead of package score
// serves a model file over HTTP without this package.
func ExampleModel_Scorer() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "lvrat", "phist"}
	cfg.Ess = level.At(0.95)
	model, err := train.Fit(context.Background(), cfg) // or train.Load("model.json")
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := model.Scorer()
	if err != nil {
		log.Fatal(err)
	}
	p, err := scorer.Map(map[string]any{"pirat": 0.33, "lvrat": 0.8, "phist": "yes"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", p)
	_, err = scorer.Map(map[string]any{"pirat": 0.33, "phist": "no"})
	fmt.Println(err)
	// Output:
	// 0.428
	// column "lvrat": the row lacks the column (pass nil for a missing value)
}

// Explain a prediction: the contribution of every column to the log-odds, and values outside the training range.
func ExampleModel_Scorer_explain() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "phist"}
	cfg.Ess = level.At(0.95)
	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := model.Scorer()
	if err != nil {
		log.Fatal(err)
	}
	e, err := scorer.Explain(map[string]any{"pirat": 7.5, "phist": "yes"})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range e.Contributions {
		fmt.Printf("%v %.1f, outside the training range: %v\n", c.Columns, c.Value, c.Outside)
	}
	// Output:
	// [pirat] 19.5, outside the training range: true
	// [phist] 1.2, outside the training range: false
}
