package solvetest

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/losses"
)

// One sample a group, with its weight as the prior, is the adversary over samples.
func TestGroups_OfOneSampleAreSamples(t *testing.T) {
	rng := drotest.RngOf(3)
	const n, d = 60, 4
	o := drotest.NewSample(rng, n, d, true).Oracle(t, losses.Logistic{})
	w, of := drotest.OnSimplex(rng, n), make([]int, n)
	for j := range of {
		of[j] = j
	}
	for _, near := range []Simplex{Simplex{Divergence: KullbackLeibler, Nu: 0.4, Weights: w},
		Simplex{Divergence: PearsonChi2, Nu: 0.4, Weights: w}, Simplex{Divergence: KullbackLeibler, Radius: 0.05, Weights: w},
		Simplex{Divergence: PearsonChi2, Radius: 0.05, Weights: w}} {
		g := newGroups(t, near, nil, of)
		phi := L2{Mu: 0.05, Intercept: true}
		a := drotest.Solve(t, &Problem{Oracle: o, Dual: near, Primal: phi}, Newton{}, drotest.SettingsFor(1e-11, 500))
		method, _ := Choose(&Problem{Oracle: o, Dual: g, Primal: phi})
		b := drotest.Solve(t, &Problem{Oracle: o, Dual: g, Primal: phi}, method, drotest.SettingsFor(1e-9, 2000))
		if !near1e9(a.Objective, b.Objective) {
			t.Errorf("%+v: %v over samples, %v over groups", near.Divergence, a.Objective, b.Objective)
		}
	}
}

func near1e9(a, b float64) bool { return math.Abs(a-b) <= 2e-9*math.Abs(a) }

// Group DRO and balls over many rows: growing prefixes, some without a group.
func TestAdversaries_ManyRows(t *testing.T) {
	rng := drotest.RngOf(4)
	const n, d = 30_000, 6
	o := drotest.NewSample(rng, n, d, true).Oracle(t, losses.Logistic{})
	of, w := make([]int, n), make([]float64, n)
	for j := range of {
		of[j] = min(2, j%50) // two of one in fifty, one of the rest
		w[j] = rng.ExpFloat64()
	}
	of[n-1] = 3
	groups := func(near Simplex) Dual {
		g := newGroups(t, near, w, of)
		return g
	}
	for name, dual := range map[string]Dual{
		"kl ball":       Simplex{Divergence: KullbackLeibler, Radius: 0.1, Weights: w},
		"chi2 ball":     Simplex{Divergence: PearsonChi2, Radius: 0.1, Weights: w},
		"small ball":    Simplex{Divergence: KullbackLeibler, Radius: 1e-6},
		"weighted kl":   Simplex{Divergence: KullbackLeibler, Nu: 0.2, Weights: w},
		"weighted chi2": Simplex{Divergence: PearsonChi2, Nu: 0.2, Weights: w},
		"groups kl":     groups(Simplex{Divergence: KullbackLeibler, Nu: 0.1}),
		"group dro":     groups(Simplex{Divergence: KullbackLeibler}),
		"groups ball":   groups(Simplex{Divergence: PearsonChi2, Radius: 0.1}),
	} {
		p := &Problem{Oracle: o, Dual: dual, Primal: L2{Mu: 1e-3, Intercept: true}}
		method, _ := Choose(p)
		res := drotest.Solve(t, p, method, drotest.SettingsFor(1e-7, 1000))
		other := res
		if engine.IsDifferentiable(p) {
			other = drotest.Solve(t, p, Newton{}, drotest.SettingsFor(1e-7, 1000))
		}
		if res.Status != Certified || res.Certificate.Lower > other.Certificate.Upper ||
			res.Certificate.Upper < other.Certificate.Lower {
			t.Errorf("%s by %s: %v [%v, %v], by newton [%v, %v]", name, method.Name(), res.Status, res.Certificate.Lower,
				res.Certificate.Upper, other.Certificate.Lower, other.Certificate.Upper)
		}
		t.Logf("%s by %s: %v, %.3g passes", name, method.Name(), res.Status, res.Passes)
	}
}

// Where all losses are the same at the optimum, or next to it, a ball has no gradient there:
// penalties that fall certify it in 30 to 115 passes, where Newton's steps are as short as the
// distance that is left.
func TestBalls_EqualLosses(t *testing.T) {
	rng := drotest.RngOf(119)
	const n, d = 400, 5
	s := drotest.NewSample(rng, n, d, true)
	for j := range s.Label {
		s.Design[j*d+d-1], s.Label[j] = 1, float64(rng.IntN(2))
	}
	for _, loss := range []losses.Loss{losses.Squared{}, losses.Huber{Delta: 1}} {
		o := s.Oracle(t, loss)
		for _, near := range []Simplex{Simplex{Divergence: PearsonChi2, Radius: 0.5},
			Simplex{Divergence: KullbackLeibler, Radius: math.Log(2)}, Simplex{Divergence: PearsonChi2, Radius: 0.1}} {
			for _, phi := range []L2{{Mu: 1.0 / n, Intercept: true}, {Mu: 1.0 / n}, {Mu: 0, Intercept: true}} {
				p := &Problem{Oracle: o, Dual: near, Primal: phi}
				method, _ := Choose(p)
				res := drotest.Solve(t, p, method, drotest.SettingsFor(1e-6, 300))
				if res.Status != Certified || res.Passes > 120 {
					t.Errorf("%s, %+v, %+v by %s: %v, %.4g passes, gap %.3g", loss.Name(), near, phi, method.Name(), res.Status,
						res.Passes, res.Certificate.Relative())
				}
				t.Logf("%s, %+v, %+v: %.4g passes, objective %.8g", loss.Name(), near, phi, res.Passes, res.Objective)
			}
		}
	}
}

// Small balls are certified at every size: rounding may take the response out of them, which
// changes no weight by more than its last digits. Smaller ones are refused by name.
func TestBalls_SmallestRadius(t *testing.T) {
	const n, d = 2000, 6
	o := drotest.NewSample(drotest.RngOf(122), n, d, true).Oracle(t, losses.Logistic{})
	for _, divergence := range []Divergence{KullbackLeibler, PearsonChi2} {
		for power := -11; power <= -9; power++ {
			p := &Problem{Oracle: o, Dual: Simplex{Divergence: divergence, Radius: math.Pow(10, float64(power))},
				Primal: L2{Mu: 1.0 / n, Intercept: true}}
			method, _ := Choose(p)
			if res := drotest.Solve(t, p, method, drotest.SettingsFor(1e-8, 60)); res.Status != Certified {
				t.Errorf("divergence %d, radius 1e%d: %v, a gap of %.2g after %.4g passes", divergence, power, res.Status,
					res.Certificate.Relative(), res.Passes)
			}
		}
		p := &Problem{Oracle: o, Dual: Simplex{Divergence: divergence, Radius: 1e-13},
			Primal: L2{Mu: 1.0 / n, Intercept: true}}
		if _, err := Solve(t.Context(), p, Newton{}, Settings{}); err == nil || !strings.Contains(err.Error(),
			"the radius 1e-13 is below 1e-12") {
			t.Errorf("radius 1e-13: %v", err)
		}
	}
}
