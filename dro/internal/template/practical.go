package template

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"gonum.org/v1/gonum/floats"
)

// practical runs the template of a method without tuning by the user. It keeps
// the estimates, tables and updates of the identity card and changes four
// things:
//
//   - primal steps are taken in the metric of the objective's Hessian at the
//     last restart, as if the modulus there were 1, so that α means the
//     same on every data set;
//   - a_k = α·A_{k−1} with α tried from large to small;
//   - every few sweeps the point is evaluated over all samples, which certifies
//     it and restarts the tables at no further cost;
//   - when the objective did not fall, α is halved and the method restarts from
//     the best certified point.
type practical struct {
	*iteration
	hessian *hessian.Factored
	most    float64 // the first and largest α
	steps   int     // steps of one sweep over the blocks
	sweeps  int     // sweeps until the next check
	done    int     // steps since the last
	last    float64 // objective at the last restart
	calm    int     // checks in a row that lowered the objective
	fault   error   // of the Hessian: what ends the solve
}

// sweepsBetween bounds the sweeps between two checks.
const sweepsBetween = 4

func newPractical(w *iteration, lifted bool, alpha float64, steps int) *practical {
	m := hessian.NewFactored(w.Run.Problem, lifted, w.Run.Cert.Evaluator)
	p := &practical{iteration: w, hessian: m, most: alpha, steps: steps, sweeps: 1}
	w.template.alpha = alpha
	w.template.primal = preconditioned{m, w.Run.Problem.Primal.(saddle.Smooth), lifted}
	return p
}

// WantsCheck reports that the sweeps until the next check are done.
func (p *practical) WantsCheck() bool { return p.done >= p.steps*p.sweeps }

// Step implements Stepper.
func (p *practical) Step() error {
	if !p.began {
		p.restart()
	}
	if p.fault != nil {
		return p.fault
	}
	p.advance()
	p.done++
	if p.template.alpha < 1e-7*p.most {
		return saddle.ErrStalled
	}
	return nil
}

// restart begins anew at the point the certifier evaluated last, in the metric
// of the Hessian there.
func (p *practical) restart() {
	p.last = p.Cert.Objective
	p.fault = p.hessian.Update(p.Cert.Y, p.Cert.Slope)
	p.template.m = moduli{1, 1, p.Problem.Dual.Modulus(), p.Problem.Dual.Modulus()}
	p.start()
	p.done = 0
}

// Check implements Stepper.
func (p *practical) Check() {
	if !p.began || p.done == 0 {
		return
	}
	now := p.Cert.Evaluate(p.point(p.template.x))
	p.Cert.Certify()
	switch noise := 1e-14 * math.Abs(p.last); {
	case now <= p.last+noise:
		if p.calm++; p.calm >= 2 {
			p.sweeps = min(p.sweeps+1, sweepsBetween)
			if p.template.alpha < p.most {
				p.template.alpha = min(p.most, 2*p.template.alpha)
				p.Logf("α doubled to %.3g after %d calm checks", p.template.alpha, p.calm)
				p.calm = 0
			}
		}
		if p.hessian.Lambda /= 3; p.hessian.Lambda < hessian.LeastDamping {
			p.hessian.Lambda = 0
		}
	default:
		p.template.alpha /= 2
		p.calm, p.sweeps = 0, 1
		p.hessian.Damp(max(hessian.FirstDamping, 10*p.hessian.Lambda))
		p.Logf("the objective rose from %.10g to %.10g: α halved to %.3g, damping %.3g, restart from the best point", p.last, now, p.template.alpha, p.hessian.Lambda)
		p.Cert.Evaluate(p.Cert.BestX)
	}
	p.restart()
}

// preconditioned is the primal update in the geometry of a metric, with φ linearised
// at the centre.
type preconditioned struct {
	hessian *hessian.Factored
	phi     saddle.Smooth
	lifted  bool
}

// ProxTo implements stepPrimal: center − a/(a + c)·H⁻¹(g + ∇φ(center)).
func (s preconditioned) ProxTo(dst, g, center []float64, a, c float64) {
	dir := s.hessian.Direction
	copy(dir, g)
	s.phi.AddGradTo(dir[:s.hessian.D], center[:s.hessian.D])
	if s.lifted {
		dir[s.hessian.D]++
	}
	s.hessian.Solve(dir)
	floats.AddScaledTo(dst, center, -a/(a+c), dir)
}

// Visit lists what a snapshot holds.
func (p *practical) Visit(s *saddle.State) {
	p.iteration.Visit(s)
	for _, v := range []*int{&p.sweeps, &p.done, &p.calm} {
		s.Integer(v)
	}
	s.Float(&p.last)
	p.hessian.Visit(s)
}
