package interval

import (
	"math"
	"testing"
)

func TestStudent_KnownValues(t *testing.T) {
	// Tables of Student's t at 95 and 99 %.
	for _, c := range []struct{ confidence, freedom, want float64 }{
		{0.95, 1, 12.7062}, {0.95, 4, 2.77645}, {0.95, 29, 2.04523}, {0.99, 10, 3.16927}, {0.95, 1e9, 1.95996},
		{0.95, 9e6, 1.95996},
	} {
		if got := StudentQuantile(c.confidence, c.freedom); !(math.Abs(got-c.want) <= 1e-5*c.want) {
			t.Errorf("%v of %v degrees: %v, want %v", c.confidence, c.freedom, got, c.want)
		}
	}
	// Hall's transformation of what it gives back is what it was given.
	for _, k := range []float64{-2, -0.3, 0, 1e-9, 0.1, 3} {
		for _, u := range []float64{-9, -2, 0, 2, 9} {
			x := invertSkewness(u, k)
			if back := x + k*x*x/3 + k*k*x*x*x/27 + k/6; !(math.Abs(back-u) <= 1e-7) {
				t.Errorf("k %v: %v comes back as %v", k, u, back)
			}
		}
	}
}
