package primaldual

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"gonum.org/v1/gonum/floats"
)

// practicalSchedule runs the template of a method without tuning by the user. It keeps
// the estimates, tables and updates of the estimator and changes five
// things:
//
//   - primal steps are taken in the norm of the objective's Hessian, as if the
//     modulus there were 1, so that steps mean the same on every data set. It is
//     that of the first point, from some of the samples where they are many, and is renewed
//     where steps in it make little progress;
//   - a_k = α·A_{k−1}: with one touch of a block α makes the dual step a full
//     relaxation towards the best response, β = 1;
//   - the primal step has a weight of its own (as PDLP's primal weight has), which
//     is tried from the middle and doubled or halved by the progress made;
//   - every few sweeps a point is evaluated over all samples, which certifies
//     it and restarts the tables at no further cost: where a step of
//     weight 1 leads from the mean of the points that the tables are of, by their sum;
//   - when the objective did not fall, the weight, or α once the weight is 1, is
//     halved and the method restarts from the best certified point.
type practicalSchedule struct {
	*iteration
	metric *newton.Factored
	primal *preconditioned
	most   float64 // the first and largest α
	heavy  float64 // the largest weight; 1: it has none
	steps  int     // steps of one sweep over the blocks
	sweeps int     // sweeps until the next check
	done   int     // steps since the last

	last      float64 // objective at the last restart
	decrement float64 // its squared Newton decrement there, in the Hessian in use
	rate      float64 // by which that fell a sweep, at the check before; 0: unknown
	up        bool    // the weight was raised last
	fresh     bool    // it is of the point of the last restart
	still     int     // checks in turn at which nothing was left but rounding
	reach     float64 // of the steps until the next check, from the last restart, beyond which it is due
	from      []float64
	fault     error // of the Hessian: what ends the solve
}

const (
	// mostSweeps is the largest number of sweeps between two checks.
	mostSweeps = 8
	// hessianRows is the number of rows per column that the Hessian of the adaptive schedule is estimated from.
	hessianRows = 128
	// poorRate is the factor by which the squared decrement must fall in a sweep; otherwise another Hessian is
	// worth its pass.
	poorRate = 10
	// firstWeight is the first weight of the primal step, relative to the least; four times that at most.
	firstWeight = 16
	// far is the squared decrement, relative to the objective, from which a point is far from the optimum.
	far = 0.02
	// astray is the distance from the last restart, in Newton steps, at which a check is made early.
	astray = 10
)

// stillChecks is the number of checks in turn at which a step promises less than the rounding of
// the objective, and the bounds stay where they are, that ends a solve: one may be chance.
const stillChecks = 5

// newPractical returns the practical schedule of a method with steps steps per sweep; heavy is the largest
// primal weight.
func newPractical(w *iteration, lifted bool, alpha float64, steps int, heavy float64) *practicalSchedule {
	m := newton.NewFactored(w.Run.Problem, lifted, w.Run.Cert.Evaluator)
	if some := hessianRows * m.D; 2*some < m.N {
		m.Samples = some
	}
	p := &practicalSchedule{iteration: w, metric: m, most: alpha, steps: steps, sweeps: 1, heavy: heavy, reach: math.Inf(1), from: make([]float64, w.Run.Cert.D)}
	p.primal = newPreconditioned(m, saddle.RidgeOf(w.Run.Problem.Primal, w.Run.Cert.D), lifted, min(heavy, firstWeight))
	w.template.alpha = alpha
	w.template.prox = p.primal.ProxTo
	return p
}

// IsCheckDue implements Stepper: after the sweeps until the next check.
func (p *practicalSchedule) IsCheckDue(bool) bool { return p.done >= p.steps*p.sweeps }

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
	if p.done++; floats.Distance(p.point(p.template.x), p.from, 2) > p.reach || floats.HasNaN(p.template.x) {
		p.sweeps = 0
	}
	if p.template.alpha < 1e-7*p.most || p.still >= stillChecks {
		return saddle.ErrStalled
	}
	return nil
}

// formHessian forms the Hessian at the point last evaluated by the certifier.
func (p *practicalSchedule) formHessian() {
	p.fault = p.metric.Update(p.Cert.Y, p.Cert.Slope)
	p.fresh, p.rate = true, 0
}

// restart restarts the template at the point last evaluated by the certifier.
func (p *practicalSchedule) restart() {
	p.last, p.decrement = p.Cert.Objective, p.squaredDecrement()
	p.template.m = moduli{1, 1, p.Problem.Dual.Modulus(), p.Problem.Dual.Modulus()}
	newton.CertifyAtDecrement(p.Run, p.decrement)
	p.start()
	p.done, p.sweeps = 0, p.sweepsNeeded()
	copy(p.from, p.Cert.X)
}

// squaredDecrement returns ∇PᵀH⁻¹∇P at the point last evaluated by the certifier.
func (p *practicalSchedule) squaredDecrement() float64 {
	g := make([]float64, len(p.primal.direction))
	copy(g, p.Cert.G)
	p.primal.addGradTo(g, p.Cert.X)
	dir := append([]float64(nil), g...)
	if p.fault != nil {
		return math.NaN()
	}
	p.metric.Solve(dir)
	p.reach = astray * floats.Norm(dir[:p.Cert.D], 2)
	return floats.Dot(g, dir)
}

// Check implements Stepper.
func (p *practicalSchedule) Check() {
	if !p.began || p.done == 0 {
		return
	}
	x, polished, gap := p.point(p.template.x), p.polishedPoint(), p.Cert.Best.Gap()
	limit := p.last + 1e-14*math.Abs(p.last) // up to rounding
	now := math.Inf(1)
	if polished != nil {
		now = p.Cert.Evaluate(polished)
	}
	if !(now <= limit) {
		now = p.Cert.Evaluate(x)
	}
	p.Cert.CertifyUpper()
	p.Cert.Certify()
	if p.still++; !(p.decrement <= saddle.UnitRoundoff*math.Abs(p.last) && p.Cert.Best.Gap() > 0.9*gap) {
		p.still = 0
	}
	if now <= limit {
		p.fresh = false
		p.adaptSteps()
	} else {
		p.returnToBest(now)
	}
	p.restart()
}

// polishedPoint returns the point that a step of weight 1 leads to from the mean of the points that the
// tables are of, by their sum: the optimum, if the Hessian is right and every block has a like
// part in it (math: §7). It is nil where a step from the last restart promises to lower the
// objective by more than is left.
func (p *practicalSchedule) polishedPoint() []float64 {
	if !(p.decrement/2 <= p.last-p.Cert.Best.Lower) {
		return nil
	}
	at, g := p.linearised(p.template)
	x := make([]float64, len(at))
	p.primal.step(x, g, at, 1)
	return p.point(x)
}

// adaptSteps adapts the weight and the Hessian to the rate at which the decrement fell.
func (p *practicalSchedule) adaptSteps() {
	fell := p.decrement / p.squaredDecrement()
	rate := math.Pow(max(fell, 1e-3), float64(p.steps)/float64(p.done))
	anew := false
	if lambda := p.metric.Damping(); lambda > 0 {
		if lambda /= 3; lambda < newton.LeastDamping {
			lambda = 0
		}
		p.fault = p.metric.Redamp(lambda)
		anew = true
	}
	switch {
	case p.template.alpha < p.most:
		p.template.alpha = min(p.most, 2*p.template.alpha)
	case rate < p.leastRate():
		anew = true
	case p.heavy > 1 && p.rate > 0:
		if rate < p.rate {
			p.up = !p.up
		}
		p.adjustWeight()
	}
	if anew {
		p.formHessian()
	}
	p.Logf("%.3g passes: %d sweeps: the decrement fell to %.3g, by %.3g a sweep; weight %.3g", p.Cert.Passes, p.done/p.steps, p.squaredDecrement()/math.Abs(p.last), rate, p.primal.weight)
	p.rate = rate
}

// leastRate returns the rate below which another Hessian is worth its passes.
func (p *practicalSchedule) leastRate() float64 {
	if p.isFar() {
		return math.Inf(1)
	}
	return poorRate
}

// isFar reports whether the point is so far from the optimum that a Hessian there predicts little.
func (p *practicalSchedule) isFar() bool { return !(p.decrement < far*math.Abs(p.last)) }

// adjustWeight doubles or halves the weight.
func (p *practicalSchedule) adjustWeight() {
	if p.up {
		p.primal.weight = min(p.heavy, 2*p.primal.weight)
	} else {
		p.primal.weight = max(1, p.primal.weight/2)
	}
}

// returnToBest shortens the steps and returns to the best point.
func (p *practicalSchedule) returnToBest(now float64) {
	if p.primal.weight > 1 {
		p.heavy = max(1, p.primal.weight/2)
		p.primal.weight = max(1, p.primal.weight/4)
	} else {
		p.template.alpha /= 2
	}
	p.up = false
	p.Cert.Evaluate(p.Cert.BestX)
	if !p.fresh {
		p.formHessian()
	}
	if p.isFar() && p.fault == nil {
		p.fault = p.metric.Redamp(max(newton.FirstDamping, 10*p.metric.Damping()))
	}
	p.Logf("the objective rose from %.10g to %.10g: weight %.3g, α %.3g, damping %.3g, restart from the best point", p.last, now, p.primal.weight, p.template.alpha, p.metric.Damping())
}

// sweepsNeeded returns the number of sweeps, at the rate of the last ones, until the decrement
// proves the gap asked for: with a bound of the curvature that falls short of the
// Hessian of P. It is one where the rate is not known, or poor.
func (p *practicalSchedule) sweepsNeeded() int {
	k := math.Ceil(math.Log(p.decrement/newton.RequiredDecrement(p.Run)) / math.Log(p.rate))
	if p.isFar() || p.rate < p.leastRate() || !(k > 1) { // NaN where nothing is left, and no gap is asked for
		return 1
	}
	return int(min(k, mostSweeps))
}

// preconditioned is the primal update in a metric, with φ linearised at the centre.
type preconditioned struct {
	metric    *newton.Factored
	ridge     []float64 // of φ
	lifted    bool
	weight    float64 // of the step
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

// ProxTo stores the primal update, center − weight·a/(a + c)·H⁻¹(g + ∇φ(center)), in dst.
func (s *preconditioned) ProxTo(dst, g, center []float64, a, c float64) {
	s.step(dst, g, center, min(1, s.weight*a/(a+c)))
}

// step stores the update of step size t in dst.
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
