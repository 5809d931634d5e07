package primaldual

import (
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// proximal is implemented by duals that support the methods of a Mirror only for some of their sets.
type proximal interface {
	// Proximal reports whether these methods are supported.
	Proximal() bool
}

// mirrorOf returns d as a Mirror; the second result reports whether it is one, or is separable.
func mirrorOf(d saddle.Dual) (saddle.Mirror, bool) {
	if a, ok := d.(proximal); ok && !a.Proximal() {
		return nil, false
	}
	if m, ok := d.(saddle.Mirror); ok {
		return m, true
	}
	s, ok := d.(saddle.Separable)
	return blockwise{s}, ok
}

// blockwise is a Separable dual as a Mirror, whose proximal step is the block step of a single block of all weights.
type blockwise struct{ saddle.Separable }

// ProxTo implements saddle.Mirror.
func (d blockwise) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	if w != 0 {
		mixed := make([]float64, len(prev))
		for j, v := range prev {
			mixed[j] = (1-w)*v + w*hist[j]
		}
		prev = mixed
	}
	d.BlockStepTo(u, y, f, prev, a/(a*d.Modulus()+e), 0, len(y))
}

// unlinked is implemented by duals that are separable except for the constraint on the sum of their weights.
type unlinked interface {
	// Separated returns the dual of n samples without the constraint Σ y = 1, or nil if ψ is not a sum over
	// samples.
	Separated(n int) saddle.Separable
}

// separatedOf returns the Separable dual of d without the constraint Σ y = 1, for n samples; ok is false if there
// is none.
func separatedOf(d saddle.Dual, n int) (s saddle.Separable, ok bool) {
	if a, ok := d.(unlinked); ok {
		s = a.Separated(n)
	}
	return s, s != nil
}

// centred is implemented by duals with reference weights. A method starts from these if ν = 0, since the best
// response is then a vertex of Y, which is infinitely far from every other point in the geometry of relative
// entropy.
type centred interface{ StartingWeights(y []float64) }

var (
	needMirror = saddle.Need{What: "a dual with a proximal step (ProxTo, or BlockStepTo of a separable dual)",
		Holds: func(p *saddle.Problem) bool {
			_, ok := mirrorOf(p.Dual)
			return ok
		}}
	needBlocks = saddle.Need{What: "a dual that is separable, or the simplex with a separable penalty (BlockStepTo)",
		Holds: func(p *saddle.Problem) bool {
			_, ok := separatedOf(p.Dual, 1)
			return ok || engine.Implements[saddle.Separable](p.Dual)
		}}
	needLocalRows = saddle.Need{What: "rows that are not distributed over MPI ranks (newton and lbfgs support that)",
		Holds: func(p *saddle.Problem) bool { return engine.RowsOf(p.Oracle) == nil }}
	needConstants = saddle.Need{What: "an oracle that states its Lipschitz constants (ConstantsTo)",
		Holds: func(p *saddle.Problem) bool { return engine.Implements[saddle.Conditioned](p.Oracle) }}
	needNorm = saddle.Need{What: "a dual that states its norm (NormScale)",
		Holds: func(p *saddle.Problem) bool { return engine.Implements[saddle.Normed](p.Dual) }}
)
