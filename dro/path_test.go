package dro_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

// A price that is asked for again costs the points that were added since, and knows what a
// path that had all of them at once does.
func TestPath_RemembersItsBounds(t *testing.T) {
	p := &dro.Problem{Oracle: exampleOracle(), Primal: dro.L2{Mu: 0.1, Intercept: true}}
	n, d, _ := p.Oracle.Dims()
	asked := 0
	at := func(nu float64) dro.Dual {
		asked++
		return dro.KL{Nu: nu}
	}
	slowly, atOnce := dro.NewPath(p, at), dro.NewPath(p, at)
	x, y := make([]float64, d), make([]float64, n)
	for k := range 3 {
		for j := range y {
			y[j] = 1 / float64(n)
		}
		x[0] = 0.3 * float64(k)
		for _, path := range []*dro.Path{slowly, atOnce} {
			if err := path.Add(x, y); err != nil {
				t.Fatal(err)
			}
		}
		first, err := slowly.BoundsAt(0.7)
		before := asked
		again, _ := slowly.BoundsAt(0.7)
		if err != nil || asked != before || again != first || math.IsInf(first.Gap(), 1) {
			t.Errorf("after %d points: %v, again %v with %d more duals, %v", k+1, first, again, asked-before, err)
		}
	}
	little, err := slowly.BoundsAt(0.7)
	all, _ := atOnce.BoundsAt(0.7)
	if err != nil || !(math.Abs(little.Upper-all.Upper) <= 1e-14) || little.Lower != all.Lower {
		t.Errorf("%v point by point, %v at once, %v", little, all, err)
	}
}

// Two solves bracket the optimum at the price between them.
func ExamplePath() {
	problem := &dro.Problem{Oracle: exampleOracle(), Primal: dro.L2{Mu: 0.1, Intercept: true}}
	at := func(nu float64) dro.Dual { return dro.KL{Nu: nu} }
	path := dro.NewPath(problem, at)
	for _, nu := range []float64{1, 0.5} {
		problem.Dual = at(nu)
		res, err := dro.SolveBy(context.Background(), problem, dro.Newton{}, dro.DefaultSettings())
		if err != nil {
			log.Fatal(err)
		}
		if err := path.Add(res.X, res.Weights); err != nil {
			log.Fatal(err)
		}
	}
	c, err := path.BoundsAt(0.7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f ≤ optimum ≤ %.4f\n", c.Lower, c.Upper)
	// Output:
	// 0.5081 ≤ optimum ≤ 0.5129
}

// A point or weights of another length are refused, and a path without duals.
func TestPath_RefusesOtherLengths(t *testing.T) {
	p := &dro.Problem{Oracle: exampleOracle(), Primal: dro.L2{Mu: 0.1, Intercept: true}}
	n, d, _ := p.Oracle.Dims()
	weights := func(n int) []float64 {
		y := make([]float64, n)
		for j := range y {
			y[j] = 1 / float64(n)
		}
		return y
	}
	kl := func(nu float64) dro.Dual { return dro.KL{Nu: nu} }
	for name, add := range map[string]error{
		"no point":         dro.NewPath(p, kl).Add(nil, weights(n)),
		"a longer point":   dro.NewPath(p, kl).Add(make([]float64, d+1), weights(n)),
		"fewer weights":    dro.NewPath(p, kl).Add(make([]float64, d), weights(n-1)),
		"more weights":     dro.NewPath(p, kl).Add(make([]float64, d), weights(n+1)),
		"no weights":       dro.NewPath(p, kl).Add(make([]float64, d), nil),
		"no dual":          dro.NewPath(p, func(float64) dro.Dual { return nil }).Add(make([]float64, d), weights(n)),
		"weights of sum 0": dro.NewPath(p, kl).Add(make([]float64, d), make([]float64, n)),
	} {
		if add == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := dro.NewPath(p, kl).Add(make([]float64, d), weights(n)); err != nil {
		t.Error(err)
	}
}
