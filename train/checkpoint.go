package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/journal"
	"github.com/drotrain/drotrain/train/tune"
)

// A Checkpoint is a file of what a training has finished (each of its solves, the choice of
// a level) and of the state of the solve it is in, from which another run goes on: bit for
// bit to the same model. The rows are read again. Set it as Config.Checkpoint.
//
// Where rows lie on disk, or are more than two million, only finished solves are kept, and of
// those with weights of their own, one for every row, none.
type Checkpoint = journal.Journal

// A ChangedError says what is not as it was when a checkpoint was begun: an option, a
// file, the version.
type ChangedError = journal.ChangedError

// NewCheckpoint returns a checkpoint that is kept at path, the state of a solve every so
// often. The file is made when there is something to keep; Remove takes it away.
func NewCheckpoint(path string, every time.Duration) *Checkpoint { return journal.New(path, every) }

// ResumeCheckpoint reads the checkpoint at path, to go on from it. That there is none is an
// fs.ErrNotExist.
func ResumeCheckpoint(path string, every time.Duration) (*Checkpoint, error) {
	return journal.Resume(path, every)
}

// agree refuses to go on from a checkpoint of other options, another version or other
// files: with a *ChangedError of each difference.
func (m *Model) agree(asked Config) error {
	j := m.Config.Checkpoint
	if j == nil {
		return nil
	}
	b, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("the options cannot be kept in a checkpoint: %w", err)
	}
	var set map[string]json.RawMessage
	if err := json.Unmarshal(b, &set); err != nil {
		return err
	}
	all := []error{j.Agree("the version of drotrain", m.Version)}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, j.Agree("option "+name, string(set[name])))
	}
	all = append(all, j.Agree("the number of files", fmt.Sprint(len(m.Sources))))
	for i, s := range m.Sources {
		all = append(all, j.Agree(fmt.Sprintf("file %d (%s)", i+1, s.Path), s.SHA256))
	}
	if o := m.Run.outside; o != nil { // what may be selected, and is measured, depends on it
		all = append(all, j.Agree("the memory of rows on disk", fmt.Sprint(o.memory)))
	}
	all = append(all, j.Agree("where the rows lie", map[bool]string{true: "memory", false: "disk"}[m.Run.outside == nil]))
	return errors.Join(all...)
}

// mostKept is the number of rows whose states and weights are kept: they take 24 bytes each.
const mostKept = 2_000_000

// fixed reports that the adversary has a single answer, whatever the losses.
func fixed(d dro.Dual) bool {
	_, ok := d.(dro.Fixed)
	return ok
}

// solved is dro.Solve of a named part of the training: one that the checkpoint has is not
// done again, one that it has a state of goes on from there.
func (m *Model) solved(ctx context.Context, part string, p *dro.Problem, method dro.Method, s dro.Settings) (*dro.Result, error) {
	j := m.Config.Checkpoint
	if j == nil {
		return dro.Solve(ctx, p, method, s)
	}
	n, _, _ := p.Oracle.Dims()
	part = fmt.Sprintf("%s, μ = %v", part, *m.Config.Mu) // a baseline may be solved again with another
	var res dro.Result
	if ok, err := j.Done(part, &res); err != nil {
		return nil, err
	} else if ok {
		if res.Y == nil {
			res.Y = make([]float64, n)
			p.Dual.BestResponseTo(res.Y, make([]float64, n))
		}
		return &res, nil
	}
	large := m.Run.outside != nil || n > mostKept
	if !large {
		s.Resume, s.Snapshot, s.SnapshotDue = j.State(part), func(state []byte) { j.Keep(part, state) }, j.Due
	}
	out, err := dro.Solve(ctx, p, method, s)
	if err == nil && (!large || fixed(p.Dual)) {
		kept := *out
		if fixed(p.Dual) {
			kept.Y = nil
		}
		j.Finish(part, &kept)
	}
	return out, err
}

// chosen is tune.Select, but for a choice that the checkpoint has.
func (m *Model) chosen(ctx context.Context, x []float64, o tune.Options) (*tune.Selection, error) {
	const part = "choice"
	j := m.Config.Checkpoint
	var b []byte // JSON, as a model has it
	if ok, err := j.Done(part, &b); err != nil {
		return nil, err
	} else if ok {
		s := &tune.Selection{}
		return s, json.Unmarshal(b, s)
	}
	s, err := tune.Select(ctx, m.table(m.Run.Train), x, o)
	if err == nil && j != nil {
		if b, err := json.Marshal(s); err == nil {
			j.Finish(part, b)
		}
	}
	return s, err
}
