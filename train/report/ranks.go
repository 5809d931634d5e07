package report

import (
	"cmp"
	"context"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
)

// measureRanks works like Measure for several ranks: each rank predicts its own hold-out rows, and rank 0 evaluates
// all of them. The other ranks return nil.
func measureRanks(ctx context.Context, c ranks.Comm, m *train.Model, o Options) (*Measured, error) {
	switch {
	case len(o.Groups) > 0:
		return nil, &OptionError{Option: "groups",
			Msg: "with several ranks, a report can only use the groups of the training run"}
	case m.HoldoutRows == 0:
		return nil, &OptionError{Msg: "a report on the training rows needs a single process", Help: "hold rows out"}
	}
	m.GatherRows()
	o.Cache = cmp.Or(o.Cache, m.Config.Cache)
	x := &Measured{options: o, model: m, run: m.Run}
	// result of a rank without hold-out rows
	own := &scoredRows{models: make([]eval.Model, len(versionsWithRescaled(m, nil))),
		Groups: make([]encode.Grouping, len(m.Encoder.Groups))}
	if m.Run.Holdout != nil {
		var err error
		if own, err = x.scoreRows(ctx, m.Run.Frame, m.Run.Holdout); err != nil {
			return nil, err
		}
	}
	t, err := x.gatherRows(c, own)
	if err != nil || t == nil {
		return nil, err
	}
	err = x.evaluate(ctx, m.Run.Frame, t, eval.Holdout)
	return x, cmp.Or(err, x.arena.Err())
}

// gatherRows gathers the scored rows of all ranks on rank 0, in the order of the table, in memory or on disk. The other
// ranks return nil.
func (x *Measured) gatherRows(c ranks.Comm, own *scoredRows) (t *scoredRows, err error) {
	ends := ranks.RankEnds(c, len(own.Rows))
	n := ends[len(ends)-1]
	if c.Rank() == 0 {
		t = &scoredRows{models: make([]eval.Model, len(own.models)), Groups: make([]encode.Grouping, len(own.Groups))}
		if t.arena, err = x.options.arenaFor(x.run.Frame, n, len(own.models)); err != nil {
			return nil, err
		}
		x.arena = t.arena
	} else {
		t = own // discards data that are not for this rank
	}
	gatherVector(c, t.arena, &t.Rows, own.Rows, ends)
	gatherVector(c, t.arena, &t.Target, own.Target, ends)
	for k, g := range own.Groups {
		t.Groups[k].Name, t.Groups[k].Labels = g.Name, g.Labels
		gatherVector(c, t.arena, &t.Groups[k].Index, g.Index, ends)
	}
	for k, m := range own.models {
		t.models[k].Name, t.models[k].Role = m.Name, m.Role
		gatherVector(c, t.arena, &t.models[k].Score, m.Score, ends)
		gatherVector(c, t.arena, &t.models[k].Loss, m.Loss, ends)
	}
	t.along = own.along.sumOverRanks(c, x.model.Encoder)
	if c.Rank() > 0 {
		return nil, nil
	}
	return t, nil
}

// gatherVector stores the entries of all ranks in to on rank 0, and nil on the other ranks. ends holds the end of each
// rank's entries.
func gatherVector[T int | int32 | float64](c ranks.Comm, arena *memory.Arena, to *[]T, own []T, ends []int) {
	var all []T
	if c.Rank() == 0 {
		all = memory.Make[T](arena, ends[len(ends)-1])
	}
	ranks.GatherRanksToRoot(c, all, own, ends)
	*to = all
}
