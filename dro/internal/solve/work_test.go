package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// workProblems are twenty problems of 1500 rows: three losses, both penalties, mild and
// strong, columns of one scale and of many, light tails and heavy.
func workProblems(t *testing.T) (out []*dro.Problem) {
	const n, d = 1500, 6
	rng := rand.New(rand.NewPCG(77, 1))
	for trial := range 20 {
		loss := []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.5}, losses.Squared{}, losses.Squared{}}[trial%4]
		x, target := make([]float64, n*d), make([]float64, n)
		for j := range target {
			for i := range d {
				v := rng.NormFloat64()
				target[j] += v * float64(1+i%3) / 3
				if trial/4%2 == 1 {
					v *= math.Pow(10, float64(i-3))
				}
				x[j*d+i] = v
			}
			if target[j] += rng.NormFloat64(); trial%4 == 3 {
				target[j] += 0.1 * rng.NormFloat64() / (1e-3 + rng.Float64())
			}
			if trial%4 == 0 {
				target[j] = math.Copysign(1, target[j])
			}
		}
		o, err := losses.NewLinear(loss, dense(t, n, d, x), target)
		if err != nil {
			t.Fatal(err)
		}
		nu := []float64{3, 0.3, 0.03}[trial%3]
		dual := []dro.Dual{dro.Simplex{Nu: nu}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: nu}}[trial/2%2]
		out = append(out, &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: []float64{1.0 / n, 1e-2}[trial/8%2]}})
	}
	return out
}

// What the methods spend on the problems together: no more than they did, by a margin that
// noise of other machines cannot reach, for passes are counted. A method that comes to need
// less may have its number lowered.
func TestWorkOfTheMethods(t *testing.T) {
	problems := workProblems(t)
	for name, c := range map[string]struct {
		m      dro.Method
		gap    float64
		passes float64 // over all problems, at most
		on     func(p *dro.Problem) *dro.Problem
	}{
		"newton":          {m: dro.Newton{}, gap: 1e-8, passes: 215},
		"newton, sampled": {m: dro.Newton{Sample: 600}, gap: 1e-8, passes: 216},
		"newton-cg":       {m: dro.Newton{Products: true}, gap: 1e-8, passes: 440},
		"growing":         {m: dro.Newton{First: 60}, gap: 1e-8, passes: 260},
		"lbfgs":           {m: dro.LBFGS{}, gap: 1e-6, passes: 766},
		"full":            {m: primaldual.FullVector{}, gap: 1e-3, passes: 469},
		"stochastic":      {m: primaldual.Stochastic{}, gap: 1e-2, passes: 635},
		"separable":       {m: primaldual.SeparableBlock{}, gap: 1e-6, passes: 546},
		"cvar":            {m: dro.Newton{}, gap: 1e-6, passes: 485, on: withDual(func(int) dro.Dual { return dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.1} })},
		"ball":            {m: dro.Newton{}, gap: 1e-6, passes: 225, on: withDual(func(int) dro.Dual { return dro.Simplex{Divergence: dro.KullbackLeibler, Radius: 0.1} })},
	} {
		passes, certified := 0.0, 0
		for _, p := range problems {
			if c.on != nil {
				p = c.on(p)
			}
			s := dro.DefaultSettings()
			s.RelativeGap, s.MaxPasses = c.gap, 80
			res, err := dro.SolveBy(context.Background(), p, c.m, s)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			passes += res.Passes
			if res.Status == dro.Certified {
				certified++
			}
		}
		t.Logf("%s: %.5g passes, %d certified", name, passes, certified)
		if passes > c.passes {
			t.Errorf("%s: %.5g passes, %.5g at most; %d of %d certified", name, passes, c.passes, certified, len(problems))
		}
	}
}

func withDual(of func(n int) dro.Dual) func(p *dro.Problem) *dro.Problem {
	return func(p *dro.Problem) *dro.Problem {
		n, _, _ := p.Oracle.Dims()
		return &dro.Problem{Oracle: p.Oracle, Dual: of(n), Primal: p.Primal}
	}
}
