package tune

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
)

// A race is one round of the choice: candidates solved without every fold of a table.
type race struct {
	name   string
	table  *Table
	fold   []int
	count  int // folds
	of     []family
	laws   *laws       // of a hidden subgroup; nil: none
	alive  []bool      // by candidate, the plain average first: those still in the race
	from   [][]float64 // by fold and candidate, flattened: where to start; nil: from the neighbour
	passes float64     // over the rows of the table that the round took
	metric *metric     // not nil: the candidates of a fold are searched for together in it
	deal   *deal       // of the table to its folds, for that
	plain  [][]float64 // by fold: where the plain average is searched from; nil: as the others
	brief  bool        // searches end early: what this leaves undecided goes on in the next round
	tell   func()      // called after every candidate of every fold, by any goroutine
}

// candidates is their number, the plain average with them.
func candidates(of []family) int {
	n := 1
	for _, f := range of {
		n += len(f.levels)
	}
	return n
}

// within are the rows of all folds but k.
func (r *race) within(k int, inside []int) *Table {
	return r.knowing(r.table.Select(inside), k, inside)
}

// knowing is the table of all folds but k with what the laws say of its rows.
func (r *race) knowing(train *Table, k int, inside []int) *Table {
	if r.laws != nil {
		for _, p := range r.laws.membership[k] {
			train.Latent = append(train.Latent, pick(p, inside))
		}
	}
	return train
}

// run returns the out-of-fold losses of every row by every candidate, nil for those that
// are out, and leaves the points in from. Folds and families run side by side, the levels
// of a family one from the other.
func (r *race) run(ctx context.Context) ([][]float64, error) {
	t := r.table
	all := candidates(r.of)
	out := make([][]float64, all)
	for c := range out {
		if r.alive[c] {
			out[c] = make([]float64, t.N)
		}
	}
	if r.metric != nil {
		return out, r.search(ctx, out)
	}
	took := make([]float64, r.count*(1+len(r.of))) // by fold and family, added up in this order
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
	for k := range r.count {
		run(func() error {
			inside, outside := split(r.fold, k)
			train, held := r.within(k, inside), t.Select(outside)
			share := float64(train.N) / float64(t.N)
			solve := func(c, job int, l level.Level, ridge float64, x []float64) ([]float64, error) {
				at := *train
				at.Primal.Mu *= ridge
				if known := r.from[k*all+c]; known != nil {
					x = known
				}
				next, passes, err := at.solve(ctx, fmt.Sprintf("%s, fold %d, candidate %d", r.name, k, c), l, x)
				if err != nil {
					return nil, fmt.Errorf("%v without fold %d: %w", l, k+1, err)
				}
				r.from[k*all+c] = next
				took[k*(1+len(r.of))+job] += share * passes
				loss, err := held.losses(next)
				for i, j := range outside {
					out[c][j] = loss[i]
				}
				r.tell()
				return next, err
			}
			plain, err := solve(0, 0, plainAverage, 1, r.from[k*all])
			if err != nil {
				return err
			}
			first := 1
			for job, f := range r.of {
				begin := first
				first += len(f.levels)
				run(func() error {
					x := plain
					for i, l := range f.levels {
						if !r.alive[begin+i] {
							continue
						}
						var err error
						if x, err = solve(begin+i, 1+job, l, f.times(i), x); err != nil {
							return err
						}
					}
					return nil
				})
			}
			return nil
		})
	}
	jobs.Wait()
	for _, v := range took {
		r.passes += v
	}
	return out, context.Cause(ctx)
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

// A lap is a race without one of its folds, where candidates are searched for together.
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
	inside, f.outside, f.train, f.held = r.deal.without(k)
	f.train = r.knowing(f.train, k, inside)
	f.train.Primal = r.table.Primal
	if f.before = slices.Clone(f.from); k > 0 {
		f.before = r.from[(k-1)*all : k*all]
	}
	return f
}

func (f *lap) name(c int) string {
	return fmt.Sprintf("%s, fold %d, candidate %d", f.race.name, f.fold, c)
}

// ended keeps where a candidate ended.
func (f *lap) ended(c int, s solved) {
	f.from[c] = s.X
	f.passes += float64(f.train.N) / float64(f.table.N) * s.Passes
}

// remembered reports whether the memory has where a candidate ended.
func (f *lap) remembered(c int) (bool, error) {
	if f.train.Memory == nil {
		return false, nil
	}
	var s solved
	known, err := f.train.Memory.Done(f.name(c), &s)
	if known && err == nil {
		f.ended(c, s)
		f.tell()
	}
	return known, err
}

// begin is the search of a candidate, from where it ended before.
func (f *lap) begin(c int, l level.Level, ridge float64) *search {
	s := &search{candidate: c, level: l, primal: f.train.Primal, x: slices.Clone(f.before[c]), goal: searchGap, most: searchEvaluations}
	s.primal.Mu *= ridge
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
		if !s.ended && (s.candidate == 0 || !f.brief) {
			at := *f.train
			at.Primal = s.primal
			x, passes, err := at.Solve(ctx, s.level, s.x)
			if err != nil {
				return fmt.Errorf("%v without fold %d: %w", s.level, f.fold+1, err)
			}
			s.x = x
			s.passes += passes
		}
		end := solved{s.x, s.passes}
		if f.train.Memory != nil {
			f.train.Memory.Finish(f.name(s.candidate), end)
		}
		f.ended(s.candidate, end)
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
