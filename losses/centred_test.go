package losses

import (
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
)

// Losses that are centred are those that were, at the parameters that belong to them, to
// the bits where nothing is rounded; and nothing is centred that need not be, or that is not
// known to be a function of differences.
func TestCentredLossesAreTheSame(t *testing.T) {
	const n, d = 6, 3
	rows := func(at float64) []float64 {
		x := make([]float64, 0, n*d)
		for j := range n {
			x = append(x, at+float64(j%3)/4, float64(j%2), 1)
		}
		return x
	}
	numbers := func(at float64) []float64 {
		y := make([]float64, n)
		for j := range y {
			y[j] = at + float64(j)/8
		}
		return y
	}
	signs := []float64{1, -1, 1, 1, -1, -1}
	near, far := rows(-0.5), rows(4096)
	for _, c := range []struct {
		what           string
		l              Loss
		x, target      []float64
		away           bool // from memory
		columns, moved bool // which are far
	}{
		{"targets", Squared{}, near, numbers(1000), false, false, true},
		{"targets of a Huber loss", Huber{Delta: 0.25}, near, numbers(1000), false, false, true},
		{"targets and columns", Squared{}, far, numbers(1000), false, true, true},
		{"columns", Squared{}, far, numbers(-0.25), false, true, false},
		{"signs", Logistic{}, near, signs, false, false, false},
		{"signs and columns", Logistic{}, far, signs, false, true, false},
		{"nothing far", Squared{}, near, numbers(-0.25), false, false, false},
		{"an unknown loss", steep{}, near, numbers(1000), false, false, false},
		{"rows that are elsewhere", Squared{}, near, numbers(1000), true, false, true},
	} {
		var z design.Matrix
		z, err := design.NewDense(n, d, c.x)
		if err != nil {
			t.Fatal(err)
		}
		if c.away {
			z = away{z, &paged.Room{}, n}
		}
		l, err := NewLinear(c.l, z, c.target)
		if err != nil {
			t.Fatal(err)
		}
		o, by, constant := l.Centred(l)
		if (o != nil) != (c.columns || c.moved) || (constant != 0) != c.moved || c.columns != slices.ContainsFunc(by, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: centred %v, columns by %v, targets by %v", c.what, o != nil, by, constant)
			continue
		}
		if o == nil {
			continue
		}
		x := []float64{0.5, -2, 0.25}
		at := slices.Clone(x)
		for i, v := range by {
			at[d-1] += v * x[i]
		}
		at[d-1] -= constant
		value, slope := make([]float64, n), make([]float64, n)
		want, wantSlope := make([]float64, n), make([]float64, n)
		l.EvalTo(want, wantSlope, x, 0, n)
		o.EvalTo(value, slope, at, 0, n)
		if _, rounds := c.l.(Logistic); !rounds && !slices.Equal(value, want) || !slices.Equal(slope, wantSlope) {
			t.Errorf("%s: losses %v, slopes %v; want %v, %v", c.what, value, slope, want, wantSlope)
		}
		if other, _ := NewLinear(c.l, z, c.target); other != nil {
			if o, _, _ := l.Centred(other); o != nil {
				t.Errorf("%s: what is another is centred", c.what)
			}
		}
	}
}
