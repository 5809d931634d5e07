package dro_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// drawnClasses returns n rows of d columns, the last of them 1, and a target of ±1 whose log-odds are bias plus
// signal times the sum of the features.
func drawnClasses(seed uint64, n, d int, bias, signal float64) (z, target []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		sum := 0.0
		for range d - 1 {
			v := rng.NormFloat64()
			z = append(z, v)
			sum += v
		}
		z = append(z, 1)
		t := -1.0
		if rng.Float64() < 1/(1+math.Exp(-bias-signal*sum)) {
			t = 1
		}
		target = append(target, t)
	}
	return z, target
}

func oracleOf(t *testing.T, l losses.Loss, n, d int, z, target []float64) dro.Oracle {
	t.Helper()
	m, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(l, m, target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// smallestLoss returns min over v of the mean of h(t_j z_jᵀv), by coordinate-wise refinement of a random search that
// shares nothing with the solver: gradient descent with backtracking.
func smallestLoss(n, d int, z, target []float64, h func(m float64) (value, slope float64)) float64 {
	at := func(v, g []float64) float64 {
		sum := 0.0
		clear(g)
		for j := range n {
			m := 0.0
			for i, a := range z[j*d : (j+1)*d] {
				m += a * v[i]
			}
			value, slope := h(target[j] * m)
			sum += value / float64(n)
			for i, a := range z[j*d : (j+1)*d] {
				g[i] += slope * target[j] * a / float64(n)
			}
		}
		return sum
	}
	v, g, trial, other := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	best, step := at(v, g), 1.0
	for range 3000 {
		square := 0.0
		for i := range v {
			trial[i] = v[i] - step*g[i]
			square += g[i] * g[i]
		}
		if now := at(trial, other); now <= best-step*square/2 {
			best = now
			v, trial, g, other = trial, v, other, g
			step *= 1.5
		} else if step /= 2; step < 1e-14 {
			break
		}
	}
	return best
}

// The critical level of a KL ball is the smallest exponential loss, that of a χ² ball the smallest squared hinge
// loss. Just outside the optimum is x = 0 with all losses log 2; just inside it is another.
func TestAssessConstant_IsTheSmallestOldLoss(t *testing.T) {
	const n, d = 400, 4
	for name, c := range map[string]struct {
		divergence dro.Divergence
		loss       func(m float64) (value, slope float64)
		radius     func(smallest float64) float64
	}{
		"KL": {dro.KullbackLeibler, func(m float64) (float64, float64) { e := math.Exp(-m); return e, -e },
			func(v float64) float64 { return -math.Log(v) }},
		"χ²": {dro.PearsonChi2, func(m float64) (float64, float64) { r := max(0, 1-m); return r * r, -2 * r },
			func(v float64) float64 { return 1/(2*v) - 0.5 }},
	} {
		t.Run(name, func(t *testing.T) {
			z, target := drawnClasses(3, n, d, -0.5, 0.7)
			o := oracleOf(t, losses.Logistic{}, n, d, z, target)
			want := c.radius(smallestLoss(n, d, z, target, c.loss))
			p := &dro.Problem{Oracle: o, Dual: dro.Ball{Divergence: c.divergence, Radius: 100},
				Primal: dro.L2{Mu: 1e-3, Intercept: true}}
			got, err := dro.AssessConstant(context.Background(), p)
			if err != nil || !got.Optimal || !(math.Abs(got.Divergence-want) <= 1e-6*want) {
				t.Fatalf("%+v %v, want the divergence %v", got, err, want)
			}
			for _, share := range []float64{0.97, 1.0001, 1.03, 10} {
				p.Dual = dro.Ball{Divergence: c.divergence, Radius: share * want}
				for _, m := range []dro.Method{nil, dro.LBFGS{}} {
					res, err := dro.Solve(context.Background(), p, &dro.Options{Method: m, MaxPasses: 400})
					if err != nil {
						t.Fatal(err)
					}
					isZero := true
					for _, v := range res.X {
						isZero = isZero && v == 0
					}
					if isZero != (share > 1) || share > 1 && (res.Status != dro.Certified || res.Passes > 40) {
						t.Errorf("%v at %v of the critical radius: x = %v, %v after %v passes", m, share, res.X, res.Status, res.Passes)
					}
				}
			}
		})
	}
}

// A rare class leaves constants other than ½ to CVaR: the probability of the rare class is its share over α.
func TestSolve_ConstantOfARareClass(t *testing.T) {
	const n, d, alpha = 2000, 4, 0.5
	z, target := drawnClasses(5, n, d, -2, 0.1)
	share := 0.0
	for _, v := range target {
		share += (1 + v) / 2 / n
	}
	for _, mu := range []float64{0, 1e-3} {
		p := &dro.Problem{Oracle: oracleOf(t, losses.Logistic{}, n, d, z, target), Dual: dro.CVaR{Alpha: alpha},
			Primal: dro.L2{Mu: mu, Intercept: true}}
		res, err := dro.Solve(context.Background(), p, &dro.Options{RelativeGap: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Log(share / alpha / (1 - share/alpha))
		if !(math.Abs(res.X[d-1]-want) <= 1e-9) || res.X[0] != 0 || res.Status != dro.Certified || res.Passes > 40 {
			t.Errorf("μ = %v: x = %v, want the constant %v; %v after %v passes", mu, res.X, want, res.Status, res.Passes)
		}
	}
}

// Other losses and targets: a squared loss on two values, counts with the deviance's constant left out, and classes.
func TestSolve_ConstantOfOtherLosses(t *testing.T) {
	const n, d = 600, 3
	z, target := drawnClasses(7, n, d, 0, 0.2)
	m, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	class := make([]int, n)
	for j := range class {
		class[j] = (int(target[j]) + 1) / 2 * (1 + j%2)
	}
	softmax, err := losses.NewSoftmax(m, class, 3)
	if err != nil {
		t.Fatal(err)
	}
	shifted := make([]float64, n)
	for j, v := range target {
		shifted[j] = 5 + v
	}
	for name, c := range map[string]struct {
		oracle dro.Oracle
		primal dro.L2
		want   float64 // objective
	}{
		"squared": {oracleOf(t, losses.Squared{}, n, d, z, shifted), dro.L2{Mu: 1e-3, Intercept: true}, 0.5},
		"Huber": {oracleOf(t, losses.Huber{Delta: 0.4}, n, d, z, shifted), dro.L2{Mu: 1e-3, Intercept: true},
			0.4 * (1 - 0.2)},
		"softmax":  {softmax, dro.L2{Mu: 1e-3, Intercept: true, Classes: 3}, math.Log(3)},
		"softmax ": {softmax, dro.L2{Mu: 1e-3}, math.Log(3)},
	} {
		for kind, dual := range map[string]dro.Dual{"KL": dro.Ball{Radius: 1},
			"χ²": dro.Ball{Divergence: dro.PearsonChi2, Radius: 1}, "CVaR": dro.CVaR{Alpha: 0.3}, "maximum": dro.KL{}} {
			p := &dro.Problem{Oracle: c.oracle, Dual: dual, Primal: c.primal}
			res, err := dro.Solve(context.Background(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(res.Objective-c.want) <= 1e-9) || res.Status != dro.Certified || res.Passes > 100 {
				t.Errorf("%s, %s: objective %v, want %v; %v after %v passes", name, kind, res.Objective, c.want, res.Status,
					res.Passes)
			}
		}
	}
}

// A method of the paper starts with the same question.
func TestSolve_ConstantByAMethodOfThePaper(t *testing.T) {
	const n, d = 300, 3
	z, target := drawnClasses(9, n, d, 0, 0.2)
	p := &dro.Problem{Oracle: oracleOf(t, losses.Logistic{}, n, d, z, target), Dual: dro.CVaR{Alpha: 0.2},
		Primal: dro.L2{Mu: 1e-2, Intercept: true}}
	res, err := dro.Solve(context.Background(), p, &dro.Options{Method: primaldual.FullVector{}, MaxPasses: 100})
	if err != nil || res.Status != dro.Certified || res.X[0] != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}
