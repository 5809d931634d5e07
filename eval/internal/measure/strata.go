package measure

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/memory"
)

// A Stratum is the rows of one group, with their orders. The models are sorted
// once, over all rows; groups take their part of it.
type Stratum struct {
	Rows  []int32   // ascending
	Order [][]int32 // by model: the rows by ascending score
	Flag  [][]uint8 // two classes, by model: along Order, see Ties
	Size  [][]int32 // regression, by model: the rows by ascending |error|
}

// Ties returns the rows by ascending score of model k, for two classes.
func (s *Stratum) Ties(in *Rows, k int) Ties { return Ties{s.Order[k], s.Flag[k], in.Weight} }

// Strata holds all rows as one, and the groups with rows of every grouping.
type Strata struct {
	All    *Stratum
	Groups [][]Stratum
}

// NewStrata sorts the rows by every model, and divides them.
func NewStrata(ctx context.Context, in *Rows, groups []data.Grouping) (*Strata, error) {
	n := len(in.Target)
	all := &Stratum{Rows: memory.Make[int32](in.Arena, n), Order: make([][]int32, len(in.Models))}
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
	err := in.Parallel(ctx, "sorting", sorts, func(k int) error {
		m := in.Models[k%len(in.Models)]
		if k < len(in.Models) {
			all.Order[k] = Argsort(in.Arena, n, func(i int) float64 { return m.Score[i] })
			if all.Flag != nil {
				all.Flag[k] = NewTies(in.Arena, in.Target, m.Score, nil, all.Order[k]).Flag
			}
		} else {
			all.Size[k-len(in.Models)] = Argsort(in.Arena, n, func(i int) float64 { return math.Abs(m.Score[i] - in.Target[i]) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Strata{All: all, Groups: make([][]Stratum, len(groups))}
	err = in.Parallel(ctx, "", len(groups), func(j int) error {
		s.Groups[j] = all.divide(in, groups[j])
		return nil
	})
	return s, err
}

// divide returns the groups of g that have rows, in the order of their labels.
func (a *Stratum) divide(in *Rows, g data.Grouping) []Stratum {
	var out []Stratum
	for _, rows := range rowsByGroup(in.Arena, g, nil) {
		if len(rows) > 0 {
			out = append(out, Stratum{Rows: rows})
		}
	}
	// each calls f with the rows of every group in the given order of all rows.
	each := func(order []int32, f func(s *Stratum, rows []int32)) {
		s := 0
		for _, rows := range rowsByGroup(in.Arena, g, order) {
			if len(rows) > 0 {
				f(&out[s], rows)
				s++
			}
		}
	}
	for k, o := range a.Order {
		each(o, func(s *Stratum, rows []int32) {
			s.Order = append(s.Order, rows)
			if a.Flag != nil {
				s.Flag = append(s.Flag, NewTies(in.Arena, in.Target, in.Models[k].Score, nil, rows).Flag)
			}
		})
	}
	for _, o := range a.Size {
		each(o, func(s *Stratum, rows []int32) { s.Size = append(s.Size, rows) })
	}
	return out
}

// rowsByGroup returns, for each label, the rows that carry it, in the order
// given; nil means ascending.
func rowsByGroup(arena *memory.Arena, g data.Grouping, order []int32) [][]int32 {
	count := make([]int32, len(g.Labels)+1) // where each group begins
	for _, k := range g.Index {
		count[k+1]++
	}
	for k := range g.Labels {
		count[k+1] += count[k]
	}
	flat := memory.Make[int32](arena, len(g.Index))
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
