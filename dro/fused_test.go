package dro

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// A fused evaluation is the evaluation by two readings, for every dual that has
// one, wherever the point moves; and reads every sample once.
func TestFusedAgainstTwoReadings(t *testing.T) {
	rng := rngOf(91)
	const n, d = 9000, 6
	s := newSample(rng, n, d, false)
	weights := onSimplex(rng, n)
	fixed, err := NewFixed(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, dual := range []Dual{KL{1}, KL{0.01}, KL{1e-9}, KL{1e12}, ChiSquare{1}, ChiSquare{0.01}, ChiSquare{1e-9}, ChiSquare{1e12}, Uniform{}, fixed} {
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
			o := &counter{Linear: s.oracle(t, l)}
			p := &Problem{o, dual, L2{Mu: 0.01}}
			once, twice := newEvaluator(p), newEvaluator(p)
			g, want := make([]float64, d), make([]float64, d)
			y, wantY := make([]float64, n), make([]float64, n)
			x := normals(rng, d, 0.3)
			for k := range 12 {
				step := math.Pow(10, -float64(k%6))
				for i := range x {
					x[i] += step * rng.NormFloat64()
				}
				o.reset()
				once.passes = 0
				risk, tau := once.respond(g, y, x)
				evaluated := o.eval.Load()
				wantRisk, wantTau := twice.respondTwice(want, wantY, x)
				name := fmt.Sprintf("%T ν = %v, %s, point %d", dual, dual.Modulus(), l.Name(), k)
				if !near(risk, wantRisk, 1e-13, wantRisk) || !near(tau, wantTau, 1e-12*(1+dual.Modulus()), wantTau) {
					t.Fatalf("%s: risk %v and τ %v, by two readings %v and %v", name, risk, tau, wantRisk, wantTau)
				}
				twice.gradOf(want, y, once.slope)
				for i := range g {
					if !near(g[i], want[i], 1e-12, maxAbs(want)) {
						t.Fatalf("%s: gradient %v, of these weights %v", name, g, want)
					}
				}
				// Losses that differ in the last place move weights by that over ν.
				tol := 1e-12 + 1e-15*maxAbs(once.value)/max(dual.Modulus(), 1e-9)
				if dual.Modulus() == 0 {
					tol = 1e-12
				}
				total, largest := 0.0, maxAbs(wantY)
				for j := range y {
					if !(math.Abs(y[j]-wantY[j]) <= tol*largest) {
						t.Fatalf("%s: weight %d is %v, by two readings %v", name, j, y[j], wantY[j])
					}
					total += y[j]
				}
				if !near(total, 1, 1e-12, 1) {
					t.Fatalf("%s: the weights sum to %v", name, total)
				}
				if evaluated != n || once.passes < 1 || once.passes > 1.5+1.0/32 {
					t.Fatalf("%s: %d samples evaluated, %v passes", name, evaluated, once.passes)
				}
			}
		}
	}
}

// Near the optimum, where the level hardly moves, an evaluation against χ² takes one
// pass and the samples at the level.
func TestFusedTouchesFewSamplesAgain(t *testing.T) {
	rng := rngOf(92)
	const n, d = 9000, 6
	p := &Problem{newSample(rng, n, d, false).oracle(t, losses.Logistic{}), ChiSquare{0.1}, L2{Mu: 0.01}}
	e := newEvaluator(p)
	g, y, x := make([]float64, d), make([]float64, n), normals(rng, d, 0.3)
	e.respond(g, y, x)
	for range 5 {
		x[0] += 1e-4
		e.passes = 0
		e.respond(g, y, x)
		if e.passes > 1.01 {
			t.Errorf("%v passes", e.passes)
		}
	}
}
