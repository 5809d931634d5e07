package report_test

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

// A cross-fitted evaluation measures every row and says by which models.
func TestCrossfit(t *testing.T) {
	m := fit(t, func(c *train.Config) {
		c.Holdout, c.Evaluate = 0, train.EvaluateCrossfit
		c.Level = level.Level{Penalty: "kl", Nu: level.At(1)}
	})
	x, err := report.Measure(t.Context(), m, options())
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.Report()
	if err != nil {
		t.Fatal(err)
	}
	e := x.Evaluation
	if e.Split != report.Crossfit || e.N != m.TrainRows || len(e.Models) != 4 || !strings.Contains(strings.Join(r.Notes, "\n"), "The 5 folds trained KL over rows, ν = 1 (5)") {
		t.Errorf("%s of %d rows by %d models, notes %q", e.Split, e.N, len(e.Models), r.Notes)
	}
	inside, _ := e.Models[1].Overall.Get("risk")
	if !(inside > m.Result.ERMRisk) {
		t.Errorf("risk %v out of fold, %v on the training rows", inside, m.Result.ERMRisk)
	}
}
