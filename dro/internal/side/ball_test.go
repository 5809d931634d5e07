package side

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// The best response of a ball lies in it, on its boundary where that is not a vertex,
// and no other weights tried do better.
func TestBallBestResponse(t *testing.T) {
	rng := drotest.RngOf(1)
	for _, n := range []int{2, 7, 300, 200_000} {
		f := drotest.Normals(rng, n, 3)
		w := drotest.OnSimplex(rng, n)
		w[0] = 0
		for _, weights := range [][]float64{nil, w} {
			for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
				for _, radius := range []float64{1e-7, 1e-3, 0.3, 2, 1e9} {
					b := NewBall(d, radius, weights)
					y := make([]float64, n)
					a := b.respond(y, f, math.NaN())
					risk, nu := a.risk, a.nu
					size := drotest.MaxAbs(f)
					if e := math.Abs(vec.Sum(y) - 1); !(e < 1e-12) {
						t.Errorf("n = %d %+v: weights of sum 1 + %g", n, d, e)
					}
					if weights != nil && y[0] != 0 {
						t.Errorf("n = %d %+v: weight %g where the reference has none", n, d, y[0])
					}
					div := b.Of(y)
					if !(div <= radius*(1+1e-9)) {
						t.Errorf("n = %d divergence %d radius %g: %g is outside", n, d, radius, div)
					}
					if nu > 0 && !(math.Abs(div/radius-1) <= 1e-8) {
						t.Errorf("n = %d divergence %d radius %g: inside, at %g, with a price of %g", n, d, radius, div, nu)
					}
					if e := math.Abs(risk - vec.Dot(y, f)); !(e <= 1e-10*size) {
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
						floats.Scale(1/vec.Sum(z), z)
						for step := 1.0; step > 1e-9; step /= 2 {
							mixed := make([]float64, n)
							for j := range mixed {
								mixed[j] = y[j] + step*(z[j]-y[j])
							}
							if better := vec.Dot(mixed, f); b.Of(mixed) <= radius && better > risk+1e-9*size {
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
func TestReferenceWeights(t *testing.T) {
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
		"kl":        {func([]float64) saddle.Dual { return KL{Nu: 0.7} }, func(w []float64) saddle.Dual { return NewPenalty(KullbackLeibler, 0.7, w) }},
		"chi2":      {func([]float64) saddle.Dual { return ChiSquare{Nu: 0.7} }, func(w []float64) saddle.Dual { return NewPenalty(PearsonChi2, 0.7, w) }},
		"cvar":      {func([]float64) saddle.Dual { return CVaR(0.3) }, func(w []float64) saddle.Dual { return Protected{Share: 0.3, Weights: w} }},
		"capped":    {func([]float64) saddle.Dual { return CappedChiSquare{0.3, 0.2} }, func(w []float64) saddle.Dual { return Protected{Share: 0.3, Nu: 0.2, Weights: w} }},
		"kl ball":   {func([]float64) saddle.Dual { return NewBall(KullbackLeibler, 0.2, nil) }, func(w []float64) saddle.Dual { return NewBall(KullbackLeibler, 0.2, w) }},
		"chi2 ball": {func([]float64) saddle.Dual { return NewBall(PearsonChi2, 0.2, nil) }, func(w []float64) saddle.Dual { return NewBall(PearsonChi2, 0.2, w) }},
	} {
		plain, weighted := duals[0](nil), duals[1]
		if a, b := risk(plain, f), risk(weighted(nil), f); !drotest.Near(a, b, 1e-12, a) {
			t.Errorf("%s: %v without weights, %v", name, b, a)
		}
		if a, b := risk(plain, f), risk(weighted(equal), f); !drotest.Near(a, b, 1e-12, a) {
			t.Errorf("%s: %v with equal weights, %v", name, b, a)
		}
		if a, b := risk(plain, repeated), risk(weighted(counts), f); !drotest.Near(a, b, 1e-12, a) {
			t.Errorf("%s: %v weighted, %v repeated", name, b, a)
		}
	}
}

func TestInvalidAdversaries(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(5), 20, 2, false).Oracle(t, losses.Logistic{})
	of := make([]int, 20)
	for j := range of {
		of[j] = j % 2
	}
	for name, c := range map[string]struct {
		dual saddle.Dual
		want string
	}{
		"radius":           {NewBall(KullbackLeibler, 0, nil), "radius"},
		"radius NaN":       {NewBall(PearsonChi2, math.NaN(), nil), "radius"},
		"divergence":       {Ball{Divergence: 7, Radius: 1}, "divergence"},
		"ν":                {NewPenalty(KullbackLeibler, -1, nil), "ν"},
		"few weights":      {NewPenalty(KullbackLeibler, 1, []float64{1}), "1 weights for 20 samples"},
		"negative weights": {NewPenalty(KullbackLeibler, 1, slices.Repeat([]float64{1, -1}, 10)), "sample 1 is -1"},
		"zero weights":     {NewBall(KullbackLeibler, 1, make([]float64, 20)), "sum to 0"},
		"share":            {Protected{Share: 1.5}, "α"},
		"share's weights":  {Protected{Share: 0.5, Weights: make([]float64, 20)}, "sum to 0"},
	} {
		err := saddle.Validate(&saddle.Problem{Oracle: o, Dual: c.dual, Primal: L2{Mu: 1}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	near := NewPenalty(KullbackLeibler, 1, nil)
	for want, err := range map[string]error{
		"group 1 of grouping 0 has no samples": errorOf(NewGroups(near, nil, []int{0, 2, 2})),
		"number the groups from 0":             errorOf(NewGroups(near, nil, []int{0, 9})),
		"3 samples are grouped one way":        errorOf(NewGroups(near, nil, []int{0, 0, 1}, []int{0})),
		"no sample is in a group":              errorOf(NewGroups(near, nil, []int{-1, -1})),
		"needs samples in groups":              errorOf(NewGroups(near, nil)),
		"is -1: it must be finite":             errorOf(NewGroups(near, []float64{1, -1}, []int{0, 1})),
		"1 weights for 2 samples":              errorOf(NewGroups(NewPenalty(KullbackLeibler, 1, []float64{1}), nil, []int{0, 1})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	g, err := NewGroups(near, nil, of)
	if err != nil {
		t.Fatal(err)
	}
	for want, adjust := range map[string][]float64{"adjustments of 1 groups": {1}, "adjustment of group 1 is -1": {0, -1}} {
		g.Adjust = adjust
		if err := saddle.Validate(&saddle.Problem{Oracle: o, Dual: g, Primal: L2{Mu: 1}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func errorOf(_ *Groups, err error) error { return err }

// At a price that is off, the risk is above what the weights prove by (ν − Nu)·|D − ρ|, and
// what the weights outside the ball lose on their way back: the allowance is both, and hardly more.
func TestBallAllowsForAPriceThatIsOff(t *testing.T) {
	rng := drotest.RngOf(213)
	for trial := range 200 {
		n := 3 + rng.IntN(40)
		f := drotest.Normals(rng, n, 3)
		w := drotest.OnSimplex(rng, n)
		if trial%2 == 0 {
			w = nil
		}
		d := Divergence(trial / 2 % 2)
		b := Ball{Divergence: d, Radius: math.Pow(10, -3*rng.Float64()), Nu: []float64{0, 0.05}[trial/4%2], Weights: w}
		price := b.Price(f)
		if !(price > b.Nu) {
			continue // the ball does not bind
		}
		for _, off := range []float64{0.7, 0.99, 1.01, 1.4} {
			a := pricedResponse{nu: max(b.Nu, off*price)}
			y := make([]float64, n)
			at := NewPenalty(d, a.nu, w).respond(y, f, math.NaN())
			a.risk, a.tau, a.top, a.rounding, a.logMean = at.risk+(a.nu-b.Nu)*b.Radius, at.tau, at.top, at.rounding, at.logMean
			own, outside := b.rounding(a, y, f)
			divergence, linear := b.Of(y), vec.Dot(y, f)
			if want := max(0, 1-b.Radius/divergence); !(math.Abs(outside-want) < 1e-9*(1+want)) {
				t.Errorf("divergence %d, radius %g, ν %g times what is exact: %g outside, not %g", d, b.Radius, off, outside, want)
			}
			base, back := 0.0, make([]float64, n)
			for j, v := range y {
				reference := 1 / float64(n)
				if w != nil {
					reference = w[j]
				}
				base += reference * f[j]
				back[j] = (1-outside)*v + outside*reference
			}
			if within := b.Of(back); within > b.Radius*(1+1e-9) {
				t.Errorf("divergence %d, radius %g: brought back to %g", d, b.Radius, within)
			}
			want := (a.nu-b.Nu)*math.Abs(divergence-b.Radius) + outside*math.Abs(linear-base)
			if !(own >= want && own-want < 1e-9*(1+want)) {
				t.Errorf("divergence %d, radius %g, ν %g times what is exact: an allowance of %g, not %g", d, b.Radius, off, own, want)
			}
			if gap := a.risk - vec.Dot(back, f) + b.Nu*b.Of(back); own < gap*(1-1e-12)-1e-12 || divergence <= b.Radius && !(math.Abs(gap-(a.nu-b.Nu)*(b.Radius-divergence)) <= 1e-9*(1+math.Abs(a.risk))) {
				t.Errorf("divergence %d, radius %g: the risk %g is %g above what is proved, the allowance %g", d, b.Radius, a.risk, gap, own)
			}
		}
	}
}

// The price of a χ² ball is that of a bisection in 256 bits, for losses that are alike, far
// apart or tied.
func TestPriceOfChi2IsExact(t *testing.T) {
	rng := drotest.RngOf(214)
	for trial := range 80 {
		n := 2 + rng.IntN(12)
		f := hardLosses(rng, n)
		var w []float64
		if trial%2 == 0 {
			w = drotest.OnSimplex(rng, n)
		}
		radius := math.Pow(10, 5*rng.Float64()-4)
		got := NewBall(PearsonChi2, radius, w).Price(f)
		want := priceByBisection(f, w, radius)
		if !(math.Abs(got-want) <= 1e-7*want+1e-12*drotest.MaxAbs(f)) {
			t.Errorf("trial %d, radius %g: a price of %v, %v by bisection, losses up to %g", trial, radius, got, want, drotest.MaxAbs(f))
		}
	}
}

// priceByBisection is Σ w(f − θ)₊ at the θ for which y ∝ w(f − θ)₊ is on the boundary.
func priceByBisection(f, w []float64, radius float64) float64 {
	at := func(theta exact.Real) (mass, divergence exact.Real) {
		total, square := exact.New(0), exact.New(0)
		mass = exact.New(0)
		for j, v := range f {
			weight := exact.New(1)
			if w != nil {
				weight = exact.New(w[j])
			}
			total = exact.Add(total, weight)
			if u := exact.Sub(exact.New(v), theta); exact.Less(exact.New(0), u) {
				mass = exact.Add(mass, exact.Mul(weight, u))
				square = exact.Add(square, exact.Mul(weight, exact.Mul(u, u)))
			}
		}
		// ½(Σ y²/w − 1) of y = w(f−θ)₊/mass and w of sum one.
		mean := exact.Div(mass, total)
		ratio := exact.Div(exact.Div(square, total), exact.Mul(mean, mean))
		return mean, exact.Div(exact.Sub(ratio, exact.New(1)), exact.New(2))
	}
	lo, hi := exact.New(slices.Max(f)-1e18*(1+drotest.MaxAbs(f))), exact.New(slices.Max(f))
	if atTop(f, w) >= 1/(1+2*radius) {
		return 0
	}
	for range 170 {
		mid := exact.Div(exact.Add(lo, hi), exact.New(2))
		if _, d := at(mid); exact.Less(exact.New(radius), d) {
			hi = mid
		} else {
			lo = mid
		}
	}
	mass, _ := at(lo)
	price, _ := mass.Float64()
	return price
}

// atTop is the share of the weight on the largest loss.
func atTop(f, w []float64) float64 {
	top, of, all := math.Inf(-1), 0.0, 0.0
	for j, v := range f {
		weight := 1.0
		if w != nil {
			weight = w[j]
		}
		if all += weight; v > top {
			top, of = v, 0
		}
		if v == top {
			of += weight
		}
	}
	return of / all
}

// The price is in the unit of the losses, also where their squares overflow or underflow.
func TestPriceHasTheUnitOfTheLosses(t *testing.T) {
	f := []float64{0.3, 1.7, 0.2, 900, 0.25}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		b := Ball{Divergence: d, Radius: 0.7}
		want := b.Price(f)
		for _, unit := range []float64{0x1p-700, 0x1p-600, 0x1p-400, 0x1p400, 0x1p600, 0x1p900} {
			scaled, y := make([]float64, len(f)), make([]float64, len(f))
			for j, v := range f {
				scaled[j] = unit * v
			}
			if got := b.Price(scaled) / unit; !(math.Abs(got-want) <= 1e-7*want) {
				t.Errorf("%v, losses times %g: price %v, want %v", d, unit, got, want)
			}
			if b.BestResponseTo(y, scaled); b.OutsideShare(y) > 1e-6 {
				t.Errorf("%v, losses times %g: weights outside the ball: %v", d, unit, y)
			}
		}
	}
}

// The price of a ball is found where its terms cancel: two losses far above the mean and near
// each other, and references so far apart that the slope of D is all rounding.
func TestPriceWhereTermsCancel(t *testing.T) {
	for _, c := range []struct {
		ball Ball
		f    []float64
	}{
		{Ball{Divergence: PearsonChi2, Radius: 3.410758992776137, Weights: []float64{1.5039926138186508, 0.2693728891166416, 0.7536105082088992, 0.6784362023335226, 1.9189188932958534, 1, 0.36427851484733964, 1.9425214354652482, 1.3186364374926132}},
			[]float64{79.53816379625572, 5.865064861384981, 143.81016598134863, 21.12294005506733, 60.56085925499867, 83.55218454520211, 0.024991324433821096, 39.077546903541595, 143.8078489405998}},
		{Ball{Divergence: PearsonChi2, Radius: 1.4279548611406938},
			[]float64{0.4652362254589019, 0.4652362254589019, 0.46524011289607925, 0.46523714786771053, 0.08777950322147121, 0.4652362254589019, 0.4652362254589019, 0.4652362700790828, 0.18583383890303432, 0.18583383890303432, 0.18583383890303432}},
		{Ball{Radius: 0.021142579340024475, Weights: []float64{1.5408358392533614e-11, 2.8288538217971323e-28, 3.7859814964179814e+259, 15499.387207217083, 1.0842341733844793e+50, 1.5179021213759476e-06, 5.441483010669925e-52}},
			[]float64{2.27323765881954, 2.3015746995553616, 0.05320355475326332, 0.9253265090396301, 0.04656829338130419, 9.889889170711196, 1.5621610724191668}},
	} {
		y := make([]float64, len(c.f))
		c.ball.BestResponseTo(y, c.f)
		if d := c.ball.Of(y); !(math.Abs(d-c.ball.Radius) <= 1e-9*c.ball.Radius) {
			t.Errorf("weights at %v, in a ball of %v", d, c.ball.Radius)
		}
	}
}

// A ball of hardly any radius holds the reference weights to the last digits, and its price is
// a number, whatever the losses.
func TestSmallestBallsHoldTheReference(t *testing.T) {
	w := []float64{0.25, 0.875, 1}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{1e-40, 3.6e-136, 1e-320} {
			for _, unit := range []float64{1e-150, 1, 1e92, 1e292} {
				f, y, mean := []float64{2.0 * unit, 1.2 * unit, 3.3 * unit}, make([]float64, 3), 0.0
				b := Ball{Divergence: d, Radius: radius, Nu: 5, Weights: w}
				risk, _ := b.BestResponseTo(y, f)
				for j, v := range w {
					if mean += v / 2.125 * f[j]; !(math.Abs(y[j]-v/2.125) <= 2e-15) {
						t.Errorf("%v, radius %g, losses of %g: weights %v", d, radius, unit, y)
					}
				}
				if !(math.Abs(risk-mean) <= 1e-14*mean) {
					t.Errorf("%v, radius %g, losses of %g: risk %v, mean %v", d, radius, unit, risk, mean)
				}
				a := b.respond(y, f, math.NaN())
				if own, _ := b.rounding(a, y, f); math.IsNaN(own) {
					t.Errorf("%v, radius %g, losses of %g: rounding %v at price %v", d, radius, unit, own, a.nu)
				}
			}
		}
	}
}

// Weights are relative: where their products with losses overflow or underflow, the best
// response is that of the same weights in another unit.
func TestResponseHasNoUnitOfWeights(t *testing.T) {
	f := []float64{0, 0, 3.75e15, 3.76e15, 1e15}
	w := []float64{1, 2e-3, 1.7e-6, 1e-9, 3e-10}
	for _, b := range []Ball{
		NewBall(KullbackLeibler, 0.00264, w), NewBall(PearsonChi2, 0.00264, w),
		NewPenalty(KullbackLeibler, 1e14, w), NewPenalty(PearsonChi2, 1e9, w),
	} {
		want, y := make([]float64, len(f)), make([]float64, len(f))
		risk, _ := b.BestResponseTo(want, f)
		for _, unit := range []float64{0x1p-900, 0x1p990, 0x1p1020} {
			b.Weights = make([]float64, len(w))
			for j, v := range w {
				b.Weights[j] = unit * v
			}
			got, _ := b.BestResponseTo(y, f)
			for j := range y {
				if !(math.Abs(y[j]-want[j]) <= 1e-9*want[j] && math.Abs(got-risk) <= 1e-9*risk) {
					t.Errorf("%v, weights times %g: %v of risk %v, want %v of %v", b.Divergence, unit, y, got, want, risk)
					break
				}
			}
			if off := b.Of(y) - b.Radius; !(off <= 1e-9*b.Radius) {
				t.Errorf("%v, weights times %g: %g from the ball", b.Divergence, unit, off)
			}
		}
	}
}

// The log of a mean of exponentials that is no normal number is that of the largest, nearly
// alone: so is the risk, and the weights at the price of the ball lie in it.
func TestResponseWhereMeansUnderflow(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{0x1p-1070, 1, -1070 * math.Ln2}, {0x1p-900, 0x1p900, -1800 * math.Ln2}, {0x1p-1000, 1, -1000 * math.Ln2},
	} {
		if got := logRatio(c.a, c.b); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("log(%g/%g) is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	f, w := []float64{0, 1e-4, 3.86e-4, 3.6e-5}, []float64{1e279, 1e215, 1e-228, 1e248}
	b, y := NewBall(KullbackLeibler, 0.667, w), make([]float64, 4)
	risk, _ := b.BestResponseTo(y, f)
	d, linear := 0.0, 0.0
	for j, v := range y {
		if linear += v * f[j]; v > 0 {
			d += v * (math.Log(v) - math.Log(w[j]) + 279*math.Ln10)
		}
	}
	if !(math.Abs(d-b.Radius) <= 1e-9) || !(math.Abs(risk-linear) <= 1e-9*risk) {
		t.Errorf("weights %v at %v, in a ball of %v: risk %v, of the weights %v", y, d, b.Radius, risk, linear)
	}
	for _, nu := range []float64{5.2e-7, 5.3e-7, 5.4e-7} { // exponentials of −742 to −715: nearly all weight is on f = 0
		few := []float64{1e279, 0, 1e-228, 0}
		risk, rounding, _ := weightedKL(nil, y, f, few, nu, 3.86e-4)
		if !(math.Abs(risk) <= rounding && rounding < 2*nu) {
			t.Errorf("risk %v within %v at ν = %v, want one near 0", risk, rounding, nu)
		}
	}
}

// Reference weights next to zero beside others are shared out like these, and are none of a
// group; weights that sum to next to nothing are refused.
func TestReferenceWeightsNextToZero(t *testing.T) {
	f, of := []float64{3, 1, 2, 5}, []int{0, 1, 0, 1}
	for _, w := range [][]float64{{5e-324, 5e-324, 1e-323, 5e-324}, {1e-310, 2e-310, 0, 3e-310}, {3e-308, 3e-308, 1e-310, 0}} {
		_, fixed := NewFixed(w)
		_, groups := NewGroups(NewPenalty(KullbackLeibler, 2, nil), w, of)
		_, prior := NewGroups(NewPenalty(KullbackLeibler, 2, w[:2]), nil, of)
		for _, err := range []error{fixed, groups, prior, NewBall(PearsonChi2, 0.1, w).Valid(4), NewPenalty(KullbackLeibler, 1, w).Valid(4), Protected{Share: 0.4, Weights: w}.Valid(4)} {
			if err == nil || !strings.Contains(err.Error(), "multiply all of them by a constant") {
				t.Errorf("weights %v: %v", w, err)
			}
		}
	}
	for _, w := range [][]float64{{1e300, 1e300, 0, 1e-310}, {1e-300, 5e-324, 1e-300, 1e-310}} {
		fixed, err := NewFixed(w)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := NewGroups(NewPenalty(KullbackLeibler, 2, []float64{5e-324, 1e-300}), nil, of)
		if err != nil {
			t.Fatal(err)
		}
		duals := map[string]saddle.Dual{
			"kl": NewPenalty(KullbackLeibler, 0.001, w), "chi2": NewPenalty(PearsonChi2, 3, w),
			"kl ball": NewBall(KullbackLeibler, 0.1, w), "chi2 ball": NewBall(PearsonChi2, 0.1, w),
			"protected": Protected{Share: 0.4, Weights: w}, "priced": Protected{Share: 0.4, Nu: 1, Weights: w},
			"fixed": fixed, "prior": prior,
		}
		groups, err := NewGroups(NewBall(PearsonChi2, 0.1, nil), w, of)
		if small := w[0]+w[2] < 0x1p-1022 || w[1]+w[3] < 0x1p-1022; (err != nil) != small {
			t.Errorf("groups of weights %v: %v", w, err)
		} else if !small {
			duals["groups"] = groups
		}
		for name, d := range duals {
			y := make([]float64, len(f))
			risk, _ := d.BestResponseTo(y, f)
			sum := 0.0
			for _, v := range y {
				if !(v >= 0) {
					sum = math.NaN()
				}
				sum += v
			}
			if !(math.Abs(sum-1) < 1e-12) || !(risk >= 1 && risk <= 5) {
				t.Errorf("%s around %v: weights %v, risk %v", name, w, y, risk)
			}
		}
	}
}

// Where the price of a ball is at an end of the numbers, the weights lie in it all the same.
func TestBallsAtTheEndsOfPrices(t *testing.T) {
	for _, f := range [][]float64{
		{1.1871113432724825e+307, 5.2151311247967e+306, 6.549482878758022e+306}, {1.441e-320, 5.1625e-320, 1.5e-322}, {3e-310, 2e-323, 1e-310},
	} {
		for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
			for _, w := range [][]float64{nil, {1, 2, 3}} {
				b, y := NewBall(d, 0.0112, w), make([]float64, 3)
				risk, _ := b.BestResponseTo(y, f)
				least, most := slices.Min(f), slices.Max(f)
				if at := b.Of(y); !(at <= b.Radius*(1+1e-9)) || !(math.Abs(vec.Sum(y)-1) <= 1e-12) || !(risk >= least*(1-1e-12)) || !(risk <= most*2) {
					t.Errorf("divergence %d of losses %g: weights %v at %v, risk %g", d, f, y, at, risk)
				}
			}
		}
	}
}

// Among the first samples none may have weight: no dual falls over that.
func TestPrefixWithoutWeight(t *testing.T) {
	f, w := []float64{3, 1}, []float64{0, 0, 2, 5}
	for name, d := range map[string]saddle.Dual{
		"kl": NewPenalty(KullbackLeibler, 0.1, w), "chi2": NewPenalty(PearsonChi2, 3, w),
		"kl ball": NewBall(KullbackLeibler, 0.1, w), "chi2 ball": NewBall(PearsonChi2, 0.1, w),
		"protected": Protected{Share: 0.4, Weights: w}, "priced": Protected{Share: 0.4, Nu: 1, Weights: w},
		"a price next to nothing": Protected{Share: 1e-51, Nu: 1e-300, Weights: w},
	} {
		y := make([]float64, 2)
		if risk, _ := d.BestResponseTo(y, f); risk > 3 {
			t.Errorf("%s: risk %v of weights %v", name, risk, y)
		}
	}
}

// A price of other losses, from which the search begins, may be as far from the price as
// numbers are: the weights lie on the boundary whatever it is.
func TestPriceFromAnyGuess(t *testing.T) {
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
			b := NewBall(KullbackLeibler, radius, w)
			y := make([]float64, len(f))
			want := b.respond(y, f, math.NaN())
			for power := -300; power <= 300; power += 20 {
				a := b.respond(y, f, math.Pow(10, float64(power)))
				if off := math.Abs(b.Of(y)/radius - 1); !(off < 1e-8) || !(math.Abs(a.risk/want.risk-1) <= 1e-12) {
					t.Errorf("unit %g, radius %g, from 1e%d: off the boundary by %.2g, a risk of %g, not %g", unit, radius, power, off, a.risk, want.risk)
				}
			}
		}
	}
}

// So it is for a guess from which the slope of D leads the wrong way, far below a price that is
// a large number.
func TestPriceFromAGuessFarBelow(t *testing.T) {
	for _, unit := range []float64{1e-100, 1, 1e100} {
		f := []float64{0.746685928236346 * unit, 0.7466859282376355 * unit, 0.4755661243091303 * unit}
		b := NewBall(KullbackLeibler, 0.00114, []float64{3.72e215, 8.62e-37, 3.293e284})
		y := make([]float64, len(f))
		if b.respond(y, f, 3.66e-15*unit); !(math.Abs(b.Of(y)/b.Radius-1) <= 1e-8) {
			t.Errorf("unit %g: weights %v at %v, in a ball of %v", unit, y, b.Of(y), b.Radius)
		}
	}
}

// What mixing the reference weights in changes of any weight is as much of it as is said, and in
// a small ball next to nothing.
func TestChangedByTheReference(t *testing.T) {
	rng := drotest.RngOf(9)
	const n, share = 300, 1e-3
	f, w := drotest.Normals(rng, n, 1), drotest.OnSimplex(rng, n)
	w[7] = 0
	total := vec.Sum(w)
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{1e-12, 1e-6, 0.3, 30} {
			b, y := NewBall(d, radius, w), make([]float64, n)
			b.respond(y, f, math.NaN())
			said, least := b.changed(share, y), math.Inf(1)
			if said > share || radius == 1e-12 && said > 1e-4*share {
				t.Errorf("%+v: %v of a share of %v", d, said, share)
			}
			for j, v := range y {
				if mixed := (1-share)*v + share*w[j]/total; v > 0 {
					least = min(least, mixed/v-1)
					if !(math.Abs(mixed/v-1) <= said) && said < share {
						t.Errorf("divergence %d, radius %g: weight %d changes by %g, more than %g", d, radius, j, mixed/v-1, said)
					}
				}
			}
			if least < -share {
				t.Errorf("divergence %d, radius %g: a weight falls by %g", d, radius, -least)
			}
		}
	}
}
