package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLog1p_IsAccurate(t *testing.T) {
	const ulps = 2
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		e := math.Exp(-745 * rng.Float64() * rng.Float64())
		got, want := log1p(e), math.Log1p(e)
		if !(math.Abs(got-want) <= ulps*(math.Nextafter(want, 1)-want)) {
			t.Fatalf("log1p(%v) = %v, want %v", e, got, want)
		}
	}
	for i := range 4096 { // the knots, and between them
		e := float64(i) / 4096
		if got, want := log1p(e), math.Log1p(e); !(math.Abs(got-want) <= ulps*(math.Nextafter(want, 1)-want)) {
			t.Fatalf("log1p(%v) = %v, want %v", e, got, want)
		}
	}
	if log1p(0) != 0 || log1p(1) != math.Ln2 {
		t.Errorf("log1p(0) = %v, log1p(1) = %v", log1p(0), log1p(1))
	}
}
