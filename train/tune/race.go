package tune

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
)

// A race is one round of the choice: candidates solved without every fold of a table.
type race struct {
	name      string
	table     *Table
	fold      []int
	count     int // folds
	of        []family
	alive     []bool      // by candidate, the plain average first: those still in the race
	from      [][]float64 // by fold and candidate, flattened: where to start; nil: from the neighbour
	took      []float64   // passes over the rows of the table, as from
	passes    float64     // that the round took
	metric    *metric     // not nil: the candidates of a fold are searched for together in it
	partition *partition  // of the table to its folds, for that
	plain     [][]float64 // by fold: where the plain average is searched from; nil: as the others
	brief     bool        // searches end early: what this leaves undecided goes on in the next round
	tell      func()      // called after every candidate of every fold, by any goroutine
}

// run returns the out-of-fold losses of every row by every candidate, nil for those that
// are out, and leaves the points in from.
func (r *race) run(ctx context.Context) ([][]float64, error) {
	out := make([][]float64, len(r.alive))
	for c, alive := range r.alive {
		if alive {
			out[c] = make([]float64, r.table.N)
		}
	}
	r.took = make([]float64, len(r.from))
	way := r.each
	if r.metric != nil {
		way = r.search
	}
	err := way(ctx, out)
	for _, v := range r.took {
		r.passes += v
	}
	return out, err
}

// each is run where every candidate is solved for by itself. Folds and families run side by
// side, the levels of a family one from the other.
func (r *race) each(ctx context.Context, out [][]float64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := make(chan struct{}, shard.Threads())
	var jobs sync.WaitGroup
	run := func(f func() error) {
		jobs.Add(1)
		go func() {
			defer jobs.Done()
			limit <- struct{}{}
			defer func() { <-limit }()
			if ctx.Err() == nil {
				if err := f(); err != nil {
					cancel(err)
				}
			}
		}()
	}
	levels, ridges := r.levels()
	for k := range r.count {
		run(func() error {
			f := r.without(k)
			solve := func(c int, x []float64) error { return f.one(ctx, c, levels[c], ridges[c], x, out[c]) }
			if err := solve(0, nil); err != nil {
				return err
			}
			first := 1
			for _, of := range r.of {
				begin := first
				first += len(of.levels)
				run(func() error {
					x := f.from[0]
					for c := begin; c < begin+len(of.levels); c++ {
						if !r.alive[c] {
							continue
						}
						if err := solve(c, x); err != nil {
							return err
						}
						x = f.from[c]
					}
					return nil
				})
			}
			return nil
		})
	}
	jobs.Wait()
	return context.Cause(ctx)
}

// search is run where the candidates of a fold are searched for together, fold after fold. They
// begin where they ended without the fold before, or in the round before, moved by what the
// other rows did to the plain average.
func (r *race) search(ctx context.Context, out [][]float64) error {
	levels, ridges := r.levels()
	for k := range r.count {
		f := r.without(k)
		var plain, others []*search
		for c, l := range levels {
			if !r.alive[c] {
				continue
			}
			if known, err := f.remembered(c); err != nil {
				return err
			} else if known {
				f.tell()
				continue
			}
			if s := f.begin(c, l, ridges[c]); c == 0 {
				plain = []*search{s}
			} else {
				others = append(others, s)
			}
		}
		if err := f.solve(ctx, plain); err != nil {
			return err
		}
		f.follow(others)
		if err := f.solve(ctx, others); err != nil {
			return err
		}
		f.measure(out)
	}
	return nil
}

// levels are those of all candidates, and what μ is multiplied by.
func (r *race) levels() (levels []level.Level, ridges []float64) {
	levels, ridges = []level.Level{plainAverage}, []float64{1}
	for _, f := range r.of {
		for i, l := range f.levels {
			levels, ridges = append(levels, l), append(ridges, f.times(i))
		}
	}
	return levels, ridges
}

// A lap is a race without one of its folds.
type lap struct {
	*race
	fold        int
	outside     []int // rows of the fold
	train, held *Table
	from        [][]float64 // by candidate: the race's
	before      [][]float64 // by candidate: where it ended without the fold before, or in the round before; nil: nowhere
}

// without is the lap without fold k.
func (r *race) without(k int) *lap {
	all := len(r.alive)
	f := &lap{race: r, fold: k, from: r.from[k*all : (k+1)*all]}
	var inside []int
	if r.partition != nil {
		inside, f.outside, f.train, f.held = r.partition.without(k)
	} else {
		inside, f.outside = split(r.fold, k)
		f.train, f.held = r.table.Select(inside), r.table.Select(f.outside)
	}
	f.train.Primal = r.table.Primal
	if f.before = slices.Clone(f.from); k > 0 {
		f.before = r.from[(k-1)*all : k*all]
	}
	return f
}

func (f *lap) name(c int) string {
	return fmt.Sprintf("%s, fold %d, candidate %d", f.race.name, f.fold, c)
}

// ended takes where a candidate ended.
func (f *lap) ended(c int, s solved) {
	f.from[c] = s.X
	f.took[f.fold*len(f.alive)+c] = float64(f.train.N) / float64(f.table.N) * s.Passes
}

// finish is ended, for the memory too.
func (f *lap) finish(c int, s solved) {
	if f.train.Memory != nil {
		f.train.Memory.Store(f.name(c), s)
	}
	f.ended(c, s)
}

// remembered reports whether the memory has where a candidate ended.
func (f *lap) remembered(c int) (bool, error) {
	if f.train.Memory == nil {
		return false, nil
	}
	var s solved
	known, err := f.train.Memory.Load(f.name(c), &s)
	if known && err == nil {
		f.ended(c, s)
	}
	return known, err
}

// primal is the regulariser with μ times ridge.
func (f *lap) primal(ridge float64) dro.L2 {
	p := f.train.Primal
	p.Mu *= ridge
	return p
}

// alone solves for a level by itself.
func (f *lap) alone(ctx context.Context, l level.Level, primal dro.L2, x []float64) (solved, error) {
	at := *f.train
	at.Primal = primal
	x, passes, err := at.Solve(ctx, l, x)
	if err != nil {
		err = fmt.Errorf("%v without fold %d: %w", l, f.fold+1, err)
	}
	return solved{x, passes}, err
}

// one solves for a candidate by itself, from where it ended in the round before, or x, and
// stores the losses of the fold in out.
func (f *lap) one(ctx context.Context, c int, l level.Level, ridge float64, x, out []float64) error {
	known, err := f.remembered(c)
	if err != nil {
		return err
	}
	if !known {
		if f.from[c] != nil {
			x = f.from[c]
		}
		s, err := f.alone(ctx, l, f.primal(ridge), x)
		if err != nil {
			return err
		}
		f.finish(c, s)
	}
	loss, err := f.held.losses(f.from[c])
	for i, j := range f.outside {
		out[j] = loss[i]
	}
	f.tell()
	return err
}

// begin is the search of a candidate, from where it ended before.
func (f *lap) begin(c int, l level.Level, ridge float64) *search {
	s := &search{candidate: c, level: l, primal: f.primal(ridge), x: slices.Clone(f.before[c]), goal: searchGap, most: searchEvaluations}
	switch {
	case c == 0:
		if s.goal, s.apart = unseenGap, true; f.plain != nil {
			s.x = slices.Clone(f.plain[f.fold])
		}
	case f.brief:
		s.goal, s.most = accuracy, briefEvaluations
	}
	return s
}

// follow moves the starts of searches by what the rows of this lap did to the plain average.
func (f *lap) follow(searches []*search) {
	var groups *pull
	plain := f.from[0]
	for _, s := range searches {
		if pulls(s.level) {
			if groups == nil {
				groups = f.train.pullAt(plain, f.metric)
			}
			s.pull = groups
		}
		if !f.brief {
			s.origin = plain
		}
		if s.x == nil {
			s.x = slices.Clone(plain)
			continue
		}
		floats.Add(s.x, plain)
		if f.before[0] != nil {
			floats.Sub(s.x, f.before[0])
		}
	}
}

// solve searches, and solves for what a search gave up.
func (f *lap) solve(ctx context.Context, searches []*search) error {
	if err := f.train.together(ctx, searches, f.metric, func(*search) { f.tell() }); err != nil {
		return fmt.Errorf("without fold %d: %w", f.fold+1, err)
	}
	for _, s := range searches {
		end := solved{s.x, s.passes}
		if !s.ended && (s.candidate == 0 || !f.brief) {
			more, err := f.alone(ctx, s.level, s.primal, s.x)
			if err != nil {
				return err
			}
			end = solved{more.X, s.passes + more.Passes}
		}
		f.finish(s.candidate, end)
	}
	return nil
}

// measure stores the losses of the fold by all candidates in the race.
func (f *lap) measure(out [][]float64) {
	var x [][]float64
	for c, alive := range f.alive {
		if alive {
			x = append(x, f.from[c])
		}
	}
	loss := f.held.lossesAt(x)
	for c, alive := range f.alive {
		if alive {
			for i, j := range f.outside {
				out[c][j] = loss[0][i]
			}
			loss = loss[1:]
		}
	}
}
