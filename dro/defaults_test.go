package dro_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
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
		t.Errorf("%v, objective %v in %v passes; by the default method and settings %v in %v", got.Status, got.Objective, got.Passes, want.Objective, want.Passes)
	}
	if _, err := dro.SolveBy(t.Context(), nil, nil, dro.Settings{}); err == nil {
		t.Error("no error for no problem")
	}
}

// Pointers to duals and primals behave as the values that they point to.
func TestSolve_PointersBehaveAsValues(t *testing.T) {
	o := sample(t, losses.Logistic{}, 300, 3)
	fixed, err := dro.NewFixed(append(make([]float64, 299), 1))
	if err != nil {
		t.Fatal(err)
	}
	kl, chi, ball, protected, capped, uniform := dro.KL{Nu: 1}, dro.ChiSquare{Nu: 1}, dro.NewBall(dro.KullbackLeibler, 0.1, nil), dro.Protected{Share: 0.2}, dro.CappedKL{Alpha: 0.5, Nu: 1}, dro.Uniform{}
	cvar, box, orthantKL, orthantChi := dro.CVaR(0.2), dro.Box{Upper: 1, Nu: 1}, dro.OrthantKL{Nu: 1, Cap: 1}, dro.OrthantChiSquare{Nu: 1, Cap: 1}
	l2 := dro.L2{Mu: 0.1}
	for _, duals := range [][2]dro.Dual{{kl, &kl}, {chi, &chi}, {ball, &ball}, {protected, &protected}, {capped, &capped}, {uniform, &uniform}, {fixed, &fixed}, {cvar, &cvar}, {box, &box}, {orthantKL, &orthantKL}, {orthantChi, &orthantChi}} {
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
			t.Errorf("%T: %v in %v passes, by a pointer %v in %v", duals[0], want.Certificate, want.Passes, got.Certificate, got.Passes)
		}
	}
	if _, err := dro.SolveBy(t.Context(), &dro.Problem{Oracle: o, Dual: (*dro.KL)(nil), Primal: l2}, nil, dro.Settings{}); err == nil {
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
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 30, 3), Dual: onlyDual{inner: dro.KL{}}, Primal: dro.L2{Mu: 0.1}}
	m, why := dro.Choose(p)
	if m != nil || !strings.Contains(why, "no method") {
		t.Errorf("%v, %q", m, why)
	}
	if _, err := dro.SolveBy(t.Context(), p, nil, dro.Settings{}); err == nil || !strings.Contains(err.Error(), "no method solves") {
		t.Errorf("%v", err)
	}
}
