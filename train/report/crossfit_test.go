package report_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A cross-fitted evaluation measures every row by the models of the folds. Storing rows on disk changes the results
// only by rounding.
func TestCrossFit_EqualsItsModels(t *testing.T) {
	risk := map[bool]float64{}
	for _, onDisk := range []bool{false, true} {
		m := fit(t, func(c *train.Config) {
			c.Holdout, c.Evaluate = 0, train.EvaluateCrossfit
			c.Level = level.Level{Penalty: "kl", Nu: level.At(1)}
			if onDisk {
				c.Cache, c.OnDisk = t.TempDir(), true
			}
		})
		defer m.Run.Close()
		x, r := reportOf(t, m, options())
		e := x.Evaluation
		if e.Split != eval.OutOfFold || e.N != m.TrainRows || len(e.Models) != 4 ||
			!strings.Contains(strings.Join(r.Notes, "\n"), "The 5 fold models use the settings of the final model") {
			t.Errorf("%s of %d rows by %d models, notes %q", e.Split, e.N, len(e.Models), r.Notes)
		}
		inside, _ := e.Models[1].Overall.Get("risk")
		if risk[onDisk] = inside; !(inside > m.Result.AverageRisk) {
			t.Errorf("risk %v out of fold, %v on the training rows", inside, m.Result.AverageRisk)
		}
		if m.Run.OnDisk() != onDisk || onDisk && (!slices.IsSorted(x.Input.RowID) ||
			!(math.Abs(inside-risk[false]) <= 1e-4*inside)) {
			t.Errorf("on disk %v: risk %v, in memory %v", m.Run.OnDisk(), inside, risk[false])
		}
	}
}
