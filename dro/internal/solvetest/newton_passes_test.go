package solvetest_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

var newDense, newLinear, solveBy = dro.NewDense, dro.NewLinear, dro.SolveOrFail

// sample is a random problem of n rows: a linear model with noise of heavy
// tails, or its sign.
func sample(t testing.TB, loss losses.Loss, n, d int) *losses.Linear {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	x, target, truth := make([]float64, n*d), make([]float64, n), make([]float64, d)
	for i := range truth {
		truth[i] = rng.NormFloat64() / math.Sqrt(float64(d))
	}
	for j := range n {
		m := 0.0
		for i := range d {
			x[j*d+i] = rng.NormFloat64()
			m += x[j*d+i] * truth[i]
		}
		m += 0.5 * rng.NormFloat64() / math.Sqrt(0.2+rng.ExpFloat64())
		target[j] = m
		if loss.Name() == "logistic" {
			target[j] = math.Copysign(1, m)
		}
	}
	return newLinear(t, loss, newDense(t, n, d, x), target)
}

// Newton's method certifies many rows within a few passes, at the optimum of L-BFGS.
func TestNewton_CertifiesInAFewPasses(t *testing.T) {
	const n, d = 40_000, 10
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}} {
		o := sample(t, loss, n, d)
		for _, dual := range []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 0.5},
			dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 1}} {
			p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1.0 / n}}
			s := dro.DefaultSettings()
			peer := solveBy(t, p, dro.LBFGS{}, s)
			for _, c := range []struct {
				method dro.Method
				passes float64
			}{
				{dro.Newton{}, 25},
				{dro.Newton{Products: true}, 80},
			} {
				res := solveBy(t, p, c.method, s)
				if res.Status != dro.Certified || res.Passes > c.passes {
					t.Errorf("%s %#v %#v: %v after %.3g passes, at most %v expected", loss.Name(), dual, c.method, res.Status,
						res.Passes, c.passes)
				}
				if !(math.Abs(res.Objective-peer.Objective) <= 2e-6*peer.Objective) {
					t.Errorf("%s %#v %#v: objective %v, lbfgs %v", loss.Name(), dual, c.method, res.Objective, peer.Objective)
				}
				for _, k := range res.Trace {
					if !(k.Lower <= k.Upper) {
						t.Errorf("lower %v above upper %v", k.Lower, k.Upper)
					}
				}
			}
		}
	}
}

func TestNewton_CancelledBeforeItsFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 5000, 3), Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 10}}
	res, err := dro.SolveBy(ctx, p, dro.Newton{}, dro.DefaultSettings())
	if err == nil || res == nil || res.Status != dro.Cancelled || math.IsInf(res.Objective, 0) ||
		len(res.Weights) != 5000 {
		t.Errorf("%+v, %v", res, err)
	}
	if proved, err := dro.Certify(p, res.X); err != nil || !(res.Certificate.Lower > 0.5*proved.Lower) {
		t.Errorf("%+v of a solve that was never begun, %+v of its start, %v", res.Certificate, proved, err)
	}
}
