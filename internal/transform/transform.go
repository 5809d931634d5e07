// Package transform evaluates the functions that transform numbers before a model uses them, and inverts those that
// transform targets.
package transform

import (
	"fmt"
	"math"
	"slices"
)

// A Function transforms a number. The zero value returns the number itself.
type Function struct {
	Name string // "", "log", "log1p", "square" or "piecewise"; "" is the identity

	// A "piecewise" function is a polynomial between any two adjacent Knots, which ascend and of which there
	// are at least two. Pieces[k] holds the coefficients of 1, u, u² and u³ in u = v − Knots[k] between
	// Knots[k] and Knots[k+1]. Below the first knot the function is Below[0] + Below[1]·(v − Knots[0]); above
	// the last it is Above[0] + Above[1]·(v − last knot).
	Knots  []float64
	Pieces [][4]float64
	Below  [2]float64
	Above  [2]float64
}

// At returns the value of the function at v, or NaN if the function is undefined there, such as the logarithm of 0.
func (f *Function) At(v float64) float64 {
	switch f.Name {
	case "log":
		if v <= 0 {
			return math.NaN()
		}
		return math.Log(v)
	case "log1p":
		if v <= -1 {
			return math.NaN()
		}
		return math.Log1p(v)
	case "square":
		return v * v
	case "piecewise":
		return f.piecewise(v)
	}
	return v
}

// piecewise returns the value of a piecewise polynomial at v.
func (f *Function) piecewise(v float64) float64 {
	last := len(f.Knots) - 1
	switch {
	case math.IsNaN(v):
		return v
	case v < f.Knots[0]:
		return f.Below[0] + f.Below[1]*(v-f.Knots[0])
	case v >= f.Knots[last]:
		return f.Above[0] + f.Above[1]*(v-f.Knots[last])
	}
	k, found := slices.BinarySearch(f.Knots, v)
	if !found {
		k--
	}
	u, c := v-f.Knots[k], f.Pieces[k]
	return c[0] + u*(c[1]+u*(c[2]+u*c[3]))
}

// Validate returns an error if the function is unknown or its pieces do not fit its knots.
func (f *Function) Validate() error {
	switch f.Name {
	case "", "log", "log1p", "square":
		if f.Knots != nil || f.Pieces != nil {
			return fmt.Errorf("the function %q has knots, but only a piecewise function has", f.Name)
		}
		return nil
	case "piecewise":
	default:
		return fmt.Errorf("unknown function %q; it must be log, log1p, square or piecewise", f.Name)
	}
	if len(f.Knots) < 2 || len(f.Pieces) != len(f.Knots)-1 {
		return fmt.Errorf("a piecewise function has %d knots and %d pieces: at least two knots and one piece fewer than "+
			"knots are needed", len(f.Knots), len(f.Pieces))
	}
	numbers := slices.Concat(f.Knots, f.Below[:], f.Above[:])
	for k, p := range f.Pieces {
		numbers = append(numbers, p[:]...)
		if !(f.Knots[k] < f.Knots[k+1]) {
			return fmt.Errorf("the knots of a piecewise function are %v, not ascending", f.Knots)
		}
	}
	for _, v := range numbers {
		if v-v != 0 {
			return fmt.Errorf("a piecewise function has the number %v, which is not finite", v)
		}
	}
	return nil
}

// Undo inverts the transformation "", "log" or "log1p" at v. Its exponential is multiplied by smear, the mean of
// the exponentials of the residuals; 0 means 1.
func Undo(name string, v, smear float64) float64 {
	if smear == 0 {
		smear = 1
	}
	switch name {
	case "log":
		return smear * math.Exp(v)
	case "log1p":
		return smear*math.Exp(v) - 1
	}
	return v
}
