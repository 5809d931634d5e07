package kernel

import "math"

// steps is the number of intervals of [0, 1] that log1p tabulates.
const steps = 128

// knots holds log(1 + i/steps) and 1/(1 + i/steps): a few microseconds of work at
// start-up.
var knots = func() (t [steps + 1]struct{ log, inverse float64 }) {
	for i := range t {
		c := float64(i) / steps
		t[i].log, t[i].inverse = math.Log1p(c), 1/(1+c)
	}
	return t
}()

// log1p returns log(1 + e) for 0 ≤ e ≤ 1, or NaN, within two units in the last place, from
// the nearest knot c and the series of log(1 + r), 1 + e = (1 + c)(1 + r), |r| ≤
// 1/256, whose first term left out is below 1e-18·r. At c = 0 it is the series
// alone, so that small e lose nothing. math.Log1p took a third of a solve.
func log1p(e float64) float64 {
	if e != e { // NaN
		return e
	}
	i := int(e*steps + 0.5)
	k := &knots[i]
	r := (e - float64(i)/steps) * k.inverse
	return k.log + r*(1-r*(1.0/2-r*(1.0/3-r*(1.0/4-r*(1.0/5-r*(1.0/6-r*(1.0/7)))))))
}
