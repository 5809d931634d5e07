package side

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/internal/ranks"
	"gonum.org/v1/gonum/floats"
)

// given is an oracle of losses that are what they are, wherever they are asked for.
type given []float64

func (o given) Dims() (n, d, slope int) { return len(o), 1, 1 }

func (o given) EvalTo(value, slope, _ []float64, lo, hi int) {
	copy(value[lo:hi], o[lo:hi])
	clear(slope[lo:hi])
}

func (o given) AddGradTo(_, _, _ []float64, _, _ int) {}

// positive are such losses ≥ 0, or none: an oracle that says so, and how they are rounded.
type positive struct{ given }

func (positive) NonNegative() bool { return true }

func (positive) Rounding() (terms int, largest []float64, smoothness float64) {
	return 0, []float64{0}, 0
}

// A lawful is a dual, and what it is by definition.
type lawful struct {
	dual saddle.Dual
	by   exact.Problem
	unit bool // weights sum to one
}

// lawfuls are the duals over n samples of every kind, at ordinary prices and at the ends of the
// numbers.
func lawfuls(t *testing.T, n int) (out []lawful) {
	w, group, other := make([]float64, n), make([]int, n), make([]int, n)
	for j := range w {
		w[j], group[j], other[j] = []float64{1, 0, 0.5, 3}[j%4], j%3, j%5/4
	}
	of := func(d saddle.Dual, a exact.Adversary) {
		out = append(out, lawful{d, exact.Problem{N: n, Adversary: a}, a.Cap == 0})
	}
	fixed, err := NewFixed(w)
	if err != nil {
		t.Fatal(err)
	}
	of(Uniform{}, exact.Adversary{Alpha: 1})
	of(fixed, exact.Adversary{Alpha: 1, Weights: w})
	names := []string{"kl", "chi2"}
	for _, nu := range []float64{0, 1e-300, 1e-3, 1, 1e6, 1e13, 1e20, 1e300, 1e308} {
		of(KL{Nu: nu}, exact.Adversary{Penalty: "kl", Nu: nu})
		of(ChiSquare{Nu: nu}, exact.Adversary{Penalty: "chi2", Nu: nu})
		for _, alpha := range []float64{1e-9, 0.3, 1} {
			of(CappedKL{alpha, nu}, exact.Adversary{Penalty: "kl", Nu: nu, Alpha: alpha})
			of(CappedChiSquare{alpha, nu}, exact.Adversary{Penalty: "chi2", Nu: nu, Alpha: alpha})
			of(Protected{Share: alpha, Nu: nu}, exact.Adversary{Penalty: "chi2", Nu: nu, Alpha: alpha})
			of(Protected{Share: alpha, Nu: nu, Weights: w}, exact.Adversary{Penalty: "chi2", Nu: nu, Alpha: alpha, Weights: w})
		}
		for d, name := range names {
			for _, radius := range []float64{1e-20, 0.1, 2, math.Inf(1)} {
				for _, weights := range [][]float64{nil, w} {
					a := exact.Adversary{Penalty: name, Nu: nu, Radius: radius, Weights: weights}
					if a.Radius > 1e300 {
						a.Radius = 0
					}
					of(Ball{Divergence: Divergence(d), Radius: radius, Nu: nu, Weights: weights}, a)
					near, ways := Ball{Divergence: Divergence(d), Radius: radius, Nu: nu}, [][]int{group}
					if a.Weights = nil; weights != nil {
						near.Weights, a.Weights, ways = []float64{1, 2, 3, 0, 1}, []float64{1, 2, 3, 0, 1}, [][]int{group, other}
					}
					g, err := NewGroups(near, weights, ways...)
					if err != nil {
						t.Fatal(err)
					}
					p := exact.Problem{N: n, Adversary: a, Group: group, Share: weights}
					if len(ways) > 1 {
						g.Adjust = []float64{0, 0.5, 0, 0.25, 0}
						p.Other, p.Adjust = other, g.Adjust
					}
					out = append(out, lawful{g, p, true})
				}
			}
		}
		of(Box{0, 0.5, nu}, exact.Adversary{Nu: nu, Cap: 0.5})
		of(OrthantKL{nu, 0.5}, exact.Adversary{Penalty: "kl", Nu: nu, Cap: 0.5})
		of(OrthantChiSquare{nu, 0.5}, exact.Adversary{Penalty: "chi2", Nu: nu, Cap: 0.5})
	}
	return out
}

// For losses of any kind, no numbers among them, an upper bound is above the risk and a lower
// one below it; what is infinite stands for its limit, and where a loss that may have weight is
// no number there is no risk and nothing bounds it. Where there is a risk, the weights are shares.
func TestBoundsOfAnyLosses(t *testing.T) {
	const n = 9
	nan, inf := math.NaN(), math.Inf(1)
	plain := []float64{0.3, 0.9, 0.1, 0.7, 0, 0.4, 0.6, 0.2, 0.5}
	all := [][]float64{}
	for _, v := range []float64{nan, inf, -inf, 1e150, -1e150, 1e200, 1e308, -1e308, math.MaxFloat64, 5e-324, -5e-324, 1e-310} {
		all = append(all, slices.Repeat([]float64{v}, n))
		for _, at := range [][]int{{0}, {1}, {8}, {2, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7}} {
			f := slices.Clone(plain)
			for _, j := range at {
				f[j] = v
			}
			for _, second := range []float64{f[5], nan, inf, -inf, 1e308, 5e-324} {
				f[5] = second
				all = append(all, slices.Clone(f))
			}
		}
	}
	const pairs, exactly, balls = 30, 8, 80 // one of so many
	rng := drotest.RngOf(431)
	far := new(big.Float).SetMantExp(exact.New(1), 2000)
	for _, c := range lawfuls(t, n) {
		for range len(all) / pairs {
			f := all[rng.IntN(len(all))]
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%T%+v of %v: %s", c.dual, c.dual, f, fmt.Sprintf(format, args...))
			}
			none, below := false, false
			real := make([]exact.Real, n)
			for j, v := range f {
				switch {
				case v != v:
					none = none || c.weighs(j)
					real[j] = exact.New(0)
				case v == inf:
					real[j] = far
				case v == -inf:
					real[j] = exact.Sub(exact.New(0), far)
				default:
					real[j] = exact.New(v)
				}
				below = below || v < 0
			}
			y := make([]float64, n)
			risk, _ := c.dual.BestResponseTo(y, f)
			if none && risk-risk == 0 {
				fail("a risk of %v", risk)
			}
			c.share(risk, y, fail)
			var o saddle.Oracle = given(f)
			if !below {
				o = positive{f}
			}
			p := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: c.dual, Primal: L2{Mu: 1}})
			p.Evaluate([]float64{0})
			p.Certify()
			if none {
				if !math.IsInf(p.Best.Upper, 1) || !(p.Best.Lower <= 0) {
					fail("bounds %v", p.Best)
				}
				continue
			}
			if !math.IsInf(p.Objective, 0) {
				c.share(p.Risk, p.Y, fail)
			}
			if cost := map[bool]int{true: balls, false: exactly}[c.by.Radius > 0]; rng.IntN(cost) > 0 {
				continue
			}
			by := c.by
			if size := floats.Norm(append(by.Adjust, f...), inf); by.Nu > 1e30*size { // what 256 bits do not tell from one that rests
				by.Adversary = exact.Adversary{Alpha: 1, Weights: by.Weights, Cap: by.Cap}
			}
			truth := by.Respond(real).Value
			if !math.IsInf(p.Best.Upper, 1) && !(drotest.Above(truth, p.Best.Upper) <= 0) {
				fail("an upper bound of %v for %v", p.Best.Upper, truth.Text('g', 20))
			}
			if !math.IsInf(p.Best.Lower, -1) && !(drotest.Above(truth, p.Best.Lower) >= 0) {
				fail("a lower bound of %v for %v", p.Best.Lower, truth.Text('g', 20))
			}
		}
	}
}

// Reference weights may be so far apart that the sample of the largest loss has a share of 0 in
// double precision: a ball does not hold that vertex for all that.
func TestBallsOfWeightsThatUnderflow(t *testing.T) {
	f, w := []float64{1, 3, 2}, []float64{1e278, 1e-68, 0}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{0.1, 700, 1e12} { // −log of the share is 797
			c := saddle.NewCertifier(&saddle.Problem{Oracle: positive{f}, Dual: NewBall(d, radius, w), Primal: L2{Mu: 1}})
			c.Evaluate([]float64{0})
			c.Certify()
			truth := 1.0 // up to the root of 2ρ·10⁻³⁴⁶, or e⁻⁹⁷
			if d == KullbackLeibler && radius > 797 {
				truth = 3
			}
			if !(c.Best.Lower <= truth*(1+1e-15) && c.Best.Upper >= truth) {
				t.Errorf("%d, radius %v: bounds %v of %v", d, radius, c.Best, truth)
			}
		}
	}
}

// A loss so far below the others that its distance is no number of prices leaves the penalty of
// the others as it is.
func TestPenaltiesBesideALossFarBelow(t *testing.T) {
	f, w := []float64{0.3, 0.9, 0.1, 0.7, 0, 0.6, 0.2, -1e308}, []float64{1, 2, 1, 1, 0, 3, 1, 1}
	for _, c := range []struct {
		d saddle.Dual
		a exact.Adversary
	}{
		{CappedKL{0.3, 1}, exact.Adversary{Penalty: "kl", Nu: 1, Alpha: 0.3}},
		{CappedChiSquare{0.3, 1}, exact.Adversary{Penalty: "chi2", Nu: 1, Alpha: 0.3}},
		{Protected{Share: 0.3, Nu: 1}, exact.Adversary{Penalty: "chi2", Nu: 1, Alpha: 0.3}},
		{Protected{Share: 0.3, Nu: 1, Weights: w}, exact.Adversary{Penalty: "chi2", Nu: 1, Alpha: 0.3, Weights: w}},
	} {
		y := make([]float64, len(f))
		risk, _ := c.d.BestResponseTo(y, f)
		if off := drotest.Above(c.a.Respond(drotest.Reals(f)).Value, risk); !(math.Abs(off) < 1e-14) {
			t.Errorf("%T%+v: a risk of %v is off by %v", c.d, c.d, risk, off)
		}
	}
}

// Losses of an oracle that does not tell whose differences overflow bound nothing.
func TestLossesFurtherApartThanNumbersReach(t *testing.T) {
	f := given{1, -1.7e308, 2, 1.7e308, 3, 0}
	for _, c := range lawfuls(t, len(f)) {
		cert := saddle.NewCertifier(&saddle.Problem{Oracle: f, Dual: c.dual, Primal: L2{}})
		if p := cert.Evaluate([]float64{0}); !math.IsInf(p, 1) || !math.IsInf(cert.Best.Upper, 1) {
			t.Errorf("%T %+v: objective %v, at most %v", c.dual, c.dual, p, cert.Best.Upper)
		}
		cert.Free()
	}
}

// Far above the losses a price leaves the reference weights, to what saddle.Referenced says, and
// bounds that are as near as rounding lets them be.
func TestPricesFarAboveLosses(t *testing.T) {
	const n = 9
	f := []float64{0.3, 0.9, 0.1, 0.7, 0, 0.4, 0.6, 0.2, 0.5}
	tried := 0
	for _, c := range lawfuls(t, n) {
		nu, by := c.dual.Modulus(), c.by
		if d, ok := c.dual.(saddle.Referenced); !ok || nu < 1e6 || !d.Referenced(c.dual) {
			continue
		}
		tried++
		by.Adversary = exact.Adversary{Alpha: 1, Weights: by.Weights}
		w := by.Respond(drotest.Reals(f)).Weight
		p := saddle.NewCertifier(&saddle.Problem{Oracle: positive{f}, Dual: c.dual, Primal: L2{Mu: 1}})
		p.Evaluate([]float64{0})
		p.Certify()
		total := floats.Sum(p.Y)
		for j, v := range p.Y {
			share, _ := w[j].Float64()
			if off := math.Abs(v/total - share); off > share*(2*0.9/nu+80*saddle.UnitRoundoff) {
				t.Errorf("%T%+v: weight %d is %v, by reference %v", c.dual, c.dual, j, v, share)
			}
		}
		if nu >= 1e13 && !(p.Best.Relative() < 1e-12) {
			t.Errorf("%T%+v: bounds %v", c.dual, c.dual, p.Best)
		}
	}
	if tried < 50 {
		t.Errorf("%d duals tried", tried)
	}
}

// A loss that is no number leaves no risk wherever it lies, in a block, in a shard or with another
// rank; one that is infinite leaves no upper bound.
func TestLossesThatAreNoNumbersAnywhere(t *testing.T) {
	const n = 9001
	f := drotest.Normals(drotest.RngOf(432), n, 1)
	for j := range f {
		f[j] = math.Abs(f[j])
	}
	for k, c := range lawfuls(t, n) {
		if nu := c.dual.Modulus(); nu != 0 && nu != 1 {
			continue
		}
		for i, at := range []int{0, 4, 2*k + 2, 1024, 8192, n - 1} {
			if (i+k)%3 > 0 || !c.weighs(at) {
				continue
			}
			was := f[at]
			for _, v := range []float64{math.NaN(), math.Inf(1)} {
				f[at] = v
				p := saddle.NewCertifier(&saddle.Problem{Oracle: positive{f}, Dual: c.dual, Primal: L2{Mu: 1}})
				if p.Evaluate([]float64{0}); !math.IsInf(p.Best.Upper, 1) {
					t.Errorf("%T%.200v: sample %d is %v: %v", c.dual, c.dual, at, v, p.Best)
				}
				dealt, ok := c.dual.(saddle.Ranked)
				if !ok {
					continue
				}
				err := ranks.Run(2, func(comm ranks.Comm) error {
					rows := ranks.NewRows(comm, n)
					own := slices.Repeat([]float64{math.NaN()}, n)
					lo, hi := rows.Here(n)
					copy(own[lo:hi], f[lo:hi])
					d, _ := dealt.Over(rows)
					if risk, _ := d.BestResponseTo(make([]float64, n), own); risk-risk == 0 {
						return fmt.Errorf("%T%.200v: sample %d is %v: rank %d has a risk of %v", d, d, at, v, comm.Rank(), risk)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
			f[at] = was
		}
	}
}

// weighs reports that sample j may have weight.
func (c lawful) weighs(j int) bool {
	switch {
	case c.by.Group != nil && c.by.Share != nil && c.by.Share[j] == 0, c.by.Group == nil && c.by.Weights != nil && c.by.Weights[j] == 0:
		return false
	case c.by.Group == nil || c.by.Adversary.Weights == nil:
		return true
	}
	second := 1 + slices.Max(c.by.Group)
	return c.by.Adversary.Weights[c.by.Group[j]] > 0 || c.by.Other != nil && c.by.Adversary.Weights[second+c.by.Other[j]] > 0
}

// share holds weights of a finite risk to be finite, and shares where they sum to one.
func (c lawful) share(risk float64, y []float64, fail func(format string, args ...any)) {
	if risk-risk != 0 {
		return
	}
	sum := 0.0
	for j, v := range y {
		if sum += v; !(v >= 0 && v <= math.MaxFloat64) {
			fail("weight %d is %v", j, v)
		}
	}
	if c.unit && !(math.Abs(sum-1) <= 1e-9) {
		fail("a risk of %v by weights of sum %v", risk, sum)
	}
}
