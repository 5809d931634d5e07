package report_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

// measureLoans measures a model on the loans of a period whose outcome is known.
func measureLoans(ctx context.Context, model *train.Model, period string, before *eval.Reference) *eval.Evaluation {
	table, err := datasets.Open(period) // or data.Open
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	o := report.DefaultOptions()
	o.Filter, o.Quick = "deny is not null", true
	measured, err := report.MeasureTable(ctx, model, table, o)
	if err != nil {
		log.Fatal(err)
	}
	defer measured.Close()
	measured.Evaluation.Reference = before
	return measured.Evaluation
}

// Evaluate a model on the rows of a new period, compare it with the preceding period, and check gates.
func Example_gates() {
	ctx := context.Background()
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Ess = "builtin:loans", "deny", []string{"region"}, level.At(0.9)
	model, err := train.Fit(ctx, cfg) // or train.Load("model.json")
	if err != nil {
		log.Fatal(err)
	}
	before := eval.NewReference(measureLoans(ctx, model, "builtin:loans", nil)) // json.Marshal and ReadReference keep it
	e := measureLoans(ctx, model, "builtin:loans-next", before)
	for _, condition := range []string{
		"worst_group.accuracy < 0.4", "since.worst_group.risk.low > 0.05", "unseen[region] > 0.01", "accuracy < 80",
	} {
		gate, err := eval.ParseGate(condition)
		if err != nil {
			log.Fatal(err)
		}
		result, err := gate.Check(e)
		if err != nil {
			result = eval.FailedGate(condition, err.Error())
		}
		e.Gates = append(e.Gates, result)
		fmt.Println(result.Failed, condition)
	}
	if err := eval.WriteJUnit(os.Stderr, "loans", e.Gates); err != nil {
		log.Fatal(err)
	}
	// Output:
	// false worst_group.accuracy < 0.4
	// true since.worst_group.risk.low > 0.05
	// false unseen[region] > 0.01
	// true accuracy < 80
}
