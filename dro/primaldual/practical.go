package primaldual

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// practicalSchedule runs the template of a method without settings that the user must choose. It keeps the estimates,
// tables and updates of the estimator, and changes five things:
//
//   - primal steps are taken in the norm of the objective's Hessian, as if the
//     modulus there were 1, so that steps have the same scale on every data set. The
//     Hessian is that of the first point, estimated from some of the samples if there
//     are many, and is formed again when steps in it make little progress;
//   - a_k = α·A_{k−1}: with one touch of a block α makes the dual step a full
//     relaxation towards the best response, β = 1;
//   - the primal step has a weight of its own (like PDLP's primal weight), which
//     is doubled or halved, depending on the progress;
//   - every few sweeps a point is evaluated over all samples, which certifies
//     it and restarts the tables at no further cost. Near the optimum it is the point
//     that a step of weight 1 leads to from the mean of the points of the tables;
//   - when the objective did not fall, the weight is divided by four or, if it is
//     1, α is halved, and the method restarts from the best certified point.
type practicalSchedule struct {
	*iteration
	metric    *newton.Factored
	primal    *preconditioned
	maxAlpha  float64 // the first and largest α
	maxWeight float64 // maximum weight of the primal step; 1 if the method has no such weight
	perSweep  int     // number of steps in a sweep over the blocks
	sweeps    int     // number of sweeps until the next check
	done      int     // number of steps since the last check

	lastObjective float64 // objective at the time of the last restart
	decrement     float64 // squared Newton decrement at the point, in the current Hessian
	// factor by which the decrement decreased in each sweep before the last check; 0 if unknown
	rate          float64
	raising       bool      // whether the weight was last raised
	isFresh       bool      // the Hessian is that at the point of the last restart
	stalledChecks int       // number of successive checks at which only rounding errors were left
	maxDistance   float64   // distance from the last restart beyond which a check is made early
	restartPoint  []float64 // parameters x at the last restart
	fault         error     // error in forming the Hessian, which ends the solve
}

const (
	// maxSweeps is the maximum number of sweeps between two checks.
	maxSweeps = 8
	// hessianRows is the number of rows for each column from which the Hessian of the adaptive schedule is
	// estimated.
	hessianRows = 128
	// poorRate is the factor by which the squared decrement should decrease in a sweep; if it decreases less, a
	// new Hessian is worth its pass.
	poorRate = 10
	// firstWeight is the initial weight of the primal step, relative to the minimum weight; it is at most four
	// times that.
	firstWeight = 16
	// farDecrement is the squared decrement, relative to the objective, above which a point counts as far from
	// the optimum.
	farDecrement = 0.02
	// earlyCheck is the distance from the last restart, in Newton steps, beyond which a check is made early.
	earlyCheck = 10
)

// maxStalledChecks is the number of successive stalled checks after which a solve ends. A check is stalled if the
// predicted decrease of a step is below the rounding of the objective and the bounds do not improve. A single check may
// stall by chance.
const maxStalledChecks = 5

// newPractical returns the practical schedule of a method that takes perSweep steps in each sweep over the blocks;
// maxWeight is the maximum weight of the primal step.
func newPractical(w *iteration, lifted bool, alpha float64, perSweep int, maxWeight float64) *practicalSchedule {
	m := newton.NewFactored(w.Run.Problem, lifted, w.Run.Cert.Evaluator)
	if some := hessianRows * m.D; 2*some < m.N {
		m.Samples = some
	}
	p := &practicalSchedule{iteration: w, metric: m, maxAlpha: alpha, perSweep: perSweep, sweeps: 1, maxWeight: maxWeight,
		maxDistance: math.Inf(1), restartPoint: make([]float64, w.Run.Cert.D)}
	p.primal = newPreconditioned(m, engine.RidgeOf(w.Run.Problem.Primal, w.Run.Cert.D), lifted,
		min(maxWeight, firstWeight))
	w.template.alpha = alpha
	w.template.prox = p.primal.ProxTo
	return p
}

// IsCheckDue implements Stepper. A check is due after p.sweeps sweeps.
func (p *practicalSchedule) IsCheckDue(bool) bool { return p.done >= p.perSweep*p.sweeps }

// Step implements Stepper.
func (p *practicalSchedule) Step() error {
	if !p.began {
		p.formHessian()
		p.restart()
		if p.isFar() {
			p.primal.weight = 1
		}
	}
	if p.fault != nil {
		return p.fault
	}
	p.takeStep()
	if p.done++; floats.Distance(p.point(p.template.x), p.restartPoint, 2) > p.maxDistance || floats.HasNaN(p.template.x) {
		p.sweeps = 0
	}
	if p.template.alpha < 1e-7*p.maxAlpha || p.stalledChecks >= maxStalledChecks {
		return saddle.ErrStalled
	}
	return nil
}

// formHessian forms the Hessian at the last point evaluated by the certifier.
func (p *practicalSchedule) formHessian() {
	p.fault = p.metric.Update(&p.Cert.Response, p.Cert.Slope)
	p.isFresh, p.rate = true, 0
}

// restart restarts the template at the last point evaluated by the certifier.
func (p *practicalSchedule) restart() {
	p.lastObjective, p.decrement = p.Cert.Objective, p.squaredDecrement()
	p.template.m = moduli{1, 1, p.Problem.Dual.Modulus(), p.Problem.Dual.Modulus()}
	newton.CertifyAtDecrement(p.Run, p.decrement)
	p.start()
	p.done, p.sweeps = 0, p.sweepsNeeded()
	copy(p.restartPoint, p.Cert.X)
}

// squaredDecrement returns ∇PᵀH⁻¹∇P at the last point evaluated by the certifier.
func (p *practicalSchedule) squaredDecrement() float64 {
	g := make([]float64, len(p.primal.direction))
	copy(g, p.Cert.G)
	p.primal.addGradTo(g, p.Cert.X)
	dir := append([]float64(nil), g...)
	if p.fault != nil {
		return math.NaN()
	}
	p.metric.Solve(dir)
	p.maxDistance = earlyCheck * floats.Norm(dir[:p.Cert.D], 2)
	return floats.Dot(g, dir)
}

// Check implements Stepper.
func (p *practicalSchedule) Check() {
	if !p.began || p.done == 0 {
		return
	}
	x, polished, gap := p.point(p.template.x), p.polishedPoint(), p.Cert.Best.Gap()
	limit := p.lastObjective + 1e-14*math.Abs(p.lastObjective) // the limit allows for rounding
	now := math.Inf(1)
	if polished != nil {
		now = p.Cert.Evaluate(polished)
	}
	if !(now <= limit) {
		now = p.Cert.Evaluate(x)
	}
	p.Cert.CertifyUpper()
	p.Cert.Certify()
	if p.stalledChecks++; !(p.decrement <= engine.UnitRoundoff*math.Abs(p.lastObjective) && p.Cert.Best.Gap() > 0.9*gap) {
		p.stalledChecks = 0
	}
	if now <= limit {
		p.isFresh = false
		p.adaptSteps()
	} else {
		p.returnToBest(now)
	}
	p.restart()
}

// polishedPoint returns the point that a step of weight 1, with the sum of the tables as gradient, leads to from
// the mean of the points at which the tables were computed. It is the optimum if the Hessian is exact and every
// block contributes equally to it (math: §7). It returns nil if a step from the last restart is predicted to lower
// the objective by more than the remaining gap.
func (p *practicalSchedule) polishedPoint() []float64 {
	if !(p.decrement/2 <= p.lastObjective-p.Cert.Best.Lower) {
		return nil
	}
	at, g := p.linearisation(p.template)
	x := make([]float64, len(at))
	p.primal.step(x, g, at, 1)
	return p.point(x)
}

// adaptSteps adapts the weight and the Hessian to the rate at which the decrement decreased.
func (p *practicalSchedule) adaptSteps() {
	fell := p.decrement / p.squaredDecrement()
	rate := math.Pow(max(fell, 1e-3), float64(p.perSweep)/float64(p.done))
	anew := false
	if lambda := p.metric.Damping(); lambda > 0 {
		if lambda /= 3; lambda < newton.LeastDamping {
			lambda = 0
		}
		p.fault = p.metric.Redamp(lambda)
		anew = true
	}
	switch {
	case p.template.alpha < p.maxAlpha:
		p.template.alpha = min(p.maxAlpha, 2*p.template.alpha)
	case rate < p.minRate():
		anew = true
	case p.maxWeight > 1 && p.rate > 0:
		if rate < p.rate {
			p.raising = !p.raising
		}
		p.adjustWeight()
	}
	if anew {
		p.formHessian()
	}
	p.Logf("%.3g passes: %d sweeps: the decrement fell to %.3g, by the factor %.3g per sweep; weight %.3g", p.Cert.Passes,
		p.done/p.perSweep, p.squaredDecrement()/math.Abs(p.lastObjective), rate, p.primal.weight)
	p.rate = rate
}

// minRate returns the rate below which a new Hessian is worth its passes.
func (p *practicalSchedule) minRate() float64 {
	if p.isFar() {
		return math.Inf(1)
	}
	return poorRate
}

// isFar reports whether the point is so far from the optimum that its Hessian is a poor model of the objective at the
// optimum.
func (p *practicalSchedule) isFar() bool {
	return !(p.decrement < farDecrement*math.Abs(p.lastObjective))
}

// adjustWeight doubles or halves the weight.
func (p *practicalSchedule) adjustWeight() {
	if p.raising {
		p.primal.weight = min(p.maxWeight, 2*p.primal.weight)
	} else {
		p.primal.weight = max(1, p.primal.weight/2)
	}
}

// returnToBest shortens the steps and returns to the best point.
func (p *practicalSchedule) returnToBest(now float64) {
	if p.primal.weight > 1 {
		p.maxWeight = max(1, p.primal.weight/2)
		p.primal.weight = max(1, p.primal.weight/4)
	} else {
		p.template.alpha /= 2
	}
	p.raising = false
	p.Cert.Evaluate(p.Cert.BestX)
	if !p.isFresh {
		p.formHessian()
	}
	if p.isFar() && p.fault == nil {
		p.fault = p.metric.Redamp(max(newton.FirstDamping, 10*p.metric.Damping()))
	}
	p.Logf("the objective rose from %.10g to %.10g: weight %.3g, α %.3g, damping %.3g, restart from the best point",
		p.lastObjective, now, p.primal.weight, p.template.alpha, p.metric.Damping())
}

// sweepsNeeded returns the number of sweeps, at the rate of the last sweeps, until the decrement proves the
// required gap through a lower bound of the curvature. It returns 1 if the rate is unknown or poor.
func (p *practicalSchedule) sweepsNeeded() int {
	k := math.Ceil(math.Log(p.decrement/newton.RequiredDecrement(p.Run)) / math.Log(p.rate))
	if p.isFar() || p.rate < p.minRate() || !(k > 1) { // NaN if the decrement is 0 and no gap is required
		return 1
	}
	return int(min(k, maxSweeps))
}

// preconditioned is the primal update in a metric, in which φ is linearised at the centre.
type preconditioned struct {
	metric    *newton.Factored
	ridge     []float64 // diagonal of ∇²φ
	lifted    bool
	weight    float64 // weight of the step
	direction []float64
}

func newPreconditioned(m *newton.Factored, ridge []float64, lifted bool, weight float64) *preconditioned {
	size := len(ridge)
	if lifted {
		size++
	}
	return &preconditioned{m, ridge, lifted, weight, make([]float64, size)}
}

// addGradTo adds ∇φ(x) to g.
func (s *preconditioned) addGradTo(g, x []float64) {
	for i, r := range s.ridge {
		g[i] += r * x[i]
	}
}

// ProxTo stores in dst the primal update center − min(1, weight·a/(a + c))·H⁻¹(g + ∇φ(center)).
func (s *preconditioned) ProxTo(dst, g, center []float64, a, c float64) {
	s.step(dst, g, center, min(1, s.weight*a/(a+c)))
}

// step stores in dst the update with step size t.
func (s *preconditioned) step(dst, g, center []float64, t float64) {
	dir := s.direction
	copy(dir, g)
	s.addGradTo(dir, center)
	if s.lifted {
		dir[len(s.ridge)]++
	}
	s.metric.Solve(dir)
	floats.AddScaledTo(dst, center, -t, dir)
}
