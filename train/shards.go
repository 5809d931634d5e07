package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// Training can be distributed over several ranks. Every rank calls FitFrame with the same table, but holds the
// features, target, groups, weight and index only of its own rows. A vector with one entry for each row is as long
// as the number of rows of all ranks, but only the entries of this rank are set.

// checkRanks returns an error for settings that several ranks do not support.
func (c *Config) checkRanks() error {
	var all []error
	refuse := func(is bool, what, instead string) {
		if is {
			all = append(all, fmt.Errorf("%s does not work with several ranks: %s", what, instead))
		}
	}
	refuse(c.Recalibrate, "Config.Recalibrate", "leave it out")
	refuse(c.Evaluate == EvaluateCrossfit, "Config.Evaluate crossfit", "hold rows out")
	refuse(c.Rows != nil, "Config.Rows", "use a filter")
	refuse(c.ValidationData+c.ValidationSplit != "", "a choice on validation rows", "leave the validation rows out")
	local := c.LocalSetting()
	refuse(local != "", "Config."+local, "use Config.Protect, or a divergence with a penalty")
	refuse(c.Memory > 0, "Config.Memory", "start more ranks, which together have more memory")
	return errors.Join(all...)
}

// assignRows assigns the rows of a table to ranks, or all rows to this process if there is only one. It is a collective
// call. The training rows of all ranks are the same as in one process, in the order of the table, except that each shard
// is shuffled, so that its first rows are a random sample. If a row can be held out independently of the other rows, a
// rank reads only its part of the table.
func (c *Config) assignRows(
	ctx context.Context, f *data.Frame, o *diskStorage,
) (s *rowAssignment, periods *Periods, err error) {
	if h := c.dataHoldout(); c.comm != nil && f.SplitsByRow(h) {
		s, err = splitRowsByChunk(ctx, c.comm, f, h)
	} else {
		var train, held []int
		if train, held, err = c.splitRows(ctx, f, o.arena()); err == nil {
			s = splitListedRows(c.comm, train, held)
			periods, err = c.findPeriods(ctx, f, train, held)
		}
	}
	switch {
	case err != nil:
		return nil, nil, err
	case o != nil:
		slices.Sort(s.Held) // the rows are read in the order of the table
	case c.comm != nil:
		lo, _ := s.Rows.LocalRange(s.Total)
		s.Rows.Run(s.Total, func(k, from, to int) { shuffle(s.Train[from-lo:to-lo], c.Seed+uint64(k)) })
	}
	return s, periods, nil
}

// arena returns the arena for vectors with one entry for each training row; nil means the heap.
func (r *Run) arena() *memory.Arena {
	if r.rows != nil {
		return r.Train.X.(*design.Sharded).Arena()
	}
	return r.disk.arena()
}

// shardMatrix returns the matrix of all training rows, given the matrix of the rows of this rank.
func (r *Run) shardMatrix(here design.Matrix) (design.Matrix, error) {
	if r.rows == nil {
		return here, nil
	}
	return design.NewSharded(r.rows, r.Train.N, here)
}

// isFollower reports whether another rank writes the results.
func (m *Model) isFollower() bool { return m.Config.comm != nil && m.Config.comm.Rank() > 0 }

// maxCopies returns the maximum number of rows of which each rank may hold copies.
func maxCopies(x design.Matrix) int { return x.(*design.Sharded).MaxSelected() }

// weightConcentration returns Σy² and the largest weight of y.
func (r *Run) weightConcentration(y []float64) (squares, largest float64) {
	add := func(lo, hi int) (sum float64) {
		for _, v := range y[lo:hi] {
			sum += v * v
		}
		return sum
	}
	return r.rows.Sum(len(y), add), r.rows.Max(len(y), func(lo, hi int) float64 { return slices.Max(y[lo:hi]) })
}

// completeRow is the memory in bytes that a report needs on rank 0 for each training row: losses, weights, indices,
// groups and their sorted copies.
const completeRow = 104

// GatherRows gathers the losses, adversary weights, indices and groups of all training rows on rank 0, for a report. It
// is a collective call. If the memory of rank 0 does not suffice, the weights stay unknown, and a note is added. With a
// single process it does nothing.
func (m *Model) GatherRows() {
	r := m.Run
	if r == nil || r.rows == nil {
		return
	}
	budget := limit.NewBudget(0)
	need := int64(r.Train.N) * completeRow
	has := []float64{0}
	if !m.isFollower() && budget.Fits(need) {
		has[0] = 1
	}
	if m.Config.comm.Sum(has); has[0] == 0 {
		d := *r.Train
		d.Groups = nil // the shares of the groups are unknown
		r.Weights, r.Train = nil, &d
		if !m.isFollower() {
			m.addNotes(fmt.Sprintf(
				"the adversary's weight by group is not reported: gathering %d training rows needs %s of memory on the first "+
					"rank, where %s (%s) are free", r.Train.N, formatBytes(need), formatBytes(budget.Free()), budget.Limit))
		}
		return
	}
	d := *r.Train
	loss, weights := ranks.GatherToRoot(r.rows, r.Loss), ranks.GatherToRoot(r.rows, r.Weights)
	d.Rows, d.Groups = ranks.GatherToRoot(r.rows, d.Rows), slices.Clone(d.Groups)
	for k := range d.Groups {
		d.Groups[k].Index = ranks.GatherToRoot(r.rows, d.Groups[k].Index)
	}
	if !m.isFollower() {
		r.Loss, r.Weights, r.Train = loss, weights, &d
	}
}

// selectRows works like t.Select for rows on several ranks.
func selectRows(rows *ranks.Rows, t *tune.Table, at []int) *tune.Table {
	s := *t
	numbers := ranks.GatherAt(rows, at, t.Target, t.Weights)
	s.X, s.Target = t.X.Select(at), numbers[0]
	s.Rows = level.Rows{N: len(at), Weights: numbers[1], Group: ranks.GatherAt(rows, at, t.Group)[0], Labels: t.Labels}
	return &s
}

// levelRows returns the training rows in the form that package level requires.
func (r *Run) levelRows() level.Rows {
	rows := Rows(r.Train, r.Weight)
	if r.inferred != nil {
		rows = *r.inferred
	}
	rows.Sharded = r.rows.Exported()
	return rows
}

// selectOnRoot works like tune.Select. With several ranks it is a collective call: rank 0 calls tune.Select on a sample
// of the rows and broadcasts the outcome, without Start.
func (m *Model) selectOnRoot(ctx context.Context, t *tune.Table, x []float64, o tune.Options) (*tune.Selection, error) {
	if m.Run.rows == nil {
		return tune.Select(ctx, t, x, o)
	}
	t = selectRows(m.Run.rows, t, m.Run.rows.StratifiedSample(t.N, min(t.N, o.Rows, maxCopies(t.X))))
	type outcome struct {
		Selection []byte // JSON in the form in which a model file holds it
		Few       bool
		Stopped   int // exit status that rank 0 was asked to stop with, or 0
		Error     string
	}
	var own outcome
	s, failed := &tune.Selection{}, error(nil)
	if !m.isFollower() {
		s, failed = tune.Select(ctx, t, x, o)
		var few *tune.FewRowsError
		if own.Few = errors.As(failed, &few); failed == nil {
			s.Of, s.Start = m.Run.Train.N, nil // these fields are not sent to other ranks
			own.Selection, failed = json.Marshal(s)
		}
		if failed != nil {
			if own.Error = failed.Error(); ctx.Err() != nil {
				own.Stopped = ranks.StopCode(context.Cause(ctx))
			}
		}
	}
	all, err := gather.Values(m.Config.comm, own)
	if err != nil {
		return nil, err
	}
	root := all[0] // outcome of rank 0
	switch {
	case failed != nil:
		return nil, failed
	case root.Stopped > 0:
		return nil, &ranks.StoppedError{Code: root.Stopped}
	case root.Few:
		return nil, &tune.FewRowsError{Msg: root.Error}
	case root.Error != "":
		return nil, errors.New(root.Error)
	}
	return s, json.Unmarshal(root.Selection, s)
}
