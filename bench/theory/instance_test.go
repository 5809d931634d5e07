package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

// The bounds of a gauge hold at random points, and meet at a saddle point known
// by hand.
func TestGaugeBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, in := range []*instance{
		newGame(powerScales(6, 1), 3, 0.1, 0.2, 1), newGame(powerScales(6, 0), 3, 0, 0, 1),
		newTraining(powerScales(6, 1), 3, 0.1, 0.2, false, 1), newTraining(powerScales(6, 1), 3, 0.1, 0.2, true, 1),
		newSimplexTraining(powerScales(6, 1), 3, 0.2, 1),
	} {
		g := in.gauge()
		upper, lower := math.Inf(1), math.Inf(-1)
		for range 200 {
			x, y := make([]float64, in.d), make([]float64, in.n)
			sum := 0.0
			for i := range x {
				x[i] = rng.ExpFloat64()
				sum += x[i]
			}
			for i := range x {
				x[i] /= sum
			}
			total := 0.0
			for j := range y {
				y[j] = rng.Float64() * in.weightCap
				total += y[j]
			}
			if in.sum {
				for j := range y {
					y[j] /= total
				}
			}
			u, l := g.bounds(x, y)
			upper, lower = min(upper, u), max(lower, l)
		}
		if upper < lower-1e-12 {
			t.Errorf("upper bound %v below the lower bound %v", upper, lower)
		}
	}
	// min over the simplex of |x₁ − x₂|: 0 at (½, ½), y = 0.
	oracle, err := dro.NewBilinear(1, 2, []float64{1, -1}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	in := newGame(powerScales(1, 0), 2, 0, 0, 1)
	in.oracle = oracle
	if u, l := in.gauge().bounds([]float64{0.5, 0.5}, []float64{0}); u != 0 || l != 0 {
		t.Errorf("bounds (%v, %v) at the saddle point, want 0", u, l)
	}
}

// With equal blocks, what the tables of the theorems say of uniform sampling is
// N‖G‖∞ and its like.
func TestConstantsOfEqualBlocks(t *testing.T) {
	const n, g = 9, 2.0
	c := blockConstants{g: g, l: 1}
	for range n {
		c.gs, c.ls, c.la = append(c.gs, g), append(c.ls, g), append(c.la, g*math.Sqrt2)
	}
	want := map[theoryMethod]float64{ // of 1/√(μν): √N·N‖G‖∞, N^{3/2}‖G‖₂, √N·√N‖G‖∞
		fullVector: g, stochasticHistorical: 3 * n * g, stochasticReplacement: 27 * 3 * g,
		separableHistorical: n * g, separableReplacement: n * g,
	}
	for m, v := range want {
		if got, _ := c.mixedAndPrimal(m, c.scheme(m, true, false)); !(math.Abs(got/v-1) <= 1e-12) {
			t.Errorf("%v: uniform constant %v, want %v", m, got, v)
		}
		for _, floor := range []bool{false, true} { // equal blocks: the adapted scheme is uniform
			if got, _ := c.mixedAndPrimal(m, c.scheme(m, false, floor)); !(math.Abs(got/v-1) <= 1e-12) {
				t.Errorf("%v: adapted constant %v, want %v", m, got, v)
			}
		}
	}
}

// Of unequal blocks the adapted constants are those of the tables.
func TestConstantsOfTheTables(t *testing.T) {
	c := blockConstants{gs: []float64{1, 0.5, 0.1}, ls: []float64{0.3, 0, 0.7}}
	for i := range c.gs {
		c.la = append(c.la, math.Hypot(c.gs[i], c.ls[i]))
	}
	l1, half := norm(c.la, 1), norm(c.la, 0.5)
	for m, want := range map[theoryMethod][2]float64{
		stochasticHistorical: {math.Sqrt(3 * l1 * norm(c.gs, 1)), math.Sqrt(3) * l1},
		separableHistorical:  {math.Sqrt(3 * l1 * norm(c.gs, math.Inf(1))), math.Sqrt(3 * l1 * norm(c.ls, 1))},
	} {
		mixed, primal := c.mixedAndPrimal(m, c.scheme(m, false, false))
		// λ ≥ G, L: the tables bound the constants from above.
		if mixed > want[0]*(1+1e-12) || primal > want[1]*(1+1e-12) {
			t.Errorf("%v: constants %v, %v above the table's %v", m, mixed, primal, want)
		}
	}
	_, primal := c.mixedAndPrimal(separableReplacement, c.scheme(separableReplacement, false, false))
	if want := math.Pow(half, 0.25) * math.Pow(norm(c.ls, 0.5), 0.75); primal > want*(1+1e-12) {
		t.Errorf("separable replacement: %v above the table's %v", primal, want)
	}
}
