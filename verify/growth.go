package verify

import (
	"math/big"

	"github.com/drotrain/drotrain/internal/interval"
)

// lowerBoundByGrowth returns a lower bound of the optimal objective without its terms ψ(y) and of groups, for a loss
// f_j ≥ a|m_j − t_j| − b and no regulariser. The slopes need not cancel, since the growth of the losses bounds how far
// an optimum is from the coefficients x.
//
// Let P(x') ≤ U, the upper bound of P(x). The set holds the reference weights w, with ψ(w) = 0, so
// Σ w_j f_j(x') + Σ w_g c_g ≤ U, and
//
//	Σ w_j |z_jᵀ(x' − x)| ≤ B = (U − Σ w_g c_g + b)/a + Σ w_j |z_jᵀx − t_j|.
//
// For v with (Σ w_j z_j z_jᵀ) v = −Σ y_j s_j z_j = −g, this yields |gᵀ(x' − x)| ≤ B·max_j |⟨v, z_j⟩|. Hence
//
//	Σ y_j f_j(x') ≥ gᵀx' − Σ y_j f_j*(s_j) ≥ Σ y_j (s_j z_jᵀx − f_j*(s_j)) − B·max_j |⟨v, z_j⟩|.
//
// The maximum is over the rows with w_j > 0, among which are all with y_j > 0.
func (c *checker) lowerBoundByGrowth(p *Proof, y []number, of growing, upper number) (number, error) {
	w, x := c.rowWeights(), c.coefficients()
	along, err := c.solveForSlopes(p, y, w, func(j int, _, _ number) number { return w[j] })
	if err != nil {
		return zero, err
	}
	farthest := make([]*big.Float, c.rows.N)
	sums := c.sums(c.rows.N, 2, func(to []*interval.Sum, j int) {
		if w[j].Hi.Sign() <= 0 {
			return
		}
		z := c.rows.Row(j)
		s, _, _ := c.slopes(p, j)
		m := product(z, x, 1)
		to[0].Add(interval.Mul(y[j], interval.Sub(interval.Mul(s[0], m), c.loss.conjugate(s, c.rows.Target[j]))))
		to[1].Add(interval.Mul(w[j], interval.Abs(interval.Sub(m, interval.New(c.rows.Target[j])))))
		farthest[j] = interval.Abs(product(z, along[0], 1)).Hi
	})
	most := zero.Hi
	for _, v := range farthest {
		if v != nil && v.Cmp(most) > 0 {
			most = v
		}
	}
	mean := number{Lo: upper.Hi, Hi: upper.Hi}
	if c.grouping != nil {
		for k, a := range c.adjust {
			mean = interval.Sub(mean, interval.Mul(c.exact[k], a))
		}
	}
	return interval.Sub(sums[0], interval.Mul(distanceTo(of, mean, sums[1]), number{Lo: most, Hi: most})), nil
}

// distanceTo returns the bound B of Σ w_j |z_jᵀ(x' − x)| for all x' with Σ w_j f_j(x') ≤ mean, where residuals is
// Σ w_j |z_jᵀx − t_j|.
func distanceTo(of growing, mean, residuals number) number {
	slope, offset := of.growth()
	return interval.Add(interval.Div(interval.Add(mean, offset), slope), residuals)
}

// rowWeights returns the reference weights of the rows: those of the atoms, or of the groups times the shares of the
// rows in them.
func (c *checker) rowWeights() []number {
	if c.grouping == nil {
		return c.exact
	}
	w := make([]number, len(c.of))
	for j, k := range c.of {
		if w[j] = zero; k >= 0 {
			w[j] = interval.Mul(c.exact[k], c.share[j])
		}
	}
	return w
}
