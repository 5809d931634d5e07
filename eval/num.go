package eval

import (
	"encoding/json"
	"math"
)

// Num is a float64 that may be undefined. NaN and ±Inf are null in JSON; null
// reads back as NaN.
type Num float64

// Undefined is the Num that stands for "could not be computed".
func Undefined() Num { return Num(math.NaN()) }

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
		*x = Undefined()
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

// summer adds float64 with Neumaier's compensation, so that the sum of 10⁶
// losses has the accuracy of one addition.
type summer struct{ s, c float64 }

func (a *summer) add(x float64) {
	t := a.s + x
	if math.Abs(a.s) >= math.Abs(x) {
		a.c += (a.s - t) + x
	} else {
		a.c += (x - t) + a.s
	}
	a.s = t
}

func (a *summer) sum() float64 { return a.s + a.c }

func mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	var s summer
	for _, v := range x {
		s.add(v)
	}
	return s.sum() / float64(len(x))
}

func bad(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// moments accumulates a mean and variance (Welford).
type moments struct{ n, mean, m2 float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.m2 += d * (x - m.mean)
}

func (m *moments) variance() float64 { return m.m2 / math.Max(1, m.n-1) }
