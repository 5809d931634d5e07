package eval

import (
	"testing"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// Rows are of one class where one has next to none of the weight, whatever the unit of the
// weights; quantities have no classes.
func TestOneClass_AnyUnit(t *testing.T) {
	for _, unit := range []float64{1e-12, 1e-6, 1, 1e6, 1e12} {
		for share, want := range map[float64]bool{0: true, 1e-14: true, 0.9e-12: true, 1.1e-12: false, 1 - 1.1e-12: false,
			1 - 0.9e-12: true, 1e-6: false, 0.5: false, 1 - 1e-6: false, 1: true} {
			for task, classes := range map[Task]bool{Binary: true, Regression: false} {
				in := Input{Task: task, Target: []float64{1, -1}, Models: []Model{{Score: []float64{0, 0}, Loss: []float64{0, 0}}}}
				rows := in.newMeasuredRows()
				rows.Weight = interval.Weights{unit * share, unit * (1 - share)}
				all := interval.Stratum{Rows: []int32{0, 1}}
				maker, err := interval.NewMaker(t.Context(), &rows.Rows, interval.Plan{},
					interval.Division{Strata: []interval.Stratum{all}, All: &all}, newInfluenceColumns(rows, []float64{0}, 0))
				if err != nil {
					t.Fatal(err)
				}
				if got := (&measuredPart{maker.All(), rows, 0.95}).hasOneClass(); got != (want && classes) {
					t.Errorf("%v: a share of %v of %v: %v", task, share, unit, got)
				}
			}
		}
	}
}
