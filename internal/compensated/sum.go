// Package compensated adds numbers with compensated summation, whose corrections come from Knuth's exact sum of two
// numbers.
package compensated

// A Sum is a compensated sum of numbers. Its error is a few units of roundoff, relative to the sum of the absolute
// terms, regardless of their number.
type Sum struct{ sum, rest float64 }

// Add adds x.
func (s *Sum) Add(x float64) { *s = s.Plus(x) }

// Plus returns the sum s + x. In a loop over many numbers, it is faster than Add, because the sum can stay in registers.
func (s Sum) Plus(x float64) Sum {
	t := s.sum + x
	added := t - s.sum
	return Sum{t, s.rest + ((s.sum - (t - added)) + (x - added))}
}

// Value returns the sum so far.
func (s *Sum) Value() float64 { return s.sum + s.rest }
