package encode

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// A Function transforms a number before it is encoded. The zero value is the identity.
type Function struct {
	Name string `json:"name,omitempty"` // "", "log", "log1p", "square" or "piecewise"

	// Of "piecewise", which splines are: a polynomial between every two Knots, of
	// which there are at least two, increasing. Pieces[k] are the coefficients of
	// 1, u, u² and u³ in u = v − Knots[k] from there to the next; below the first knot
	// the function is Below[0] + Below[1]·(v − Knots[0]), above the last
	// Above[0] + Above[1]·(v − Knots[len(Knots)−1]).
	Knots  []float64    `json:"knots,omitempty"`
	Pieces [][4]float64 `json:"pieces,omitempty"`
	Below  [2]float64   `json:"below,omitzero"`
	Above  [2]float64   `json:"above,omitzero"`
}

// Evaluate returns the value at v, or NaN if it does not exist, such as the logarithm of 0.
func (f *Function) Evaluate(v float64) float64 {
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

// piecewise returns the value of a piecewise function at v.
func (f *Function) piecewise(v float64) float64 {
	last := len(f.Knots) - 1
	if math.IsNaN(v) {
		return v
	}
	if v < f.Knots[0] {
		return f.Below[0] + f.Below[1]*(v-f.Knots[0])
	}
	if v >= f.Knots[last] {
		return f.Above[0] + f.Above[1]*(v-f.Knots[last])
	}
	k, found := slices.BinarySearch(f.Knots, v)
	if !found {
		k--
	}
	u, c := v-f.Knots[k], f.Pieces[k]
	return c[0] + u*(c[1]+u*(c[2]+u*c[3]))
}

// Validate returns an error if a function that was read from a file is invalid.
func (f *Function) Validate() error {
	switch f.Name {
	case "", "log", "log1p", "square":
		if f.Knots != nil || f.Pieces != nil {
			return fmt.Errorf("the function %q has knots, but only a piecewise function has", f.Name)
		}
		return nil
	case "piecewise":
	default:
		return fmt.Errorf("unknown function %q", f.Name)
	}
	if len(f.Knots) < 2 || len(f.Pieces) != len(f.Knots)-1 {
		return fmt.Errorf("a piecewise function has %d knots and %d pieces: at least two knots and one piece fewer than "+
			"knots are needed", len(f.Knots), len(f.Pieces))
	}
	numbers := append(slices.Clone(f.Knots), f.Below[0], f.Below[1], f.Above[0], f.Above[1])
	for i, p := range f.Pieces {
		numbers = append(numbers, p[:]...)
		if !(f.Knots[i] < f.Knots[i+1]) {
			return fmt.Errorf("the knots of a piecewise function must increase")
		}
	}
	for _, v := range numbers {
		if !numeral.IsFinite(v) {
			return fmt.Errorf("a piecewise function has the number %v, which is not finite", v)
		}
	}
	return nil
}

// naturalSpline returns the basis of natural cubic splines for increasing knots.
func naturalSpline(at []float64) []Function {
	last := len(at) - 1
	span := at[last] - at[0]
	out := []Function{{}}
	for j := range last - 1 {
		f := Function{Name: "piecewise", Knots: at}
		// d_j − d_{K−1} in units of the span: cubes of what is above three knots.
		cubes := map[int]float64{}
		for k, sign := range map[int]float64{j: 1, last - 1: -1} {
			w := sign / (at[last] - at[k]) / (span * span)
			cubes[k] += w
			cubes[last] -= w
		}
		for m := 0; m <= last; m++ {
			var p [4]float64
			for k := 0; k <= m; k++ {
				u, w := at[m]-at[k], cubes[k]
				p[0] += w * u * u * u
				p[1] += w * 3 * u * u
				p[2] += w * 3 * u
				p[3] += w
			}
			if m < last {
				f.Pieces = append(f.Pieces, p)
			} else {
				f.Above = [2]float64{p[0], p[1]}
			}
		}
		out = append(out, f)
	}
	return out
}
