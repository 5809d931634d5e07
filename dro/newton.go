package dro

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Newton minimises the exact objective P by Newton's method on its Hessian
// (math: §9), semismooth where the χ² adversary's active set changes, with a line
// search that only accepts a decrease and damping where the Hessian says too
// little. A step is two and a half passes, more when the search shortens it. It
// needs ν > 0 (or Uniform), second derivatives, the L2 regulariser and d ≤ 2000.
type Newton struct{}

var _ Method = Newton{}

// Name implements Method.
func (Newton) Name() string { return "newton" }

func (Newton) start(r *run) (stepper, error) {
	if !practicable(r.problem) {
		return nil, errors.New("dro: newton needs ν > 0, an oracle with second derivatives (the Curved ability), the L2 regulariser and at most 2000 parameters")
	}
	d := r.cert.d
	return &newton{run: r, metric: newMetric(r.problem, false), phi: r.problem.Primal.(Smooth),
		x: make([]float64, d), g: make([]float64, d), dir: make([]float64, d), trial: make([]float64, d)}, nil
}

type newton struct {
	*run
	metric           *metric
	phi              Smooth
	x, g, dir, trial []float64
	value            float64 // P(x)
	began            bool
}

// accept makes the point the certifier evaluated last the current one.
func (m *newton) accept() {
	copy(m.x, m.cert.x)
	copy(m.g, m.cert.g)
	m.phi.AddGradTo(m.g, m.x)
	m.value = m.cert.objective
	m.certifyWhenClose()
	m.metric.update(m.cert.evaluator, m.cert.y, m.cert.slope)
}

func (m *newton) step() error {
	if !m.began {
		m.accept()
		m.began = true
	}
	const armijo, shortest, mostDamping = 1e-4, 1.0 / 64, 1e9
	for {
		copy(m.dir, m.g)
		m.metric.solve(m.dir)
		slope := floats.Dot(m.dir, m.g) // of P along −dir
		if !(slope > 0) {
			return errStalled
		}
		for t := 1.0; t >= shortest; t /= 2 {
			floats.AddScaledTo(m.trial, m.x, -t, m.dir)
			now := m.cert.evaluate(m.trial)
			noise := 1e-15 * math.Abs(m.value)
			if now <= m.value-armijo*t*slope || (slope <= noise && now <= m.value+noise) {
				if t == 1 {
					m.relax()
				}
				stuck := now >= m.value && slope <= noise
				m.accept()
				if stuck {
					return errStalled
				}
				return nil
			}
		}
		if m.metric.damping >= mostDamping {
			return errStalled
		}
		m.metric.damp(m.cert.evaluator, max(firstDamping, 100*m.metric.damping))
		m.metric.factorise()
		m.logf("newton: no decrease along the step: damping %.3g", m.metric.damping)
	}
}

// relax takes damping back after a full step.
func (m *newton) relax() {
	if m.metric.damping /= 10; m.metric.damping < leastDamping {
		m.metric.damping = 0
	}
}

func (m *newton) check() { m.cert.certify() }

func (m *newton) visit(s *state) {
	s.boolean(&m.began)
	s.float(&m.value)
	s.floats(m.x, m.g)
	m.metric.visit(s)
}
