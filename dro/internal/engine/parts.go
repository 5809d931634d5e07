package engine

import (
	"fmt"
	"reflect"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
)

// WorkOf returns the work that an oracle states or, if it states none, that for a dense matrix.
func WorkOf(o saddle.Oracle) (pass, gram float64) {
	if w, ok := o.(Model); ok {
		return w.Work()
	}
	n, d, _ := o.Dims()
	pass = float64(n) * float64(d)
	return pass, 0.1 * pass * float64(d) / 2
}

// MaxSelected returns the maximum number of samples that Select accepts.
func MaxSelected(o saddle.Oracle) int {
	if s, ok := o.(Model); ok {
		return s.MaxSelected()
	}
	n, _, _ := o.Dims()
	return n
}

// RowsOf returns the distribution of the samples of an oracle over MPI ranks; nil means that this process has all
// of them.
func RowsOf(o saddle.Oracle) *ranks.Rows {
	if s, ok := o.(LinearModel); ok {
		return ranks.RowsOf(s.Rows())
	}
	return nil
}

// shardDual returns p with a dual for samples on several MPI ranks, if they are distributed. The second result is
// false if the dual does not support that.
func shardDual(p *saddle.Problem) (*saddle.Problem, bool) {
	rows := RowsOf(p.Oracle)
	if rows == nil {
		return p, true
	}
	d, ok := p.Dual.(Distributed)
	if !ok {
		return p, false
	}
	return &saddle.Problem{Oracle: p.Oracle, Dual: d.WithRows(rows), Primal: p.Primal}, true
}

// Implements reports whether a part of a problem implements T.
func Implements[T any](part any) bool {
	_, ok := part.(T)
	return ok
}

// Require returns a part of a problem as a T, or an error if it does not implement T.
func Require[T any](part any) (T, error) {
	t, ok := part.(T)
	if !ok {
		return t, fmt.Errorf("dro: %T does not implement %v", part, reflect.TypeFor[T]())
	}
	return t, nil
}

// IsDifferentiable reports whether the robust risk is differentiable in the losses near the optimum.
func IsDifferentiable(p *saddle.Problem) bool {
	if RegionOf(p.Dual) == Point || p.Dual.Modulus() > 0 {
		return true
	}
	n, d, _ := p.Oracle.Dims()
	s, ok := p.Dual.(Radial)
	return ok && s.Differentiable(n, d)
}

// PiecesOf returns the pieces of the risk of d.
func PiecesOf(d saddle.Dual) Pieces {
	if a, ok := d.(Pieced); ok {
		return a.Pieces()
	}
	return Pieces{}
}

// A Region states which part of the simplex the set Y of a dual is.
type Region int

const (
	Elsewhere Region = iota // not in the simplex; weights need not sum to one
	Part                    // a subset of the simplex
	Whole                   // the whole simplex, in which weights may be rescaled and normalised
	Point                   // a single point, for which the risk is smooth without a penalty
)

// RegionOf returns the Region of d.
func RegionOf(d saddle.Dual) Region {
	if a, ok := d.(Adversary); ok {
		return a.Region()
	}
	return Elsewhere
}

// FreeCount returns the number of trailing coordinates that p leaves unpenalised.
func FreeCount(p saddle.Primal) int {
	if r, ok := p.(interface{ FreeCount() int }); ok {
		return r.FreeCount()
	}
	return 0
}

// RidgeOf returns the diagonal of ∇²φ if phi is a Ridge, and nil otherwise.
func RidgeOf(phi saddle.Primal, d int) []float64 {
	r, ok := phi.(Ridge)
	if !ok {
		return nil
	}
	diagonal := make([]float64, d)
	r.RidgeTo(diagonal)
	return diagonal
}
