package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Where what a report does turns, by the number of rows, columns or bytes.
func TestTurnsOfReports(t *testing.T) {
	o := DefaultOptions()
	turns := goldentest.Turns("resamples of rows", 99_998, 100_003, func(n int) string { return fmt.Sprint([]string{"many", "few"}[1000/o.resamples(n)/5]) })
	turns += goldentest.Turns("columns of errors", 1, 1200, func(d int) string {
		switch n := errorRows(d); {
		case n == 0:
			return "none"
		case n == 100_000:
			return "all"
		default:
			return fmt.Sprint("some: ", n)
		}
	})
	const want = `# resamples of rows, 99998 to 100003
 99998: many
100000: many
100001: few
100003: few
# columns of errors, 1 to 1200
     1: all
   158: all
   159: some: 98888
  1077: some: 2155
  1078: none
  1200: none
`
	if turns != want {
		t.Errorf("%s\nwant\n%s", turns, want)
	}
	if got := measuredBytes(1000, 0); got != 55_000 {
		t.Errorf("1000 rows take %d", got)
	}
	if got := measuredBytes(1000, 3); got != 220_000 {
		t.Errorf("1000 rows by three models take %d", got)
	}
}

// Rows of one price have equations where it is no nothing beside the losses, groups where they
// have weight.
func TestAdversariesThatAreNone(t *testing.T) {
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Drop, cfg.Impute, cfg.Nu = "y", []string{"w", "g"}, "mean", level.At(1)
	m, err := train.FitFrame(t.Context(), tableOf(t, 100), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for share, smooth := range map[float64]bool{0: false, 0.9e-6: false, 1.1e-6: true, 1.9e-6: true} {
		m.Result.Nu = share * m.Result.ERMRisk
		why := (&Measured{model: m, run: m.Run}).answering(&fit{})
		if (why == "") != smooth {
			t.Errorf("ν = %v of the risk: %q", share, why)
		}
	}
	e := &groupEquations{f: &fit{over: &overGroups{q: []float64{0.5, 0.4998, 1.1e-4, 0.9e-4, 0.3}}, answer: answer{kind: "largest"}}, mass: []float64{1, 1, 1, 1, 0}}
	if !e.answers() || !slices.Equal(e.most, []int{0, 1, 2}) {
		t.Errorf("the largest together: %v", e.most)
	}
}
