package tune

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/train/level"
)

// tailShare is the proportion of rows in the tail.
const tailShare = 0.1

// A measure estimates risks from one value per row, a loss or an error, out of fold.
type measure struct {
	rows     level.Rows
	weight   []float64 // by row
	total    float64   // sum of weight
	eligible []bool    // by group: whether it has rows enough to be the worst; nil without groups
}

// newMeasure returns a measure of the rows. A group is eligible if it has at least least rows of positive
// weight and some of them in every fold.
func newMeasure(r level.Rows, fold []int, folds, least int) *measure {
	m := &measure{rows: r, weight: make([]float64, r.N)}
	for j := range m.weight {
		m.weight[j] = r.Weight(j)
		m.total += m.weight[j]
	}
	if r.Group == nil {
		return m
	}
	count := make([][]int, len(r.Labels)) // by group and fold
	for g := range count {
		count[g] = make([]int, folds)
	}
	for j, g := range r.Group {
		if g >= 0 && m.weight[j] > 0 {
			count[g][fold[j]]++
		}
	}
	m.eligible = make([]bool, len(count))
	for g, of := range count {
		n := 0
		for _, c := range of {
			n += c
		}
		m.eligible[g] = n >= least && slices.Min(of) > 0
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

// An estimate is a statistic of the rows and the influence of each row on its error: the
// variance of the error is the sum of the squared influences.
type estimate struct {
	value     float64
	influence []float64
}

// minus returns the difference of two estimates on the same rows and its standard error.
func (e estimate) minus(o estimate) (difference, se float64) {
	s := 0.0
	for j, v := range e.influence {
		s += (v - o.influence[j]) * (v - o.influence[j])
	}
	return e.value - o.value, math.Sqrt(s)
}

// average estimates the mean.
func (m *measure) average(value []float64) estimate {
	e := estimate{influence: make([]float64, len(value))}
	for j, v := range value {
		e.value += m.weight[j] / m.total * v
	}
	for j, v := range value {
		e.influence[j] = m.weight[j] / m.total * (v - e.value)
	}
	return e
}

// deviation returns the standard deviation of the values.
func (m *measure) deviation(value []float64) float64 {
	mean, s := m.average(value).value, 0.0
	for j, v := range value {
		s += m.weight[j] / m.total * (v - mean) * (v - mean)
	}
	return math.Sqrt(s)
}

// tail estimates CVaR: the mean of the largest tailShare of the values.
func (m *measure) tail(value []float64) estimate {
	order := make([]int, len(value))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
	e := estimate{influence: make([]float64, len(value))}
	left, quantile := tailShare*m.total, 0.0
	for _, j := range order {
		take := min(left, m.weight[j])
		e.value += take * value[j] / (tailShare * m.total)
		quantile = value[j]
		if left -= take; left <= 0 {
			break
		}
	}
	for j, v := range value {
		e.influence[j] = m.weight[j] / m.total * (quantile + max(0, v-quantile)/tailShare - e.value)
	}
	return e
}

// byGroup returns the mean of every group, −Inf if it is not eligible, and an unbiased estimate of the variance
// of the mean.
func (m *measure) byGroup(value func(j int) float64) (mean, variance []float64) {
	mean, variance = make([]float64, len(m.eligible)), make([]float64, len(m.eligible))
	mass, count := make([]float64, len(m.eligible)), make([]float64, len(m.eligible))
	for j, g := range m.rows.Group {
		if g >= 0 && m.weight[j] > 0 {
			mean[g] += m.weight[j] * value(j)
			mass[g] += m.weight[j]
			count[g]++
		}
	}
	for g := range mean {
		mean[g] /= mass[g]
	}
	for j, g := range m.rows.Group {
		if g >= 0 && m.weight[j] > 0 {
			influence := m.weight[j] / mass[g] * (value(j) - mean[g])
			variance[g] += influence * influence * count[g] / max(1, count[g]-1)
		}
	}
	for g, ok := range m.eligible {
		if !ok {
			mean[g] = math.Inf(-1)
		}
	}
	return mean, variance
}

// worstGroup returns the largest group mean after, its decrease from the largest group mean
// before, and the standard error of the decrease. The largest mean decreases for sure if the
// mean of every group after is below its own mean before or below that of the worst group
// before, by significance standard errors of the difference. The standard error returned
// makes decrease − significance·se the least certain of these comparisons.
func (m *measure) worstGroup(before, after []float64) (worst, decrease, se float64) {
	was, wasVariance := m.byGroup(func(j int) float64 { return before[j] })
	is, isVariance := m.byGroup(func(j int) float64 { return after[j] })
	_, paired := m.byGroup(func(j int) float64 { return before[j] - after[j] })
	at := floats.MaxIdx(was)
	worst = slices.Max(is)
	decrease = was[at] - worst
	for g, ok := range m.eligible {
		if !ok {
			continue
		}
		bound := was[g] - is[g] - significance*math.Sqrt(paired[g])
		if g != at {
			bound = max(bound, was[at]-is[g]-significance*math.Sqrt(wasVariance[at]+isVariance[g]))
		}
		se = max(se, (decrease-bound)/significance)
	}
	return worst, decrease, se
}
