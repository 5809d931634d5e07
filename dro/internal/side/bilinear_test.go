package side

import "testing"

// A coupling has the entries and the constants of its shape, and a sample and a parameter at least.
func TestCoupling_ChecksItsShape(t *testing.T) {
	for _, c := range []struct {
		n, d, entries int
		constants     []float64
		fits          bool
	}{
		{1, 1, 1, nil, true}, {1, 2, 2, make([]float64, 1), true}, {2, 1, 2, make([]float64, 2), true},
		{0, 1, 0, nil, false}, {1, 0, 0, nil, false}, {2, 2, 3, nil, false}, {2, 2, 4, make([]float64, 1), false},
		{-1, -1, 1, nil, false},
	} {
		o, err := NewBilinear(c.n, c.d, make([]float64, c.entries), c.constants, true)
		if (err == nil) != c.fits || (o != nil) != c.fits {
			t.Errorf("%d × %d of %d entries and %d constants: %v", c.n, c.d, c.entries, len(c.constants), err)
		}
	}
}
