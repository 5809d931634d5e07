package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// The best response of a ball lies in it, on its boundary where that is not a vertex,
// and no other weights tried do better.
func TestBall_ResponseIsTheBest(t *testing.T) {
	rng := drotest.RngOf(1)
	for _, n := range []int{2, 7, 300, 200_000} {
		f := drotest.Normals(rng, n, 3)
		w := drotest.OnSimplex(rng, n)
		w[0] = 0
		for _, weights := range [][]float64{nil, w} {
			for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
				for _, radius := range []float64{1e-7, 1e-3, 0.3, 2, 1e9} {
					b := Simplex{Divergence: d, Radius: radius, Weights: weights}
					y := make([]float64, n)
					a := b.respond(y, f, engine.Multipliers{})
					risk, nu := a.risk, a.nu
					size := drotest.MaxAbs(f)
					if e := math.Abs(engine.Sum(y) - 1); !(e < 1e-12) {
						t.Errorf("n = %d %+v: weights of sum 1 + %g", n, d, e)
					}
					if weights != nil && y[0] != 0 {
						t.Errorf("n = %d %+v: weight %g where the reference has none", n, d, y[0])
					}
					div := b.DivergenceOf(y)
					if !(div <= radius*(1+1e-9)) {
						t.Errorf("n = %d divergence %d radius %g: %g is outside", n, d, radius, div)
					}
					if nu > 0 && !(math.Abs(div/radius-1) <= 1e-8) {
						t.Errorf("n = %d divergence %d radius %g: inside, at %g, with a price of %g", n, d, radius, div, nu)
					}
					if e := math.Abs(risk - engine.Dot(y, f)); !(e <= 1e-10*size) {
						t.Errorf("n = %d divergence %d radius %g: risk off ⟨y, f⟩ by %g", n, d, radius, e)
					}
					if n > 300 {
						continue
					}
					for range 50 { // towards other weights, until the boundary
						z := drotest.OnSimplex(rng, n)
						if weights != nil {
							z[0] = 0
						}
						floats.Scale(1/engine.Sum(z), z)
						for step := 1.0; step > 1e-9; step /= 2 {
							mixed := make([]float64, n)
							for j := range mixed {
								mixed[j] = y[j] + step*(z[j]-y[j])
							}
							if better := engine.Dot(mixed, f); b.DivergenceOf(mixed) <= radius && better > risk+1e-9*size {
								t.Fatalf("n = %d divergence %d radius %g: risk %v, and %v of other weights", n, d, radius, risk, better)
							}
						}
					}
				}
			}
		}
	}
}

// Equal weights say nothing, whole ones repeat samples, and an infinite radius leaves
// the penalty alone.
func TestReference_WeightsArePenalisedAlone(t *testing.T) {
	rng := drotest.RngOf(2)
	const n = 40
	f := drotest.Normals(rng, n, 2)
	counts, repeated, equal := make([]float64, n), []float64{}, make([]float64, n)
	for j := range counts {
		counts[j], equal[j] = float64(j%3), 7
		for range j % 3 {
			repeated = append(repeated, f[j])
		}
	}
	risk := func(d saddle.Dual, f []float64) float64 {
		r, _ := d.BestResponseTo(make([]float64, len(f)), f)
		return r
	}
	for name, duals := range map[string][2]func(w []float64) saddle.Dual{
		"kl": {func([]float64) saddle.Dual { return Simplex{Nu: 0.7} },
			func(w []float64) saddle.Dual { return Simplex{Divergence: KullbackLeibler, Nu: 0.7, Weights: w} }},
		"chi2": {func([]float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Nu: 0.7} },
			func(w []float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Nu: 0.7, Weights: w} }},
		"cvar": {func([]float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Alpha: 0.3} },
			func(w []float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Alpha: 0.3, Weights: w} }},
		"capped": {func([]float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Alpha: 0.3, Nu: 0.2} },
			func(w []float64) saddle.Dual {
				return Simplex{Divergence: PearsonChi2, Alpha: 0.3, Nu: 0.2, Weights: w}
			}},
		"kl ball": {func([]float64) saddle.Dual { return Simplex{Divergence: KullbackLeibler, Radius: 0.2} },
			func(w []float64) saddle.Dual { return Simplex{Divergence: KullbackLeibler, Radius: 0.2, Weights: w} }},
		"chi2 ball": {func([]float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Radius: 0.2} },
			func(w []float64) saddle.Dual { return Simplex{Divergence: PearsonChi2, Radius: 0.2, Weights: w} }},
	} {
		plain, weighted := duals[0](nil), duals[1]
		if a, b := risk(plain, f), risk(weighted(nil), f); !drotest.IsNear(a, b, 1e-12, a) {
			t.Errorf("%s: %v without weights, %v", name, b, a)
		}
		if a, b := risk(plain, f), risk(weighted(equal), f); !drotest.IsNear(a, b, 1e-12, a) {
			t.Errorf("%s: %v with equal weights, %v", name, b, a)
		}
		if a, b := risk(plain, repeated), risk(weighted(counts), f); !drotest.IsNear(a, b, 1e-12, a) {
			t.Errorf("%s: %v weighted, %v repeated", name, b, a)
		}
	}
}

// The price of a ball is found where its terms cancel: two losses far above the mean and near
// each other, and references so far apart that the slope of D is all rounding.
func TestMultiplier_Cancellation(t *testing.T) {
	for _, c := range []struct {
		ball Simplex
		f    []float64
	}{
		{Simplex{Divergence: PearsonChi2, Radius: 3.410758992776137,
			Weights: []float64{1.5039926138186508, 0.2693728891166416, 0.7536105082088992, 0.6784362023335226,
				1.9189188932958534, 1, 0.36427851484733964, 1.9425214354652482, 1.3186364374926132}},
			[]float64{79.53816379625572, 5.865064861384981, 143.81016598134863, 21.12294005506733, 60.56085925499867,
				83.55218454520211, 0.024991324433821096, 39.077546903541595, 143.8078489405998}},
		{Simplex{Divergence: PearsonChi2, Radius: 1.4279548611406938},
			[]float64{0.4652362254589019, 0.4652362254589019, 0.46524011289607925, 0.46523714786771053, 0.08777950322147121,
				0.4652362254589019, 0.4652362254589019, 0.4652362700790828, 0.18583383890303432, 0.18583383890303432,
				0.18583383890303432}},
		{Simplex{Radius: 0.021142579340024475, Weights: []float64{1.5408358392533614e-11, 2.8288538217971323e-28,
			3.7859814964179814e+259, 15499.387207217083, 1.0842341733844793e+50, 1.5179021213759476e-06, 5.441483010669925e-52}},
			[]float64{2.27323765881954, 2.3015746995553616, 0.05320355475326332, 0.9253265090396301, 0.04656829338130419,
				9.889889170711196, 1.5621610724191668}},
	} {
		y := make([]float64, len(c.f))
		c.ball.BestResponseTo(y, c.f)
		if d := c.ball.DivergenceOf(y); !(math.Abs(d-c.ball.Radius) <= 1e-9*c.ball.Radius) {
			t.Errorf("weights at %v, in a ball of %v", d, c.ball.Radius)
		}
	}
}

// A price of other losses, from which the search begins, may be as far from the price as
// numbers are: the weights lie on the boundary whatever it is.
func TestBall_PriceIsFoundFromAnyGuess(t *testing.T) {
	rng := drotest.RngOf(8)
	for _, unit := range []float64{1e-200, 1e-70, 1, 1e120} {
		f := drotest.Normals(rng, 55, unit)
		w := drotest.OnSimplex(rng, len(f))
		for j := range f { // of rows far on the right side of a logistic loss
			if f[j] < unit {
				f[j] = 0
			}
			w[j] = math.Pow(w[j], 4)
		}
		for _, radius := range []float64{1e-9, 1.6e-3, 0.1} {
			b := Simplex{Divergence: KullbackLeibler, Radius: radius, Weights: w}
			y := make([]float64, len(f))
			want := b.respond(y, f, engine.Multipliers{})
			for power := -300; power <= 300; power += 20 {
				a := b.respond(y, f, engine.Multipliers{Nu: math.Pow(10, float64(power)), Tau: math.NaN(), Known: true})
				if off := math.Abs(b.DivergenceOf(y)/radius - 1); !(off < 1e-8) || !(math.Abs(a.risk/want.risk-1) <= 1e-12) {
					t.Errorf("unit %g, radius %g, from 1e%d: off the boundary by %.2g, a risk of %g, not %g", unit, radius, power, off,
						a.risk, want.risk)
				}
			}
		}
	}
}

// A divergence that does not exist is refused, on both sides of the list.
func TestSimplex_UnknownDivergence(t *testing.T) {
	for d := -1; d <= len(arithmetics); d++ {
		err := Simplex{Divergence: Divergence(d), Nu: 1}.Valid(3)
		if known := d >= 0 && d < len(arithmetics); known != (err == nil) {
			t.Errorf("divergence %d: %v", d, err)
		}
	}
}
