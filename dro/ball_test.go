package dro

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// The best response of a ball lies in it, on its boundary where that is not a vertex,
// and no other weights tried do better.
func TestBallBestResponse(t *testing.T) {
	rng := rngOf(1)
	for _, n := range []int{2, 7, 300, 200_000} {
		f := normals(rng, n, 3)
		w := onSimplex(rng, n)
		w[0] = 0
		for _, weights := range [][]float64{nil, w} {
			for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
				for _, radius := range []float64{1e-7, 1e-3, 0.3, 2, 1e9} {
					b := NewBall(d, radius, weights)
					y := make([]float64, n)
					risk, _, nu := b.respond(y, f, math.NaN())
					size := maxAbs(f)
					if e := math.Abs(sum(y) - 1); !(e < 1e-12) {
						t.Errorf("n = %d %+v: weights of sum 1 + %g", n, d, e)
					}
					if weights != nil && y[0] != 0 {
						t.Errorf("n = %d %+v: weight %g where the reference has none", n, d, y[0])
					}
					div := b.Of(y)
					if !(div <= radius*(1+1e-9)) {
						t.Errorf("n = %d divergence %d radius %g: %g is outside", n, d, radius, div)
					}
					if nu > 0 && math.Abs(div/radius-1) > 1e-8 {
						t.Errorf("n = %d divergence %d radius %g: inside, at %g, with a price of %g", n, d, radius, div, nu)
					}
					if e := math.Abs(risk - dot(y, f)); !(e <= 1e-10*size) {
						t.Errorf("n = %d divergence %d radius %g: risk off ⟨y, f⟩ by %g", n, d, radius, e)
					}
					if n > 300 {
						continue
					}
					for range 50 { // towards other weights, until the boundary
						z := onSimplex(rng, n)
						if weights != nil {
							z[0] = 0
						}
						scale(z, 1/sum(z))
						for step := 1.0; step > 1e-9; step /= 2 {
							mixed := make([]float64, n)
							for j := range mixed {
								mixed[j] = y[j] + step*(z[j]-y[j])
							}
							if better := dot(mixed, f); b.Of(mixed) <= radius && better > risk+1e-9*size {
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
	rng := rngOf(2)
	const n = 40
	f := normals(rng, n, 2)
	counts, repeated, equal := make([]float64, n), []float64{}, make([]float64, n)
	for j := range counts {
		counts[j], equal[j] = float64(j%3), 7
		for range j % 3 {
			repeated = append(repeated, f[j])
		}
	}
	risk := func(d Dual, f []float64) float64 {
		r, _ := d.BestResponseTo(make([]float64, len(f)), f)
		return r
	}
	for name, duals := range map[string][2]func(w []float64) Dual{
		"kl":        {func([]float64) Dual { return KL{0.7} }, func(w []float64) Dual { return NewPenalty(KullbackLeibler, 0.7, w) }},
		"chi2":      {func([]float64) Dual { return ChiSquare{0.7} }, func(w []float64) Dual { return NewPenalty(PearsonChi2, 0.7, w) }},
		"cvar":      {func([]float64) Dual { return CVaR(0.3) }, func(w []float64) Dual { return Protected{Share: 0.3, Weights: w} }},
		"capped":    {func([]float64) Dual { return CappedChiSquare{0.3, 0.2} }, func(w []float64) Dual { return Protected{Share: 0.3, Nu: 0.2, Weights: w} }},
		"kl ball":   {func([]float64) Dual { return NewBall(KullbackLeibler, 0.2, nil) }, func(w []float64) Dual { return NewBall(KullbackLeibler, 0.2, w) }},
		"chi2 ball": {func([]float64) Dual { return NewBall(PearsonChi2, 0.2, nil) }, func(w []float64) Dual { return NewBall(PearsonChi2, 0.2, w) }},
	} {
		plain, weighted := duals[0](nil), duals[1]
		if a, b := risk(plain, f), risk(weighted(nil), f); !near(a, b, 1e-12, a) {
			t.Errorf("%s: %v without weights, %v", name, b, a)
		}
		if a, b := risk(plain, f), risk(weighted(equal), f); !near(a, b, 1e-12, a) {
			t.Errorf("%s: %v with equal weights, %v", name, b, a)
		}
		if a, b := risk(plain, repeated), risk(weighted(counts), f); !near(a, b, 1e-12, a) {
			t.Errorf("%s: %v weighted, %v repeated", name, b, a)
		}
	}
}

// One sample a group, with its weight as the prior, is the adversary over samples.
func TestGroupsOfOneSample(t *testing.T) {
	rng := rngOf(3)
	const n, d = 60, 4
	o := newSample(rng, n, d, true).oracle(t, losses.Logistic{})
	w, of := onSimplex(rng, n), make([]int, n)
	for j := range of {
		of[j] = j
	}
	for _, near := range []Ball{NewPenalty(KullbackLeibler, 0.4, w), NewPenalty(PearsonChi2, 0.4, w), NewBall(KullbackLeibler, 0.05, w), NewBall(PearsonChi2, 0.05, w)} {
		g, err := NewGroups(near, nil, of)
		if err != nil {
			t.Fatal(err)
		}
		phi := L2{Mu: 0.05, Intercept: true}
		a := solve(t, &Problem{o, near, phi}, Newton{}, asking(1e-11, 500))
		method, _ := Choose(&Problem{o, g, phi})
		b := solve(t, &Problem{o, g, phi}, method, asking(1e-9, 2000))
		if !near1e9(a.Objective, b.Objective) {
			t.Errorf("%+v: %v over samples, %v over groups", near.Divergence, a.Objective, b.Objective)
		}
	}
}

func near1e9(a, b float64) bool { return math.Abs(a-b) <= 2e-9*math.Abs(a) }

// Group DRO and balls over many rows: growing prefixes, some without a group.
func TestAdversariesOverManyRows(t *testing.T) {
	rng := rngOf(4)
	const n, d = 30_000, 6
	o := newSample(rng, n, d, true).oracle(t, losses.Logistic{})
	of, w := make([]int, n), make([]float64, n)
	for j := range of {
		of[j] = min(2, j%50) // two of one in fifty, one of the rest
		w[j] = rng.ExpFloat64()
	}
	of[n-1] = 3
	groups := func(near Ball) Dual {
		g, err := NewGroups(near, w, of)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for name, dual := range map[string]Dual{
		"kl ball": NewBall(KullbackLeibler, 0.1, w), "chi2 ball": NewBall(PearsonChi2, 0.1, w), "small ball": NewBall(KullbackLeibler, 1e-6, nil),
		"weighted kl": NewPenalty(KullbackLeibler, 0.2, w), "weighted chi2": NewPenalty(PearsonChi2, 0.2, w),
		"groups kl": groups(NewPenalty(KullbackLeibler, 0.1, nil)), "group dro": groups(NewBall(KullbackLeibler, math.Inf(1), nil)),
		"groups ball": groups(NewBall(PearsonChi2, 0.1, nil)),
	} {
		p := &Problem{o, dual, L2{Mu: 1e-3, Intercept: true}}
		method, _ := Choose(p)
		res := solve(t, p, method, asking(1e-7, 1000))
		other := res
		if differentiable(p) {
			other = solve(t, p, Newton{}, asking(1e-7, 1000))
		}
		if res.Status != Certified || res.Certificate.Lower > other.Certificate.Upper || res.Certificate.Upper < other.Certificate.Lower {
			t.Errorf("%s by %s: %v [%v, %v], by newton [%v, %v]", name, method.Name(), res.Status, res.Certificate.Lower, res.Certificate.Upper, other.Certificate.Lower, other.Certificate.Upper)
		}
		t.Logf("%s by %s: %v, %.3g passes", name, method.Name(), res.Status, res.Passes)
	}
}

func TestInvalidAdversaries(t *testing.T) {
	o := newSample(rngOf(5), 20, 2, false).oracle(t, losses.Logistic{})
	of := make([]int, 20)
	for j := range of {
		of[j] = j % 2
	}
	for name, c := range map[string]struct {
		dual Dual
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
		err := (&Problem{o, c.dual, L2{Mu: 1}}).Validate()
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
		if err := (&Problem{o, g, L2{Mu: 1}}).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func errorOf(_ *Groups, err error) error { return err }
