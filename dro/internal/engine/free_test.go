package engine_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
)

func TestBalance_ByHand(t *testing.T) {
	rng := drotest.RngOf(32)
	for range 500 {
		n := 2 + rng.IntN(10)
		y, slope, dst := drotest.OnSimplex(rng, n), drotest.Normals(rng, n, math.Pow(10, 6*rng.Float64()-3)), make([]float64,
			n)
		if rng.IntN(3) == 0 {
			slope[rng.IntN(n)] = 0
		}
		signs := 0
		for _, s := range slope {
			if s > 0 {
				signs |= 1
			}
			if s < 0 {
				signs |= 2
			}
		}
		ok := engine.Balance(nil, dst, y, slope)
		if ok != (signs == 3) {
			t.Fatalf("slopes %v: %v", slope, ok)
		}
		if !ok {
			continue
		}
		mass := 0.0
		for j, v := range dst {
			mass += v
			if v < 0 || (y[j] > 0) != (v > 0) {
				t.Fatalf("weight %d: %v became %v", j, y[j], v)
			}
		}
		if !(math.Abs(mass-1) <= drotest.ClosedForm) ||
			!(math.Abs(engine.Dot(dst, slope)) <= drotest.ClosedForm*drotest.MaxAbs(slope)) {
			t.Fatalf("mass 1 + %.3g, ⟨y, slope⟩ = %.3g", mass-1, engine.Dot(dst, slope))
		}
	}
	dst := make([]float64, 2)
	if y := []float64{.5, .5}; !engine.Balance(nil, dst, y, []float64{1, -1}) || dst[0] != .5 || dst[1] != .5 {
		t.Errorf("balanced weights moved to %v", dst)
	}
}
