package eval

import (
	"math"
	"strings"
)

// mostDefined is the share of resamples in which a statistic must be defined to
// have an interval (the recall of a group with few positives may not be).
const mostDefined = 0.95

// appendValues appends the measure of model k in every resample.
func (c *columns) appendValues(x []float64, key string, sums []float64, k int) []float64 {
	for at := 0; at < len(sums); at += c.width {
		x = append(x, c.value(key, sums[at:at+c.width], k))
	}
	return x
}

// bootInterval is the percentile interval of resampled values; for the ECE the
// basic one, which takes off the bias that a mean of absolute values has. nil
// where too few resamples are defined.
func bootInterval(key string, at float64, x []float64, method string, confidence float64) *Interval {
	ok := make([]float64, 0, len(x))
	for _, v := range x {
		if !bad(v) {
			ok = append(ok, v)
		}
	}
	if float64(len(ok)) < mostDefined*float64(len(x)) {
		return nil
	}
	iv := percentile(ok, confidence)
	iv.Method = method
	if key == "ece" {
		iv = Interval{max(0, Num(2*at)-iv.High), max(0, Num(2*at)-iv.Low), basic(method)}
	}
	return &iv
}

// basic is the name of the interval mirrored at its value.
func basic(method string) string { return strings.Replace(method, "percentile", "basic", 1) }

// difference is the paired interval of model k − baseline, whose value is at.
func (r *resampler) difference(sums []float64, method string, k int, key string, at float64) *Interval {
	c := r.c
	x := c.appendValues(nil, key, sums, k)
	for b := range x {
		base := c.value(key, sums[b*c.width:][:c.width], 0)
		if x[b] -= base; math.Abs(x[b]) <= 1e-14*math.Abs(base) {
			x[b] = 0 // the same number, rounded in two ways
		}
	}
	iv := bootInterval("", 0, x, method, r.Confidence)
	if iv != nil && key == "ece" {
		iv = &Interval{Num(2*at) - iv.High, Num(2*at) - iv.Low, basic(method)}
	}
	return iv
}

// standardError of the weighted mean of a − b (b may be nil) over rows.
func standardError(a, b, weight []float64, rows []int32) float64 {
	at := func(i int32) (w, x float64) {
		w, x = 1, a[i]
		if b != nil {
			x -= b[i]
		}
		if weight != nil {
			w = weight[i]
		}
		return w, x
	}
	var s, t, q summer
	for _, i := range rows {
		w, x := at(i)
		s.add(w * x)
		t.add(w)
	}
	m := s.sum() / t.sum()
	for _, i := range rows {
		w, x := at(i)
		d := w * (x - m)
		q.add(d * d)
	}
	return math.Sqrt(q.sum()) / t.sum()
}

// deviations turns resampled values into |x − at|/sd, undefined ones into 0,
// and returns sd.
func deviations(dst, x []float64, at float64) (sd float64) {
	var m moments
	for _, v := range x {
		if !bad(v) {
			m.add(v)
		}
	}
	sd = math.Sqrt(m.variance())
	for b, v := range x {
		dst[b] = 0
		if !bad(v) && sd > 0 {
			dst[b] = math.Abs(v-at) / sd
		}
	}
	return sd
}

func undefinedShare(x []float64) float64 {
	n := 0
	for _, v := range x {
		if bad(v) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(x)))
}
