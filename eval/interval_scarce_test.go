package eval

import (
	"math"
	"testing"
)

// A loss is the logarithm of the score up to rounding, a millionth of one and itself together,
// and of a score that is not 0 for the other class.
func TestLogarithmicLosses_AreRecognised(t *testing.T) {
	for _, p := range []float64{0.9, 0.5, 1e-3} {
		loss := -math.Log(p)
		for off, want := range map[float64]bool{0: true, 0.99e-6: true, -0.99e-6: true, 1.02e-6: false, -1.02e-6: false} {
			for _, y := range []float64{1, -1} {
				score := p
				if y < 0 {
					score = 1 - p
				}
				in := Input{Target: []float64{y}, Models: []Model{{Score: []float64{score},
					Loss: []float64{loss + off*(1+loss)}}}}
				if got := hasLogLoss(in.newMeasuredRows()); got != want {
					t.Errorf("target %v, probability %v, loss off by %v: %v", y, p, off, got)
				}
			}
		}
	}
	for _, s := range []float64{0, 1} {
		in := Input{Target: []float64{2*s - 1}, Models: []Model{{Score: []float64{s}, Loss: []float64{0}}}}
		if hasLogLoss(in.newMeasuredRows()) {
			t.Errorf("a score of %v costs no bound if it is wrong", s)
		}
	}
}

// A class is scarce of which there are fewer than ten rows, whichever it is.
func TestScarce_IsFewerThanTenRows(t *testing.T) {
	for positive, want := range map[float64]bool{0: true, 9: true, 10: false, 50: false, 90: false, 91: true, 100: true} {
		if got := hasFewOfAClass(Values{Of: map[string]Num{"prevalence": Num(positive / 100)}}, 100); got != want {
			t.Errorf("%v positives of 100: few %v", positive, got)
		}
	}
}
