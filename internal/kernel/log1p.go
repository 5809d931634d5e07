package kernel

import "math"

// steps is the number of intervals into which log1p divides [0, 1] for its table.
const steps = 128

// knots holds log(1 + i/steps) and 1/(1 + i/steps). Computing it takes a few microseconds at start-up.
var knots = func() (t [steps + 1]struct{ log, inverse float64 }) {
	for i := range t {
		c := float64(i) / steps
		t[i].log, t[i].inverse = math.Log1p(c), 1/(1+c)
	}
	return t
}()

// log1p returns log(1 + e) for 0 ≤ e ≤ 1, or NaN, within two units in the last place. With the nearest knot c, 1 +
// e = (1 + c)(1 + r) and |r| ≤ 1/256; log(1 + r) is computed by a series whose first omitted term is below 1e-18·r.
// For c = 0 only the series is used, so that small e keep their precision. math.Log1p would take a third of the
// time of a solve.
func log1p(e float64) float64 {
	if e != e { // NaN
		return e
	}
	i := int(e*steps + 0.5)
	k := &knots[i]
	r := (e - float64(i)/steps) * k.inverse
	return k.log + r*(1-r*(1.0/2-r*(1.0/3-r*(1.0/4-r*(1.0/5-r*(1.0/6-r*(1.0/7)))))))
}
