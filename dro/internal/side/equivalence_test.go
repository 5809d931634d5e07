package side

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
)

func risk(d saddle.Dual, f []float64) float64 {
	r, _ := d.BestResponseTo(make([]float64, len(f)), f)
	return r
}

func mean(v []float64) float64 { return vec.Sum(v) / float64(len(v)) }

func TestDualsThatCoincide(t *testing.T) {
	rng := drotest.RngOf(11)
	for range 200 {
		n := 1 + rng.IntN(12)
		f := drotest.Normals(rng, n, 2)
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
			{"KL with ν → 0 and the maximum", risk(KL{Nu: 1e-13}, f), largest},
			{"χ² with ν → 0 and the maximum", risk(ChiSquare{Nu: 1e-14}, f), largest},
			{"the two CVaRs", risk(CappedKL{0.4, 0}, f), risk(CVaR(0.4), f)},
			{"capped KL with ν → 0 and CVaR", risk(CappedKL{0.4, 1e-13}, f), risk(CVaR(0.4), f)},
			{"capped χ² with ν → 0 and CVaR", risk(CappedChiSquare{0.4, 1e-13}, f), risk(CVaR(0.4), f)},
			{"KL under a cap that is slack", risk(CappedKL{tiny / 2, 0.5}, f), risk(KL{Nu: 0.5}, f)},
			{"χ² under a cap that is slack", risk(CappedChiSquare{tiny / 2, 0.5}, f), risk(ChiSquare{Nu: 0.5}, f)},
		} {
			if !drotest.Near(c.got, c.want, 5*drotest.ClosedForm, drotest.MaxAbs(f)) {
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
			for _, d := range []saddle.Dual{KL{Nu: nu}, ChiSquare{Nu: nu}, CappedKL{tiny / 2, nu}, CappedChiSquare{tiny / 2, nu}} {
				if n == 1 {
					want = f[0]
				}
				if got := risk(d, f); !drotest.Near(got, want, 2*drotest.ClosedForm+100/(nu*nu), drotest.MaxAbs(f)) {
					t.Fatalf("%T%+v: risk %v, average + variance/2ν %v", d, d, got, want)
				}
			}
		}
	}
}

// The risk falls as the penalty grows, from the maximum to the average, and a
// tighter cap lowers it; it rises with every loss and by c when all rise by c.
func TestRiskIsMonotone(t *testing.T) {
	rng := drotest.RngOf(12)
	for range 100 {
		n := 2 + rng.IntN(20)
		f := drotest.Normals(rng, n, 1)
		for _, family := range []func(nu float64) saddle.Dual{
			func(nu float64) saddle.Dual { return KL{Nu: nu} }, func(nu float64) saddle.Dual { return ChiSquare{Nu: nu} },
			func(nu float64) saddle.Dual { return CappedKL{0.3, nu} }, func(nu float64) saddle.Dual { return CappedChiSquare{0.3, nu} },
		} {
			before := slices.Max(f)
			for _, nu := range []float64{0, 0.01, 0.1, 1, 10, 1e4} {
				d := family(nu)
				now := risk(d, f)
				if now > before+drotest.ClosedForm || now < mean(f)-drotest.ClosedForm {
					t.Fatalf("%T%+v: risk %v after %v, average %v", d, d, now, before, mean(f))
				}
				before = now
				shifted, raised := make([]float64, n), slices.Clone(f)
				for j, v := range f {
					shifted[j] = v + 3
				}
				raised[rng.IntN(n)] += 0.5
				if v := risk(d, shifted); !drotest.Near(v, now+3, drotest.ClosedForm, 3) {
					t.Fatalf("%T%+v: risk %v of losses 3 higher than those of risk %v", d, d, v, now)
				}
				if v := risk(d, raised); v < now-drotest.ClosedForm || v > now+0.5+drotest.ClosedForm {
					t.Fatalf("%T%+v: risk %v, with one loss raised %v", d, d, now, v)
				}
			}
		}
		before := math.Inf(1)
		for _, alpha := range []float64{0.01, 0.2, 0.5, 0.8, 1} {
			if now := risk(CVaR(alpha), f); now > before+drotest.ClosedForm {
				t.Fatalf("CVaR rises to %v at α = %v from %v", now, alpha, before)
			} else {
				before = now
			}
		}
	}
}

// ψ(y) = ν·Δ(y, 1/n), the divergences that the package states.
func TestDivergences(t *testing.T) {
	rng := drotest.RngOf(13)
	y, uniform := drotest.OnSimplex(rng, 7), make([]float64, 7)
	vec.Fill(uniform, 1./7)
	if got, want := (KL{}).Divergence(y, uniform)*0.3, (KL{Nu: 0.3}).Value(y); !drotest.Near(got, want, drotest.ClosedForm, want) {
		t.Errorf("KL: ν·Δ(y, 1/n) = %v, ψ(y) = %v", got, want)
	}
	if got, want := (ChiSquare{}).Divergence(y, uniform)*0.3, (ChiSquare{Nu: 0.3}).Value(y); !drotest.Near(got, want, drotest.ClosedForm, want) {
		t.Errorf("χ²: ν·Δ(y, 1/n) = %v, ψ(y) = %v", got, want)
	}
	// KL of (½, ½) to (¼, ¾): ½ log 2 + ½ log ⅔. χ²: (2/2)(1/16 + 1/16) = ⅛.
	if got, want := (KL{}).Divergence([]float64{.5, .5}, []float64{.25, .75}), math.Log(4./3)/2; !drotest.Near(got, want, drotest.ClosedForm, 0) {
		t.Errorf("KL: %v, want %v", got, want)
	}
	if got := (ChiSquare{}).Divergence([]float64{.5, .5}, []float64{.25, .75}); !drotest.Near(got, 0.125, drotest.ClosedForm, 0) {
		t.Errorf("χ²: %v, want 1/8", got)
	}
	if got := (KL{}).Divergence([]float64{.5, .5}, []float64{1, 0}); !math.IsInf(got, 1) {
		t.Errorf("KL to weights that vanish: %v", got)
	}
}
