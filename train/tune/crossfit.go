package tune

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
)

// accuracy is the relative gap that candidates are solved to: out-of-fold differences that
// exceed a standard error are larger.
const accuracy = 1e-4

// gradientPasses is what L-BFGS has to reach it, of so many columns that a Hessian is not
// formed: from a neighbour's point it takes 5 to 15 passes where the columns are not nearly
// dependent, a half to a third of the time of products with the Hessian.
const gradientPasses = 30

var plainAverage = level.Level{Average: "plain", Penalty: "kl"}

// Solve minimises the risk of the level on the table from x, nil for zero, to the
// accuracy of a choice. It returns the point and the passes.
func (t *Table) Solve(ctx context.Context, l level.Level, x []float64) ([]float64, float64, error) {
	dual, err := l.Dual(t.Rows)
	if err != nil {
		return nil, 0, err
	}
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, 0, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: t.Primal}
	method, _ := dro.Choose(p)
	if method.Name() == (dro.Growing{}).Name() && x != nil {
		method = dro.Growing{First: t.N} // one stage, from where the neighbour ended
	}
	s := dro.DefaultSettings()
	s.X0, s.RelativeGap, s.MaxPasses = x, accuracy, 300
	passes := 0.0
	if method.Name() == (dro.NewtonCG{}).Name() {
		s.MaxPasses = gradientPasses
		if res, err := dro.Solve(ctx, p, dro.LBFGS{}, s); err == nil {
			if res.Certificate.Relative() <= accuracy {
				return res.X, res.Passes, nil
			}
			s.X0, passes = res.X, res.Passes
		}
		s.MaxPasses = 300
	}
	res, err := dro.Solve(ctx, p, method, s)
	if err != nil {
		return nil, 0, err
	}
	return res.X, passes + res.Passes, nil
}

// A Memory keeps what a choice has finished, by name, so that one that was interrupted goes
// on. Done stores what is kept of a part in into, if there is anything.
type Memory interface {
	Done(part string, into any) (bool, error)
	Finish(part string, value any)
}

// A solved is what is kept of a model.
type solved struct {
	X      []float64
	Passes float64
}

// solve is Solve, but for a model of that name that the memory has.
func (t *Table) solve(ctx context.Context, name string, l level.Level, x []float64) ([]float64, float64, error) {
	if t.Memory == nil {
		return t.Solve(ctx, l, x)
	}
	var s solved
	if ok, err := t.Memory.Done(name, &s); ok || err != nil {
		return s.X, s.Passes, err
	}
	x, passes, err := t.Solve(ctx, l, x)
	if err == nil {
		t.Memory.Finish(name, solved{x, passes})
	}
	return x, passes, err
}

// losses returns the loss of every row at x.
func (t *Table) losses(x []float64) ([]float64, error) {
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, err
	}
	value, slope := make([]float64, t.N), make([]float64, t.N)
	oracle.EvalTo(value, slope, x, 0, t.N)
	return value, nil
}

// lossesAt returns the loss of every row at every point.
func (t *Table) lossesAt(x [][]float64) [][]float64 {
	value := make([][]float64, len(x))
	for k := range value {
		value[k] = make([]float64, t.N)
	}
	shard.Run(t.N, func(_, lo, hi int) {
		design.ManyMarginsTo(t.X, value, x, lo, hi)
		loss := make([]float64, hi-lo)
		for _, v := range value {
			t.Loss.EvalTo(loss, v[lo:hi], v[lo:hi], t.Target[lo:hi])
			copy(v[lo:hi], loss)
		}
	})
	return value
}

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
						ridge := 1.0
						if f.ridge != nil {
							ridge = f.ridge[i]
						}
						var err error
						if x, err = solve(begin+i, 1+job, l, ridge, x); err != nil {
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
	t := r.table
	levels, ridges := []level.Level{plainAverage}, []float64{1}
	for _, f := range r.of {
		for i, l := range f.levels {
			ridge := 1.0
			if f.ridge != nil {
				ridge = f.ridge[i]
			}
			levels, ridges = append(levels, l), append(ridges, ridge)
		}
	}
	all := len(levels)
	for k := range r.count {
		inside, outside, train, held := r.deal.without(k)
		train = r.knowing(train, k, inside)
		train.Primal = t.Primal
		share := float64(train.N) / float64(t.N)
		before := slices.Clone(r.from[k*all : (k+1)*all])
		if k > 0 {
			before = r.from[(k-1)*all : k*all]
		}
		var searches []*search
		of := map[*search]int{}
		name := func(c int) string { return fmt.Sprintf("%s, fold %d, candidate %d", r.name, k, c) }
		solve := func(searches []*search) error {
			err := train.together(ctx, searches, r.metric, func(*search) { r.tell() })
			if err != nil {
				return fmt.Errorf("without fold %d: %w", k+1, err)
			}
			for _, s := range searches {
				c := of[s]
				if !s.ended && (c == 0 || !r.brief) {
					at := *train
					at.Primal = s.primal
					x, passes, err := at.Solve(ctx, s.level, s.x)
					if err != nil {
						return fmt.Errorf("%v without fold %d: %w", s.level, k+1, err)
					}
					s.x = x
					s.passes += passes
				}
				if train.Memory != nil {
					train.Memory.Finish(name(c), solved{s.x, s.passes})
				}
				r.from[k*all+c] = s.x
				r.passes += share * s.passes
			}
			return nil
		}
		for c, l := range levels {
			if !r.alive[c] {
				continue
			}
			if train.Memory != nil {
				var known solved
				if ok, err := train.Memory.Done(name(c), &known); err != nil {
					return err
				} else if ok {
					r.from[k*all+c] = known.X
					r.passes += share * known.Passes
					r.tell()
					continue
				}
			}
			from := before[c]
			if c == 0 && r.plain != nil {
				from = r.plain[k]
			}
			s := &search{level: l, primal: train.Primal, x: slices.Clone(from), goal: searchGap, most: searchEvaluations}
			if r.brief {
				s.goal, s.most = accuracy, briefEvaluations
			}
			s.primal.Mu *= ridges[c]
			if c > 0 {
				searches, of[s] = append(searches, s), c
				continue
			}
			s.goal, s.most, s.apart = unseenGap, searchEvaluations, true
			if err := solve([]*search{s}); err != nil {
				return err
			}
		}
		var groups *pull
		for _, s := range searches {
			if pulls(s.level) {
				if groups == nil {
					groups = train.pullAt(r.from[k*all], r.metric)
				}
				s.pull = groups
			}
			plain := r.from[k*all]
			if !r.brief {
				s.origin = plain
			}
			if s.x == nil {
				s.x = slices.Clone(plain)
				continue
			}
			floats.Add(s.x, plain)
			if before[0] != nil {
				floats.Sub(s.x, before[0])
			}
		}
		if err := solve(searches); err != nil {
			return err
		}
		var x [][]float64
		for c := range levels {
			if r.alive[c] {
				x = append(x, r.from[k*all+c])
			}
		}
		loss := held.lossesAt(x)
		for c := range levels {
			if r.alive[c] {
				for i, j := range outside {
					out[c][j] = loss[0][i]
				}
				loss = loss[1:]
			}
		}
	}
	return nil
}

// Margins returns the margin of every row by a model of the level that was solved, from
// start, without its fold. tell is told of every fold.
func (t *Table) Margins(ctx context.Context, l level.Level, folds int, seed uint64, start []float64, tell func(done, total int)) ([]float64, error) {
	fold, err := t.Folds(folds, seed)
	if err != nil {
		return nil, err
	}
	room := t.room()
	defer paged.Free(room, fold)
	out := paged.Make[float64](room, t.N)
	for k := range folds {
		if err := t.marginsOf(ctx, out, fold, k, l, start); err != nil {
			paged.Free(room, out)
			return nil, err
		}
		tell(k+1, folds)
	}
	return out, nil
}

// marginsOf stores in out what the model without fold k says of its rows.
func (t *Table) marginsOf(ctx context.Context, out []float64, fold []int, k int, l level.Level, start []float64) error {
	count := 0
	for _, f := range fold {
		if f == k {
			count++
		}
	}
	room := t.room()
	outside, inside := paged.Make[int](room, count)[:0], paged.Make[int](room, t.N-count)[:0]
	defer paged.Free(room, outside, inside)
	for j, f := range fold {
		if f == k {
			outside = append(outside, j)
		} else {
			inside = append(inside, j)
		}
	}
	train, free := t.within(inside)
	defer free()
	held, free := t.within(outside)
	defer free()
	if l.Latent != nil {
		laws := train.Laws(len(l.Hidden()))
		if laws == nil {
			return &FewRowsError{fmt.Sprintf("%d rows are too few to find a hidden subgroup", train.N)}
		}
		train.Latent, _ = laws.Posterior(train.X, train.Target)
	}
	x, _, err := train.solve(ctx, fmt.Sprintf("margins, fold %d", k), l, start)
	if err != nil {
		return err
	}
	margin := paged.Make[float64](room, held.N)
	defer paged.Free(room, margin)
	held.X.MarginsTo(margin, x, 0, held.N)
	for i, j := range outside {
		out[j] = margin[i]
	}
	return nil
}
