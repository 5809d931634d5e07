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
	err := in.Parallel(ctx, "sorting", sorts, func(k int, _ *Scratch) error {
		m := in.Models[k%len(in.Models)]
		if k < len(in.Models) {
			all.Order[k] = ArgsortIn(in.Arena, n, func(i int) float64 { return m.Score[i] })
			if all.Flag != nil {
				all.Flag[k] = memory.Make[uint8](in.Arena, n)
				flagTies(all.Flag[k], in.Target, m.Score, all.Order[k])
			}
		} else {
			all.Size[k-len(in.Models)] = ArgsortIn(in.Arena, n, func(i int) float64 { return math.Abs(m.Score[i] - in.Target[i]) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Strata{All: all, Groups: make([][]Stratum, len(groups))}
	err = Parallel(ctx, in.Workers, len(groups), func(j int, _ *Scratch) error {
		s.Groups[j] = all.divide(in.Arena, groups[j])
		return nil
	})
	return s, err
}

// divide returns the groups of g that have rows, in the order of their labels.
func (a *Stratum) divide(arena *memory.Arena, g data.Grouping) []Stratum {
	var out []Stratum
	parts := func(order []int32, put func(s *Stratum, rows []int32)) {
		s := 0
		for _, rows := range rowsByGroup(arena, g, order) {
			if len(rows) > 0 {
				put(&out[s], rows)
				s++
			}
		}
	}
	for _, rows := range rowsByGroup(arena, g, nil) {
		if len(rows) > 0 {
			out = append(out, Stratum{Rows: rows})
		}
	}
	for k, o := range a.Order {
		if a.Flag == nil {
			parts(o, func(s *Stratum, rows []int32) { s.Order = append(s.Order, rows) })
			continue
		}
		s := 0
		for _, t := range (Ties{o, a.Flag[k], nil}).divide(arena, g.Index, len(g.Labels)) {
			if len(t.Order) > 0 {
				out[s].Order, out[s].Flag = append(out[s].Order, t.Order), append(out[s].Flag, t.Flag)
				s++
			}
		}
	}
	for _, o := range a.Size {
		parts(o, func(s *Stratum, rows []int32) { s.Size = append(s.Size, rows) })
	}
	return out
}

// rowsByGroup returns, for each label, the rows that carry it, in the order
// given; nil means ascending.
func rowsByGroup(arena *memory.Arena, g data.Grouping, order []int32) [][]int32 {
	count := groupStarts(g.Index, len(g.Labels))
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

// groupStarts returns where each group begins where rows lie one group after another, and the
// number of rows.
func groupStarts(index []int32, labels int) []int32 {
	start := make([]int32, labels+1)
	for _, k := range index {
		start[k+1]++
	}
	for k := range labels {
		start[k+1] += start[k]
	}
	return start
}
