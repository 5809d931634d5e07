package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
)

// refreshPays reports whether a new Hessian is likely to take fewer passes to the gap asked
// for than steps in the present one, by the fall of the squared decrement to slope in
// the last step.
func (m *newton) refreshPays(slope float64) bool {
	rate := slope / m.decrement
	if m.h.Widen(m.h.Width()) {
		return true
	}
	if !(rate < 1) {
		return true
	}
	left := slope / (m.Settings.RelativeGap * m.Cert.Best.Magnitude(m.value))
	return math.Log(left)/-math.Log(rate) > m.h.Cost()+renewedSteps.Value
}

// sampleMore takes Hessians of several times as many samples where a new one gave a step that
// had to be shortened, or twice in a row did not bring the squared decrement, now slope,
// down to a tenth, or to what the number of samples promises (hessianSample): the sample may
// lack the few rows in which a column is not zero. It reports whether the next one is of more.
func (m *newton) sampleMore(slope float64) (more bool) {
	h, ok := m.h.(*hessian.Factored)
	if !ok || h.Samples == 0 {
		return false
	}
	short := m.decrement == 0
	promised := max(distrustRate.Value, 4*float64(h.D)/float64(h.Samples))
	if len(m.steps) != 1 || !short && slope < promised*m.decrement {
		m.poorSteps = 0
		return false
	}
	if m.poorSteps++; short || m.poorSteps == 2 {
		m.poorSteps = 0
		if h.Samples *= distrustGrowth.Int(); 2*h.Samples >= h.N {
			h.Samples = 0
		}
		return true
	}
	return false
}
