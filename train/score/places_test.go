package score

import "testing"

// Places of a vector ascend: one that occurs twice would be counted twice.
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
