package primaldual

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// The conditional expectation of an estimate is an enumeration: over the blocks
// that the step can draw, each with its probability.

// walked returns an iteration after k steps of fixed random blocks, always the same.
func walked(t *testing.T, s drotest.Sample, d saddle.Dual, m saddle.Method, k int) *iteration {
	w := bold(begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: 0.2}}, m, 3))
	for range k {
		w.template.step()
	}
	return w
}

// tables returns Ĵᵀy from a slope table of scalar slopes, lifted or not.
func tables(s drotest.Sample, slope, y []float64, d int) []float64 {
	g := make([]float64, d)
	for j := range s.N {
		for i := range s.D {
			g[i] += y[j] * slope[j] * s.Design[j*s.D+i]
		}
		if d > s.D {
			g[s.D] -= y[j]
		}
	}
	return g
}

// fullUpdate is ȳ_k: the block step of every block from y_{k−1} at x_k.
func fullUpdate(s drotest.Sample, estimator *separableEstimator, y, x []float64, eta float64) []float64 {
	n := logisticTwin(s, len(x) > s.D)
	bar, u := make([]float64, s.N), make([]float64, s.N)
	estimator.dual.CoordsTo(u, y)
	estimator.dual.BlockStepTo(u, bar, n.f(x), u, eta, 0, s.N)
	return bar
}

// The tied step P_{k+1} = Q_k = R_k is unbiased over Q_k: with the tables of
// step k−2,
//
//	E_Q[N(ȳ_Q∇f_Q − y_Qĝ_Q)] = ∇f(x_{k−1})ᵀȳ_{k−1} − Ĵ_{k−2}ᵀy_{k−2},
//
// blocks of one size drawn uniformly; and Lemma 5, ȳ_k = N E[y_k] − (N−1)y_{k−1}.
func TestEstimator_UnbiasedWithTies(t *testing.T) {
	s := uneven(54, 6, 2)
	for _, d := range []saddle.Dual{side.Box{Lower: 0, Upper: 1, Nu: 0.3}, side.Simplex{Nu: 0.3}} {
		m := SeparableBlock{Schedule: Theory, Block: 2}
		tied := func() *iteration {
			w := bold(begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: 0.2}}, m,
				3))
			estimator := w.template.estimator.(*separableEstimator)
			estimator.tied, estimator.order = true, []int{2, 0, 1}
			w.template.step()
			w.template.step()
			return w
		}
		var mean, want, meanY, bar []float64
		for Q := range 3 {
			w := tied()
			estimator := w.template.estimator.(*separableEstimator)
			y, slope := append([]float64(nil), estimator.y...), append([]float64(nil), estimator.slope...)
			estimator.order, estimator.visited = []int{Q}, 0
			w.template.step()
			bar = fullUpdate(s, estimator, y, w.template.x, estimator.etaPrev)
			w.template.k++
			w.template.aPrev, w.template.a = w.template.a, w.template.nextWeight()
			estimator.estimatePrimal(w.template)
			dim := len(w.template.x)
			if mean == nil {
				mean, meanY = make([]float64, dim), make([]float64, 6)
			}
			extra := combine(1, w.template.g, -1, estimator.aggregate)
			mean, meanY = combine(1, mean, 1./3, extra), combine(1, meanY, 1./3, estimator.y)
			n := logisticTwin(s, w.lifted)
			r := w.template.aPrev / w.template.a
			want = combine(r, n.times(n.jac(w.template.x), bar, 0, 6), -r, tables(s, slope, y, dim))
			agree(t, "the aggregate", estimator.aggregate, tables(s, estimator.slope, estimator.y, dim), 1e-11)
			if Q == 2 {
				agree(t, fmt.Sprintf("%T: Lemma 5", d), combine(3, meanY, -2, y), bar, 1e-11)
			}
		}
		agree(t, fmt.Sprintf("%T", d), mean, want, 1e-11)
	}
}

// One block is the full vector: under the same a_k the stochastic and, on a
// separable dual, the separable method take the steps of Alg. 2.
func TestEstimator_OneBlockIsFullVector(t *testing.T) {
	s := uneven(55, 6, 2)
	d := side.Box{Lower: 0, Upper: 1, Nu: 0.4}
	full := walked(t, s, d, FullVector{Schedule: Theory}, 0)
	others := map[string]*iteration{
		"stochastic": walked(t, s, d, Stochastic{Schedule: Theory, Block: 6}, 0),
		"separable":  walked(t, s, d, SeparableBlock{Schedule: Theory, Block: 6}, 0),
		"historical": walked(t, s, d, Stochastic{Strategy: Historical, Schedule: Theory, Block: 6}, 0),
	}
	// With one block x̂_{k−1} = x_{k−1} and ŷ_{k−1} = y_{k−1}, so that w does not matter.
	for k := range 30 {
		full.template.step()
		for name, w := range others {
			w.template.step()
			agree(t, fmt.Sprintf("%s: x_%d", name, k+1), w.template.x, full.template.x, 1e-11)
			var y []float64
			switch c := w.template.estimator.(type) {
			case *stochasticEstimator:
				y = c.y
			case *separableEstimator:
				y = c.y
			}
			agree(t, fmt.Sprintf("%s: y_%d", name, k+1), y, full.template.estimator.(*fullEstimator).y, 1e-11)
		}
	}
	if full.template.x[0] == 0 {
		t.Error("nothing moved")
	}
}

// After 10⁴ steps the maintained aggregates still are what they are defined as.
func TestEstimator_AggregatesAfterManySteps(t *testing.T) {
	const steps, drift = 10000, 1e-10 // relative to the largest term
	s := uneven(56, 60, 3)
	for _, m := range []saddle.Method{
		Stochastic{Schedule: Theory, Block: 7}, Stochastic{Strategy: Historical, Schedule: Theory, Block: 7},
		SeparableBlock{Schedule: Theory, Block: 7}, SeparableBlock{Strategy: Historical, Schedule: Theory, Block: 7},
		SeparableBlock{Block: 7}, SeparableBlock{Block: 7, ThreeTouches: true},
	} {
		for _, d := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3}} {
			w := begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: 0.05}}, m, 3)
			if w.template.theory == nil {
				w.template.m, w.template.alpha = moduli{1, 1, d.Modulus(), d.Modulus()}, 0.002
				w.template.prox = w.template.problem.Primal.ProxTo // plain steps: the Hessian is not the subject
			}
			for range steps {
				w.template.step()
			}
			var got, want, mean []float64
			switch c := w.template.estimator.(type) {
			case *stochasticEstimator:
				got, want = c.aggregate, tables(s, c.slope, c.hatY, 3)
				if c.points.w > 0 {
					mean = make([]float64, 3)
					for i, gamma := range c.points.gamma {
						mean = combine(1, mean, gamma, c.points.hat[3*i:3*i+3])
					}
					agree(t, "Σγ_I x̂_I", c.points.mean, mean, drift)
				}
			case *separableEstimator:
				got, want = c.aggregate, tables(s, c.slope, c.y, len(w.template.x))
			}
			off := 0.0
			for i := range want {
				off = max(off, math.Abs(got[i]-want[i])/(1+drotest.MaxAbs(want)))
			}
			t.Logf("%s, %T: drift %.2g", drotest.Describe(m), d, off)
			if !(off <= drift) {
				t.Errorf("%s, %T: the aggregate is off by %.3g", drotest.Describe(m), d, off)
			}
		}
	}
}
