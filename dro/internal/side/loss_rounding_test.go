package side

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// misrounded returns margins whose logistic losses are computed too high, or too low.
func misrounded(t *testing.T, n int, high bool) []float64 {
	t.Helper()
	rng := drotest.RngOf(212)
	var out []float64
	one, value, slope := []float64{1}, make([]float64, 1), make([]float64, 1)
	for len(out) < n {
		m := 0.001 + 0.01*rng.Float64() // so small that the rounding of a margin is nothing beside
		losses.Logistic{}.EvalTo(value, slope, []float64{m}, one)
		p := exact.Problem{N: 1, D: 1, Rows: []float64{m}, Target: one, Loss: "logistic"}
		f := p.Eval([]exact.Real{exact.New(1)})[0].Value
		if over := -drotest.Subtract(f, value[0]); high && over > 2e-17 || !high && over < -2e-17 {
			out = append(out, m)
		}
	}
	return out
}

// Losses that are all computed too high prove no more than they are, and losses all too
// low no less: the bounds allow for the rounding of a loss, and not of sums alone.
func TestLossesRoundTheWorstWay(t *testing.T) {
	const n = 40
	for _, high := range []bool{true, false} {
		rows := misrounded(t, n, high)
		target := make([]float64, n)
		for j := range target {
			target[j] = 1
		}
		o, err := losses.NewLinear(losses.Logistic{}, drotest.Dense(t, n, 1, rows), target)
		if err != nil {
			t.Fatal(err)
		}
		h := exact.Problem{N: n, D: 1, Rows: rows, Target: target, Loss: "logistic", Adversary: exact.Adversary{Penalty: "kl", Nu: 1e-3}}
		for _, nu := range []float64{1e-3, 1e6} {
			h.Nu = nu
			c := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{Nu: nu}, Primal: L2{Mu: 1}})
			c.Evaluate([]float64{1})
			y, mass, computed, actual := drotest.Reals(c.Y), exact.New(0), exact.New(0), exact.New(0)
			for _, v := range y {
				mass = exact.Add(mass, v)
			}
			for j, s := range h.Eval([]exact.Real{exact.New(1)}) {
				y[j] = exact.Div(y[j], mass)
				computed = exact.Add(computed, exact.Mul(y[j], exact.New(c.Value[j])))
				actual = exact.Add(actual, exact.Mul(y[j], s.Value))
			}
			if fall := drotest.Subtract(exact.Sub(computed, actual), c.Rounding.LowerRounding(c.Weights, c.Margin)); fall > 0 {
				t.Errorf("ν = %v: ⟨y, f⟩ is %.3g lower than allowed for", nu, fall)
			}
			f := h.Eval([]exact.Real{exact.New(1)})
			real := make([]exact.Real, n)
			for j := range f {
				real[j] = f[j].Value
			}
			rise := exact.Sub(h.Respond(real).Value, h.Respond(drotest.Reals(c.Value)).Value)
			if over := drotest.Subtract(rise, c.UpperRounding()); over > 0 {
				t.Errorf("ν = %v: the risk is %.3g higher than allowed for", nu, over)
			}
		}
	}
	// The largest loss alone, where the maximum is.
	rows := misrounded(t, 1, false)
	o, err := losses.NewLinear(losses.Logistic{}, drotest.Dense(t, 1, 1, rows), []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	c := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{}, Primal: L2{}})
	c.Evaluate([]float64{1})
	p := exact.Problem{N: 1, D: 1, Rows: rows, Target: []float64{1}, Loss: "logistic"}
	if over := drotest.Subtract(exact.Sub(p.Eval([]exact.Real{exact.New(1)})[0].Value, exact.New(c.Value[0])), c.UpperRounding()); over > 0 {
		t.Errorf("the largest loss is %.3g higher than allowed for", over)
	}
}

// A loss of 0 may be half the square of what its margin is off.
func TestLossesOfZeroHaveMarginsThatRound(t *testing.T) {
	o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, 1, 2, []float64{0.1, 0.3}), []float64{0.1*1.5 + 0.3*2})
	if err != nil {
		t.Fatal(err)
	}
	c := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{}, Primal: L2{}})
	if c.Evaluate([]float64{1.5, 2}); c.Value[0] != 0 || c.Margin == 0 {
		t.Fatalf("a loss of %v, its margin to %v", c.Value[0], c.Margin)
	}
	if rises := c.UpperRounding(); rises < c.Margin*c.Margin/2 {
		t.Errorf("the loss may be %v, and is allowed %v", c.Margin*c.Margin/2, rises)
	}
}
