// Package compensated adds numbers with Neumaier's compensation.
package compensated

import "math"

// A Sum is a sum of numbers. Its relative error is a few units of roundoff of the sum of the absolute terms, whatever
// their number.
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
