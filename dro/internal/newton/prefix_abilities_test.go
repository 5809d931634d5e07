package newton

import (
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// A prefix passes every ability on as it is: what the oracle says of these samples.
func TestPrefixSaysWhatTheOracleSays(t *testing.T) {
	const n, d = 60, 3
	rng := drotest.RngOf(113)
	all := drotest.NewSample(rng, n, d, false).Oracle(t, losses.Logistic{})
	p := newPrefix(all, 40)
	x, weight, slope, value := drotest.Normals(rng, d, 1), drotest.Normals(rng, n, 1), make([]float64, n), make([]float64, n)
	all.EvalTo(value, slope, x, 0, n)
	scale := []float64{1, 2, 3}
	for what, each := range map[string][2]func(dst []float64){
		"NormsTo":      {func(v []float64) { p.NormsTo(v, scale, 5, 40) }, func(v []float64) { all.NormsTo(v, scale, 5, 40) }},
		"MarginsTo":    {func(v []float64) { p.MarginsTo(v, x, 5, 40) }, func(v []float64) { all.MarginsTo(v, x, 5, 40) }},
		"AddSquaresTo": {func(v []float64) { p.AddSquaresTo(v, weight, 5, 40) }, func(v []float64) { all.AddSquaresTo(v, weight, 5, 40) }},
		"AddGramTo":    {func(v []float64) { p.AddGramTo(v, weight, 5, 40) }, func(v []float64) { all.AddGramTo(v, weight, 5, 40) }},
		"CurvatureTo":  {func(v []float64) { p.CurvatureTo(v, slope, 5, 40) }, func(v []float64) { all.CurvatureTo(v, slope, 5, 40) }},
		"EvalTo":       {func(v []float64) { p.EvalTo(v, slices.Clone(slope), x, 5, 40) }, func(v []float64) { all.EvalTo(v, slices.Clone(slope), x, 5, 40) }},
	} {
		got, want := make([]float64, n), make([]float64, n)
		each[0](got)
		if each[1](want); !slices.Equal(got, want) || slices.Max(want) == 0 && slices.Min(want) == 0 {
			t.Errorf("%s: %v, of the oracle %v", what, got, want)
		}
	}
}
