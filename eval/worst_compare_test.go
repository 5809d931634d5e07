package eval_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval"
)

// fourGroups returns the rows of four groups of equal size with normal losses of the given means and standard deviation
// 1, beside a constant prediction whose losses are 5 everywhere.
func fourGroups(mean [4]float64, rows int, seed uint64) eval.Input {
	rng := rand.New(rand.NewPCG(seed, 4))
	in := eval.Input{Task: eval.Regression, LossName: "huber", Resamples: 100, MinGroupSize: 10,
		Models: []eval.Model{{Name: "ERM", Role: eval.StandardModel}},
		Groups: []facts.Grouping{{Name: "g", Labels: []string{"a", "b", "c", "d"}}}}
	for i := range 4 * rows {
		in.Target = append(in.Target, rng.NormFloat64())
		in.Models[0].Score = append(in.Models[0].Score, rng.NormFloat64())
		in.Models[0].Loss = append(in.Models[0].Loss, mean[i%4]+rng.NormFloat64())
		in.Constant = append(in.Constant, 5)
		in.Groups[0].Index = append(in.Groups[0].Index, int32(i%4))
	}
	return in
}

// The worst group is told apart from groups whose losses are clearly smaller and from these together, not from one
// whose losses are alike, and it alone is measurably worse than a constant.
func TestCompareWorst_TellsGroupsApart(t *testing.T) {
	for name, c := range map[string]struct {
		mean    [4]float64
		settled int
		above   bool
		worse   string // groups that the warning names
	}{
		"one":    {[4]float64{6, 3, 3, 3}, 3, true, "in 1 group: a (Huber loss"},
		"two":    {[4]float64{6, 6, 3, 3}, 2, true, "a (Huber loss"},
		"none":   {[4]float64{4, 4, 4, 4}, 0, false, ""},
		"better": {[4]float64{4.5, 1, 1, 1}, 3, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := eval.Evaluate(context.Background(), fourGroups(c.mean, 100, 1))
			if err != nil {
				t.Fatal(err)
			}
			w := e.CompareWorst(0)
			settled := 0
			for _, s := range w.Settled {
				if s {
					settled++
				}
			}
			if settled != c.settled || w.IsAbove != c.above {
				t.Errorf("%d groups are measurably below, above the rest: %v", settled, w.IsAbove)
			}
			text := strings.Join(e.Verdict.Warnings, " ")
			if strings.Contains(text, "measurably worse than the best constant prediction") != (c.worse != "") ||
				!strings.Contains(text, c.worse) {
				t.Errorf("warnings: %q", text)
			}
		})
	}
}

// Where all groups have the same mean, few tables of random rows show a worst group or a group worse than the constant.
func TestCompareWorst_RarelyWrong(t *testing.T) {
	const tables = 400
	single, rest, constant := 0, 0, 0
	for seed := range uint64(tables) {
		e, err := eval.Evaluate(context.Background(), fourGroups([4]float64{5, 5, 5, 5}, 40, seed))
		if err != nil {
			t.Fatal(err)
		}
		w := e.CompareWorst(0)
		for _, s := range w.Settled {
			if s {
				single++
				break
			}
		}
		if w.IsAbove {
			rest++
		}
		if strings.Contains(strings.Join(e.Verdict.Warnings, " "), "measurably worse than the best constant prediction") {
			constant++
		}
	}
	// 5 %, and three standard errors more
	if most := tables * 5 / 100 * 166 / 100; single > most || rest > most || constant > most {
		t.Errorf("of %d tables: %d with a group below, %d above the rest, %d above the constant", tables, single, rest,
			constant)
	} else {
		t.Logf("of %d tables: %d, %d, %d", tables, single, rest, constant)
	}
}
