package encode

import (
	"github.com/drotrain/drotrain/internal/transform"
)

// A Function transforms a number before it is encoded. The zero value is the identity.
type Function struct {
	Name string `json:"name,omitempty"` // "", "log", "log1p", "square" or "piecewise"; "" is the identity

	// Knots and Pieces define "piecewise", which describes splines: a polynomial between any two adjacent
	// Knots, which increase and of which there are at least two. Pieces[k] holds the coefficients of 1, u, u²
	// and u³ in u = v − Knots[k] between Knots[k] and Knots[k+1]. Below the first knot the function is Below[0]
	// + Below[1]·(v − Knots[0]); above the last it is Above[0] + Above[1]·(v − Knots[len(Knots)−1]).
	Knots  []float64    `json:"knots,omitempty"`
	Pieces [][4]float64 `json:"pieces,omitempty"`
	Below  [2]float64   `json:"below,omitzero"`
	Above  [2]float64   `json:"above,omitzero"`
}

// Evaluate returns the value of the function at v, or NaN if the function is undefined there, such as the logarithm
// of 0. It panics if there are pieces but no knots.
func (f *Function) Evaluate(v float64) float64 { return (*transform.Function)(f).At(v) }

// Validate returns an error if the function is unknown or its pieces do not fit its knots.
func (f *Function) Validate() error { return (*transform.Function)(f).Validate() }

// naturalSpline returns functions that, together with a constant, are a basis of the natural cubic splines with the
// given increasing knots. The first of them is the identity.
func naturalSpline(at []float64) []Function {
	last := len(at) - 1
	span := at[last] - at[0]
	out := []Function{{}}
	for j := range last - 1 {
		f := Function{Name: "piecewise", Knots: at}
		// d_j − d_{K−1}, scaled by the distance between the first and last knot: positive parts cubed at
		// three knots.
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
