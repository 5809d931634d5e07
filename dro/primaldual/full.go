package primaldual

import (
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A fullEstimator is estimator 1 of the paper, the full vector update (Alg. 2):
//
//	ḡ_{k−1} = ∇f(x_{k−1})ᵀy_{k−1} + (a_{k−1}/a_k)(∇f(x_{k−1})ᵀy_{k−1} − ∇f(x_{k−2})ᵀy_{k−2})
//	f̄_{k−1/2} = f(x_k)
//
// A step costs O(nd): one pass.
type fullEstimator struct {
	mirror   saddle.Mirror
	e        *engine.Evaluator
	y, u     []float64 // y_k and its coordinates
	g, gPrev []float64 // ∇f(x_k)ᵀy_k and ∇f(x_{k−1})ᵀy_{k−1}
	averageY []float64 // A_k⁻¹ Σ a_i y_i
}

func newFullEstimator(mirror saddle.Mirror, e *engine.Evaluator) *fullEstimator {
	c := &fullEstimator{mirror: mirror, e: e}
	c.y, c.u, c.averageY = e.Vector(e.N), e.Vector(e.N), e.Vector(e.N)
	c.g, c.gPrev = make([]float64, e.D), make([]float64, e.D)
	return c
}

// begin starts at x with weights y and their gradient g, which is nil if it is unknown. The evaluator must hold the
// losses and slopes at x.
func (c *fullEstimator) begin(y, g []float64) {
	copy(c.y, y)
	copy(c.averageY, y)
	c.mirror.CoordsTo(c.u, c.y)
	if g == nil {
		c.e.GradTo(c.g, c.y)
	} else {
		copy(c.g, g)
	}
	copy(c.gPrev, c.g)
}

func (c *fullEstimator) estimatePrimal(t *template) {
	r := t.aPrev / t.a
	for i, v := range c.g {
		t.g[i] = v + r*(v-c.gPrev[i])
	}
}

func (c *fullEstimator) mixCenter(*template) {}

func (c *fullEstimator) stepDual(t *template) {
	c.e.Eval(t.x)
	c.mirror.ProxTo(c.u, c.y, c.e.Value, c.u, c.u, t.a, t.dualWeight(), 0)
	copy(c.gPrev, c.g)
	c.e.GradTo(c.g, c.y)
	w := t.a / (t.A + t.a)
	for j, v := range c.y {
		c.averageY[j] += w * (v - c.averageY[j])
	}
}

func (c *fullEstimator) refresh(*template) {}

// linearisation returns the last point and the gradient there.
func (c *fullEstimator) linearisation(t *template) (at, g []float64) { return t.x, c.g }
