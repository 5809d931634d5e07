package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
)

// A measure estimates what a candidate's out-of-fold losses say of unseen rows.
type measure struct {
	rows   level.Rows
	fold   []int
	folds  int
	least  int     // rows of a group that may be the worst
	tail   float64 // share of the rows of the tail
	weight []float64
	total  float64

	eligible []bool // groups that have rows enough to be called the worst; nil without groups
}

func newMeasure(r level.Rows, fold []int, folds, least int, tail float64) *measure {
	m := &measure{rows: r, fold: fold, folds: folds, least: least, tail: tail, weight: make([]float64, r.N)}
	for j := range m.weight {
		m.weight[j] = r.Weight(j)
		m.total += m.weight[j]
	}
	return m
}

// groups finds the groups that have rows enough to be called the worst, and counts them.
func (m *measure) groups() (count int) {
	if m.rows.Group == nil {
		return 0
	}
	number := make([]int, len(m.rows.Labels))
	inFold := make([]map[int]bool, len(m.rows.Labels))
	for j, g := range m.rows.Group {
		if g >= 0 && m.weight[j] > 0 {
			number[g]++
			if inFold[g] == nil {
				inFold[g] = map[int]bool{}
			}
			inFold[g][m.fold[j]] = true
		}
	}
	m.eligible = make([]bool, len(number))
	for g, n := range number {
		if n >= m.least && len(inFold[g]) == m.folds {
			m.eligible[g] = true
			count++
		}
	}
	return count
}

// grouped reports whether there is a worst group.
func (m *measure) grouped() bool {
	for _, ok := range m.eligible {
		if ok {
			return true
		}
	}
	return false
}

// in calls f with the groups that row j is in and its weight there.
func (m *measure) in(j int, f func(g int, w float64)) {
	if m.rows.Group[j] >= 0 && m.eligible[m.rows.Group[j]] {
		f(int(m.rows.Group[j]), m.weight[j])
	}
}

// scales are the mean and the standard deviation of losses.
func (m *measure) scales(loss []float64) scales {
	s := scales{mean: m.average(loss).value}
	for j, v := range loss {
		s.deviation += m.weight[j] / m.total * (v - s.mean) * (v - s.mean)
	}
	s.deviation = math.Sqrt(s.deviation)
	return s
}

// An estimate is Σ_j share_j·loss_j with Σ share = 1, and what its error is made of.
type estimate struct {
	value     float64
	influence []float64 // of every row on the error; their squares sum to its variance
}

// minus returns the difference of two estimates on the same rows and its standard error.
func (e estimate) minus(o estimate) (difference, se float64) {
	s := 0.0
	for j, v := range e.influence {
		v -= o.influence[j]
		s += v * v
	}
	return e.value - o.value, math.Sqrt(s)
}

// average estimates the mean loss.
func (m *measure) average(loss []float64) estimate {
	e := estimate{influence: make([]float64, len(loss))}
	for j, v := range loss {
		e.value += m.weight[j] / m.total * v
	}
	for j, v := range loss {
		e.influence[j] = m.weight[j] / m.total * (v - e.value)
	}
	return e
}

// means returns the mean of every group's losses, NaN of a group without rows, and its weight.
func (m *measure) means(loss []float64) (mean, mass []float64) {
	sum, mass := make([]float64, len(m.eligible)), make([]float64, len(m.eligible))
	for j, v := range loss {
		m.in(j, func(g int, w float64) {
			sum[g] += w * v
			mass[g] += w
		})
	}
	floats.Div(sum, mass)
	return sum, mass
}

// worst estimates the largest group mean. The largest of several means is above the
// mean of the largest, and so the group is named on the other folds: its mean in a fold
// is then without bias. A row counts by its distance from the mean of its group in all folds:
// from that in its own, where n rows of the group are, these would seem to vary by
// (n − 1)/n of what they do, and one alone not at all.
func (m *measure) worst(loss []float64) estimate {
	groups := len(m.eligible)
	sum, mass := make([]float64, groups*m.folds), make([]float64, groups*m.folds)
	for j, v := range loss {
		m.in(j, func(g int, w float64) {
			sum[g*m.folds+m.fold[j]] += w * v
			mass[g*m.folds+m.fold[j]] += w
		})
	}
	named := make([]int, m.folds)
	e := estimate{influence: make([]float64, len(loss))}
	for k := range m.folds {
		most := math.Inf(-1)
		for g := range groups {
			s, w := 0.0, 0.0
			for f := range m.folds {
				if f != k {
					s += sum[g*m.folds+f]
					w += mass[g*m.folds+f]
				}
			}
			if w > 0 && s/w > most && mass[g*m.folds+k] > 0 {
				most, named[k] = s/w, g
			}
		}
		i := named[k]*m.folds + k
		e.value += sum[i] / mass[i] / float64(m.folds)
	}
	mean, _ := m.means(loss)
	for j, v := range loss {
		k := m.fold[j]
		m.in(j, func(g int, w float64) {
			if g == named[k] {
				e.influence[j] = w / mass[g*m.folds+k] / float64(m.folds) * (v - mean[g])
			}
		})
	}
	return e
}

// largest estimates the largest group mean by that of all rows. It is above the mean of the
// largest where groups are near each other, as it will be on other rows.
func (m *measure) largest(loss []float64) estimate {
	mean, mass := m.means(loss)
	e, named := estimate{value: math.Inf(-1), influence: make([]float64, len(loss))}, -1
	for g, v := range mean {
		if v > e.value {
			e.value, named = v, g
		}
	}
	for j, v := range loss {
		m.in(j, func(g int, w float64) {
			if g == named {
				e.influence[j] = w / mass[g] * (v - e.value)
			}
		})
	}
	return e
}

// conditional estimates the mean of the worst share of the losses: CVaR.
func (m *measure) conditional(loss []float64) estimate {
	order := m.worstRows(loss)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(loss[b], loss[a]) })
	e := estimate{influence: make([]float64, len(loss))}
	left, quantile := m.tail*m.total, 0.0
	for _, j := range order {
		take := min(left, m.weight[j])
		e.value += take * loss[j] / (m.tail * m.total)
		quantile = loss[j]
		if left -= take; left <= 0 {
			break
		}
	}
	for j, v := range loss {
		e.influence[j] = m.weight[j] / m.total * (quantile + max(0, v-quantile)/m.tail - e.value)
	}
	return e
}

// worstRows are the rows whose losses are no smaller than some number, which have the tail's
// share of the weights at least: twice as many as the tail has, by a few hundred of the losses.
func (m *measure) worstRows(loss []float64) []int {
	const looked = 500
	var some []float64
	for j := 0; j < len(loss); j += 1 + len(loss)/looked {
		some = append(some, loss[j])
	}
	slices.Sort(some)
	least := math.Inf(-1)
	if at := int((1 - 2*m.tail) * float64(len(some))); at > 0 {
		least = some[at]
	}
	rows, mass := make([]int, 0, len(loss)/4), 0.0
	for j, v := range loss {
		if v >= least {
			rows = append(rows, j)
			mass += m.weight[j]
		}
	}
	if mass >= m.tail*m.total {
		return rows
	}
	rows = rows[:0]
	for j := range loss {
		rows = append(rows, j)
	}
	return rows
}
