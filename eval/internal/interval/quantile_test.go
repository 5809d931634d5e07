package interval

import (
	"math"
	"testing"
)

func TestStudent_KnownValues(t *testing.T) {
	// tables of Student's t at 95 and 99 %
	for _, c := range []struct{ confidence, freedom, want float64 }{
		{0.95, 1, 12.7062}, {0.95, 4, 2.77645}, {0.95, 29, 2.04523}, {0.99, 10, 3.16927}, {0.95, 1e9, 1.95996},
		{0.95, 9e6, 1.95996},
	} {
		if got := StudentQuantile(c.confidence, c.freedom); !(math.Abs(got-c.want) <= 1e-5*c.want) {
			t.Errorf("%v of %v degrees: %v, want %v", c.confidence, c.freedom, got, c.want)
		}
	}
	// numbers of 17 digits by mpmath
	for _, c := range []struct{ confidence, freedom, want float64 }{
		{0.95, 1001, 1.9623367052808799}, {0.95, 5000, 1.9604385517065079}, {0.95, 999999, 1.9599663568164793},
		{0.9999, 1001, 3.9063279440312663}, {0.9999, 5000, 3.8937332089269192}, {0.9999, 999999, 3.890607581818761},
		{0.9999999, 1001, 5.3660509754684637}, {0.9999999, 5000, 5.3345572002950507},
		{0.9999999, 999999, 5.326763003452358},
	} {
		if got := StudentQuantile(c.confidence, c.freedom); !(math.Abs(got-c.want) <= 1e-8*c.want) {
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
