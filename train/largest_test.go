package train

import "testing"

// The entry of largest size is found whatever its sign, the first of equals.
func TestLargest(t *testing.T) {
	for want, v := range [][]float64{{2}, {1, -3, 2}, {0, 0, 0.5}, {-1, 2, -2, -4, 4}} {
		if got := largest(v); got != want {
			t.Errorf("entry %d of %v", got, v)
		}
	}
}
