package side

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/floats"
)

// At any point the upper bound is above the objective in 256-bit arithmetic, the margins, losses, risk and
// gradient are as exact as is said of them, and what is said is of the order of what rounding does.
func TestRounding_HardProblems(t *testing.T) {
	rng := drotest.RngOf(201)
	for trial := range 8 {
		for _, h := range drotest.HardProblems(rng, 4+rng.IntN(20), 2+rng.IntN(3)) {
			name := fmt.Sprintf("%s, %s, %s, trial %d", h.Name, h.Loss, h.Penalty, trial)
			c := engine.NewCertifier(hardProblem(t, &h))
			x := drotest.Normals(rng, h.D, 1)
			if trial%2 == 0 {
				x[h.D-1] += h.Target[0]
			}
			value := c.Evaluate(x)
			c.CertifyUpper()
			P := h.Objective(drotest.Reals(x))
			if up := drotest.Subtract(P, c.Best.Upper); up > 0 {
				t.Fatalf("%s: P is %.3g above the upper bound %v", name, up, c.Best.Upper)
			}
			if h.Name == "plain" && c.Best.Upper-value > 1e-12*value {
				t.Errorf("%s: the upper bound is %.3g above the objective %.3g", name, c.Best.Upper-value, value)
			}
			checkSamples(t, name, &h, c, x)
			risk, slack := h.Respond(drotest.Reals(c.Value)).Value, 1e-11*slices.Max(c.Value)
			_, above, _ := c.Problem.Dual.(Simplex).RiskBounds(c.Value, c.Multipliers)
			if !isBetween(-drotest.Subtract(risk, above), 0, slack) {
				t.Fatalf("%s: %v is no bound of the risk %s", name, above, risk.Text('g', 20))
			}
			if under := drotest.Subtract(risk, c.ProveResponse().Value); !(under >= 0 && under <= slack) {
				t.Fatalf("%s: the response proves %.3g less than the risk, want from 0 to %.3g", name, under, slack)
			}
			checkGradient(t, name, &h, c)
			checkValue(t, name, &h, c, x)
		}
	}
}

func isBetween(v, least, most float64) bool { return v >= least && v <= most }

// checkValue compares what is proved of ⟨y, f(x)⟩ − ψ(y), y = c.Y/Σ c.Y, with it.
func checkValue(t *testing.T, name string, h *drotest.Hard, c *engine.Certifier, x []float64) {
	t.Helper()
	y, mass, linear := drotest.Reals(c.Y), exact.New(0), exact.New(0)
	for _, v := range y {
		mass = exact.Add(mass, v)
	}
	for j, s := range h.Eval(drotest.Reals(x)) {
		y[j] = exact.Div(y[j], mass)
		linear = exact.Add(linear, exact.Mul(y[j], s.Value))
	}
	p := c.ProveResponse()
	proved := p.Value - c.Rounding.LowerRounding(&p.Sums, c.Rounding.MarginError(x))
	if over := drotest.Subtract(exact.Sub(linear, h.Psi(y)), proved); over < 0 {
		t.Fatalf("%s: L(x, y) − φ(x) is %.3g below the %v proved of it", name, -over, proved)
	}
}

// The Fenchel-Young gap of gradients within an error is that of the worst of them, or
// more.
func TestFenchelYoung_WithError(t *testing.T) {
	rng := drotest.RngOf(206)
	o := drotest.NewSample(rng, 10, 4, true).Oracle(t, losses.Logistic{})
	for range 200 {
		x, g, err := drotest.OnSimplex(rng, 4), drotest.Normals(rng, 4, 1), drotest.Normals(rng, 4,
			math.Exp(-9*rng.Float64()))
		for i := range err {
			err[i] = math.Abs(err[i])
		}
		for _, p := range []saddle.Primal{saddle.L2{Mu: 0.3}, saddle.L2{Mu: math.Copysign(0, -1)},
			saddle.L2{Mu: 0.3, Intercept: true},
			shifted{saddle.L2{Mu: 2}, 1}, shifted{saddle.L2{Mu: 2, Intercept: true}, 1}, saddle.Entropy{Mu: 0.5},
			saddle.Entropy{}} {
			if engine.FreeCount(p) == 1 {
				g[3], err[3] = 0, 0
			}
			c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: p})
			got, most := c.FenchelYoung(x, g, err), 0.0
			for corner := range 16 {
				worse := append([]float64(nil), g...)
				for i := range worse {
					worse[i] += err[i] * float64(1-2*(corner>>i&1))
				}
				most = max(most, p.FenchelYoung(x, worse))
			}
			if got < most*(1-1e-14) {
				t.Errorf("%#v: %v within an error of %v, %v at a corner", p, got, err, most)
			}
			if sharp := p.FenchelYoung(x, g); floats.Norm(err, 2) < 1e-3 && got > 1.1*most+0.1*sharp+1e-2 {
				t.Errorf("%#v: %v within an error of %v, %v at most at a corner", p, got, err, most)
			}
		}
	}
}

// checkSamples compares margins, tangents and the numbers above the losses with exact ones.
func checkSamples(t *testing.T, name string, h *drotest.Hard, c *engine.Certifier, x []float64) {
	t.Helper()
	margin, above, most := make([]float64, h.N), make([]float64, h.N), c.Rounding.MarginError(x)
	c.LossesAboveTo(above)
	c.Problem.Oracle.(engine.LinearModel).MarginsTo(margin, x, 0, h.N)
	for j, s := range h.Eval(drotest.Reals(x)) {
		m := exact.New(0)
		for i, v := range x {
			m = exact.Add(m, exact.Mul(exact.New(h.Rows[j*h.D+i]), exact.New(v)))
		}
		if off := math.Abs(drotest.Subtract(m, margin[j])); off > most {
			t.Fatalf("%s: margin %d is off by %.3g, not %.3g", name, j, off, most)
		}
		if over := drotest.Subtract(s.Value, above[j]); over > 0 {
			t.Fatalf("%s: loss %d is %.3g above what is said of it", name, j, over)
		}
		// The line through the computed margin, at the exact one.
		line := exact.Add(exact.New(c.Value[j]), exact.Mul(exact.New(c.Slope[j]), exact.Sub(m, exact.New(margin[j]))))
		if over, _ := exact.Sub(line, s.Value).Float64(); over > engine.LossRounding*c.Value[j]+engine.Underflow {
			t.Fatalf("%s: the tangent of sample %d is %.3g above its loss %v", name, j, over, c.Value[j])
		}
	}
}

// checkGradient compares c.G with Σ y_j s_j z_j/Σ y_j.
func checkGradient(t *testing.T, name string, h *drotest.Hard, c *engine.Certifier) {
	t.Helper()
	c.ResponseGradientRounding(c.Err)
	mass := exact.New(0)
	for _, y := range c.Y {
		mass = exact.Add(mass, exact.New(y))
	}
	if off := math.Abs(drotest.Subtract(mass, 1)); off > c.ProveResponse().Off {
		t.Fatalf("%s: the weights sum to 1 + %.3g, not %.3g", name, off, c.ProveResponse().Off)
	}
	for i := range h.D {
		g := exact.New(0)
		for j, y := range c.Y {
			g = exact.Add(g, exact.Mul(exact.Mul(exact.New(y), exact.New(c.Slope[j])), exact.New(h.Rows[j*h.D+i])))
		}
		if off := math.Abs(drotest.Subtract(exact.Div(g, mass), c.G[i])); off > c.Err[i] {
			t.Fatalf("%s: entry %d of the gradient, %v, is off by %.3g, not %.3g", name, i, c.G[i], off, c.Err[i])
		}
	}
}

// hardProblem is the problem of h.
func hardProblem(t testing.TB, h *drotest.Hard) *saddle.Problem {
	p := &saddle.Problem{Oracle: h.Oracle(t), Dual: Simplex{Nu: h.Nu}, Primal: saddle.L2{Mu: h.Mu, Intercept: h.Intercept}}
	if h.Penalty == "chi2" {
		p.Dual = Simplex{Divergence: PearsonChi2, Nu: h.Nu}
	}
	return p
}

// shiftLosses is L2 plus a constant.
type shifted struct {
	saddle.L2
	constant float64
}

func (s shifted) Value(x []float64) float64 { return s.L2.Value(x) + s.constant }
