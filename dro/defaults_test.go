package dro_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A nil method and zero settings are the defaults.
func TestSolve_Defaults(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 300, 3), Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
	m, _ := dro.Choose(p)
	want, err := dro.SolveBy(t.Context(), p, m, dro.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	got, err := dro.SolveBy(t.Context(), p, nil, dro.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != dro.Certified || got.Objective != want.Objective || got.Passes != want.Passes {
		t.Errorf("%v, objective %v in %v passes; by the default method and settings %v in %v", got.Status, got.Objective,
			got.Passes, want.Objective, want.Passes)
	}
	if _, err := dro.SolveBy(t.Context(), nil, nil, dro.Settings{}); err == nil {
		t.Error("no error for no problem")
	}
}

// Pointers to duals and primals behave as the values that they point to.
func TestSolve_PointersBehaveAsValues(t *testing.T) {
	o := sample(t, losses.Logistic{}, 300, 3)
	weights := make([]float64, 300)
	group := make([]int32, 300)
	for j := range weights {
		weights[j], group[j] = 1+float64(j%3), int32(j%4)
	}
	near := dro.Ball{Divergence: dro.PearsonChi2, Radius: math.Inf(1), Nu: 0.3, Weights: []float64{1, 2, 1, 1}}
	kl, chi, ball, cvar, capped, uniform :=
		dro.KL{Nu: 1}, dro.ChiSquare{Nu: 1}, dro.Ball{Radius: 0.1}, dro.CVaR{Alpha: 0.2}, dro.KL{Alpha: 0.5, Nu: 1},
		dro.Uniform{}
	weighted, protected, fixed, groups := dro.KL{Nu: 1, Weights: weights}, dro.ChiSquare{Nu: 1, Alpha: 0.2,
		Weights: weights}, dro.Fixed{Weights: weights}, dro.Groups{Of: [][]int32{group}, Near: near}
	box, orthant := primaldual.Box{Upper: 1, Nu: 1}, primaldual.Orthant{Nu: 1, Cap: 1}
	l2 := dro.L2{Mu: 0.1}
	for _, duals := range [][2]dro.Dual{{kl, &kl}, {chi, &chi}, {ball, &ball}, {protected, &protected}, {capped, &capped},
		{uniform, &uniform}, {fixed, &fixed}, {cvar, &cvar}, {weighted, &weighted}, {groups, &groups}, {box, &box},
		{orthant, &orthant}} {
		value := &dro.Problem{Oracle: o, Dual: duals[0], Primal: l2}
		pointer := &dro.Problem{Oracle: o, Dual: duals[1], Primal: &l2}
		a, _ := dro.Choose(value)
		b, _ := dro.Choose(pointer)
		if a.Name() != b.Name() {
			t.Errorf("%T: %s is chosen, for a pointer %s", duals[0], a.Name(), b.Name())
			continue
		}
		want, err := dro.SolveBy(t.Context(), value, nil, dro.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := dro.SolveBy(t.Context(), pointer, nil, dro.Settings{})
		if err != nil {
			t.Errorf("%T: %v", duals[1], err)
			continue
		}
		if got.Passes != want.Passes || got.Certificate != want.Certificate {
			t.Errorf("%T: %v in %v passes, by a pointer %v in %v", duals[0], want.Certificate, want.Passes, got.Certificate,
				got.Passes)
		}
	}
	if _, err := dro.SolveBy(t.Context(), &dro.Problem{Oracle: o, Dual: (*dro.KL)(nil), Primal: l2}, nil,
		dro.Settings{}); err == nil {
		t.Error("no error for a nil pointer")
	}
}

// onlyDual has the methods of every dual and no others.
type onlyDual struct {
	inner       dro.Dual
	above, turn float64 // added to the risk; exponent that weights are taken to and normalised, 0: 1
}

func (d onlyDual) Modulus() float64          { return d.inner.Modulus() }
func (d onlyDual) Value(y []float64) float64 { return d.inner.Value(y) }
func (d onlyDual) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = d.inner.BestResponseTo(y, f)
	if d.turn != 0 { // consistent, and not the best
		sum := 0.0
		for j, v := range y {
			y[j] = math.Pow(v, d.turn)
			sum += y[j]
		}
		risk = 0
		for j := range y {
			y[j] /= sum
			risk += y[j] * f[j]
		}
		risk -= d.Value(y)
	}
	return risk + d.above, tau
}

// A wrong best response of a dual of one's own is an error, not a certificate.
func TestSolve_WrongBestResponse(t *testing.T) {
	o := sample(t, losses.Logistic{}, 300, 3)
	for _, c := range []struct {
		dual  onlyDual
		wrong bool
	}{
		{onlyDual{inner: dro.KL{Nu: 0.1}}, false},
		{onlyDual{inner: dro.ChiSquare{Nu: 0.1}}, false},
		{onlyDual{inner: dro.KL{Nu: 0.1}, above: 1e-3}, true},
		{onlyDual{inner: dro.KL{Nu: 0.1}, above: -1e-3}, true},
		{onlyDual{inner: dro.KL{Nu: 0.1}, turn: -1}, true},
	} {
		p := &dro.Problem{Oracle: o, Dual: c.dual, Primal: dro.L2{Mu: 0.1}}
		res, err := dro.SolveBy(t.Context(), p, nil, dro.Settings{})
		if wrong := err != nil; wrong != c.wrong || wrong && !strings.Contains(err.Error(), "best response") {
			t.Errorf("%+v: %v, %v", c.dual, res, err)
		}
		if _, err := dro.Certify(p, make([]float64, 3)); c.dual.above != 0 && err == nil {
			t.Errorf("%+v: certified", c.dual)
		}
	}
}

// Choose returns no method that Solve refuses, and Solve says what is missing.
func TestChoose_NothingSolves(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 30, 3), Dual: onlyDual{inner: dro.KL{}},
		Primal: dro.L2{Mu: 0.1}}
	m, why := dro.Choose(p)
	if m != nil || !strings.Contains(why, "no default method") || !strings.Contains(why, "primaldual.FullVector{}") {
		t.Errorf("%v, %q", m, why)
	}
	if _, err := dro.SolveBy(t.Context(), p, nil, dro.Settings{}); err == nil ||
		!strings.Contains(err.Error(), "no default method solves") {
		t.Errorf("%v", err)
	}
}

func dense(t *testing.T, n, d int, x []float64) *design.Dense {
	t.Helper()
	z, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// sample returns the oracle of n rows of d columns of normal deviates.
func sample(t *testing.T, loss losses.Loss, n, d int) *losses.Linear {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	x, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		sum := rng.NormFloat64()
		for k := range d {
			x[j*d+k] = rng.NormFloat64()
			sum += x[j*d+k]
		}
		target[j] = math.Copysign(1, sum)
	}
	o, err := losses.NewLinear(loss, dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A dual that cannot weigh the samples is an error of Solve that says why.
func TestSolve_UnusableDuals(t *testing.T) {
	o := sample(t, losses.Logistic{}, 4, 2)
	near := dro.Ball{Radius: math.Inf(1)}
	for want, d := range map[string]dro.Dual{
		"needs an Oracle, a Dual":               nil,
		"3 weights for 4":                       dro.KL{Alpha: 0.5, Weights: []float64{1, 1, 1}},
		"3 weights for 4 samples":               dro.Fixed{Weights: []float64{1, 1, 1}},
		"the weight of sample 1 is -1":          dro.Fixed{Weights: []float64{1, -1, 1, 1}},
		"the radius is 0":                       dro.Ball{},
		"unknown divergence \"7\"":              dro.Ball{Divergence: "7", Radius: 1},
		"the weights sum to 0":                  dro.Fixed{Weights: make([]float64, 4)},
		"needs the group of every sample":       dro.Groups{Near: near},
		"group 1 of grouping 0":                 dro.Groups{Near: near, Of: [][]int32{{0, 2, 2, 0}}},
		"number the groups from 0":              dro.Groups{Near: near, Of: [][]int32{{0, 9, 0, 0}}},
		"Groups.Of has the groups of 2 samples": dro.Groups{Near: near, Of: [][]int32{{0, 1}}},
		"the groups of 6 samples":               &dro.Groups{Near: near, Of: [][]int32{{0, 1, 0, 1, 0, 1}}},
		"6 weights for 4 samples":               &dro.KL{Nu: 1, Weights: []float64{1, 1, 1, 1, 1, 1}},
		"supports no penalty":                   dro.Ball{Divergence: dro.TotalVariation, Radius: 0.1, Nu: -1},
		"1 adjustments, but 2 groups": dro.Groups{Near: near, Of: [][]int32{{0, 1, 0, 1}},
			Adjust: []float64{1}},
		"1 prior weights, but 2 groups": dro.Groups{Near: dro.Ball{Radius: 1, Weights: []float64{1}},
			Of: [][]int32{{0, 1, 0, 1}}},
		"ν is -1; it must be finite and ≥":             dro.ChiSquare{Nu: -1},
		"the radius 1e-13 is below":                    dro.Ball{Radius: 1e-13},
		"the radius is NaN":                            dro.Ball{Radius: math.NaN()},
		"α is 1.5":                                     dro.CVaR{Alpha: 1.5},
		"no sample belongs to a group":                 dro.Groups{Near: near, Of: [][]int32{{-1, -1, -1, -1}}},
		"there are 4 samples, but a grouping covers 1": dro.Groups{Near: near, Of: [][]int32{{0, 0, 1, 1}, {0}}},
		"the weight of sample 2 is -1": dro.Groups{Near: near, Of: [][]int32{{0, 0, 1, 1}},
			Weights: []float64{1, 1, -1, 1}},
		"adjustment of group 1 is -1": dro.Groups{Near: near, Of: [][]int32{{0, 1, 0, 1}},
			Adjust: []float64{0, -1}},
	} {
		p := &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 0.1}}
		_, err := dro.Solve(t.Context(), p, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", d, err, want)
		}
		if m, why := dro.Choose(p); m != nil || !strings.Contains(why, want) {
			t.Errorf("%+v: %v, %q", d, m, why)
		}
	}
}

// Evaluate returns the risk and the coefficient of a ball that Solve's result has.
func TestEvaluate_AgreesWithSolve(t *testing.T) {
	o := sample(t, losses.Logistic{}, 300, 3)
	for _, d := range []dro.Dual{dro.KL{Nu: 0.5}, dro.Ball{Radius: 0.2}, dro.CVaR{Alpha: 0.3}} {
		p := &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 0.1}}
		res, err := dro.Solve(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		risk, nu, err := dro.Evaluate(p, res.X)
		if err != nil || !(math.Abs(risk-res.Risk) <= 1e-12) {
			t.Errorf("%T: a risk of %v, %v, not %v", d, risk, err, res.Risk)
		}
		if ball, is := d.(dro.Ball); is {
			penalised, _, err := dro.Evaluate(&dro.Problem{Oracle: o, Dual: dro.KL{Nu: nu}, Primal: p.Primal}, res.X)
			if err != nil || !(math.Abs(penalised+nu*ball.Radius-risk) <= 1e-9) {
				t.Errorf("the ball at ν = %v: a risk of %v, not %v; %v", nu, penalised+nu*ball.Radius, risk, err)
			}
		} else if nu != d.Modulus() {
			t.Errorf("%T: ν = %v", d, nu)
		}
		if _, _, err := dro.Evaluate(p, res.X[:2]); err == nil {
			t.Error("no error for a point of another length")
		}
	}
}

// watched counts the goroutines that evaluate an oracle at once.
type watched struct {
	*losses.Linear
	now, most *atomic.Int64
}

func (o watched) EvalTo(value, slope, x []float64, lo, hi int) {
	n := o.now.Add(1)
	for m := o.most.Load(); n > m && !o.most.CompareAndSwap(m, n); m = o.most.Load() {
	}
	o.Linear.EvalTo(value, slope, x, lo, hi)
	o.now.Add(-1)
}

// Threads bounds the goroutines of a solve, and changes neither the result nor the process.
func TestOptions_Threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	linear := sample(t, losses.Logistic{}, 30_000, 4)
	for _, dual := range []dro.Dual{dro.KL{Nu: 0.5}, dro.CVaR{Alpha: 0.2}, dro.Ball{Radius: 0.1}} {
		var first *dro.Result
		for _, threads := range []int{0, 1, 2, 3, 64} {
			o := watched{linear, new(atomic.Int64), new(atomic.Int64)}
			p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.01}}
			res, err := dro.Solve(t.Context(), p, &dro.Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = res
			}
			if !slices.Equal(res.X, first.X) || !slices.Equal(res.Weights, first.Weights) ||
				res.Certificate != first.Certificate || res.Passes != first.Passes {
				t.Errorf("%T: another result with %d threads", dual, threads)
			}
			if most := o.most.Load(); threads > 0 && most > int64(threads) || most < 1 {
				t.Errorf("%T: %d goroutines at once with %d threads", dual, most, threads)
			}
			if got := runtime.GOMAXPROCS(0); got != 4 {
				t.Fatalf("GOMAXPROCS is %d", got)
			}
		}
	}
	if _, err := dro.Solve(t.Context(), &dro.Problem{Oracle: linear, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 1}},
		&dro.Options{Threads: -1}); err == nil {
		t.Error("no error for -1 threads")
	}
}
