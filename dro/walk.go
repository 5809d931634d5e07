package dro

import (
	"math"
	"slices"
)

// A walk runs the template of a method with the theoretical schedule and offers
// its last iterate and, where the theory needs it, the averages.
type walk struct {
	*run
	t        *template
	lifted   bool                 // the template's point is (x, τ)
	y        func() []float64     // y_k, in the run's own dual set
	averageY []float64            // Σ a_i y_i / A_k, nil if the method keeps none
	begin    func(u, y []float64) // starts the card at coordinates u and weights y
	began    bool

	conditions func(moduli, constants) *theory
	known      constants
}

// useTheory makes the walk follow the conditions of a proposition, and returns
// nil.
func (w *walk) useTheory(c constants, conditions func(moduli, constants) *theory) error {
	w.known, w.conditions = c, conditions
	w.t.m = offsets(w.t.problem, c)
	w.t.theory = conditions(w.t.m, c)
	w.logf("theory: G = %.4g, L = %.4g, μ = %.4g, ν = %.4g, a₁ = %.4g", c.g, c.l, w.t.m.mu, w.t.m.nu, w.t.theory.first)
	return nil
}

// start begins the template at the point the certifier evaluated last.
func (w *walk) start() {
	x := w.cert.x
	if w.lifted {
		x = append(append([]float64(nil), x...), w.cert.tau)
	}
	y := w.cert.y
	if d, ok := w.problem.Dual.(StartedDual); ok && w.problem.Dual.Modulus() == 0 {
		y = make([]float64, w.cert.n)
		d.StartingWeights(y)
	}
	w.t.begin(x)
	w.begin(w.t.u, y)
	w.began = true
}

func (w *walk) step() error {
	if !w.began {
		w.start()
	}
	w.t.step()
	for _, v := range w.t.x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			w.logf("theory: the iterate is not finite after %d steps", w.t.k)
			return errStalled
		}
	}
	return nil
}

// drawn returns x_t̂.
func (w *walk) drawn() []float64 { return slices.Clone(w.point(w.t.drawn)) }

// point returns x of the template's point.
func (w *walk) point(x []float64) []float64 { return x[:w.cert.d] }

func (w *walk) check() {
	if !w.began {
		return
	}
	w.offer(w.point(w.t.x), w.y)
	if w.t.m.mu == 0 || w.t.m.nu == 0 {
		var y func() []float64
		if w.averageY != nil {
			y = func() []float64 { return w.averageY }
		}
		w.offer(w.point(w.t.averageX), y)
	}
	w.reestimate()
}

// offer certifies x with its best response and, where the best response says
// little (ν = 0), with the method's own weights.
func (w *walk) offer(x []float64, y func() []float64) {
	w.cert.evaluate(x)
	w.cert.certify()
	if y != nil && w.problem.Dual.Modulus() == 0 {
		w.cert.certifyWith(y())
	}
}

// reestimate updates the theory with the constants at the current point, where
// the loss has no global Lipschitz constant: every G grows by the largest growth
// of an H_j, one of typical size at least. The constants never shrink. One pass.
func (w *walk) reestimate() {
	if w.known.h == nil {
		return
	}
	h, _, err := sampleConstants(w.run, w.point(w.t.x))
	if err != nil {
		return // the iterate is not finite, which step reports
	}
	if slices.Equal(h, w.known.h) {
		w.known.h = nil // global constants
		return
	}
	growth, typical := 1.0, sum(w.known.h)/float64(len(h))
	for j, v := range h { // a residual that happened to vanish says nothing about the rest
		if was := max(w.known.h[j], typical); was > 0 {
			growth = max(growth, v/was)
		}
	}
	if growth < 1.01 {
		return
	}
	w.logf("theory: G re-estimated from %.4g to %.4g", w.known.g, growth*w.known.g)
	w.known.grow(growth)
	w.t.theory = w.conditions(w.t.m, w.known)
}
