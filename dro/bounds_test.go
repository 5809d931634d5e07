package dro_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/internal/sets"
	"gonum.org/v1/gonum/floats"
)

// A dice draws numbers for an ambiguity set.
type dice struct{ *rand.Rand }

func (d dice) Int(low, high int, _ string) int { return low + d.IntN(high-low+1) }
func (d dice) Float(low, high float64, _ string) float64 {
	return low + (high-low)*d.Float64()
}

// separate returns cases of weights each for itself, of any sum.
func separate(rng *rand.Rand, n int) sets.Case {
	cap, nu := 3*(1-rng.Float64())/float64(n), math.Pow(10, 12*rng.Float64()-6)
	var c sets.Case
	c.Exact.Adversary = exact.Adversary{Nu: nu, Cap: cap}
	switch rng.IntN(3) {
	case 0:
		c.Dual, c.Exact.Penalty = primaldual.Orthant{Nu: nu, Cap: cap}, "kl"
	case 1:
		c.Dual, c.Exact.Penalty = primaldual.Orthant{Divergence: primaldual.PearsonChi2, Nu: nu, Cap: cap}, "chi2"
	default:
		c.Dual, c.Exact.Penalty = primaldual.Box{Upper: cap, Nu: nu}, "square"
	}
	return c
}

// Whatever the losses, the risk in 256 bits lies between the bounds that an evaluation proves, to the last bit, and
// these are close: no cap, ball or sum of weights is exceeded by rounding, and none depends on the losses evaluated
// before. Every kind of set has its own random numbers, so that a new kind leaves the others as they are.
func TestBounds_HoldTheRisk(t *testing.T) {
	seeds, trials := uint64(8), 60
	if testing.Short() {
		seeds = 1
	}
	kinds := append(sets.All(), sets.Set{Name: "separate", Draw: func(s sets.Source, n int) sets.Case {
		return separate(s.(dice).Rand, n)
	}})
	for _, kind := range kinds {
		t.Run(kind.Name, func(t *testing.T) {
			for seed := range seeds {
				name := fnv.New64()
				name.Write([]byte(kind.Name))
				rng := rand.New(rand.NewPCG(seed, name.Sum64()))
				for trial := range trials {
					f := drotest.HardLosses(rng, 1+rng.IntN(9))
					c := kind.Draw(dice{rng}, len(f))
					if wrong := compareBounds(rng, &c, f, trial); wrong != "" {
						t.Errorf("seed %d, trial %d, %v of %v: %s", seed, trial, &c, f, wrong)
					}
				}
			}
		})
	}
}

// compareBounds compares the bounds of a set at the losses f, and those that other multipliers and weights prove,
// with the exact risk. It returns the first contradiction, or an empty string.
func compareBounds(rng *rand.Rand, c *sets.Case, f []float64, trial int) string {
	dual, err := dro.DualOf(c.Dual, len(f))
	if err != nil {
		return err.Error()
	}
	o := &drotest.GivenLosses{F: f}
	e := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1}})
	if trial%2 == 0 { // the search for a threshold or a multiplier starts from the one before
		unknown := e.Best
		o.F = drotest.HardLosses(rng, len(f))
		e.Evaluate([]float64{0})
		o.F, e.Best = f, unknown
	}
	e.Evaluate([]float64{0})
	e.CertifyUpper()
	e.Certify()
	size := max(1, floats.Norm(f, math.Inf(1)))
	if c.Exact.Adjust != nil { // the losses of groups
		size += floats.Max(c.Exact.Adjust)
	}
	want := c.Exact.Respond(drotest.Reals(f)).Value
	off := exact.Mul(exact.New(1e-30), exact.New(size+dual.Modulus()))
	tooHigh := func(v float64) bool { return exact.IsLess(exact.Add(want, off), exact.New(v)) }
	tooLow := func(v float64) bool { return exact.IsLess(exact.New(v), exact.Sub(want, off)) }
	lower, upper := e.Best.Lower, e.Best.Upper
	said := fmt.Sprintf("[%.17g, %.17g] around the risk %s", lower, upper, want.Text('g', 25))
	if tooHigh(lower) || tooLow(upper) {
		return "wrong bounds " + said
	}
	y := drotest.OnSimplex(rng, len(f))
	if trial%3 == 0 { // more than a cap or a ball allows on the largest loss
		floats.Scale(0.1, y)
		y[floats.MaxIdx(f)] += 0.9
	}
	a, ok := dual.(engine.Adversary)
	if !ok { // weights of any sum, whose bounds allow for more
		return ""
	}
	at := engine.Multipliers{Nu: a.Modulus(), Tau: e.Tau + size*rng.NormFloat64()*math.Pow(10, -10*rng.Float64())}
	if c.Exact.Radius > 0 && c.Exact.Group == nil {
		at.Nu += size * rng.ExpFloat64()
	}
	if below, above, sums := a.RiskBounds(f, at); sums.Top > above && tooLow(above) ||
		below > math.Inf(-1) && tooHigh(below) {
		return fmt.Sprintf("[%.17g, %.17g] at %+v, %s", below, above, at, said)
	}
	// weights of overlapping groups are not those of any groups
	inY := a.Region() != engine.Point && c.Exact.Other == nil
	if below := a.ValueBelow(y, f, nil, 0).Value; inY && tooHigh(below) {
		return fmt.Sprintf("%.17g by the weights %v, %s", below, y, said)
	}
	if most := largestGap(c, size, e.Nu); !(upper-lower <= most) {
		return fmt.Sprintf("%s: a gap of %.3g, want at most %.3g", said, upper-lower, most)
	}
	if got := engine.Sum(e.Y); !(math.Abs(got-1) <= 1e-9) {
		return fmt.Sprintf("weights of sum %v", got)
	}
	if c.Wider != nil {
		c.Wider.BestResponseTo(y, f)
		if e.CertifyWith(y); tooHigh(e.Best.Lower) {
			return fmt.Sprintf("%.17g by weights outside, %s", e.Best.Lower, said)
		}
	}
	return ""
}

// largestGap returns the accepted distance of the bounds of a risk at multiplier nu. Rounding of losses of the given
// size moves (f − τ)/ν by size·u/ν, which is a relative error of the weights. Where a cap or a spectrum is close to the
// reference weights, an error of u in a weight is one of u/w in the smallest.
func largestGap(c *sets.Case, size, nu float64) float64 {
	const operations = 1 << 14
	relative := 1.0
	if nu > 0 {
		relative += size / nu
	}
	a := c.Exact.Adversary
	if a.Radius > 0 && a.Weights != nil {
		relative += 4 / math.Sqrt(a.Radius) // a divergence D is exact to u·√D
	}
	if (a.Alpha > 0 && a.Alpha < 1 || a.Ranks != "") && a.Weights != nil {
		least := math.Inf(1)
		for _, w := range a.Weights {
			if w > 0 {
				least = min(least, w)
			}
		}
		relative += floats.Sum(a.Weights) / least
	}
	return operations * engine.UnitRoundoff * (size*relative + c.Exact.Nu)
}

// Where samples of very unequal weight share the mass, a threshold is as exact as the losses
// are in units of ν, which is not enough for weights of sum one; what scaling them costs is
// allowed for. It once was not: 4e-11 of the risk, above the upper bound.
func TestRisk_CoarseThreshold(t *testing.T) {
	rng := drotest.RngOf(216)
	tight := 0
	for range 300 {
		n := 2 + rng.IntN(5)
		f, w := make([]float64, n), make([]float64, n)
		for j := range f {
			f[j], w[j] = 1e14*rng.Float64(), math.Pow(10, 16*rng.Float64()-8)
		}
		nu := math.Pow(10, 6*rng.Float64()-3)
		a := exact.Adversary{Penalty: "chi2", Nu: nu, Weights: w}
		dual, err := dro.DualOf(dro.ChiSquare{Nu: nu, Weights: w}, n)
		if err != nil {
			t.Fatal(err)
		}
		c := engine.NewCertifier(&saddle.Problem{Oracle: &drotest.GivenLosses{F: f}, Dual: dual, Primal: dro.L2{Mu: 1}})
		c.Evaluate([]float64{0})
		c.CertifyUpper()
		c.Certify()
		want := a.Respond(drotest.Reals(f)).Value
		lower, upper := c.Best.Lower, c.Best.Upper
		if drotest.Subtract(want, upper) > 0 || drotest.Subtract(want, lower) < 0 {
			t.Fatalf("[%v, %v] misses the risk %s of %v by %v at ν = %v", lower, upper, want.Text('g', 25), f, w, nu)
		}
		if upper-lower < 1e-9*upper {
			tight++
		}
	}
	if tight < 200 {
		t.Errorf("only %d bounds within 1e-9", tight)
	}
}
