package side

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Protected is the adversary of CVaR around reference weights w:
//
//	Y = {y ∈ Δ : y_j ≤ w_j/Share},   ψ(y) = (Nu/2)·Σ (y_j − w_j)²/w_j.
//
// With Nu = 0 its risk is the largest mean loss of any subgroup that is a share of
// Share of the reference weight, or more. It is CVaR with weights.
type Protected struct {
	Share   float64   // in (0, 1]
	Nu      float64   // ≥ 0, in loss units
	Weights []float64 // w, as of Ball; nil: equal

	rows *ranks.Rows // where the samples lie; nil: here
}

var (
	_ saddle.Dual          = Protected{}
	_ saddle.LocalResponse = Protected{}
	_ saddle.Smoothable    = Protected{}
)

// Valid says why the dual cannot weigh n samples.
func (p Protected) Valid(n int) error {
	if err := validAlpha(p.Share); err != nil {
		return err
	}
	return validWeights(p.rows, p.Weights, n)
}

// Unpriced implements Unpriced: ψ(w) = 0.
func (Protected) Unpriced(of saddle.Dual) bool {
	_, same := of.(Protected)
	return same
}

// Modulus implements Dual.
func (p Protected) Modulus() float64 { return p.Nu }

// Value implements Dual.
func (p Protected) Value(y []float64) float64 {
	return Ball{Divergence: PearsonChi2, Nu: p.Nu, Weights: p.Weights, rows: p.rows}.Value(y)
}

// Smoothed implements Smoothable: y/w ≤ 1/Share.
func (p Protected) Smoothed(nu float64, _ int) (d saddle.Dual, most float64) {
	p.Nu = nu
	return p, (1/p.Share - 1) / 2
}

// BestResponseTo implements Dual: y_j = w_j·min(1/Share, (1 + (f_j − τ)/ν)₊); with
// ν = 0, w_j/Share on the largest losses and what is left on those equal to τ.
func (p Protected) BestResponseTo(y, f []float64) (risk, tau float64) {
	r := newReference(p.rows, p.Weights, len(f))
	return r.respondLimited(y, f, PearsonChi2, p.Nu, 1/p.Share)
}

// RespondingAt implements local.
func (p Protected) RespondingAt(e *saddle.Evaluator) saddle.Responsive {
	if p.Weights == nil {
		return CappedChiSquare{Alpha: p.Share, Nu: p.Nu}
	}
	return protectedResponse{p, totalOf(p.rows, p.Weights[:e.N])}
}

// A protectedResponse is how the best response of weighted samples moves.
type protectedResponse struct {
	Protected
	total float64
}

// ResponseTo implements Responsive: w_j/ν strictly between 0 and the cap.
func (p protectedResponse) ResponseTo(response, y []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		w := p.Weights[j] / p.total
		response[j] = 0
		if y[j] > 0 && y[j] < w/p.Share*(1-1e-12) {
			response[j] = w / p.Nu
		}
	}
}
