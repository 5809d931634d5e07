package eval

import (
	"context"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/memory"
)

// strata holds one stratum with all rows, and one stratum for each group of every grouping.
type strata struct {
	All    *interval.Stratum
	Groups [][]interval.Stratum
}

// newStrata divides the rows of in into strata by the groupings, sorted by every model.
func newStrata(ctx context.Context, in *measuredRows, groups []facts.Grouping) (*strata, error) {
	n := len(in.Target)
	all := &interval.Stratum{Rows: memory.Make[int32](in.Arena, n), Order: make([][]int32, len(in.Models))}
	for i := range all.Rows {
		all.Rows[i] = int32(i)
	}
	sorts := len(in.Models)
	if in.Task == Regression {
		all.Size = make([][]int32, len(in.Models))
		sorts *= 2
	} else if in.Task == Binary {
		all.Flag = make([][]uint8, len(in.Models))
	}
	err := in.Parallel(ctx, "sorting losses", sorts, func(k int) error {
		m := in.Models[k%len(in.Models)]
		if k < len(in.Models) {
			all.Order[k] = argsort(in.Arena, n, func(i int) float64 { return m.Score[i] })
			if all.Flag != nil {
				all.Flag[k] = interval.NewTies(in.Arena, in.Target, m.Score, nil, all.Order[k]).Flag
			}
		} else {
			all.Size[k-len(in.Models)] = argsort(in.Arena, n, func(i int) float64 { return math.Abs(m.Score[i] - in.Target[i]) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &strata{All: all, Groups: make([][]interval.Stratum, len(groups))}
	err = in.Parallel(ctx, "", len(groups), func(j int) error {
		s.Groups[j] = splitByGroup(in, all, groups[j])
		return nil
	})
	return s, err
}

// splitByGroup returns the strata of the groups of g that have rows, in the order of their labels; a holds all rows.
func splitByGroup(in *measuredRows, a *interval.Stratum, g facts.Grouping) []interval.Stratum {
	var out []interval.Stratum
	for _, rows := range rowsByGroup(in.Arena, g, a.Rows) {
		out = append(out, interval.Stratum{Rows: rows})
	}
	for k, order := range a.Order {
		for j, rows := range rowsByGroup(in.Arena, g, order) {
			s := &out[j]
			s.Order = append(s.Order, rows)
			if a.Flag != nil {
				s.Flag = append(s.Flag, interval.NewTies(in.Arena, in.Target, in.Models[k].Score, nil, rows).Flag)
			}
		}
	}
	for _, order := range a.Size {
		for j, rows := range rowsByGroup(in.Arena, g, order) {
			out[j].Size = append(out[j].Size, rows)
		}
	}
	return out
}

// rowsByGroup divides the rows in order, which contains all rows, by group. Groups without rows are omitted.
func rowsByGroup(arena *memory.Arena, g facts.Grouping, order []int32) (out [][]int32) {
	count := make([]int32, len(g.Labels)+1) // offset at which each group begins
	for _, k := range g.Index {
		count[k+1]++
	}
	for k := range g.Labels {
		count[k+1] += count[k]
	}
	flat := memory.Make[int32](arena, len(order))
	next := slices.Clone(count)
	for _, i := range order {
		k := g.Index[i]
		flat[next[k]] = i
		next[k]++
	}
	for k := range g.Labels {
		if lo, hi := count[k], count[k+1]; lo < hi {
			out = append(out, flat[lo:hi:hi])
		}
	}
	return out
}
