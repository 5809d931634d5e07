package side

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A simplexCase is a dual on {Σ y = 1, 0 ≤ y ≤ limit} with ψ written out again.
type simplexCase struct {
	dual  saddle.Mirror
	kl    bool
	nu    float64
	limit func(n int) float64
}

func simplexCases() []simplexCase {
	one := func(int) float64 { return 1 }
	capped := func(alpha float64) func(int) float64 {
		return func(n int) float64 { return 1 / (alpha * float64(n)) }
	}
	var cases []simplexCase
	for _, nu := range []float64{1e-4, 0.03, 1, 50} {
		cases = append(cases, simplexCase{Simplex{Nu: nu}, true, nu, one},
			simplexCase{Simplex{Divergence: PearsonChi2, Nu: nu}, false, nu, one})
		for _, alpha := range []float64{0.2, 0.55, 0.99} {
			cases = append(cases,
				simplexCase{Simplex{Alpha: alpha, Nu: nu}, true, nu, capped(alpha)},
				simplexCase{Simplex{Divergence: PearsonChi2, Alpha: alpha, Nu: nu}, false, nu, capped(alpha)})
		}
	}
	return cases
}

func (c simplexCase) String() string { return fmt.Sprintf("%T%+v", c.dual, c.dual) }

// psi is ψ(y) by its definition.
func (c simplexCase) psi(y []float64) float64 {
	s, n := 0.0, float64(len(y))
	for _, v := range y {
		switch {
		case !c.kl:
			s += c.nu * n / 2 * (v - 1/n) * (v - 1/n)
		case v > 0:
			s += c.nu * v * math.Log(n*v)
		}
	}
	return s
}

// slope is ψ'_j(y_j).
func (c simplexCase) slope(v float64, n int) float64 {
	if c.kl {
		return c.nu * (math.Log(float64(n)*v) + 1)
	}
	return c.nu * (float64(n)*v - 1)
}

// violatesKKT checks that y maximises ⟨y, d⟩ − Ψ(y) over the capped simplex, g_j the
// derivative of that at y: equal to one multiplier inside, above it at the cap,
// below it at 0.
func violatesKKT(y, g []float64, limit, tol float64) error {
	sum := 0.0
	low, high := math.Inf(-1), math.Inf(1) // of the multiplier
	for j, v := range y {
		if v < 0 || v > limit*(1+drotest.ClosedForm) || math.IsNaN(v) {
			return fmt.Errorf("weight %d is %v, outside [0, %v]", j, v, limit)
		}
		sum += v
		if v > 0 {
			high = min(high, g[j])
		}
		if v < limit*(1-1e-9) {
			low = max(low, g[j])
		}
	}
	if !(math.Abs(sum-1) <= drotest.ClosedForm) {
		return fmt.Errorf("the weights sum to 1 + %.3g", sum-1)
	}
	if low > high+tol {
		return fmt.Errorf("multipliers from %v to %v: not optimal", low, high)
	}
	return nil
}

func TestBestResponse_OptimalityConditions(t *testing.T) {
	rng := drotest.RngOf(1)
	for _, c := range simplexCases() {
		for _, n := range []int{1, 2, 3, 7, 40, 5000} {
			for _, scale := range []float64{1e-3, 1, 300} {
				f := drotest.Normals(rng, n, scale)
				if n > 2 {
					f[1] = f[0] // a tie
				}
				before := slices.Clone(f)
				y := make([]float64, n)
				risk, tau := c.dual.BestResponseTo(y, f)
				if !slices.Equal(f, before) {
					t.Fatalf("%v: the losses were changed", c)
				}
				g, w := make([]float64, n), slices.Clone(y)
				for j := range g {
					if y[j] > 1e-280 {
						g[j] = f[j] - c.slope(y[j], n)
					} else if !c.kl {
						g[j] = f[j] - c.slope(0, n)
					} else {
						g[j], w[j] = math.Inf(-1), 0 // all but underflowed
						if f[j]-tau > -600*c.nu {
							t.Errorf("%v n=%d: weight %d vanished", c, n, j)
						}
					}
				}
				size := drotest.MaxAbs(f) + c.nu
				if err := violatesKKT(w, g, c.limit(n), drotest.KKT*(1+size)); err != nil {
					t.Errorf("%v n=%d scale=%v: %v", c, n, scale, err)
				}
				if want := engine.Dot(y, f) - c.psi(y); !drotest.IsNear(risk, want, drotest.ClosedForm, size) {
					t.Errorf("%v n=%d scale=%v: risk %v, ⟨y, f⟩ − ψ(y) = %v", c, n, scale, risk, want)
				}
				if v := c.dual.Value(y); !drotest.IsNear(v, c.psi(y), drotest.ClosedForm, size) {
					t.Errorf("%v n=%d: Value %v, ψ(y) = %v", c, n, v, c.psi(y))
				}
				for j, v := range y { // y_j = level((f_j − τ)/ν)
					r := math.Max(0, 1+(f[j]-tau)/c.nu)
					if c.kl {
						r = math.Exp((f[j] - tau) / c.nu)
					}
					r = math.Min(r, float64(n)*c.limit(n))
					if !(math.Abs(r-float64(n)*v) <= 1e-9*(1+size/c.nu)) {
						t.Errorf("%v n=%d: τ = %v gives weight %v, response %v", c, n, tau, r/float64(n), v)
						break
					}
				}
			}
		}
	}
}

func TestResponse_ByHand(t *testing.T) {
	ln2, ln3 := math.Log(2), math.Log(3)
	for _, c := range []struct {
		dual      saddle.Dual
		f, y      []float64
		risk, tau float64
	}{
		// exp(f) = 1, 3: y = 1/4, 3/4; R = log((1+3)/2) = log 2.
		{Simplex{Nu: 1}, []float64{0, ln3}, []float64{.25, .75}, ln2, ln2},
		// ν = 2 of f = 0, 2 log 3: the same weights, twice the risk.
		{Simplex{Nu: 2}, []float64{0, 2 * ln3}, []float64{.25, .75}, 2 * ln2, 2 * ln2},
		// r = 1 + (f − τ)/1 with τ = ½: r = ½, 3/2; R = ¾ − ½·¼ = 5/8.
		{Simplex{Divergence: PearsonChi2, Nu: 1}, []float64{0, 1}, []float64{.25, .75}, 0.625, 0.5},
		// f = 0, 5: r₁ = 0, r₂ = 2 = 1 + 5 − τ: τ = 4, R = 5 − ½·1 = 4.5.
		{Simplex{Divergence: PearsonChi2, Nu: 1}, []float64{0, 5}, []float64{0, 1}, 4.5, 4},
		// α = ¾, n = 4: cap 1/3; the three largest: (3+2+1)/3 = 2.
		{Simplex{Divergence: PearsonChi2, Alpha: 0.75}, []float64{3, 0, 2, 1}, []float64{1. / 3, 0, 1. / 3, 1. / 3}, 2, 1},
		// α = 0.6, n = 4: k = 2.4, cap 1/2.4: (4 + 2)/2.4 + 0.4/2.4·1 = 6.4/2.4.
		{Simplex{Divergence: PearsonChi2, Alpha: 0.6}, []float64{1, 4, 0, 2}, []float64{.4 / 2.4, 1 / 2.4, 0, 1 / 2.4},
			6.4 / 2.4, 1},
		// Cap 2/3 of mass on f = 5, 1/3 on 0 (n = 3, α = ½; the tie is shared evenly).
		{Simplex{Divergence: PearsonChi2, Alpha: 0.5}, []float64{5, 0, 0}, []float64{2. / 3, 1. / 6, 1. / 6}, 10. / 3, 0},
		// χ² with cap ½ (α = 2/3, n = 3), ν = 1: f = 9, 0, 0: r = 1.5, ¾, ¾,
		// R = 4.5 − ½·mean(¼, 1/16, 1/16) = 4.5 − 1/16, τ = 0 + 1·(1 − ¾) = ¼.
		{Simplex{Divergence: PearsonChi2, Alpha: 2. / 3, Nu: 1}, []float64{9, 0, 0}, []float64{.5, .25, .25}, 4.5 - 1./16,
			0.25},
		// KL with the same cap: the same weights, R = 4.5 − (½ log 1.5 + ½ log ¾),
		// exp(−τ) = ¾.
		{Simplex{Alpha: 2. / 3, Nu: 1}, []float64{9, 0, 0}, []float64{.5, .25, .25}, 4.5 - math.Log(1.5*.75)/2,
			-math.Log(.75)},
		{Simplex{}, []float64{1, 3, 3}, []float64{0, .5, .5}, 3, 3},
		{Simplex{Divergence: PearsonChi2}, []float64{-1, -3}, []float64{1, 0}, -1, -1},
		{Simplex{Divergence: PearsonChi2, Alpha: 1}, []float64{1, 2, 6}, []float64{1. / 3, 1. / 3, 1. / 3}, 3, 3},
	} {
		y := make([]float64, len(c.f))
		risk, tau := c.dual.BestResponseTo(y, c.f)
		if !drotest.IsNear(risk, c.risk, drotest.ClosedForm, c.risk) ||
			!drotest.IsNear(tau, c.tau, drotest.ClosedForm, c.tau) {
			t.Errorf("%T%+v of %v: risk %v, τ %v; want %v, %v", c.dual, c.dual, c.f, risk, tau, c.risk, c.tau)
		}
		for j := range y {
			if !drotest.IsNear(y[j], c.y[j], drotest.ClosedForm, 0) {
				t.Errorf("%T%+v of %v: weights %v, want %v", c.dual, c.dual, c.f, y, c.y)
				break
			}
		}
	}
}

// What was in the weights before changes nothing of a response, nor of the next one.
func TestResponse_OverwritesTheWeights(t *testing.T) {
	const n = 30
	f, w, of := drotest.Normals(drotest.RngOf(23), n, 2), make([]float64, n), make([]int, n)
	for j := range w {
		w[j], of[j] = float64(j%3), j%4
	}
	duals := []saddle.Dual{Simplex{Divergence: PearsonChi2, Alpha: 1}, Box{0, 0.3, 0.5}, Orthant{Nu: 0.5, Cap: 0.3},
		Orthant{Divergence: PearsonChi2, Nu: 0.5, Cap: math.Inf(1)}}
	for _, c := range simplexCases() {
		duals = append(duals, c.dual)
	}
	for _, w := range [][]float64{nil, w} {
		for _, by := range []Divergence{KullbackLeibler, PearsonChi2} {
			duals = append(duals, Simplex{Divergence: by, Nu: 0.7, Weights: w}, Simplex{Divergence: by, Nu: 0.01, Weights: w},
				Simplex{Divergence: by, Radius: 0.2, Weights: w})
		}
		duals = append(duals, Simplex{Divergence: PearsonChi2, Alpha: 0.3, Weights: w},
			Simplex{Divergence: PearsonChi2, Alpha: 0.3, Nu: 0.2, Weights: w})
		g, err := NewGroups(Simplex{Divergence: KullbackLeibler, Nu: 0.1}, w, of)
		if err != nil {
			t.Fatal(err)
		}
		duals = append(duals, g)
	}
	fixed := Simplex{Divergence: PearsonChi2, Alpha: 1, Weights: w}
	for _, d := range append(duals, fixed) {
		var y [3][]float64
		var risk [3]float64
		for k, was := range []float64{0, 7, math.NaN()} {
			y[k] = slices.Repeat([]float64{was}, n)
			risk[k], _ = d.BestResponseTo(y[k], f)
		}
		for k := range y {
			if !slices.Equal(y[k], y[0]) || risk[k] != risk[0] {
				t.Errorf("%T%+v: %v of %v, %v of %v", d, d, risk[k], y[k], risk[0], y[0])
			}
		}
	}
}
