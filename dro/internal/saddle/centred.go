package saddle

import (
	"math"
	"math/big"
)

// A centred problem is another in terms of x′. Nothing but the free coordinate changes, which
// no φ sees: the optimum is the same, and so are the weights.
type centred struct {
	*Problem
	by       []float64 // d; 0 of the free coordinate
	constant float64
}

// newCentred returns p as it is to be solved, nil where that is as it stands.
func newCentred(p *Problem) *centred {
	if Validate(p) != nil || FreeCount(p.Primal) != 1 {
		return nil
	}
	o, ok := p.Oracle.(Centrable)
	if !ok {
		return nil
	}
	moved, by, constant := o.Centred(p.Oracle)
	if moved == nil {
		return nil
	}
	return &centred{&Problem{Oracle: moved, Dual: p.Dual, Primal: p.Primal}, by, constant}
}

// CentredAt returns p and x as p is to be evaluated there.
func CentredAt(p *Problem, x []float64) (*Problem, []float64) {
	if c := newCentred(p); c != nil {
		return c.Problem, c.to(x)
	}
	return p, x
}

// to returns x′ of x, and from x of x′, both with a free coordinate that is the nearest number
// to the exact one, or NaN where x is not finite.
func (c *centred) to(x []float64) []float64   { return c.moved(x, 1) }
func (c *centred) from(x []float64) []float64 { return c.moved(x, -1) }

func (c *centred) moved(x []float64, sign float64) []float64 {
	if x == nil {
		return nil
	}
	const exactly = 4400 // bits of a sum of products of double precision
	last, out := len(x)-1, append([]float64(nil), x...)
	for _, v := range x {
		if v-v != 0 {
			out[last] = math.NaN()
			return out
		}
	}
	sum := new(big.Float).SetPrec(exactly)
	term := func(a, b float64) {
		v := new(big.Float).SetPrec(exactly).SetFloat64(a)
		sum.Add(sum, v.Mul(v, new(big.Float).SetFloat64(b)))
	}
	term(x[last], 1)
	term(c.constant, -sign)
	for i, a := range c.by[:last] {
		if a != 0 && x[i] != 0 {
			term(a, sign*x[i])
		}
	}
	out[last], _ = sum.Float64()
	return out
}

// settle goes to the point nearest to x′ that is x′ of an x in double precision, but for the
// rounding of its free coordinate, which the oracle's Rounding has to allow for: bounds from
// above are those of points that can be returned.
func (c *centred) settle(x []float64) { copy(x, c.to(c.from(x))) }

// settings returns s in terms of x′. Without a starting point that is zero here.
func (c *centred) settings(s Settings) Settings {
	if len(s.X0) == len(c.by) {
		s.X0 = c.to(s.X0)
	}
	if follow := s.Follow; follow != nil {
		s.Follow = func(it Iterate) {
			it.X = c.from(it.X)
			follow(it)
		}
	}
	if keep := s.Keep; keep != nil {
		s.Keep = func(x []float64) { keep(c.from(x)) }
	}
	return s
}
