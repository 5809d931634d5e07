package primaldual

import (
	"math"
	"testing"
)

// Blocks are drawn by their constants in whatever unit these are; every one of them is drawn,
// with a floor half as often as all alike at least; where all constants are zero, alike.
func TestProbabilitiesHaveNoUnit(t *testing.T) {
	w := []float64{0.25, 0, 3, 1, 0.5}
	for _, floor := range []bool{false, true} {
		p, total := probabilities(w, floor), 0.0
		least := 1e-3 / 5
		if floor {
			least = 0.5 / 5
		}
		for i, v := range p {
			total += v
			if want := (1-5*least)*w[i]/4.75 + least; !(math.Abs(v-want) <= 1e-15) {
				t.Errorf("floor %v: %v for a constant of %v, not %v", floor, v, w[i], want)
			}
		}
		if !(math.Abs(total-1) <= 1e-15) {
			t.Errorf("floor %v: %v together", floor, total)
		}
		for _, unit := range []float64{0x1p-300, 0x1p-10, 0x1p300} {
			scaled := make([]float64, len(w))
			for i, v := range w {
				scaled[i] = unit * v
			}
			for i, v := range probabilities(scaled, floor) {
				if v != p[i] {
					t.Errorf("floor %v: %v in units of %v, %v", floor, v, unit, p[i])
				}
			}
		}
		for _, v := range probabilities(make([]float64, 4), floor) {
			if v != 0.25 {
				t.Errorf("floor %v: %v of four constants of zero", floor, v)
			}
		}
	}
}
