package chart

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/drotrain/drotrain/internal/printable"
)

// An axis maps values to positions in [lo, hi], in points.
type axis struct {
	min, max float64
	log      bool
	lo, hi   vg.Length
}

// position returns the position of v, measured from the start of the axis.
func (a axis) position(v float64) vg.Length {
	t := (v - a.min) / (a.max - a.min)
	if a.log {
		t = math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return a.lo + vg.Length(t)*(a.hi-a.lo)
}

// drawable is the largest absolute value on an axis, so that the arithmetic of ranges cannot overflow.
const drawable = 1e120

// IsDrawable reports whether v can be drawn on a linear axis.
func IsDrawable(v float64) bool { return math.Abs(v) <= drawable }

// contains reports whether v can be drawn on the axis.
func (a axis) contains(v float64) bool {
	return math.Abs(v) <= drawable && (!a.log || v >= 1/drawable)
}

// include extends the range to v.
func (a *axis) include(v float64) {
	if !a.contains(v) {
		return
	}
	a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
}

// newAxis returns an axis with an empty range.
func newAxis(log bool) axis { return axis{min: math.Inf(1), max: math.Inf(-1), log: log} }

// padRange pads the range and ensures that it is not empty.
func (a *axis) padRange(pad float64) {
	if a.min > a.max {
		a.min, a.max = 0, 1
		if a.log {
			a.min = 0.1
		}
	}
	if a.log {
		if a.max < a.min*1.0001 {
			a.min, a.max = a.min/2, a.max*2
			return
		}
		f := math.Pow(a.max/a.min, pad)
		a.min, a.max = a.min/f, a.max*f
		return
	}
	span := a.max - a.min
	if span <= 1e-12*math.Max(math.Abs(a.max), 1e-300) {
		span = math.Max(math.Abs(a.max), 1) * 0.1
	}
	a.min, a.max = a.min-pad*span, a.max+pad*span
}

type tick struct {
	v float64
	s string
}

// ticks returns about want round values within the range.
func (a axis) ticks(want int) []tick {
	if a.log {
		return a.logTicks(want)
	}
	raw := (a.max - a.min) / float64(want)
	decade := int(math.Floor(math.Log10(raw)))
	digit, exponent := 1, decade+1 // digit and exponent of the step
	for _, s := range []int{1, 2, 5} {
		if float64(s)*math.Pow10(decade) >= raw*0.8 {
			digit, exponent = s, decade
			break
		}
	}
	step := decimal(digit, exponent)
	dec := max(0, -exponent)
	big := math.Max(math.Abs(a.min), math.Abs(a.max))
	var out []tick
	for k := math.Ceil(a.min/step - 1e-9); k*step <= a.max+1e-9*step; k++ {
		v := decimal(int(k)*digit, exponent)
		s := strconv.FormatFloat(v, 'f', dec, 64)
		switch {
		case k == 0:
			s = "0"
		case big >= 1e6 || step < 1e-5:
			s = formatCompact(v)
		case dec == 0:
			s = printable.Count(int(math.Round(v)))
		}
		out = append(out, tick{v, strings.ReplaceAll(s, "-", "−")})
	}
	return out
}

// decimal returns the float64 nearest to n·10^exponent.
func decimal(n, exponent int) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(n)+"e"+strconv.Itoa(exponent), 64)
	return v
}

// logTicks returns about want ticks of a logarithmic axis.
func (a axis) logTicks(want int) []tick {
	lo, hi := math.Floor(math.Log10(a.min)), math.Ceil(math.Log10(a.max))
	decades := math.Log10(a.max / a.min)
	mult := []int{1}
	if decades < 1.2 {
		mult = []int{1, 2, 3, 5, 7}
	} else if decades < 3 {
		mult = []int{1, 2, 5}
		if int(decades*3) > want+2 {
			mult = []int{1, 3}
		}
	}
	every := max(1, math.Ceil(decades/float64(want)))
	var out []tick
	for e := lo; e <= hi; e++ {
		if math.Mod(e, every) != 0 {
			continue
		}
		for _, m := range mult {
			v := decimal(m, int(e))
			if v >= a.min*0.9999 && v <= a.max*1.0001 {
				out = append(out, tick{v, formatCompact(v)})
			}
		}
	}
	if len(out) < 2 {
		b := a
		b.log = false
		return b.ticks(want)
	}
	return out
}

// drawXLabels draws the labels of ticks below an axis. Labels do not touch each other, and do not extend beyond the
// axis by more than half a digit.
func (p sheet) drawXLabels(x axis, ticks []tick, y, right vg.Length) {
	last := x.lo - 8
	for _, t := range ticks {
		w := textWidth(t.s, smallSize)
		at := min(x.position(t.v)-w/2, right-w)
		at = max(at, x.lo-4)
		if at < last {
			continue
		}
		p.drawText(at, y, t.s, smallSize, colMuted, 0)
		last = at + w + 6
	}
}

// formatCompact formats a tick label with few characters.
func formatCompact(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if a := math.Abs(v); a != 0 && a < 1e-3 || a >= 1e4 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		e, _ := strconv.Atoi(exponent)
		s = mantissa + "e" + strconv.Itoa(e)
	}
	return strings.ReplaceAll(s, "-", "−")
}

// Percent formats a proportion with few characters, as in 12.5 %.
func Percent(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(100*v, 'g', 4, 64), "-", "−") + "\u00a0%"
}
