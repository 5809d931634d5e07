package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
)

const (
	// warmPasses is the minimum cost of a Hessian, in passes, for which L-BFGS takes the first steps.
	warmPasses = 4

	// assessmentPasses is the minimum number of passes between two assessments of the progress of L-BFGS.
	assessmentPasses = 8

	// warmHessians is the number of Hessians that Newton's method is expected to form. L-BFGS continues as long
	// as it is expected to end before their cost is spent.
	warmHessians = 3

	// classesPasses is the assumed cost of a Hessian if samples have several margins: that of the products of a
	// step.
	classesPasses = 40
)

// A warmStart holds the state of L-BFGS when it takes the first steps of Newton's method.
type warmStart struct {
	method *lbfgs
	cost   float64 // cost of a Hessian in passes
	since  float64 // number of passes at the last assessment
	before float64 // smallest decrement in the previous period
	least  float64 // smallest decrement in this period
}

// hessianCost returns the cost of the first Hessian in passes, or 0 if one has been formed.
func (m *newton) hessianCost() float64 {
	if o, ok := m.h.(*operator); ok && o.IsMulticlass() && !m.formed {
		return classesPasses
	}
	h, ok := m.h.(*Factored)
	if !ok || m.formed {
		return 0
	}
	pass, gram := engine.WorkOf(m.Problem.Oracle)
	share := 1.0
	if h.Samples > 0 {
		share = float64(h.Samples) / float64(h.N)
	}
	d := float64(h.D)
	// operations of a Cholesky factorisation take a tenth of the time of other operations
	return share*gram/pass + 0.1*d*d*d/3/pass
}

// beginWarmStart starts L-BFGS if a Hessian costs as much as several of its steps.
func (m *newton) beginWarmStart() {
	if cost := m.hessianCost(); cost >= warmPasses {
		m.beginLBFGS(cost)
	}
}

// beginLBFGS starts L-BFGS at the current point; cost is the cost of a Hessian.
func (m *newton) beginLBFGS(cost float64) {
	m.warm = &warmStart{method: LBFGS{}.start(m.Run, m.phi), cost: cost, since: m.Cert.Passes, before: math.Inf(1),
		least: math.Inf(1)}
	copy(m.warm.method.at.X, m.x)
}

// stepLBFGS takes a step of L-BFGS, and ends the warm start if the step was not worthwhile.
func (m *newton) stepLBFGS() error {
	if m.warm.stepAndAssess(m) {
		return nil
	}
	m.Logf("newton: L-BFGS ends after %.3g passes, at an objective of %.6g", m.Cert.Passes, m.Cert.BestObjective)
	m.warm = nil
	m.moveTo(m.Cert.BestX)
	return nil
}

// stepAndAssess takes a step and reports whether L-BFGS should continue: the step has certified the required gap, it is
// too early for an assessment, or the decrement decreases fast enough.
func (t *warmStart) stepAndAssess(m *newton) bool {
	c, at := m.Cert, &t.method.at
	err := t.method.Step()
	if m.Certified() {
		return true
	}
	size, left := c.Best.Magnitude(at.F), t.method.decrement
	goal := m.Settings.RelativeGap * size
	if left <= goal && t.cost <= c.Passes && slices.Equal(c.X, at.X) { // a bound costs about as much as a Hessian
		if CertifyAtDecrement(m.Run, left); m.Certified() {
			return true
		}
	}
	if err != nil || left < 1e-5*goal { // a certificate requires a Hessian
		return false
	}
	t.least = min(t.least, left)
	passes := c.Passes - t.since
	if passes < assessmentPasses {
		return true
	}
	rate := math.Log(t.before/t.least) / passes
	if !(max(1, math.Log(t.least/goal)) <= warmHessians*t.cost*rate) {
		return false
	}
	t.since, t.before, t.least = c.Passes, t.least, math.Inf(1)
	return true
}
