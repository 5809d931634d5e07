//go:build !race

// The race detector drops pooled memory at random, so nothing is counted under it.

package losses

import (
	"testing"

	"github.com/drotrain/drotrain/design"
)

// The loops of a step take no memory, whatever the storage.
func TestLinearAllocatesNothing(t *testing.T) {
	const n, d = 40, 6
	for _, o := range linearOver(t, Logistic{}, n, d) {
		x, dst, gram := make([]float64, d), make([]float64, d), make([]float64, d*d)
		value, slope, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		if a := testing.AllocsPerRun(10, func() {
			o.EvalTo(value, slope, x, 0, n)
			o.CurvatureTo(weight, slope, 0, n)
			o.AddGradTo(dst, weight, slope, 0, n)
			o.AddChangeTo(dst, weight, slope, value, slope, 0, n)
			o.AddGramTo(gram, weight, 0, n)
			o.AddSquaresTo(dst, weight, 0, n)
			o.MarginsTo(value, dst, 0, n)
		}); a != 0 {
			t.Errorf("%T: %v allocations", o.z, a)
		}
	}
}

// Nor do losses whose targets are moved, but for one place for them that is used again.
func TestCentredAllocatesNothing(t *testing.T) {
	const n = 2000
	target := make([]float64, n)
	for j := range target {
		target[j] = 1e6 + float64(j%7)
	}
	x := make([]float64, n)
	for j := range x {
		x[j] = 1
	}
	z, err := design.NewDense(n, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLinear(Squared{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	o, _, _ := l.Centred(l)
	at := make([]float64, 1)
	value, slope := make([]float64, n), make([]float64, n)
	if a := testing.AllocsPerRun(10, func() { o.EvalTo(value, slope, at, 0, n) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
