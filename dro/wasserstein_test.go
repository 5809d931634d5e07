package dro_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// The certified risk over the ball is no smaller than the mean loss after any move of the features by the radius on
// average, and a move of one sample far along the coefficients comes close to it.
func TestWasserstein_IsTheWorstMove(t *testing.T) {
	rng := drotest.RngOf(48)
	const n, d, radius = 60, 4, 0.2
	rows, target := make([]float64, n*d), make([]float64, n)
	for j := range n {
		for k := range d {
			rows[j*d+k] = rng.NormFloat64()
		}
		rows[j*d+d-1] = 1
		target[j] = 1
		if rows[j*d]+rng.NormFloat64() < 0.3 {
			target[j] = -1
		}
	}
	z, err := design.NewDense(n, d, rows)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: oracle, Dual: dro.Uniform{},
		Primal: &dro.Wasserstein{Mu: 1e-3, Radius: radius, Intercept: true}}
	res, err := dro.Solve(t.Context(), p, &dro.Options{RelativeGap: 1e-10})
	if err != nil || res.Status != dro.Certified {
		t.Fatal(res, err)
	}
	norm := math.Sqrt(res.X[0]*res.X[0] + res.X[1]*res.X[1] + res.X[2]*res.X[2])
	worst := res.Objective - 5e-4*norm*norm
	mean := func(moved int) (sum float64) { // the first samples move along the coefficients, n·radius in all
		for j := range n {
			m := 0.0
			for k, x := range res.X {
				m += rows[j*d+k] * x
			}
			if j < moved {
				m -= target[j] * radius * n / float64(moved) * norm
			}
			sum += math.Log1p(math.Exp(-target[j]*m)) / n
		}
		return sum
	}
	for _, moved := range []int{1, 2, 10, n} {
		if got := mean(moved); !(got <= worst+1e-9) {
			t.Errorf("%d samples that move have the mean %v, more than %v", moved, got, worst)
		}
	}
	if got := mean(1); !(got >= worst-0.02) {
		t.Errorf("a sample that moves far has the mean %v, much less than %v", got, worst)
	}
	p.Dual = dro.CVaR{Alpha: 0.1}
	if _, err := dro.Solve(t.Context(), p, nil); err == nil || !strings.Contains(err.Error(), "needs") {
		t.Errorf("a maximum of losses: %v", err)
	}
}

// Without a ridge penalty a bound needs a gradient of at most the radius, which is found for every radius: near 0, and
// where the optimum is 0.
func TestWasserstein_IsCertifiedWithoutARidge(t *testing.T) {
	for seed := range uint64(6) {
		rng := drotest.RngOf(480 + seed)
		o := drotest.NewSample(rng, 80, 4, true).Oracle(t, losses.Logistic{})
		for _, dual := range []dro.Dual{dro.Uniform{}, dro.KL{Nu: 1}} {
			for _, radius := range []float64{1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3} {
				for _, gap := range []float64{1e-4, 1e-6} {
					p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.Wasserstein{Radius: radius}}
					res, err := dro.Solve(t.Context(), p, &dro.Options{RelativeGap: gap})
					if err != nil || res.Status != dro.Certified {
						t.Errorf("seed %d, %T, radius %v, gap %v: %v, %v", seed, dual, radius, gap, res, err)
					}
				}
			}
		}
	}
}
