package score

import "testing"

// The indices of a vector must ascend strictly: a repeated index would count twice.
func TestValidatePlaces_Ascend(t *testing.T) {
	for _, c := range []struct {
		places []int
		valid  bool
	}{{[]int{0, 2}, true}, {[]int{1, 1}, false}, {[]int{2, 1}, false}, {[]int{-1, 0}, false}} {
		term := Term{Places: c.places, Weights: []float64{1, 2}}
		if err := term.validatePlaces(); (err == nil) != c.valid {
			t.Errorf("%v: %v", c.places, err)
		}
	}
}
