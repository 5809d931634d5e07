package hunt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro"
)

// points bounds the optimum from single points: solutions, and one at random.
func (t *Tally) points(c *Case, p *dro.Problem, rng *rand.Rand, all []bounds) (more []bounds) {
	at := [][]float64{make([]float64, c.D)}
	for i := range at[0] {
		at[0][i] = math.Pow(10, 6*rng.Float64()-4) * rng.NormFloat64()
	}
	if rng.IntN(10) == 0 {
		size := math.Pow(10, 600*rng.Float64()-300)
		for i := range at[0] {
			at[0][i] = clamp(size * rng.NormFloat64())
		}
	}
	if len(all) > 0 && all[0].x != nil {
		at = append(at, all[0].x)
	}
	for k, x := range at {
		bound, err := dro.Certify(p, x)
		if err != nil || math.IsInf(bound.Upper, 1) {
			continue // where the objective is not a number
		}
		t.Points++
		more = append(more, bounds{name: fmt.Sprintf("point %d alone", k), lower: bound.Lower, upper: bound.Upper, x: x})
	}
	t.overlap(c, append(slices.Clone(all), more...))
	return more
}

// between holds what a path through the solutions proves at another price against a solve
// there.
func (t *Tally) between(ctx context.Context, s Settings, c *Case, p *dro.Problem, rng *rand.Rand, all []bounds) {
	if c.Kind != "price" && c.Kind != "weights" || c.Nu == 0 {
		return
	}
	other := *c
	path := dro.NewPath(p, func(nu float64) dro.Dual {
		at := other
		at.Nu = nu
		d, err := at.dual()
		if err != nil {
			panic(err)
		}
		return d
	})
	for _, b := range all {
		if b.y == nil {
			continue
		}
		if err := path.Add(b.x, b.y); err != nil {
			return // where losses are not numbers
		}
	}
	if d := (&drawing{Rand: rng, Case: &other}); d.one(2) { // a point and weights of no solve
		x, y := make([]float64, c.D), d.weights(c.N)
		for i := range x {
			x[i] = d.power(-4, 2) * d.NormFloat64()
		}
		total := 0.0
		for _, v := range y {
			total += v
		}
		for j := range y {
			y[j] /= total
		}
		if err := path.Add(x, y); err != nil {
			return
		}
	}
	for range 3 { // held against what single points prove there
		at := *c
		if at.Nu = c.Nu * math.Pow(10, 8*rng.Float64()-4); rng.IntN(4) == 0 {
			at.Nu = math.Pow(10, 600*rng.Float64()-300)
		}
		if at.Nu < 1e-300 || at.Nu > 1e300 {
			continue
		}
		known, err := path.Between(at.Nu)
		if err != nil {
			t.find("error", c, "path: "+err.Error())
			return
		}
		p, end, err := at.problem(storages[0], nil)
		if err != nil {
			t.find("error", c, "path: "+err.Error())
			return
		}
		bracket := []bounds{{name: "path", lower: known.Lower, upper: known.Upper}}
		for k := range all[:min(len(all), 3)] {
			if x := all[k].x; x != nil {
				t.Points++
				if b, err := dro.Certify(p, x); err == nil && !math.IsInf(b.Upper, 1) {
					bracket = append(bracket, bounds{name: "a point there", lower: b.Lower, upper: b.Upper, x: x})
				}
			}
		}
		end()
		t.overlap(&at, bracket)
		if s.Exact > 0 && c.N <= 3000 && len(bracket) > 1 && rng.IntN(8) == 0 {
			t.recompute(&at, bracket[1:])
			t.recompute(&at, []bounds{{name: "path", lower: known.Lower, upper: math.Inf(1), x: bracket[1].x, above: math.Inf(1)}})
		}
	}
	if other.Nu = c.Nu * math.Pow(10, 2*rng.NormFloat64()); !(other.Nu > 0) || math.IsInf(other.Nu, 1) {
		return
	}
	known, err := path.Between(other.Nu)
	if err != nil {
		t.find("error", c, "path: "+err.Error())
		return
	}
	t.Points++
	bracket := []bounds{{name: "path", lower: known.Lower, upper: known.Upper}}
	if p, end, err := other.problem(storages[0], nil); err == nil {
		m, _ := dro.Choose(p)
		if b, ok := t.solve(ctx, s, &other, "float64 "+m.Name()+" at another price", storages[0], m, false); ok {
			bracket = append(bracket, b)
			if rng.IntN(4) == 0 && s.Exact > 0 && c.N <= 3000 {
				bracket[0].x = b.x
				bracket[0].upper = max(bracket[0].upper, b.upper, b.above) // of the point solved for, and no other
				t.recompute(&other, bracket)
			}
		}
		end()
	}
	bracket[0].upper = known.Upper
	t.overlap(&other, bracket)
}
