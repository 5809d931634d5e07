package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
)

var (
	_ saddle.Kinked       = KL{}
	_ saddle.Kinked       = ChiSquare{}
	_ saddle.Kinked       = CappedKL{}
	_ saddle.Kinked       = CappedChiSquare{}
	_ saddle.Kinked       = Protected{}
	_ saddle.Kinked       = Ball{}
	_ saddle.KinkedPieces = (*Groups)(nil)
)

// CapTo implements Kinked: without a penalty, the simplex.
func (k KL) CapTo(u []float64) bool {
	if len(u) > 0 {
		lo, hi := k.rows.Here(len(u))
		vec.Fill(u[lo:hi], math.Inf(1))
	}
	return k.Nu == 0
}

// CapTo implements Kinked: without a penalty, the simplex.
func (c ChiSquare) CapTo(u []float64) bool { return KL(c).CapTo(u) }

// CapTo implements Kinked: without a penalty, the capped simplex.
func (c CappedKL) CapTo(u []float64) bool {
	vec.Fill(u, c.WeightCap(len(u)))
	return c.Nu == 0
}

// CapTo implements Kinked: without a penalty, the capped simplex.
func (c CappedChiSquare) CapTo(u []float64) bool { return CappedKL(c).CapTo(u) }

// CapTo implements Kinked: without a penalty and a radius, the simplex of the samples that
// have reference weight.
func (b Ball) CapTo(u []float64) bool {
	lo, hi := 0, 0
	if len(u) > 0 {
		lo, hi = b.rows.Here(len(u))
	}
	for j := lo; j < hi; j++ {
		if u[j] = math.Inf(1); b.Weights != nil && !(b.Weights[j] > 0) {
			u[j] = 0
		}
	}
	return b.Nu == 0 && math.IsInf(b.Radius, 1)
}

// CapTo implements Kinked: w_j/Share.
func (p Protected) CapTo(u []float64) bool {
	if len(u) == 0 {
		return p.Nu == 0
	}
	lo, hi := p.rows.Here(len(u))
	if p.Weights == nil {
		vec.Fill(u[lo:hi], 1/(p.Share*float64(len(u))))
		return p.Nu == 0
	}
	w := p.Weights[:len(u)]
	total := totalOf(p.rows, w)
	for j := lo; j < hi; j++ {
		u[j] = w[j] / total / p.Share
	}
	return p.Nu == 0
}

// Polyhedral implements KinkedPieces: weights over groups without a penalty or a bound.
func (g *Groups) Polyhedral() bool { return g.Near.Nu == 0 && math.IsInf(g.Near.Radius, 1) }

// PiecesAt implements KinkedPieces: the means of the groups with a prior.
func (g *Groups) PiecesAt(e *saddle.Evaluator) (v []float64, rows [][]float64, weigh func(y, q []float64) float64) {
	s := g.at(e.Value)
	all := g.gradients(e, s, make([]float64, e.N), e.Slope)
	possible := s.possible()
	for _, i := range possible {
		v, rows = append(v, s.loss[i]), append(rows, all[i])
	}
	return v, rows, func(y, q []float64) (psi float64) {
		clear(s.perGroup)
		for k, i := range possible {
			id := s.id[i]
			if s.perGroup[id] = q[k] / s.mass[i]; g.Adjust != nil {
				psi -= q[k] * g.Adjust[id]
			}
		}
		g.weigh(y, s)
		return psi
	}
}

// ValuesAt implements KinkedPieces.
func (g *Groups) ValuesAt(f []float64) (v []float64) {
	s := g.at(f)
	for _, i := range s.possible() {
		v = append(v, s.loss[i])
	}
	return v
}

// possible lists the groups that may have weight.
func (s *grouped) possible() (out []int) {
	for i := range s.id {
		if s.near.Weights == nil || s.near.Weights[i] > 0 {
			out = append(out, i)
		}
	}
	return out
}
