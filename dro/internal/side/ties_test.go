package side

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// Weights that are all zero are refused for that: no constant makes more of them.
func TestNoWeightAtAll(t *testing.T) {
	if _, err := NewFixed([]float64{0, 0}); err == nil || !strings.Contains(err.Error(), "> 0") {
		t.Errorf("weights of zero: %v", err)
	}
	if _, err := NewFixed([]float64{0, leastTotal}); err != nil {
		t.Errorf("a weight of %v: %v", leastTotal, err)
	}
	if _, err := NewFixed([]float64{0, leastTotal / 2}); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("a weight of %v: %v", leastTotal/2, err)
	}
}

// Among samples without weight there is no quantile, and none of them gets any.
func TestQuantileWithoutWeight(t *testing.T) {
	y := []float64{7, 7, 7}
	_, tau := Protected{Share: 0.5, Weights: []float64{0, 0, 0, 1}}.BestResponseTo(y, []float64{-1, 0, 1})
	if !math.IsNaN(tau) || y[0] != 0 || y[1] != 0 || y[2] != 0 {
		t.Errorf("τ = %v, weights %v", tau, y)
	}
}

// Losses that differ by the smallest number there is have a response, whatever the radius.
func TestLossesThatDifferByNothing(t *testing.T) {
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{0.01, 0.3, 0.5, 2} {
			for _, f := range [][]float64{{0, math.SmallestNonzeroFloat64}, {1, 1}, {3}} {
				y := make([]float64, len(f))
				b := Ball{Divergence: d, Radius: radius}
				risk, _ := b.BestResponseTo(y, f)
				mass := 0.0
				for _, v := range y {
					mass += v
				}
				if !(math.Abs(mass-1) <= 1e-12) || !(math.Abs(risk-f[0]) <= math.SmallestNonzeroFloat64) {
					t.Errorf("divergence %d, radius %v, losses %v: risk %v, weights %v", d, radius, f, risk, y)
				}
			}
		}
	}
}

// A response is said of the samples asked for alone; a sample without weight has none, nor has
// one at its cap.
func TestResponsesOfARange(t *testing.T) {
	w := []float64{1, 2, 3, 2, 1}
	for name, c := range map[string]struct {
		d      saddle.Responsive
		capped bool
	}{
		"χ²":             {ChiSquare{Nu: 2}, false},
		"capped KL":      {CappedKL{Alpha: 0.5, Nu: 2}, true},
		"capped χ²":      {CappedChiSquare{Alpha: 0.5, Nu: 2}, true},
		"KL ball":        {ballResponse{Ball: Ball{}, price: 2}, false},
		"χ² ball":        {ballResponse{Ball: Ball{Divergence: PearsonChi2, Weights: w}, price: 2, total: 9}, false},
		"ball at vertex": {ballResponse{Ball: Ball{}}, true},
		"protected":      {protectedResponse{Protected{Share: 0.5, Nu: 2, Weights: w}, 9}, true},
	} {
		y := []float64{0, 0.4, 0.1, 0.1, 0.4}
		if name == "protected" {
			y[1] = 4. / 9
		}
		response := []float64{7, 7, 7, 7, 7}
		c.d.ResponseTo(response, y, 0, 3)
		if response[3] != 7 || response[4] != 7 {
			t.Errorf("%s: %v outside of the first three", name, response[3:])
		}
		if response[0] != 0 || (response[1] == 0) != c.capped || (response[2] > 0) == (name == "ball at vertex") {
			t.Errorf("%s: responses %v of weights %v", name, response[:3], y[:3])
		}
		clear(response)
		c.d.ResponseTo(response, y, 3, 5) // up to the end
	}
}

// The caps of a polyhedral adversary are those of the samples with weight.
func TestCapsOfWeights(t *testing.T) {
	w := []float64{0, 1, 3}
	u := make([]float64, 3)
	if !(Ball{Weights: w, Radius: math.Inf(1)}).CapTo(u) || u[0] != 0 || !math.IsInf(u[1], 1) || !math.IsInf(u[2], 1) {
		t.Errorf("ball: %v", u)
	}
	if !(Protected{Weights: w, Share: 0.5}).CapTo(u) || u[0] != 0 || u[1] != 0.5 || u[2] != 1.5 {
		t.Errorf("protected: %v", u)
	}
}

// A loss of zero, without a price, asks for no weight; and limits that meet are limits.
func TestZeroLossesAndClosedIntervals(t *testing.T) {
	y := []float64{7}
	for _, d := range []saddle.Dual{Box{Lower: -1, Upper: 2}, Box{Lower: math.Inf(-1), Upper: math.Inf(1)}, OrthantKL{Cap: math.Inf(1)}, OrthantChiSquare{Cap: 3}} {
		if risk, _ := d.BestResponseTo(y, []float64{0}); risk != 0 || y[0] != 0 {
			t.Errorf("%#v: risk %v, weight %v", d, risk, y[0])
		}
	}
	for _, c := range []struct {
		d  interface{ Valid(n int) error }
		ok bool
	}{
		{Box{Lower: 1, Upper: 1}, true}, {Box{Lower: 1, Upper: 0.5}, false},
		{CappedKL{Alpha: 1}, true}, {CappedKL{Alpha: 0}, false}, {Protected{Share: 1}, true}, {Protected{}, false},
		{OrthantKL{Cap: 0}, false}, {OrthantKL{Cap: math.SmallestNonzeroFloat64}, true},
		{Fixed{weights: []float64{1, 1}}, true}, {Fixed{weights: []float64{1}}, false},
	} {
		if err := c.d.Valid(2); (err == nil) != c.ok {
			t.Errorf("%#v: %v", c.d, err)
		}
	}
}

// Groups of the least weight there may be count; numbers of groups begin at 0, and one way to
// group says what its weights cost.
func TestGroupsAtTheirEdges(t *testing.T) {
	g, err := NewGroups(Ball{Radius: math.Inf(1)}, []float64{leastMass, 1}, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if risk, _ := g.BestResponseTo(make([]float64, 2), []float64{5, 1}); risk != 5 {
		t.Errorf("a group of weight %v: risk %v", leastMass, risk)
	}
	if _, err := NewGroups(Ball{Radius: math.Inf(1)}, nil, []int{0, 2}); err == nil || !strings.Contains(err.Error(), "from 0") {
		t.Errorf("group 2 of 2 samples: %v", err)
	}
	if g, err = NewGroups(Ball{Radius: 0.5, Nu: 1}, nil, []int{0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	y := []float64{1. / 3, 1. / 3, 1. / 3}
	want := 2./3*math.Log(4./3) + 1./3*math.Log(2./3)
	if v := g.Value(y); !(math.Abs(v-want) <= 1e-15) || g.ImpliesPenalty() || g.OutsideShare(y) != 0 {
		t.Errorf("ψ = %v, not %v; implied %v, outside %v", v, want, g.ImpliesPenalty(), g.OutsideShare(y))
	}
}

// Balls at the radius and the prices from which on weights move, and no longer do.
func TestBallsWhereWeightsBeginToMove(t *testing.T) {
	moves := func(b Ball, f ...float64) bool {
		y := make([]float64, len(f))
		b.BestResponseTo(y, f)
		return y[0] != y[1]
	}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for radius, want := range map[float64]bool{1e-18: true, math.Nextafter(1e-18, 0): false} {
			if moves(Ball{Divergence: d, Radius: radius}, 0, 1) != want {
				t.Errorf("divergence %d, radius %v: moves %v", d, radius, !want)
			}
		}
	}
	for spread, want := range map[float64]bool{0x1p1020: true, 0x1p1021: false, 0x1p-1000: true, 0x1p-1001: false} {
		if moves(Ball{Divergence: PearsonChi2, Radius: 0.125}, 0, spread) != want { // of a price of the spread
			t.Errorf("a price of %v: moves %v", spread, !want)
		}
	}
	b := Ball{Radius: 1, Nu: 2}
	if along, share := b.CoupleTo(&saddle.Evaluator{N: 2, Threshold: 2, Value: []float64{0, 1}}, []float64{1, 1}, 2, nil); along != nil || share != nil {
		t.Error("a ball that does not bind couples its weights")
	}
	half := Ball{Divergence: PearsonChi2, Radius: 0.5} // of the samples
	if !half.Differentiable(16, 1) || half.Differentiable(15, 1) {
		t.Error("four samples a parameter and one are several, and fewer are not")
	}
}

// Samples without weight have no part in what is known of a response either, whatever the radius
// and the price: bits stay as they are.
func TestSamplesWithoutWeightDoNotCountAtAnyRadius(t *testing.T) {
	w, near, far := []float64{1, 0, 2, 1}, []float64{0.3, 0.5, 0.7, 0.1}, []float64{0.3, math.Inf(1), 0.7, 0.1}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{1e-20, 1e-4, 0.2, math.Inf(1)} {
			for _, nu := range []float64{0, 0.3, 1e6} {
				b := Ball{Divergence: d, Radius: radius, Nu: nu, Weights: w}
				y, z := make([]float64, 4), make([]float64, 4)
				of, at := b.respond(y, near, math.NaN()), b.respond(z, far, math.NaN())
				if of != at {
					t.Errorf("%#v: %+v, not %+v", b, at, of)
				}
				if of.nu == 0 {
					continue
				}
				own, outside := b.rounding(of, y, near)
				if o, s := b.rounding(at, z, far); o != own || s != outside {
					t.Errorf("%#v: rounding %v, %v, not %v, %v", b, o, s, own, outside)
				}
			}
		}
	}
	far[1] = math.NaN()
	for _, nu := range []float64{0, 0.2} {
		y := make([]float64, 4)
		if risk, _ := (Protected{Share: 0.3, Nu: nu, Weights: w}).BestResponseTo(y, far); y[1] != 0 || math.IsNaN(risk) {
			t.Errorf("protected, ν = %v: risk %v, weights %v", nu, risk, y)
		}
	}
	if v := (KL{}).Divergence([]float64{0, 1}, []float64{0, 0.5}); v != math.Ln2 {
		t.Errorf("a divergence of %v where neither has weight", v)
	}
}
