package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
)

// Options say how to choose. Start from DefaultOptions.
type Options struct {
	Criterion    string  // worst-group, tail or average; empty: worst-group where there are two groups, else tail
	Folds        int     // ≥ 2; 0: 3
	Levels       int     // prices of each adversary over rows, ≥ 1
	Rate         float64 // what a unit of the average has to buy of the worst group, ≥ 0
	Budget       float64 // largest rise of the average, a share of ERM's; +Inf: none; NaN: 1 % for tail, 0 where tail is not asked for but left, none else
	Rule         string  // best, or se: the simplest model within one standard error of the best
	Tail         float64 // share of the rows of the tail, in (0, 1]
	MinGroupSize int     // rows of a group that may be called the worst
	Rows         int     // rows that are taken for the choice, at most
	Path         bool    // bracket the optima at every price too
	Ridge        bool    // μ is not given: it is chosen too, by the plain average
	Seed         uint64
	Observe      func(done, total int) // told of every model solved, one call at a time; may be nil
}

// DefaultOptions are those of `drotrain train`.
func DefaultOptions() Options {
	return Options{Levels: 10, Rate: 2, Budget: math.NaN(), Rule: "best", Tail: 0.1, MinGroupSize: 20, Rows: 100_000}
}

// Criteria and Rules are the words that Options takes.
var (
	Criteria = []string{"worst-group", "tail", "average"}
	Rules    = []string{"best", "se"}
)

// Validate reports everything that is wrong, whatever the rows.
func (o Options) Validate() error {
	var wrong []string
	say := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	among := func(v string, words []string) bool {
		for _, w := range words {
			if v == w {
				return true
			}
		}
		return false
	}
	say(o.Criterion == "" || among(o.Criterion, Criteria), "select is %q: one of %s", o.Criterion, strings.Join(Criteria, ", "))
	say(among(o.Rule, Rules), "rule is %q: one of %s", o.Rule, strings.Join(Rules, ", "))
	say(o.Folds == 0 || o.Folds >= 2, "folds is %d: at least 2", o.Folds)
	say(o.Levels >= 1, "levels is %d: at least 1", o.Levels)
	say(o.Rate >= 0 && !math.IsInf(o.Rate, 1), "rate is %v: it must be finite and ≥ 0", o.Rate)
	say(math.IsNaN(o.Budget) || o.Budget >= 0, "budget is %v: it must be ≥ 0", o.Budget)
	say(o.Tail > 0 && o.Tail <= 1, "tail is %v: a share of the rows, above 0 and at most 1", o.Tail)
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// A Candidate is a level and what its out-of-fold losses say, in loss units.
type Candidate struct {
	Family     string      `json:"family"` // erm, balanced, groups, "groups, adjusted", or rows with the divergence
	Name       string      `json:"name"`   // for people
	Level      level.Level `json:"level"`
	Average    float64     `json:"average"`               // mean loss
	WorstGroup *float64    `json:"worst_group,omitempty"` // largest group mean, the group named on the other folds
	Tail       float64     `json:"tail"`                  // mean of the worst share of the losses
	Fall       float64     `json:"fall"`                  // of the criterion, from ERM's; of a group mean the smaller of the fall of that and of the largest over all rows
	SE         float64     `json:"se"`                    // standard error of the fall, paired
	Rise       float64     `json:"rise"`                  // of the average, from ERM's
	RiseSE     float64     `json:"rise_se"`
	Rows       int         `json:"rows"`    // that it was measured on: fewer than the others where it fell behind
	Allowed    bool        `json:"allowed"` // the fall exceeds two standard errors and what the rise costs
}

// A Selection is a choice and its grounds.
type Selection struct {
	Criterion  string      `json:"criterion"` // worst-group, tail, average
	Rate       float64     `json:"rate"`
	Budget     *float64    `json:"budget"` // share of ERM's average; null: none
	Rule       string      `json:"rule"`
	Folds      int         `json:"folds"`
	Rows       int         `json:"rows"`             // that the choice was made on
	Of         int         `json:"of"`               // training rows
	Passes     float64     `json:"passes"`           // over these rows that the choice took
	Mu         float64     `json:"mu"`               // of all candidates
	Ridges     []Ridge     `json:"ridges,omitempty"` // how it was chosen; absent where it was given, or makes no difference
	Paths      []Path      `json:"paths,omitempty"`  // of the adversaries over rows, where they were asked for
	Candidates []Candidate `json:"candidates"`
	Chosen     int         `json:"chosen"` // index
	Reason     string      `json:"reason"`

	Start []float64 `json:"-"` // to solve the level chosen from: the mean of its models without a fold; nil where these were not searched for
}

// Best returns the candidate chosen.
func (s *Selection) Best() *Candidate { return &s.Candidates[s.Chosen] }

// Select chooses a level for the table. start is a point to solve from, nil for zero.
//
// On many rows the candidates race: all of them are measured on a fifth of the rows, and
// those that two standard errors keep from the best, or from being allowed at all, are
// left behind; the others are solved on all rows from there.
func Select(ctx context.Context, t *Table, start []float64, o Options) (*Selection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &choosing{Selection: &Selection{Rate: o.Rate, Rule: o.Rule, Of: t.N, Mu: t.Primal.Mu}, options: o, table: t}
	if t.N > o.Rows {
		c.table = t.Select(t.sample(o.Rows, o.Seed))
	}
	c.Rows = c.table.N
	if err := c.settle(); err != nil {
		return nil, err
	}
	c.afford()
	if err := c.prepare(ctx, start); err != nil {
		return nil, err
	}
	of, err := c.list()
	if err != nil {
		return nil, err
	}
	r, err := c.run(ctx, of)
	if err != nil {
		return nil, err
	}
	c.choose(o.Rule, c.budget)
	if c.metric != nil {
		c.Start = make([]float64, len(c.plain))
		for k := range c.Folds {
			floats.AddScaled(c.Start, 1/float64(c.Folds), r.from[k*len(c.Candidates)+c.Chosen])
		}
	}
	if o.Path {
		c.Paths, err = c.table.paths(ctx, of, c.plain)
	}
	return c.Selection, err
}

// A choosing is a choice under way.
type choosing struct {
	*Selection
	options Options
	table   *Table
	out     *measure // of losses out of fold
	budget  float64  // +Inf: none

	metric    *metric     // in which candidates are searched for together; nil: one by one
	partition *partition  // to the folds, for that
	plain     []float64   // the plain average
	plains    [][]float64 // without every fold; nil: not known
}

// settle deals the folds and settles the criterion.
func (c *choosing) settle() error {
	o := c.options
	folds := cmp.Or(o.Folds, DefaultFolds)
	groups, err := c.fold(folds)
	if err != nil {
		return err
	}
	if c.Criterion = o.Criterion; c.Criterion == "" {
		if c.Criterion = "tail"; groups > 1 {
			c.Criterion = "worst-group"
		}
	}
	if c.Criterion == "worst-group" && groups == 0 {
		return fmt.Errorf("select worst-group needs groups of at least %d rows, with some in every fold", o.MinGroupSize)
	}
	return nil
}

// fold deals the rows to folds, and returns of how many groups these tell.
func (c *choosing) fold(count int) (groups int, err error) {
	fold, err := c.table.Folds(count, c.options.Seed)
	if err != nil {
		return 0, err
	}
	c.Folds, c.out = count, newMeasure(c.table.Rows, fold, count, c.options.MinGroupSize, c.options.Tail)
	return c.out.groups(), nil
}

// afford settles the budget.
func (c *choosing) afford() {
	c.budget = c.options.Budget
	if math.IsNaN(c.budget) {
		switch c.budget = math.Inf(1); {
		case c.options.Criterion == "tail":
			c.budget = 0.01
		case c.Criterion == "tail": // nobody asked for anything: nobody is to pay for it
			c.budget = 0
		}
	}
	if !math.IsInf(c.budget, 1) {
		c.Budget = &c.budget
	}
}

// prepare takes a metric for all candidates where columns are many, chooses μ, and solves for the
// plain average.
func (c *choosing) prepare(ctx context.Context, start []float64) (err error) {
	passes := 0.0
	if c.table.wide() {
		if start == nil {
			if start, passes, err = c.table.Solve(ctx, plainAverage, nil); err != nil {
				return err
			}
			c.Passes += passes
		}
		if c.metric = c.table.metricAt(start); c.metric != nil {
			c.Passes += c.metric.passes
			c.partition = c.table.partitioned(c.out.fold, c.Folds)
		}
	}
	if c.options.Ridge {
		if c.plains, err = c.chooseRidge(ctx, c.table, c.out, start, c.metric, c.partition); err != nil {
			return err
		}
		other := *c.table
		if other.Primal.Mu = c.Mu; c.metric != nil && c.Mu != c.table.Primal.Mu {
			c.metric.with(other.Primal)
		}
		c.table = &other
	}
	c.plain, passes, err = c.table.Solve(ctx, plainAverage, start)
	c.Passes += passes
	return err
}

// list names the candidates: the plain average and, unless it leaves nothing to gain, those of
// the families.
func (c *choosing) list() (of []family, err error) {
	loss, err := c.table.losses(c.plain)
	if err != nil {
		return nil, err
	}
	if sc := c.out.scales(loss); sc.mean > 0 && sc.deviation > 0 {
		of = families(c.table.Rows, sc, c.options.Levels)
	}
	c.Candidates = []Candidate{{Family: "erm", Name: plainAverage.String(), Level: plainAverage}}
	for _, f := range of {
		for _, l := range f.levels {
			c.Candidates = append(c.Candidates, Candidate{Family: f.name, Name: l.String(), Level: l})
		}
	}
	return of, nil
}

// run measures the candidates out of fold, round after round.
func (c *choosing) run(ctx context.Context, of []family) (*race, error) {
	all := len(c.Candidates)
	r := &race{table: c.table, fold: c.out.fold, count: c.Folds, of: of, alive: make([]bool, all), from: make([][]float64, c.Folds*all), metric: c.metric, partition: c.partition, plain: c.plains}
	for i := range r.alive {
		r.alive[i] = true
	}
	for k := range c.Folds {
		r.from[k*all] = c.plain
	}
	rounds := [][]int{nil} // the rows of every round; nil: all
	if c.table.N >= raceFrom {
		rounds = [][]int{c.table.sample(c.table.N/raceShare, c.options.Seed+1), nil}
	}
	r.tell = c.options.teller(r, len(rounds))
	for k, rows := range rounds {
		here, out := *r, c.out
		here.name = fmt.Sprintf("round %d of %d", k+1, len(rounds))
		if rows != nil {
			out = c.among(rows, &here)
		}
		losses, err := here.run(ctx)
		if err != nil {
			return nil, err
		}
		c.Passes += here.passes * float64(here.table.N) / float64(c.table.N)
		c.measure(out, losses)
		if rows != nil {
			c.leaveBehind(r.alive, c.budget)
		}
	}
	return r, nil
}

// among makes a round one of some rows, whose searches end early, and returns their measure.
func (c *choosing) among(rows []int, r *race) *measure {
	r.brief = true
	r.table, r.fold = c.table.Select(rows), pick(c.out.fold, rows)
	if c.metric != nil {
		r.partition = r.table.partitioned(r.fold, c.Folds)
	}
	out := newMeasure(r.table.Rows, r.fold, c.Folds, c.options.MinGroupSize, c.options.Tail)
	out.groups()
	return out
}

const (
	raceFrom  = 40_000 // rows from which candidates race
	raceShare = 5      // the first round takes one row in so many
)

// teller returns what tells Options.Observe how many solves are done.
func (o *Options) teller(r *race, rounds int) func() {
	if o.Observe == nil {
		return func() {}
	}
	var mu sync.Mutex
	done, all := 0, r.count*len(r.alive)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		total := all // of this round; those that go on are known after it
		if rounds > 1 {
			for _, in := range r.alive {
				if in {
					total += r.count
				}
			}
		}
		o.Observe(done, total)
	}
}

func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, j := range rows {
		out[i] = v[j]
	}
	return out
}
