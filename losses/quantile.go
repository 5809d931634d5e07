package losses

import (
	"strconv"
)

// Quantile is the pinball loss of a level τ, smoothed: with r = t − m it is max(τr, (τ−1)r) where that is straight,
// and r²/(2h) where the slope r/h is between τ−1 and τ, h the width. Its constant is the τ-quantile of the targets, up
// to the width. Its methods panic if the slices differ in length.
type Quantile struct {
	Level float64 // τ, in (0, 1)
	Width float64 // h > 0, in target units; 0 means DefaultWidth
}

// DefaultWidth is the width of the smoothing of Quantile in units of the target as it is fitted: of a standardised
// one a hundredth of a standard deviation.
const DefaultWidth = 0.01

func (q Quantile) width() float64 {
	if q.Width == 0 {
		return DefaultWidth
	}
	return q.Width
}

// OfResidual implements the interface of this name.
func (Quantile) OfResidual() bool { return true }

// Name implements Loss: quantile and the level after a colon.
func (q Quantile) Name() string { return "quantile:" + strconv.FormatFloat(q.Level, 'g', -1, 64) }

// Meaning implements Loss.
func (q Quantile) Meaning() Meaning {
	return Meaning{Scalable: true, Power: 1, About: "the pinball loss of the quantile " +
		strconv.FormatFloat(q.Level, 'g', -1, 64)}
}

// Lipschitz implements Loss.
func (q Quantile) Lipschitz() float64 { return max(q.Level, 1-q.Level) }

// Smoothness implements Loss.
func (q Quantile) Smoothness() float64 { return 1 / q.width() }

// EvalTo implements Loss.
func (q Quantile) EvalTo(value, slope, margin, target []float64) {
	h := q.width()
	for i, m := range margin {
		r := m - target[i]
		s := max(-q.Level, min(1-q.Level, r/h)) // without branches that the data decide
		value[i] = s * (r - s*h/2)
		slope[i] = s
	}
}

// CurvatureTo implements Loss: 1/h between the straight parts, else 0.
func (q Quantile) CurvatureTo(curvature, slope, _ []float64) {
	for i, s := range slope {
		if s > -q.Level && s < 1-q.Level {
			curvature[i] = 1 / q.width()
		} else {
			curvature[i] = 0
		}
	}
}

// CurvatureLowerBoundTo implements Loss: 1/h if the slope stays within τ−1 and τ for an eighth of the shorter
// side of the parabola.
func (q Quantile) CurvatureLowerBoundTo(curvature, slope, _ []float64) (radius, decay float64) {
	h := q.width()
	away := min(q.Level, 1-q.Level) / 8 // of the slope
	for i, s := range slope {
		if s >= -q.Level+away && s <= 1-q.Level-away {
			curvature[i] = (1 - 0x1p-50) / h
		} else {
			curvature[i] = 0
		}
	}
	return (1 - 1e-12) * away * h, 0 // the residual is rounded
}

// MajorantTo implements Majorised: 1/h within the parabola. On a straight part of slope s, at a distance g above
// the line of the other straight part, whose slope is s', it is (s − s')²/(2g), with which the bound touches that
// line; between the straight parts the bound minus the loss is concave, and thus positive as well.
func (q Quantile) MajorantTo(curvature, value, slope, _ []float64) {
	h := q.width()
	for i, s := range slope {
		curvature[i] = 1 / h
		other := 1 - q.Level
		switch {
		case s <= -q.Level:
			s = -q.Level
		case s >= 1-q.Level:
			s, other = 1-q.Level, -q.Level
		default:
			continue
		}
		r := value[i]/s + s*h/2
		gap := value[i] - other*(r-other*h/2)
		curvature[i] = min(1/h, (s-other)*(s-other)/(2*max(gap, 0x1p-1000)))
	}
}
