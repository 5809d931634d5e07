package eval

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/data"
)

// A stratum is the rows of one group, with their orders. The models are sorted
// once, over all rows; groups take their part of it.
type stratum struct {
	rows  []int32   // ascending
	order [][]int32 // by model: the rows by ascending score
	size  [][]int32 // regression, by model: the rows by ascending |error|
}

// strata holds all rows as one, and the groups with rows of every grouping.
type strata struct {
	all    *stratum
	groups [][]stratum
}

// newStrata sorts the rows by every model, and divides them.
func newStrata(ctx context.Context, in *Rows, groups []data.Grouping) (*strata, error) {
	n := len(in.Target)
	all := &stratum{rows: make([]int32, n), order: make([][]int32, len(in.Models))}
	for i := range all.rows {
		all.rows[i] = int32(i)
	}
	sorts := len(in.Models)
	if in.Task == Regression {
		all.size = make([][]int32, len(in.Models))
		sorts *= 2
	}
	err := in.parallel(ctx, "sorting", sorts, func(k int, _ *scratch) error {
		m := in.Models[k%len(in.Models)]
		if k < len(in.Models) {
			all.order[k] = argsort(n, func(i int) float64 { return m.Score[i] })
		} else {
			all.size[k-len(in.Models)] = argsort(n, func(i int) float64 { return math.Abs(m.Score[i] - in.Target[i]) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &strata{all: all, groups: make([][]stratum, len(groups))}
	err = parallel(ctx, in.Workers, len(groups), func(j int, _ *scratch) error {
		s.groups[j] = all.divide(groups[j])
		return nil
	})
	return s, err
}

// divide returns the groups of g that have rows, in the order of their labels.
func (a *stratum) divide(g data.Grouping) []stratum {
	var out []stratum
	parts := func(order []int32, put func(s *stratum, rows []int32)) {
		s := 0
		for _, rows := range rowsByGroup(g, order) {
			if len(rows) > 0 {
				put(&out[s], rows)
				s++
			}
		}
	}
	for _, rows := range rowsByGroup(g, nil) {
		if len(rows) > 0 {
			out = append(out, stratum{rows: rows})
		}
	}
	for _, o := range a.order {
		parts(o, func(s *stratum, rows []int32) { s.order = append(s.order, rows) })
	}
	for _, o := range a.size {
		parts(o, func(s *stratum, rows []int32) { s.size = append(s.size, rows) })
	}
	return out
}

// rowsByGroup returns, for each label, the rows that carry it, in the order
// given; nil means ascending.
func rowsByGroup(g data.Grouping, order []int32) [][]int32 {
	count := make([]int32, len(g.Labels)+1)
	for _, k := range g.Index {
		count[k+1]++
	}
	for k := range g.Labels {
		count[k+1] += count[k]
	}
	flat := make([]int32, len(g.Index))
	next := append([]int32(nil), count...)
	for at := range g.Index {
		i := int32(at)
		if order != nil {
			i = order[at]
		}
		k := g.Index[i]
		flat[next[k]] = i
		next[k]++
	}
	out := make([][]int32, len(g.Labels))
	for k := range out {
		out[k] = flat[count[k]:count[k+1]:count[k+1]]
	}
	return out
}
