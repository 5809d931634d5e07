package primaldual

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// An iteration runs the template of a method with the theoretical schedule. At each check it evaluates the last
// iterate and, if the theory requires it, the averages.
type iteration struct {
	*engine.Run
	template *template
	lifted   bool             // the point of the template is (x, τ)
	y        func() []float64 // returns y_k, in the dual set of the run
	averageY []float64        // returns Σ a_i y_i / A_k; nil if the method keeps no averages
	// starts the estimator at coordinates u and weights y with their gradient g, which is nil if unknown
	begin func(u, y, g []float64)
	began bool

	// returns the mean of the points at which the estimator's tables of gradients were computed, and the sum of
	// the tables
	linearisation func(*template) (at, g []float64)

	// whether the method starts from the reference weights, and certifies its own weights, even if ν > 0, because the
	// best responses for a small ν are nearly vertices
	ownWeights bool

	conditions func(moduli, constants) *theory
	known      constants
}

// useTheory sets the conditions of a proposition.
func (w *iteration) useTheory(c constants, conditions func(moduli, constants) *theory) {
	w.known, w.conditions = c, conditions
	w.template.m = moduliOf(w.template.problem, c)
	w.template.theory = conditions(w.template.m, c)
	w.Logf("theory: G = %.4g, L = %.4g, μ = %.4g, ν = %.4g, a₁ = %.4g", c.g, c.l, w.template.m.mu, w.template.m.nu,
		w.template.theory.first)
}

// offerDrawn allows a run to return the point x_t̂ of the template t.
func offerDrawn(r *engine.Run, t *template) {
	r.Drawn = func() []float64 { return slices.Clone(t.drawn[:r.Cert.D]) }
}

// start starts the template at the last point evaluated by the certifier.
func (w *iteration) start() {
	x := w.Cert.X
	if w.lifted {
		x = append(append([]float64(nil), x...), w.Cert.Tau)
	}
	y, g := w.Cert.Y, []float64(nil)
	if w.template.theory == nil {
		g = w.Cert.G
	}
	if d, ok := w.Problem.Dual.(centred); ok && (w.ownWeights || w.Problem.Dual.Modulus() == 0) {
		y, g = w.Cert.Vector(w.Cert.N), nil
		d.StartingWeights(y)
	}
	w.template.begin(x)
	w.begin(w.template.u, y, g)
	w.began = true
}

// Step implements Stepper.
func (w *iteration) Step() error {
	if !w.began {
		w.start()
	}
	w.takeStep()
	for _, v := range w.template.x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			w.Logf("theory: the iterate is not finite after %d steps", w.template.k)
			return saddle.ErrStalled
		}
	}
	return nil
}

// takeStep takes one step of the template and calls Follow if it is set.
func (w *iteration) takeStep() {
	t := w.template
	t.step()
	if w.Settings.Follow != nil {
		w.Settings.Follow(saddle.Iterate{K: t.k, Weight: t.a, Total: t.A, X: w.point(t.x), Y: w.y(), Mu0: t.m.mu0,
			Nu0: t.m.nu0})
	}
}

// IsCheckDue implements Stepper.
func (*iteration) IsCheckDue(byPasses bool) bool { return byPasses }

// point returns the first Cert.D entries of x, which are the primal part of an iterate of the template. It does not
// copy.
func (w *iteration) point(x []float64) []float64 { return x[:w.Cert.D] }

// Check implements Stepper.
func (w *iteration) Check() {
	if !w.began {
		return
	}
	w.certifyPoint(w.point(w.template.x), w.y)
	if w.template.m.mu == 0 || w.template.m.nu == 0 {
		var y func() []float64
		if w.averageY != nil {
			y = func() []float64 { return w.averageY }
		}
		w.certifyPoint(w.point(w.template.averageX), y)
	}
	w.reestimateConstants()
}

// certifyPoint certifies x with its best response. If the best response may prove little, since ν = 0, it also uses the
// weights of the method.
func (w *iteration) certifyPoint(x []float64, y func() []float64) {
	w.Cert.Evaluate(x)
	w.Cert.Certify()
	if y != nil && (w.ownWeights || w.Problem.Dual.Modulus() == 0) {
		w.Cert.CertifyWith(y())
	}
}

// reestimateConstants updates the theory with the constants at the current point, for losses that have no global
// Lipschitz constant. Every G is multiplied by the largest growth of any H_j of at least typical size; the constants
// never decrease. It takes one pass.
func (w *iteration) reestimateConstants() {
	if w.known.h == nil {
		return
	}
	h, _, err := sampleConstants(w.Run, w.point(w.template.x))
	if err != nil {
		return // the iterate is not finite, which step reports
	}
	if slices.Equal(h, w.known.h) {
		w.known.h = nil // only global constants are known
		return
	}
	growth, typical := 1.0, engine.Sum(w.known.h)/float64(len(h))
	for j, v := range h { // a residual that happens to be 0 says nothing about the other residuals
		if was := max(w.known.h[j], typical); was > 0 {
			growth = max(growth, v/was)
		}
	}
	if growth < 1.01 {
		return
	}
	w.Logf("theory: G re-estimated from %.4g to %.4g", w.known.g, growth*w.known.g)
	w.known.scaleLipschitz(growth)
	w.template.theory = w.conditions(w.template.m, w.known)
}
