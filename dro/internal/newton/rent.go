package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/bound"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/sampling"
	"github.com/drotrain/drotrain/internal/tuning"
)

// price is what a formed Hessian costs in passes, of as many samples as save work, and
// that number, 0 for all; +Inf where it cannot be formed.
func price(p *saddle.Problem) (passes float64, samples int) {
	if !hessian.Formable(p) {
		return math.Inf(1), 0
	}
	n, d, _ := p.Oracle.Dims()
	pass, gram := saddle.WorkOf(p.Oracle)
	share := 1.0
	if samples = hessianSample(p.Oracle, n, lastFall()); samples > 0 {
		share = float64(samples) / float64(n)
	}
	return share*(1+gram/pass) + FactorWork(d)/pass, samples
}

// A tenancy is L-BFGS in the place of Newton's first steps, a pass each, for as long as it is
// expected at the optimum before it has cost what the Hessians would.
type tenancy struct {
	method *lbfgs
	most   float64 // passes to the optimum that are worth it
	period float64 // passes between two looks at the progress

	since  float64 // passes at the last look
	value  float64 // the objective then
	before float64 // the least decrement of the period before
	least  float64 // and of this one
}

var (
	shortRent   = tuning.New("rent: cost of a Hessian from which L-BFGS takes the first steps, and its passes between two looks at the progress; twice as many at most", "passes", 4, 2, 10)
	hessiansDue = tuning.New("rent: Hessians expected from where they serve to the optimum", "Hessians", 3, 1, 10)
	mostRent    = tuning.New("rent: what L-BFGS may take, whatever Hessians cost", "passes at most", 60, 20, 200)
	steadyFall  = tuning.New("rent: objective far from the optimum after such passes, below which more are worth it", "of that before", 0.8, 0.5, 0.95)
	beyondGoal  = tuning.New("rent: decrement at which a certificate takes a Hessian", "of the gap asked for", 1e-5, 1e-7, 1e-3)
)

// rents lets L-BFGS begin from the point evaluated last where a Hessian costs as much as several
// of its steps: before the first one, and before one of all samples takes the place of estimates;
// and where fewer samples have second derivatives than there are columns, as near the kinks
// of Huber's loss: their Hessian says little of that of all.
func (m *newton) rents() bool {
	if !saddle.Supports(LBFGS{}, m.Problem) {
		return false
	}
	cost := m.rentFor()
	if dear := cost >= shortRent.Value && !math.IsInf(cost, 1); !dear && (m.began || !m.blind()) {
		return false
	}
	if !m.began {
		m.first = m.Cert.Objective
	}
	m.rent = m.newTenancy(cost)
	m.rent.since, m.rent.value = m.Cert.Passes, m.Cert.Objective
	copy(m.rent.method.at.X, m.Cert.X)
	return true
}

// rentFor is what the next Hessian costs in passes, 0 where it may be formed at once, since there
// is an earlier one, few samples are taken, or it is wanted for what comes after.
func (m *newton) rentFor() float64 {
	if _, products := m.h.(*hessian.Operator); products {
		cost, _ := price(m.Problem)
		return cost
	}
	if m.handsOn || !m.began && (m.formed || m.estimates()) {
		return 0
	}
	pass, gram := saddle.WorkOf(m.Problem.Oracle)
	share := 1.0
	if h, ok := m.h.(*hessian.Factored); ok && h.Samples > 0 {
		share = float64(h.Samples) / float64(m.Cert.N)
	}
	return share * gram / pass
}

// newTenancy is one that has not begun, in the place of Hessians that cost so many passes.
func (m *newton) newTenancy(cost float64) *tenancy {
	return &tenancy{method: LBFGS{}.start(m.Run, m.phi), before: math.Inf(1), least: math.Inf(1),
		most: max(hessiansDue.Value*shortRent.Value, min(hessiansDue.Value*cost, mostRent.Value)), period: max(shortRent.Value, min(cost, 2*shortRent.Value))}
}

// blind reports that the losses are curved at fewer samples, by their effective number, than
// there are columns.
func (m *newton) blind() bool {
	c, curvature := m.Cert, m.Cert.Scratch()
	o, _ := saddle.Ability[saddle.Curved](m.Problem.Oracle)
	c.Rows.Run(c.N, func(_, lo, hi int) { o.CurvatureTo(curvature, c.Slope, lo, hi) })
	return c.N > c.D && !(sampling.AllOf(c.Rows, c.N).EffectiveNumber(curvature) >= float64(c.D))
}

// giveWay goes on by Newton's steps from the best point.
func (m *newton) giveWay() error {
	c := m.Cert
	if h, ok := m.h.(*hessian.Operator); ok {
		h.Spent += c.Passes - 1
	}
	m.Logf("newton: l-bfgs gives way after %.3g passes, at an objective of %.6g", c.Passes, c.BestObjective)
	m.rent = nil
	if !slices.Equal(c.X, c.BestX) {
		c.Evaluate(slices.Clone(c.BestX))
	}
	m.formed = false
	m.begin()
	return nil
}

// pays takes a step and reports whether it was worth it: where it brought a certificate, or
// the end of a stage, or where the decrement falls so fast, or yet the objective, that the rest
// is worth it.
func (t *tenancy) pays(m *newton) bool {
	c, at := m.Cert, &t.method.at
	err := t.method.Step()
	if m.Certified() {
		return true
	}
	size, left := c.Best.Magnitude(at.F), t.method.decrement
	goal := m.Settings.RelativeGap * size
	if m.tolerance != nil {
		if goal = m.tolerance() * size; left/2 <= goal {
			copy(m.x, at.X)
			m.arrivedAt = true
			return true
		}
	} else if left <= goal && slices.Equal(c.X, at.X) {
		if bound.AtDecrement(m.Run, left); m.Certified() {
			return true
		}
	}
	if err != nil || m.tolerance == nil && left < beyondGoal.Value*goal {
		return false
	}
	t.least = min(t.least, left)
	passes := c.Passes - t.since
	if passes < t.period {
		return true
	}
	rate := math.Log(t.before/t.least) / passes
	if at.F > t.value-(1-steadyFall.Value)*math.Abs(t.value) && !(max(1, math.Log(t.least/goal)) <= t.most*rate) {
		return false
	}
	t.since, t.value, t.before, t.least = c.Passes, at.F, t.least, math.Inf(1)
	return true
}

// FactorWork is the work of a Cholesky factor, in the unit of Worked.
func FactorWork(d int) float64 { return 0.1 * float64(d) * float64(d) * float64(d) / 3 }

// buy forms the Hessian once the products with it, and the steps of L-BFGS before them, have
// cost what that costs, and steps in formed Hessians from then on: whichever of the two is
// better for this problem, what was spent before is no more than the first of the other.
func (m *newton) buy() bool {
	h, renting := m.h.(*hessian.Operator)
	if !renting || h.Spent < h.Most {
		return false
	}
	m.Logf("newton-cg: products have cost %.3g passes, as much as a Hessian: it is formed", h.Spent)
	m.own()
	if !slices.Equal(m.Cert.X, m.x) {
		m.Cert.Evaluate(m.x)
	}
	m.refresh()
	return true
}

// own replaces products by a Hessian that is to be formed.
func (m *newton) own() {
	h := hessian.NewFactored(m.Problem, false, m.Cert.Evaluator)
	_, h.Samples = price(m.Problem)
	m.h, m.owned, m.method = h, true, Newton{Sample: h.Samples}
}
