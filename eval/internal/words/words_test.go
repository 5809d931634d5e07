package words

import "testing"

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		x, off float64
		want   string
	}{
		{0.000312, 0.000021, "0.000312"}, {1.5334, 0.445, "1.53"}, {-1.5724, 0.41, "−1.57"}, {1234.5, 20, "1235"},
		{123456.7, 2500, "123\u2009457"}, {0.5, 0, "0.500"}, {3e-9, 1e-9, "3.0 × 10⁻⁹"},
	} {
		if got := Within(c.x, c.off); got != c.want {
			t.Errorf("%v ± %v is %q, want %q", c.x, c.off, got, c.want)
		}
	}
}
