// Package compensated adds numbers with Neumaier's compensated summation.
package compensated

import "math"

// A Sum is a compensated sum of numbers. Its error is a few units of roundoff, relative to the sum of the absolute
// terms, regardless of their number.
type Sum struct{ sum, rest float64 }

// Add adds x.
func (s *Sum) Add(x float64) {
	t := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.rest += (s.sum - t) + x
	} else {
		s.rest += (x - t) + s.sum
	}
	s.sum = t
}

// Value returns the sum so far.
func (s *Sum) Value() float64 { return s.sum + s.rest }
