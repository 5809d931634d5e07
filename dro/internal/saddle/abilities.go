package saddle

import (
	"fmt"
	"reflect"

	"github.com/drotrain/drotrain/internal/ranks"
)

// WorkOf returns the work of an oracle: that of a dense matrix where it does not tell.
func WorkOf(o Oracle) (pass, gram float64) {
	if w, ok := Ability[Worked](o); ok {
		return w.Work()
	}
	n, d, _ := o.Dims()
	pass = float64(n) * float64(d)
	return pass, 0.1 * pass * float64(d) / 2
}

// MostSelected is the number of samples that Select may be asked for.
func MostSelected(o Oracle) int {
	if s, ok := Ability[Spacious](o); ok {
		return s.MostSelected()
	}
	n, _, _ := o.Dims()
	return n
}

// RowsOf is how the samples of an oracle lie with several ranks, nil where all are here.
func RowsOf(o Oracle) *ranks.Rows {
	if s, ok := Ability[Dealt](o); ok {
		return s.Rows()
	}
	return nil
}

// dealt returns p with a dual that weighs its samples where they lie: p itself where all are
// here and it is meant for that. It reports false where there is none.
func dealt(p *Problem) (*Problem, bool) {
	rows := RowsOf(p.Oracle)
	if rows == nil {
		return p, true
	}
	over, ok := over(p.Dual, rows)
	return &Problem{Oracle: p.Oracle, Dual: over, Primal: p.Primal}, ok
}

// over is Ranked's Over, but of a dual that embeds one that has it.
func over(d Dual, rows *ranks.Rows) (Dual, bool) {
	r, ok := Ability[Ranked](d)
	if !ok {
		return d, false
	}
	over, ok := r.Over(rows)
	return over, ok && reflect.TypeOf(over) == reflect.TypeOf(d)
}

// Answered returns p, its dual with the methods of every dual alone where it has more from one
// that it embeds and does not answer for them (Precise): a fused evaluation, or a dual on some
// of the samples, would be that of the other.
func Answered(p *Problem) *Problem {
	if p == nil {
		return p
	}
	if d, ok := Ability[Precise](p.Dual); ok && !d.Precise(p.Dual) {
		return &Problem{Oracle: p.Oracle, Dual: plain{p.Dual}, Primal: p.Primal}
	}
	return p
}

// A plain dual has the methods of every dual, and says what it cannot weigh.
type plain struct{ Dual }

// asked is the dual as it was given.
func asked(d Dual) Dual {
	if p, ok := d.(plain); ok {
		return p.Dual
	}
	return d
}

// Valid says why the dual cannot weigh n samples.
func (d plain) Valid(n int) error {
	if v, ok := Ability[validated](d.Dual); ok {
		return v.Valid(n)
	}
	return nil
}

// Here is a dual for samples that are all here, as those that Select copies are.
func Here(d Dual) Dual {
	if over, ok := over(d, nil); ok {
		return over
	}
	return d
}

// OfSamples is the dual of copies of some of the samples that d weighs, which every rank has.
func OfSamples(d Dual, samples []int) Dual {
	if s, ok := Ability[Sampled](d); ok {
		if of := s.OfSamples(samples); reflect.TypeOf(of) == reflect.TypeOf(d) {
			d = of
		}
	}
	return Here(d)
}

// OfPart is the dual of the first of the samples of every shard that d weighs.
func OfPart(d Dual, count int) Dual {
	if s, ok := Ability[Sampled](d); ok {
		if of := s.OfPart(count); reflect.TypeOf(of) == reflect.TypeOf(d) {
			d = of
		}
	}
	return Here(d)
}

// Ability returns a part of a problem, a method or a stepper as a T, if it is one and so is,
// all the way down, what an oracle is derived from. It is how abilities are asked for; none is
// asserted.
func Ability[T any](of any) (t T, ok bool) {
	if v, is := of.(derived); is && !Has[T](v.Base()) {
		return t, false
	}
	t, ok = of.(T)
	return t, ok
}

// Has reports an ability.
func Has[T any](of any) bool {
	_, ok := Ability[T](of)
	return ok
}

// Required is Ability of what a method needs: an error where it is started without.
func Required[T any](of any) (T, error) {
	t, ok := Ability[T](of)
	if !ok {
		return t, fmt.Errorf("dro: a %T lacks the ability %v", of, reflect.TypeFor[T]())
	}
	return t, nil
}

// Differentiable reports that the robust risk has a gradient in the losses where it
// matters.
func Differentiable(p *Problem) bool {
	if RegionOf(p.Dual) == Point || p.Dual.Modulus() > 0 {
		return true
	}
	n, d, _ := p.Oracle.Dims()
	s, ok := Ability[DifferentiableDual](p.Dual)
	return ok && s.Differentiable(n, d)
}

// HasResponse reports that the dual tells how its best response moves.
func HasResponse(d Dual) bool { return Has[Responsive](d) || Has[LocalResponse](d) }

// ResponseAt returns how the best response of d moves at the point e evaluated last, nil where d
// does not tell.
func ResponseAt(d Dual, e *Evaluator) Responsive {
	if l, ok := Ability[LocalResponse](d); ok {
		return l.RespondingAt(e)
	}
	r, _ := Ability[Responsive](d)
	return r
}

// A Region is what the set Y of a dual is of the simplex.
type Region int

const (
	Elsewhere Region = iota // weights need not sum to one
	Part                    // the simplex, with further bounds
	Whole                   // without: weights may be rescaled and normalised at will
	Point                   // a single one: the risk is smooth without a penalty
)

// RegionOf returns what Y of d is of the simplex.
func RegionOf(d Dual) Region {
	if s, ok := Ability[OnSimplex](d); ok {
		return s.Region()
	}
	return Elsewhere
}

// FreeLast reports whether p leaves the last coordinate unpenalised.
func FreeLast(p Primal) bool {
	f, ok := Ability[Free](p)
	return ok && f.FreeLast()
}

// RidgeOf returns the diagonal of ∇²φ of a Ridge, nil of any other primal.
func RidgeOf(phi Primal, d int) []float64 {
	diagonal := make([]float64, d)
	if r, ok := Ability[Ridge](phi); !ok || !r.RidgeTo(diagonal, phi) {
		return nil
	}
	return diagonal
}
