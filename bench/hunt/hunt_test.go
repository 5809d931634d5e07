package hunt

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/exact"
)

var kind = flag.String("kind", "", "draw ambiguity sets of this kind alone")

// A bound is what one method proved.
type bound struct {
	method       string
	lower, upper float64
	x            []float64
}

// methods returns the default method for p and others, of which those that do not apply are skipped.
func methods(p *dro.Problem) []dro.Method {
	auto, _ := dro.Choose(p)
	if auto == nil {
		return nil
	}
	return []dro.Method{auto, dro.Newton{Sample: 5}, dro.Newton{Products: true}, dro.LBFGS{},
		primaldual.FullVector{}, primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.Stochastic{},
		primaldual.SeparableBlock{},
		primaldual.Stochastic{Schedule: primaldual.Theory}, primaldual.SeparableBlock{Schedule: primaldual.Theory}}
}

// TestHunt_BoundsAgree checks, on random problems, that no lower bound of a method exceeds an upper
// bound of any, that bounds hold in 256-bit arithmetic, and that no solve panics.
func TestHunt_BoundsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, *kind)
		p, err := c.problem()
		if err != nil {
			t.Skip(err) // refused, as it should be said by an error
		}
		var all []bound
		for k, m := range methods(p) {
			s := dro.Options{}
			s.X0, s.RelativeGap, s.MaxPasses = c.start, c.gap, 60
			s.Method = m
			res, err := dro.Solve(t.Context(), p, &s)
			if err != nil {
				if k == 0 && strings.Contains(err.Error(), " needs ") {
					t.Fatalf("the default method does not apply: %v", err)
				}
				continue // the method does not apply, or the objective exceeds all numbers where the solve starts
			}
			b := bound{m.Name(), math.Inf(-1), math.Inf(1), res.X}
			for _, check := range res.Trace {
				if !(check.Lower <= check.Upper) {
					t.Fatalf("%s: bounds [%v, %v]", b.method, check.Lower, check.Upper)
				}
				b.lower, b.upper = max(b.lower, check.Lower), min(b.upper, check.Upper)
			}
			if res.Status == dro.Certified && !(res.Certificate.Relative() <= c.gap) {
				t.Fatalf("%s: certified with a gap of %v, asked for %v", b.method, res.Certificate.Relative(), c.gap)
			}
			all = append(all, b)
		}
		if wrong := contradiction(c, all); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// marginRounding returns a bound of what the rounding of margins changes in the objective. It is 0 for losses with a
// smoothness, for which the bounds include it, as losses.Loss promises; those of the Poisson loss do not.
func marginRounding(c *problem, x []float64) float64 {
	if c.Loss != "poisson" {
		return 0
	}
	const units = 0x1p-53 * 8
	most := 0.0
	for j := range c.N {
		m, size, t := 0.0, 1.0, c.Target[j]
		for i, v := range x {
			m += c.Rows[j*c.D+i] * v
			size += math.Abs(c.Rows[j*c.D+i] * v)
		}
		if t > 0 {
			size += math.Abs(math.Log(t))
		}
		moved := units * size
		most = max(most, math.Exp(m)*math.Expm1(moved)+t*moved) // e^(m+a) − e^m for |a| ≤ moved
	}
	return float64(c.N) * most // the sum of weights is 1 by rows or by groups
}

// contradiction compares all bounds with each other and, in 256-bit arithmetic, with the objective at
// every solution and with the optimum where it is available. It returns the first contradiction, or
// an empty string.
func contradiction(c *problem, all []bound) (wrong string) {
	defer func() {
		if r := recover(); r != nil {
			if _, outOfRange := r.(big.ErrNaN); !outOfRange {
				panic(r)
			}
		}
	}()
	margins := 0.0
	for _, b := range all {
		margins = max(margins, marginRounding(c, b.x))
	}
	for _, a := range all {
		for _, b := range all {
			if a.lower > b.upper+margins {
				return fmt.Sprintf("%s proves %.17g from below, %s %.17g from above", a.method, a.lower, b.method, b.upper)
			}
		}
	}
	for _, b := range all {
		x := make([]exact.Real, len(b.x))
		for i, v := range b.x {
			x[i] = exact.New(v)
		}
		value := c.Objective(x)
		slack := exact.Add(exact.New(margins), exact.Mul(exact.New(1e-32), exact.Add(exact.New(1+c.Nu), exact.Abs(value))))
		for _, other := range all {
			if exact.IsLess(exact.Add(value, slack), exact.New(other.lower)) {
				return fmt.Sprintf("lower bound %.17g of %s, but the objective at the point of %s is %s", other.lower, other.method,
					b.method, value.Text('g', 25))
			}
		}
		if exact.IsLess(exact.Add(exact.New(b.upper), slack), value) {
			return fmt.Sprintf("upper bound %.17g of %s, but the objective at its point is %s", b.upper, b.method,
				value.Text('g', 25))
		}
		if c.kind == "penalty" && c.Mu > 0 && c.Norm == 0 {
			if optimum := c.OptimumNear(b.x); optimum != nil && exact.IsLess(exact.Add(exact.New(b.upper), slack), optimum) {
				return fmt.Sprintf("upper bound %.17g of %s, but the optimum is %s", b.upper, b.method, optimum.Text('g', 25))
			}
		}
	}
	return ""
}

// TestHunt_NoticesWrongBounds checks that bounds off by one part in 10⁹ contradict the arithmetic.
func TestHunt_NoticesWrongBounds(t *testing.T) {
	c := &problem{kind: "penalty", start: nil, storage: "dense"}
	c.N, c.D, c.Rows, c.Target, c.Loss, c.Mu = 4, 1, []float64{1, -2, 3, 0.5}, []float64{1, 1, -1, 1}, "logistic", 0.1
	c.Penalty, c.Nu, c.dual = "kl", 1, dro.KL{Nu: 1}
	p, err := c.problem()
	if err != nil {
		t.Fatal(err)
	}
	s := dro.Options{Method: dro.Newton{}, RelativeGap: 1e-12}
	res, err := dro.Solve(t.Context(), p, &s)
	if err != nil || res.Status != dro.Certified {
		t.Fatal(res, err)
	}
	right := bound{"newton", res.Certificate.Lower, res.Certificate.Upper, res.X}
	if wrong := contradiction(c, []bound{right}); wrong != "" {
		t.Errorf("right bounds are refused: %s", wrong)
	}
	high, low := right, right
	high.lower, high.upper = right.upper*(1+1e-9), right.upper*(1+2e-9)
	low.lower, low.upper = right.lower*(1-2e-9), right.lower*(1-1e-9)
	for _, b := range []bound{high, low} {
		if contradiction(c, []bound{b}) == "" {
			t.Errorf("bounds [%.12g, %.12g] are not noticed, the right ones are [%.12g, %.12g]", b.lower, b.upper, right.lower,
				right.upper)
		}
	}
}

// TestHunt_NoticesSmallerSets checks that the best solution over a set shrunk by 0.1 % contradicts the arithmetic of
// the set as it is drawn, in every kind of set whose size is a number.
func TestHunt_NoticesSmallerSets(t *testing.T) {
	const shrink = 0.999
	smaller := map[string]func(d dro.Dual) dro.Dual{
		"penalty": func(d dro.Dual) dro.Dual {
			switch d := d.(type) {
			case dro.KL:
				d.Nu /= shrink
				return d
			case dro.Ball:
				d.Nu /= shrink
				return d
			}
			return nil
		},
		"ball": func(d dro.Dual) dro.Dual {
			b := d.(dro.Ball)
			b.Radius *= shrink
			return b
		},
		"cvar": func(d dro.Dual) dro.Dual {
			c, ok := d.(dro.CVaR)
			if !ok || c.Alpha > shrink {
				return nil
			}
			c.Alpha /= shrink
			return c
		},
		"total variation": func(d dro.Dual) dro.Dual {
			b := d.(dro.Ball)
			b.Radius *= shrink
			return b
		},
		"spectral": func(d dro.Dual) dro.Dual {
			s := d.(dro.Spectral)
			if s.Spectrum.Kind == dro.Superquantile {
				return nil
			}
			if s.Spectrum.Param *= shrink; s.Spectrum.Validate() != nil {
				return nil
			}
			return s
		},
		"groups": func(d dro.Dual) dro.Dual {
			g := d.(dro.Groups)
			if math.IsInf(g.Near.Radius, 1) {
				return nil
			}
			g.Near.Radius *= shrink
			return g
		},
	}
	for name, shrunk := range smaller {
		t.Run(name, func(t *testing.T) {
			noticed := 0
			rapid.Check(t, func(t *rapid.T) {
				c := draw(t, name)
				d := shrunk(c.dual)
				p, err := c.problem()
				if d == nil || err != nil {
					return
				}
				p.Dual = d
				res, err := dro.Solve(t.Context(), p, &dro.Options{X0: c.start, MaxPasses: 60})
				if err != nil {
					return
				}
				if contradiction(c, []bound{{"smaller set", res.Certificate.Lower, res.Certificate.Upper, res.X}}) != "" {
					noticed++
				}
			})
			if noticed == 0 {
				t.Error("no problem with a smaller set contradicts the arithmetic")
			}
		})
	}
}
