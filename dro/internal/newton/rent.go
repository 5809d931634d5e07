package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ablate"
)

// price is what a formed Hessian costs in passes, of as many samples as save work, and
// that number, 0 for all; +Inf where it cannot be formed.
func price(p *saddle.Problem) (passes float64, samples int) {
	if !hessian.Formable(p) || ablate.Off.Rent {
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

// FactorWork is the work of a Cholesky factor, in the unit of Worked.
func FactorWork(d int) float64 { return 0.1 * float64(d) * float64(d) * float64(d) / 3 }

// buy forms the Hessian once the products with it have cost what that costs, and steps in
// formed Hessians from then on: whichever of the two is better for this problem, what was
// spent before is no more than the first of the other.
func (m *newton) buy() {
	h, renting := m.h.(*hessian.Operator)
	if !renting || h.Spent < h.Most {
		return
	}
	m.Logf("newton-cg: products have cost %.3g passes, as much as a Hessian: it is formed", h.Spent)
	m.own()
	if !slices.Equal(m.Cert.X, m.x) {
		m.Cert.Evaluate(m.x)
	}
	m.refresh()
}

// own replaces products by a Hessian that is to be formed.
func (m *newton) own() {
	h := hessian.NewFactored(m.Problem, false, m.Cert.Evaluator)
	_, h.Samples = price(m.Problem)
	m.h, m.owned, m.method = h, true, Newton{Sample: h.Samples}
}
