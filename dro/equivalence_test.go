package dro

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

func risk(d Dual, f []float64) float64 {
	r, _ := d.BestResponseTo(make([]float64, len(f)), f)
	return r
}

func mean(v []float64) float64 { return sum(v) / float64(len(v)) }

func TestDualsThatCoincide(t *testing.T) {
	rng := rngOf(11)
	for range 200 {
		n := 1 + rng.IntN(12)
		f := normals(rng, n, 2)
		average, largest := mean(f), slices.Max(f)
		tiny := 1 / float64(n)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"CVaR₁ and the average", risk(CVaR(1), f), average},
			{"capped KL with α = 1 and the average", risk(CappedKL{1, 0.7}, f), average},
			{"capped χ² with α = 1 and the average", risk(CappedChiSquare{1, 0.7}, f), average},
			{"CVaR at α = 1/n and the maximum", risk(CVaR(tiny), f), largest},
			{"CVaR at α < 1/n and the maximum", risk(CVaR(tiny/3), f), largest},
			{"KL with ν = 0 and the maximum", risk(KL{}, f), largest},
			{"KL with ν → 0 and the maximum", risk(KL{1e-13}, f), largest},
			{"χ² with ν → 0 and the maximum", risk(ChiSquare{1e-14}, f), largest},
			{"the two CVaRs", risk(CappedKL{0.4, 0}, f), risk(CVaR(0.4), f)},
			{"capped KL with ν → 0 and CVaR", risk(CappedKL{0.4, 1e-13}, f), risk(CVaR(0.4), f)},
			{"capped χ² with ν → 0 and CVaR", risk(CappedChiSquare{0.4, 1e-13}, f), risk(CVaR(0.4), f)},
			{"KL under a cap that is slack", risk(CappedKL{tiny / 2, 0.5}, f), risk(KL{0.5}, f)},
			{"χ² under a cap that is slack", risk(CappedChiSquare{tiny / 2, 0.5}, f), risk(ChiSquare{0.5}, f)},
		} {
			if !near(c.got, c.want, 5*ClosedForm, maxAbs(f)) {
				t.Fatalf("%s: %v and %v (losses %v)", c.what, c.got, c.want, f)
			}
		}
		// ν → ∞: R = mean + var/(2ν) + O(1/ν²), for KL and χ² alike. Large ν must
		// not magnify the rounding of weights close to 1/n.
		for _, nu := range []float64{1e5, 1e8, 1e12} {
			variance := 0.0
			for _, v := range f {
				variance += (v - average) * (v - average) / float64(n)
			}
			want := average + variance/(2*nu)
			for _, d := range []Dual{KL{nu}, ChiSquare{nu}, CappedKL{tiny / 2, nu}, CappedChiSquare{tiny / 2, nu}} {
				if n == 1 {
					want = f[0]
				}
				if got := risk(d, f); !near(got, want, 2*ClosedForm+100/(nu*nu), maxAbs(f)) {
					t.Fatalf("%T%+v: risk %v, average + variance/2ν %v", d, d, got, want)
				}
			}
		}
	}
}

// The risk falls as the penalty grows, from the maximum to the average, and a
// tighter cap lowers it; it rises with every loss and by c when all rise by c.
func TestRiskIsMonotone(t *testing.T) {
	rng := rngOf(12)
	for range 100 {
		n := 2 + rng.IntN(20)
		f := normals(rng, n, 1)
		for _, family := range []func(nu float64) Dual{
			func(nu float64) Dual { return KL{nu} }, func(nu float64) Dual { return ChiSquare{nu} },
			func(nu float64) Dual { return CappedKL{0.3, nu} }, func(nu float64) Dual { return CappedChiSquare{0.3, nu} },
		} {
			before := slices.Max(f)
			for _, nu := range []float64{0, 0.01, 0.1, 1, 10, 1e4} {
				d := family(nu)
				now := risk(d, f)
				if now > before+ClosedForm || now < mean(f)-ClosedForm {
					t.Fatalf("%T%+v: risk %v after %v, average %v", d, d, now, before, mean(f))
				}
				before = now
				shifted, raised := make([]float64, n), slices.Clone(f)
				for j, v := range f {
					shifted[j] = v + 3
				}
				raised[rng.IntN(n)] += 0.5
				if v := risk(d, shifted); !near(v, now+3, ClosedForm, 3) {
					t.Fatalf("%T%+v: risk %v of losses 3 higher than those of risk %v", d, d, v, now)
				}
				if v := risk(d, raised); v < now-ClosedForm || v > now+0.5+ClosedForm {
					t.Fatalf("%T%+v: risk %v, with one loss raised %v", d, d, now, v)
				}
			}
		}
		before := math.Inf(1)
		for _, alpha := range []float64{0.01, 0.2, 0.5, 0.8, 1} {
			if now := risk(CVaR(alpha), f); now > before+ClosedForm {
				t.Fatalf("CVaR rises to %v at α = %v from %v", now, alpha, before)
			} else {
				before = now
			}
		}
	}
}

// ψ(y) = ν·Δ(y, 1/n), the divergences that the package states.
func TestDivergences(t *testing.T) {
	rng := rngOf(13)
	y, uniform := onSimplex(rng, 7), make([]float64, 7)
	fill(uniform, 1./7)
	if got, want := (KL{}).Divergence(y, uniform)*0.3, (KL{0.3}).Value(y); !near(got, want, ClosedForm, want) {
		t.Errorf("KL: ν·Δ(y, 1/n) = %v, ψ(y) = %v", got, want)
	}
	if got, want := (ChiSquare{}).Divergence(y, uniform)*0.3, (ChiSquare{0.3}).Value(y); !near(got, want, ClosedForm, want) {
		t.Errorf("χ²: ν·Δ(y, 1/n) = %v, ψ(y) = %v", got, want)
	}
	// KL of (½, ½) to (¼, ¾): ½ log 2 + ½ log ⅔. χ²: (2/2)(1/16 + 1/16) = ⅛.
	if got, want := (KL{}).Divergence([]float64{.5, .5}, []float64{.25, .75}), math.Log(4./3)/2; !near(got, want, ClosedForm, 0) {
		t.Errorf("KL: %v, want %v", got, want)
	}
	if got := (ChiSquare{}).Divergence([]float64{.5, .5}, []float64{.25, .75}); !near(got, 0.125, ClosedForm, 0) {
		t.Errorf("χ²: %v, want 1/8", got)
	}
	if got := (KL{}).Divergence([]float64{.5, .5}, []float64{1, 0}); !math.IsInf(got, 1) {
		t.Errorf("KL to weights that vanish: %v", got)
	}
}

// Two methods, one optimum: a robust problem with a penalty that leaves no
// choice is empirical risk minimisation.
func TestLargePenaltyIsEmpiricalRisk(t *testing.T) {
	s := newSample(rngOf(14), 80, 4, true)
	settings := asking(1e-10, 500)
	erm := solve(t, &Problem{s.oracle(t, losses.Logistic{}), Uniform{}, L2{Mu: 0.05, Intercept: true}}, LBFGS{}, settings)
	for _, d := range []Dual{KL{1e9}, ChiSquare{1e9}, CappedKL{1, 0.5}, CappedChiSquare{1, 0.5}} {
		res := solve(t, &Problem{s.oracle(t, losses.Logistic{}), d, L2{Mu: 0.05, Intercept: true}}, LBFGS{}, settings)
		if res.Status != Certified || erm.Status != Certified {
			t.Errorf("%T%+v: %v at gap %.3g; empirical risk %v at %.3g", d, d, res.Status, res.Certificate.Relative(), erm.Status, erm.Certificate.Relative())
		}
		if !near(res.Objective, erm.Objective, Solver*1e-10+1e-9, erm.Objective) {
			t.Errorf("%T%+v: objective %v, empirical risk %v", d, d, res.Objective, erm.Objective)
		}
	}
}
