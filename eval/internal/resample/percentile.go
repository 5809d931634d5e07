package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// MostDefined is the share of resamples in which a statistic must be defined to
// have an interval (the recall of a group with few positives may not be).
const MostDefined = 0.95

// AppendValues appends the measure of model k over a part in every resample, by its derivative along the
// sums.
func (p *Part) AppendValues(x []float64, key string, sums []float64, k int) []float64 {
	c := p.r.C
	g := make(map[int]float64)
	smooth := c.gradient(g, key, p.sum, k, 1)
	at := 0.0
	if smooth {
		at = c.value(key, p.sum, k)
	}
	keys := sortedKeys(g)
	for lo := 0; lo < len(sums); lo += c.width {
		s := sums[lo:][:c.width]
		if !smooth {
			x = append(x, c.value(key, s, k))
			continue
		}
		v := at
		for _, j := range keys {
			v += float64(g[j] * (s[j] - p.sum[j]))
		}
		x = append(x, v)
	}
	return x
}

// BootInterval returns the percentile interval of resampled values; nil where too few resamples are defined.
func BootInterval(x []float64, confidence float64) *measure.Interval {
	ok := make([]float64, 0, len(x))
	for _, v := range x {
		if !measure.Bad(v) {
			ok = append(ok, v)
		}
	}
	if float64(len(ok)) < MostDefined*float64(len(x)) {
		return nil
	}
	iv := percentile(ok, confidence)
	return &iv
}

// Difference returns the paired interval of model k − baseline over a part, whose values in
// resamples are sums; at is the change.
func (r *Resampler) Difference(p *Part, sums []float64, k int, key string, at float64) *measure.Interval {
	switch key {
	case "ece":
		return r.eceDifference(sums, k, at)
	case "median_ae":
		x := p.AppendValues(nil, key, sums, k)
		for b, base := range p.AppendValues(nil, key, sums, 0) {
			x[b] = ChangeFrom(x[b], base)
		}
		return BootInterval(x, r.Confidence)
	}
	return p.Change(key, k, at)
}

// ChangeFrom returns x − base, and 0 where they are the same number, rounded in two ways.
func ChangeFrom(x, base float64) float64 { return unlessRounding(x-base, base) }

// unlessRounding returns a change from a base, and 0 where it is no more than their roundings.
func unlessRounding(change, base float64) float64 {
	if math.Abs(change) <= 1e-14*math.Abs(base) {
		return 0
	}
	return change
}

// StandardError of the weighted mean of a − b (b may be nil) over rows.
func StandardError(a, b, weight []float64, rows []int32) float64 {
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
	var s, t, q measure.Summer
	for _, i := range rows {
		w, x := at(i)
		s.Add(w * x)
		t.Add(w)
	}
	m := s.Sum() / t.Sum()
	for _, i := range rows {
		w, x := at(i)
		d := w * (x - m)
		q.Add(d * d)
	}
	return math.Sqrt(q.Sum()) / t.Sum()
}

// Deviations stores |x − at|/sd of resampled values in dst, undefined ones into 0,
// and returns sd.
func Deviations(dst, x []float64, at float64) (sd float64) {
	var m measure.Moments
	for _, v := range x {
		if !measure.Bad(v) {
			m.Add(v)
		}
	}
	sd = math.Sqrt(m.Variance())
	for b, v := range x {
		dst[b] = 0
		if !measure.Bad(v) && sd > 0 {
			dst[b] = math.Abs(v-at) / sd
		}
	}
	return sd
}

// UndefinedShare returns the share of x that is not finite.
func UndefinedShare(x []float64) float64 {
	n := 0
	for _, v := range x {
		if measure.Bad(v) {
			n++
		}
	}
	return float64(n) / float64(len(x))
}
