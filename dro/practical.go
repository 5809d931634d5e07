package dro

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// practical runs the template of a method without tuning by the user. It keeps
// the estimates, tables and updates of the identity card and changes four
// things:
//
//   - primal steps are taken in the metric of the objective's Hessian at the
//     last restart (metric), as if the modulus there were 1, so that α means the
//     same on every data set;
//   - a_k = α·A_{k−1} with α tried from large to small;
//   - every few sweeps the point is evaluated over all samples, which certifies
//     it and restarts the tables at no further cost;
//   - when the objective did not fall, α is halved and the method restarts from
//     the best certified point.
type practical struct {
	*walk
	metric *metric
	most   float64 // the first and largest α
	steps  int     // steps of one sweep over the blocks
	sweeps int     // sweeps until the next check
	done   int     // steps since the last
	last   float64 // objective at the last restart
	calm   int     // checks in a row that lowered the objective
	fault  error   // of the metric: what ends the solve
}

// sweepsBetween bounds the sweeps between two checks.
const sweepsBetween = 4

// The damping λ of a metric after the first failure, and below which it is
// dropped.
const firstDamping, leastDamping = 1e-3, 1e-6

func newPractical(w *walk, lifted bool, alpha float64, steps int) *practical {
	m := newMetric(w.run.problem, lifted, w.run.cert.evaluator)
	p := &practical{walk: w, metric: m, most: alpha, steps: steps, sweeps: 1}
	w.t.alpha = alpha
	w.t.primal = metricStep{m, w.run.problem.Primal.(Smooth), lifted}
	return p
}

// interval is the number of steps until the method wants a check.
func (p *practical) wantsCheck() bool { return p.done >= p.steps*p.sweeps }

func (p *practical) step() error {
	if !p.began {
		p.restart()
	}
	if p.fault != nil {
		return p.fault
	}
	p.t.step()
	p.done++
	if p.t.alpha < 1e-7*p.most {
		return errStalled
	}
	return nil
}

// restart begins anew at the point the certifier evaluated last, in the metric
// of the Hessian there.
func (p *practical) restart() {
	p.last = p.cert.objective
	p.fault = p.metric.update(p.cert.y, p.cert.slope)
	p.t.m = moduli{1, 1, p.problem.Dual.Modulus(), p.problem.Dual.Modulus()}
	p.start()
	p.done = 0
}

func (p *practical) check() {
	if !p.began || p.done == 0 {
		return
	}
	now := p.cert.evaluate(p.point(p.t.x))
	p.cert.certify()
	switch noise := 1e-14 * math.Abs(p.last); {
	case now <= p.last+noise:
		if p.calm++; p.calm >= 2 {
			p.sweeps = min(p.sweeps+1, sweepsBetween)
			if p.t.alpha < p.most {
				p.t.alpha = min(p.most, 2*p.t.alpha)
				p.logf("α doubled to %.3g after %d calm checks", p.t.alpha, p.calm)
				p.calm = 0
			}
		}
		if p.metric.lambda /= 3; p.metric.lambda < leastDamping {
			p.metric.lambda = 0
		}
	default:
		p.t.alpha /= 2
		p.calm, p.sweeps = 0, 1
		p.metric.damp(max(firstDamping, 10*p.metric.lambda))
		p.logf("the objective rose from %.10g to %.10g: α halved to %.3g, damping %.3g, restart from the best point", p.last, now, p.t.alpha, p.metric.lambda)
		p.cert.evaluate(p.cert.bestX)
	}
	p.restart()
}

// metricStep is the primal update in the geometry of a metric, with φ linearised
// at the centre.
type metricStep struct {
	metric *metric
	phi    Smooth
	lifted bool
}

// ProxTo implements stepPrimal: center − a/(a + c)·H⁻¹(g + ∇φ(center)).
func (s metricStep) ProxTo(dst, g, center []float64, a, c float64) {
	dir := s.metric.dir
	copy(dir, g)
	s.phi.AddGradTo(dir[:s.metric.d], center[:s.metric.d])
	if s.lifted {
		dir[s.metric.d]++
	}
	s.metric.solve(dir)
	floats.AddScaledTo(dst, center, -a/(a+c), dir)
}
