package primaldual

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// restartedSchedule runs the full vector update if the Hessian of the objective cannot be formed. It takes the steps of
// the theory, except that it adapts three things, like PDLP (Applegate et al., "Practical Large-Scale Linear
// Programming using Primal-Dual Hybrid Gradient", 2021):
//
//   - the length of the steps, to the changes of gradients that are met instead of the largest possible ones
//     (adaptiveEstimator);
//   - the method restarts at its averages when the gap has halved, and otherwise when the steps since the last
//     restart are restartShare of all steps;
//   - at a restart, μ₀/ν₀, which balances the steps of the two sides, follows the distances that they have moved.
//
// A side without a modulus moves in the Euclidean geometry (withEuclideanGeometry).
type restartedSchedule struct {
	*iteration
	estimator *adaptiveEstimator
	steps     int // number of steps since the start of the solve

	// the point and the gap at the last restart
	startX, startY []float64
	startGap       float64
}

// restartShare is the number of steps without a halved gap after which a method restarts, relative to the number of
// all steps.
const restartShare = 0.36

func newRestarted(w *iteration, estimator *fullEstimator) *restartedSchedule {
	n := w.Cert.N
	s := &restartedSchedule{iteration: w, estimator: &adaptiveEstimator{fullEstimator: estimator,
		lastY: w.Cert.Vector(n), lastU: w.Cert.Vector(n)}, startX: make([]float64, w.Cert.D), startY: w.Cert.Vector(n)}
	w.template.estimator = s.estimator
	w.ownWeights = true
	return s
}

// Step implements Stepper.
func (s *restartedSchedule) Step() error {
	if !s.began {
		s.start()
		s.keepStart()
	}
	s.steps++
	return s.iteration.Step()
}

// keepStart records the point and the gap of a restart.
func (s *restartedSchedule) keepStart() {
	copy(s.startX, s.template.x)
	copy(s.startY, s.estimator.y)
	s.startGap = s.Cert.Best.Gap()
}

// Check implements Stepper.
func (s *restartedSchedule) Check() {
	if !s.began {
		return
	}
	s.certifyPoint(s.template.x, s.y)
	s.certifyPoint(s.template.averageX, func() []float64 { return s.averageY })
	if s.Cert.Best.Gap() < s.startGap/2 || float64(s.template.k) >= restartShare*float64(s.steps) {
		s.restart()
	}
}

// restart restarts the method at its averages, at which the certifier has evaluated the losses last.
func (s *restartedSchedule) restart() {
	t, y := s.template, slices.Clone(s.averageY)
	s.balanceOffsets(y)
	t.begin(t.averageX)
	s.begin(t.u, y, nil)
	s.keepStart()
	s.Logf("%.4g passes: restart at a gap of %.3g: steps %.3g times those of the theory, μ₀/ν₀ = %.3g", s.Cert.Passes,
		s.startGap, t.stretch, t.m.mu0/t.m.nu0)
}

// balanceOffsets moves μ₀/ν₀ half of the way, in logarithms, to the squared ratio of the distances that y, with
// weights y in the averages, and x have moved since the last restart. A ratio below that of the theory, 2(L/G)²,
// would shorten the steps of y without lengthening those of x, which L limits.
func (s *restartedSchedule) balanceOffsets(y []float64) {
	t, e := s.template, s.estimator
	u, start := make([]float64, len(s.startX)), make([]float64, len(s.startX))
	t.coordsTo(u, t.averageX)
	t.coordsTo(start, s.startX)
	dx := squaredDistance(t.problem.Primal, displacement{u, start, t.averageX, s.startX})
	e.mirror.CoordsTo(e.u, y)
	e.mirror.CoordsTo(e.lastU, s.startY)
	dy := squaredDistance(e.mirror, displacement{e.u, e.lastU, y, s.startY})
	curvature := s.known.l / s.known.g
	target := max(dy/dx, 2*curvature*curvature)
	if root := math.Sqrt(math.Sqrt(t.m.mu0 / t.m.nu0 * target)); root > 0 && !math.IsInf(root, 1) { // no NaN: both moved
		t.m.mu0, t.m.nu0 = root, 1/root // only the ratio matters
		t.theory = s.conditions(t.m, s.known)
	}
}

// adaptiveEstimator is the estimator of the full vector update that adapts the next step to the last one. The proof
// for the steps of the theory uses the constants only to bound the products of changes
//
//	a_k |⟨g_k − g_{k−1}, x − x'⟩| ≤ (c_k ‖x − x'‖² + e_k ‖y_k − y_{k−1}‖²)/2,   g_k = ∇f(x_k)ᵀy_k.
//
// The next step is the largest for which this would have held at x = x_k, x' = x_{k−1}, times safeStep, if it exceeds
// the last step by a factor of at most stepGrowth.
type adaptiveEstimator struct {
	*fullEstimator
	lastY, lastU []float64 // y_{k−1} and its coordinates
}

const (
	safeStep   = 0.9
	stepGrowth = 1.1
	// leastGrowth is the least factor by which a step is shortened.
	leastGrowth = 0.1
	// maxStretch is the largest multiple of a step of the theory, for losses that are constant.
	maxStretch = 1e12
)

// stepDual implements estimator.
func (c *adaptiveEstimator) stepDual(t *template) {
	copy(c.lastY, c.y)
	copy(c.lastU, c.u)
	c.fullEstimator.stepDual(t)
	change := 0.0
	for i, v := range c.g {
		change += (v - c.gPrev[i]) * (t.x[i] - t.xPrev[i])
	}
	moved := t.primalWeight()*squaredDistance(t.problem.Primal, displacement{t.u, t.center, t.x, t.xPrev}) +
		t.dualWeight()*squaredDistance(c.mirror, displacement{c.u, c.lastU, c.y, c.lastY})
	if moved > 0 { // change is 0 otherwise
		largest := moved / (2 * t.a * math.Abs(change))
		t.stretch = min(maxStretch, t.stretch*max(leastGrowth, min(stepGrowth, safeStep*largest)))
	}
}

// A displacement is the pair of points x and y of one side of the problem with coordinates u and v.
type displacement struct{ u, v, x, y []float64 }

// squaredDistance returns ‖x − y‖₁² if a side states that its modulus refers to this norm, and otherwise the symmetric
// divergence ⟨u − v, x − y⟩, which is the square of the norm of a Euclidean geometry.
func squaredDistance(side any, d displacement) float64 {
	if s, ok := side.(interface{ SumNorm() bool }); ok && s.SumNorm() {
		l := floats.Distance(d.x, d.y, 1)
		return l * l
	}
	sum := 0.0
	for i, u := range d.u {
		sum += (u - d.v[i]) * (d.x[i] - d.y[i])
	}
	return sum
}
