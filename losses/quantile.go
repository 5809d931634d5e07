package losses

import (
	"strconv"
)

// Quantile is the pinball loss of level τ, smoothed with width h. Let r = t − m. The loss is r²/(2h) where the
// slope r/h lies between τ−1 and τ, and continues linearly on both sides with the slopes τ−1 and τ of max(τr,
// (τ−1)r). The best constant is the τ-quantile of the targets, up to the width. The methods panic if the slices
// differ in length.
type Quantile struct {
	Level float64 // the level τ, in (0, 1)
	Width float64 // h > 0, in units of the target; 0 means 0.01
}

// defaultWidth is the width of the smoothing of Quantile in units of the fitted target; for a standardised target
// this is a hundredth of a standard deviation.
const defaultWidth = 0.01

func (q Quantile) width() float64 {
	if q.Width == 0 {
		return defaultWidth
	}
	return q.Width
}

// Name implements Loss. It returns quantile, a colon and the level.
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
		s := max(-q.Level, min(1-q.Level, r/h)) // without branches that depend on the data
		value[i] = s * (r - s*h/2)
		slope[i] = s
	}
}

// CurvatureTo implements Loss. The curvature is 1/h between the linear parts, and 0 otherwise.
func (q Quantile) CurvatureTo(curvature, slope, _ []float64) {
	for i, s := range slope {
		if s > -q.Level && s < 1-q.Level {
			curvature[i] = 1 / q.width()
		} else {
			curvature[i] = 0
		}
	}
}

// CurvatureLowerBoundTo implements Loss. The bound is 1/h if ∂ℓ/∂m is farther from its limits −τ and 1 − τ than an
// eighth of the smaller of τ and 1 − τ, and 0 otherwise. The radius is the distance in which ∂ℓ/∂m changes by that
// much.
func (q Quantile) CurvatureLowerBoundTo(curvature, slope, _ []float64) (radius, decay float64) {
	h := q.width()
	away := min(q.Level, 1-q.Level) / 8 // minimum distance of the slope from its limits
	for i, s := range slope {
		if s >= -q.Level+away && s <= 1-q.Level-away {
			curvature[i] = (1 - 0x1p-50) / h
		} else {
			curvature[i] = 0
		}
	}
	return (1 - 1e-12) * away * h, 0 // the bound allows for the rounding of the residual
}

// Growth implements Growing: ℓ is convex, so its linear pieces bound it from below.
func (q Quantile) Growth() (slope, offset float64) {
	low, high := min(q.Level, 1-q.Level), max(q.Level, 1-q.Level)
	return low, high * high * q.width() / 2
}

// MajorantTo implements Majorised. The bound is 1/h on the parabola. Consider a point on the linear part with slope
// s, at a height g above the line of the other linear part, whose slope is s'. There the bound is (s − s')²/(2g),
// so that the quadratic upper bound touches that line. Between the linear parts the upper bound minus the loss is
// concave, and therefore also nonnegative.
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
