package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/journal"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/tune"
)

// A Checkpoint is a file of what a training has finished (each of its solves, the choice of
// a level) and of the state of the solve it is in, from which another run goes on: bit for
// bit to the same model. The rows are read again. Set it as Config.Checkpoint.
//
// Where rows lie on disk, or are more than two million, nothing is kept that has an entry for
// every row: it is computed again from what is kept. States that cannot do without are not.
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
	set := asked.set()
	all := []error{j.Agree("the version of drotrain", m.Version)}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, j.Agree("option "+name, string(set[name])))
	}
	all = append(all, j.Agree("the number of files", fmt.Sprint(len(m.Sources))))
	for i, s := range m.Sources {
		all = append(all, j.Agree(fmt.Sprintf("file %d (%s)", i+1, s.Path), s.SHA256))
	}
	if o := m.Run.outside; o != nil { // what may be selected, and is measured, depends on it
		all = append(all, j.Agree(factMemory, fmt.Sprint(o.memory)))
	}
	all = append(all, j.Agree("that ranks have the rows", fmt.Sprint(m.Run.rows != nil))) // of any number: they have the same bits
	all = append(all, j.Agree(factWhere, map[bool]string{true: inMemory, false: onDisk}[m.Run.outside == nil]))
	return errors.Join(all...)
}

// What a run that goes on takes over, for what may be selected and is measured depends on it.
const (
	factMemory = "the memory of rows on disk"
	factWhere  = "where the rows lie"
	inMemory   = "memory"
	onDisk     = "disk"
)

// mostKept is the number of rows whose weights are kept, and mostState what the state of a
// solve of more rows may take.
const (
	mostKept  = 2_000_000
	mostState = 16 << 20
)

// large says that nothing is kept which has an entry for every row.
func (m *Model) large(n int) bool {
	return m.Run.outside != nil || m.Run.rows != nil || n > mostKept
}

// fixed reports that the adversary has a single answer, whatever the losses.
func fixed(d dro.Dual) bool {
	_, ok := d.(dro.Fixed)
	return ok
}

// solved is dro.Solve of a named part of the training: one that the checkpoint has is not
// done again, one that it has a state of goes on from there.
func (m *Model) solved(ctx context.Context, part string, p *dro.Problem, method dro.Method, s dro.Settings) (*dro.Result, error) {
	j := m.Config.Checkpoint
	n, _, _ := p.Oracle.Dims()
	large := m.large(n)
	part = fmt.Sprintf("%s, μ = %v", part, *m.Config.Mu) // a baseline may be solved again with another
	var res dro.Result
	if ok, err := j.Done(part, &res); err != nil {
		return nil, err
	} else if ok {
		if res.Y == nil {
			m.weigh(&res, p, nil)
		}
		return &res, nil
	}
	if j != nil {
		s.Resume, s.Snapshot, s.SnapshotDue = j.State(part), func(state []byte) { j.Keep(part, state) }, j.Due
	}
	if large {
		s.SnapshotMost = mostState
	}
	out, err := dro.Solve(ctx, p, method, s)
	again := fixed(p.Dual)
	if err == nil && large && !again {
		was := out.Y
		if again = m.weigh(out, p, was); again {
			paged.Free(m.Run.room(), was)
		}
	}
	if err == nil && j != nil && (again || !large) {
		kept := *out
		if again {
			kept.Y = nil
		}
		j.Finish(part, &kept)
	}
	return out, err
}

// weigh gives a result the weights that its losses call for, to the same bits whenever it is
// asked, and reports whether they are those it had, but for rounding: where losses are all
// alike they need not be, and stay.
func (m *Model) weigh(res *dro.Result, p *dro.Problem, had []float64) bool {
	const rounding = 1e-9 // of the largest weight
	n, _, _ := p.Oracle.Dims()
	room := m.Run.room()
	var loss []float64
	oracle, ok := p.Oracle.(*losses.Linear)
	switch {
	case fixed(p.Dual):
		loss = paged.Make[float64](room, n)
	case ok:
		loss = rowLosses(oracle, res.X)
	default:
		return false
	}
	defer paged.Free(room, loss)
	y := paged.Make[float64](room, n)
	m.Run.over(p.Dual).BestResponseTo(y, loss)
	largest := func(of func(i int) float64) float64 {
		if had == nil {
			return 0
		}
		return m.Run.rows.Max(n, func(lo, hi int) (v float64) {
			for i := lo; i < hi; i++ {
				v = max(v, of(i))
			}
			return v
		})
	}
	apart, most := largest(func(i int) float64 { return math.Abs(had[i] - y[i]) }), largest(func(i int) float64 { return had[i] })
	if !(apart <= rounding*most) {
		paged.Free(room, y)
		return false
	}
	res.Y = y
	return true
}

// chosen is tune.Select, but for a choice that the checkpoint has.
func (m *Model) chosen(ctx context.Context, x []float64, o tune.Options) (*tune.Selection, error) {
	const part = "choice"
	j := m.Config.Checkpoint
	var kept struct {
		Selection []byte // JSON, as a model has it
		Start     []float64
	}
	if ok, err := j.Done(part, &kept); err != nil {
		return nil, err
	} else if ok {
		s := &tune.Selection{Start: kept.Start}
		return s, json.Unmarshal(kept.Selection, s)
	}
	t := m.table(m.Run.Train)
	t.Memory = j.Within(part)
	s, err := m.selected(ctx, t, x, o)
	if err == nil && j != nil {
		if b, err := json.Marshal(s); err == nil {
			kept.Selection, kept.Start = b, s.Start
			j.Finish(part, &kept)
		}
	}
	return s, err
}
