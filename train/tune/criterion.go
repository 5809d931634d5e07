package tune

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/train/level"
)

// tailShare is the proportion of the rows in the tail.
const tailShare = 0.1

// A measure estimates risks from one out-of-fold value for each row, which is a loss or an error.
type measure struct {
	rows   level.Rows
	weight []float64 // weight of each row
	total  float64   // sum of all weights
	// for each group, whether it has enough rows to be the worst group; nil if there are no groups
	eligible []bool
	members  [][]int32 // for each group, its rows with positive weight
	normals  []float64 // smoothingDraws numbers for each group; nil until needed
}

// newMeasure returns a measure of the rows. A group is eligible if it has at least minRows rows of positive weight, and
// at least one of them in every fold.
func newMeasure(r level.Rows, fold []int, folds, minRows int) *measure {
	m := &measure{rows: r, weight: make([]float64, r.N)}
	for j := range m.weight {
		m.weight[j] = r.Weight(j)
		m.total += m.weight[j]
	}
	if r.Group == nil {
		return m
	}
	count := make([][]int, len(r.Labels)) // number of rows by group and fold
	for g := range count {
		count[g] = make([]int, folds)
	}
	m.eligible, m.members = make([]bool, len(count)), make([][]int32, len(count))
	for j, g := range r.Group {
		if g >= 0 && m.weight[j] > 0 {
			count[g][fold[j]]++
			m.members[g] = append(m.members[g], int32(j))
		}
	}
	for g, of := range count {
		m.eligible[g] = len(m.members[g]) >= minRows && slices.Min(of) > 0
	}
	return m
}

// countEligible returns the number of eligible groups.
func (m *measure) countEligible() (count int) {
	for _, ok := range m.eligible {
		if ok {
			count++
		}
	}
	return count
}

// An estimate is a statistic of the rows with the influence of each row; the variance of its error is the sum of
// the squared influences.
type estimate struct {
	value     float64
	influence []float64
}

// subtract returns the difference of two estimates on the same rows and its standard error.
func (e estimate) subtract(o estimate) (difference, se float64) {
	s := 0.0
	for j, v := range e.influence {
		s += (v - o.influence[j]) * (v - o.influence[j])
	}
	return e.value - o.value, math.Sqrt(s)
}

// average returns the weighted mean of the values and the influence of each row on it.
func (m *measure) average(value []float64) estimate {
	e := estimate{value: m.mean(value), influence: make([]float64, len(value))}
	for j, v := range value {
		e.influence[j] = m.weight[j] / m.total * (v - e.value)
	}
	return e
}

// mean returns the weighted mean of the values.
func (m *measure) mean(value []float64) float64 { return floats.Dot(m.weight, value) / m.total }

// deviation returns the weighted standard deviation of the values.
func (m *measure) deviation(value []float64) float64 {
	mean, s := m.mean(value), 0.0
	for j, v := range value {
		s += m.weight[j] / m.total * (v - mean) * (v - mean)
	}
	return math.Sqrt(s)
}

// smoothErrors returns, for every row of a group, the probability that its margin plus a normal error is negative. lead
// holds the margins of the rows' classes; for a row without a group, the result is its error, 0 or 1. If rows are few,
// their errors contain less information than their distances from the decision boundary. The standard deviation of the
// normal error is the mean absolute margin, to which every eligible group contributes equally, divided by the cube root
// of the number of rows of the group: the rate at which bias and noise decrease equally fast.
func (m *measure) smoothErrors(lead []float64) []float64 {
	size := make([]float64, len(lead))
	for j, v := range lead {
		size[j] = math.Abs(v)
	}
	mean, _ := m.groupMeans(size)
	scale := 0.0
	for g, ok := range m.eligible {
		if ok {
			scale += mean[g] / float64(m.countEligible())
		}
	}
	out := make([]float64, len(lead))
	for j, v := range lead {
		g := m.rows.Group[j]
		switch {
		case g >= 0 && scale > 0 && len(m.members[g]) > 0:
			out[j] = math.Erfc(v/scale*math.Cbrt(float64(len(m.members[g])))/math.Sqrt2) / 2
		case v < 0:
			out[j] = 1
		}
	}
	return out
}

// rowsByValue returns the rows in descending order of value; rows with equal values are in ascending order.
func rowsByValue(value []float64) []int32 {
	negative := make([]float64, len(value))
	floats.ScaleTo(negative, -1, value)
	return radix.Argsort(negative)
}

// estimateTail estimates CVaR: the mean of the largest tailShare of the values. largest holds the first rows of
// rowsByValue, or nil; if their weight is less than that share, more rows are sorted.
func (m *measure) estimateTail(value []float64, largest []int32) estimate {
	share := tailShare * m.total
	e := estimate{influence: make([]float64, len(value))}
	left, quantile := share, 0.0
	add := func(rows []int32) {
		for _, j := range rows {
			take := min(left, m.weight[j])
			e.value += take * value[j] / share
			quantile = value[j]
			if left -= take; left <= 0 {
				return
			}
		}
	}
	if add(largest); left > 0 && len(largest) < len(value) {
		add(rowsByValue(value)[len(largest):])
	}
	for j, v := range value {
		e.influence[j] = m.weight[j] / m.total * (quantile + max(0, v-quantile)/tailShare - e.value)
	}
	return e
}

// groupMeans returns the weighted mean for every group and an unbiased estimate of its variance. For a group that is
// not eligible, the mean is −Inf and the variance 0.
func (m *measure) groupMeans(value []float64) (mean, variance []float64) {
	mean, variance = make([]float64, len(m.eligible)), make([]float64, len(m.eligible))
	for g, members := range m.members {
		if !m.eligible[g] {
			mean[g] = math.Inf(-1)
			continue
		}
		sum, mass := 0.0, 0.0
		for _, j := range members {
			sum += m.weight[j] * value[j]
			mass += m.weight[j]
		}
		mean[g] = sum / mass
		squares := 0.0
		for _, j := range members {
			d := m.weight[j] * (value[j] - mean[g])
			squares += d * d
		}
		variance[g] = squares / (mass * mass) * smallSampleFactor(len(members))
	}
	return mean, variance
}

// smallSampleFactor returns n/(n − 1), or 1 for n = 1. The factor corrects the bias of the mean of n squared deviations
// from their mean as an estimate of the variance.
func smallSampleFactor(n int) float64 { return float64(n) / max(1, float64(n-1)) }

// estimateWorst estimates the largest mean of the eligible groups, with the influences of the rows of the group that has
// this mean.
// If smooth is set, the value is the expectation of the largest mean, as returned by worstMean.
func (m *measure) estimateWorst(value []float64, smooth bool) criterionValue {
	mean, variance := m.groupMeans(value)
	at := floats.MaxIdx(mean)
	members := m.members[at]
	v := criterionValue{estimate{mean[at], make([]float64, len(value))}, len(members)}
	mass := 0.0
	for _, j := range members {
		mass += m.weight[j]
	}
	correction := math.Sqrt(smallSampleFactor(len(members)))
	for _, j := range members {
		v.influence[j] = correction * m.weight[j] / mass * (value[j] - mean[at])
	}
	if smooth {
		v.value = m.expectedLargest(mean, variance)
	}
	return v
}

// worstMean returns the expectation of the largest mean of the eligible groups under independent normal errors of
// the means. A small group thus counts according to the values that its true mean may have.
func (m *measure) worstMean(value []float64) float64 { return m.expectedLargest(m.groupMeans(value)) }

// decreaseError returns a standard error s of the decrease of the largest group mean. For every group, the decrease is
// at least its old mean, or the old mean of the worst group, minus its new mean. The larger of these two differences,
// each reduced by k of its standard errors, is the bound of the group. decrease − k·s is the smallest of the bounds.
func (m *measure) decreaseError(before, after []float64, k float64) (se float64) {
	was, wasVariance := m.groupMeans(before)
	is, isVariance := m.groupMeans(after)
	_, paired := m.groupMeans(floats.SubTo(make([]float64, len(before)), before, after))
	at := floats.MaxIdx(was)
	decrease := was[at] - slices.Max(is)
	for g, ok := range m.eligible {
		if !ok {
			continue
		}
		factor := k * studentFactor(k, float64(len(m.members[g])-1))
		bound := was[g] - is[g] - factor*math.Sqrt(paired[g])
		if g != at {
			factor = k * studentFactor(k, float64(min(len(m.members[g]), len(m.members[at]))-1))
			bound = max(bound, was[at]-is[g]-factor*math.Sqrt(wasVariance[at]+isVariance[g]))
		}
		se = max(se, (decrease-bound)/k)
	}
	return se
}

// expectedLargest returns the average, over fixed normal draws, of the largest of the group means plus their
// errors.
func (m *measure) expectedLargest(mean, variance []float64) float64 {
	if m.countEligible() < 2 {
		return slices.Max(mean)
	}
	if m.normals == nil {
		const stream = 0x736d6f6f
		rng := rand.New(rand.NewPCG(0, stream))
		m.normals = make([]float64, smoothingDraws*len(mean))
		for i := range m.normals {
			m.normals[i] = rng.NormFloat64()
		}
	}
	sum := 0.0
	for b := range smoothingDraws {
		z, largest := m.normals[b*len(mean):], math.Inf(-1)
		for g, ok := range m.eligible {
			if ok {
				largest = max(largest, mean[g]+z[g]*math.Sqrt(variance[g]))
			}
		}
		sum += largest
	}
	return sum / smoothingDraws
}

// reweight returns a measure of the same rows, whose weights are multiplied by exponentially distributed numbers.
func (m *measure) reweight(rng *rand.Rand) *measure {
	r := *m
	r.weight, r.total = make([]float64, len(m.weight)), 0
	for j, w := range m.weight {
		r.weight[j] = w * rng.ExpFloat64()
		r.total += r.weight[j]
	}
	return &r
}
