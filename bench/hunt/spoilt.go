package hunt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro"
)

// spoil puts a number where none like it may be. Nothing but an error may come of that.
func (t *Tally) spoil(ctx context.Context, s Settings, c *Case, rng *rand.Rand) {
	bad := *c
	wrong := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1}[rng.IntN(4)]
	infinite := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)] // where any number may be
	in := func(v *[]float64, value float64) {
		if len(*v) > 0 {
			*v = slices.Clone(*v)
			(*v)[rng.IntN(len(*v))] = value
		}
	}
	what := ""
	for what == "" {
		switch rng.IntN(9) {
		case 0:
			what = "entry"
			in(&bad.Rows, infinite)
		case 1:
			what = "target"
			in(&bad.Target, infinite)
		case 2:
			what = "starting point"
			bad.X0 = make([]float64, c.D)
			in(&bad.X0, infinite)
		case 3:
			what, bad.Mu = "μ", wrong
		case 4:
			if c.Kind != "given" {
				what, bad.Nu = "ν", wrong
			}
		case 5:
			if c.Kind == "capped" || c.Kind == "protected" {
				what, bad.Alpha = "share", []float64{math.NaN(), math.Inf(1), -1, 0, 1.5}[rng.IntN(5)]
			}
		case 6:
			if c.Radius > 0 {
				what, bad.Radius = "radius", []float64{math.NaN(), math.Inf(-1), -1}[rng.IntN(3)]
			}
		case 7:
			if c.Weights != nil {
				what = "weight"
				in(&bad.Weights, wrong)
			}
		case 8:
			if c.Share != nil {
				what = "share of a sample"
				in(&bad.Share, wrong)
			}
		}
	}
	t.Spoilt++
	p, end, err := bad.problem(storages[rng.IntN(3)], nil)
	defer end()
	if err != nil {
		return
	}
	m, _ := dro.Choose(p)
	settings := dro.DefaultSettings()
	settings.X0, settings.MaxPasses = bad.X0, 5
	e, _ := t.run(ctx, s, c, "spoilt "+what, func(ctx context.Context) (*dro.Result, error) { return dro.Solve(ctx, p, m, settings) })
	if e.res != nil {
		t.find("accepted", c, fmt.Sprintf("a bad %s: %v %v %v %v, %v", what, bad.Mu, bad.Nu, bad.Alpha, bad.Radius, e.res.Status))
	}
}
