package eval

import (
	"encoding/json"
	"math"

	"github.com/drotrain/drotrain/internal/compensated"
)

// Num is a float64 that may be undefined. NaN and ±Inf are null in JSON; null
// reads back as NaN.
type Num float64

// undefined returns NaN, the Num of an undefined number.
func undefined() Num { return Num(math.NaN()) }

// Defined reports whether x is a finite number.
func (x Num) Defined() bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

// MarshalJSON writes null for NaN and ±Inf.
func (x Num) MarshalJSON() ([]byte, error) {
	if !x.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads null as NaN.
func (x *Num) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*x = undefined()
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

// meanOf returns the mean of x, or NaN if x is empty.
func meanOf(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	var s compensated.Sum
	for _, v := range x {
		s.Add(v)
	}
	return s.Value() / float64(len(x))
}

// isNotFinite reports whether x is NaN or infinite.
func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// meanVariance accumulates a mean and a variance (Welford's algorithm).
type meanVariance struct{ N, Mean, m2 float64 }

// Add adds x.
func (m *meanVariance) Add(x float64) {
	m.N++
	d := x - m.Mean
	m.Mean += d / m.N
	m.m2 += d * (x - m.Mean)
}

// Variance returns the sample variance, or 0 for a single number.
func (m *meanVariance) Variance() float64 { return m.m2 / math.Max(1, m.N-1) }
