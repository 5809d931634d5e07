package tune

import (
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
	Folds        int     // ≥ 2; 0: 3, or where a hidden subgroup is looked for as many as FoldCount says
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
	Family     string      `json:"family"` // erm, latent, balanced, groups, "groups, adjusted", or rows with the divergence
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
	Criterion  string      `json:"criterion"` // worst-group, tail, average; subgroup: the worst of the laws of hidden subgroups
	Rate       float64     `json:"rate"`
	Budget     *float64    `json:"budget"` // share of ERM's average; null: none
	Rule       string      `json:"rule"`
	Folds      int         `json:"folds"`
	Rows       int         `json:"rows"`               // that the choice was made on
	Of         int         `json:"of"`                 // training rows
	Passes     float64     `json:"passes"`             // over these rows that the choice took
	Mu         float64     `json:"mu"`                 // of all candidates
	Ridges     []Ridge     `json:"ridges,omitempty"`   // how it was chosen; absent where it was given, or makes no difference
	Subgroup   *Subgroup   `json:"subgroup,omitempty"` // what was found of a hidden one; absent where none was looked for
	Paths      []Path      `json:"paths,omitempty"`    // of the adversaries over rows, where they were asked for
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
	s := &Selection{Rate: o.Rate, Rule: o.Rule, Of: t.N, Mu: t.Primal.Mu}
	if t.N > o.Rows {
		t = t.Select(t.sample(o.Rows, o.Seed))
	}
	s.Rows = t.N
	asked := o.Folds
	if asked == 0 {
		o.Folds = leastFolds
	}
	fold, err := t.Folds(o.Folds, o.Seed)
	if err != nil {
		return nil, err
	}
	m := newMeasure(t.Rows, fold, o.Folds, o.MinGroupSize, o.Tail)
	groups := m.groups()
	if s.Criterion = o.Criterion; s.Criterion == "" {
		if s.Criterion = "tail"; groups > 1 {
			s.Criterion = "worst-group"
		}
	}
	if s.Criterion == "worst-group" && groups == 0 {
		return nil, fmt.Errorf("select worst-group needs groups of at least %d rows, with some in every fold", o.MinGroupSize)
	}
	var hidden *laws
	if o.Criterion == "" && s.Criterion == "tail" {
		if more := t.FoldCount(asked); more != o.Folds {
			o.Folds = more
			if fold, err = t.Folds(more, o.Seed); err != nil {
				return nil, err
			}
			m = newMeasure(t.Rows, fold, more, o.MinGroupSize, o.Tail)
			m.groups()
		}
		if s.Subgroup, hidden, err = t.subgroup(ctx, fold, o.Folds); err != nil {
			return nil, err
		}
		if s.Subgroup == nil || !s.Subgroup.Found {
			hidden = nil
		} else {
			s.Criterion = "subgroup"
			m.reveal(hidden.held)
		}
	}
	s.Folds = o.Folds
	budget := o.Budget
	if math.IsNaN(budget) {
		switch budget = math.Inf(1); {
		case o.Criterion == "tail":
			budget = 0.01
		case s.Criterion == "tail": // nobody asked for anything: nobody is to pay for it
			budget = 0
		}
	}
	if !math.IsInf(budget, 1) {
		s.Budget = &budget
	}
	var met *metric
	var dealt *deal
	if t.wide() {
		if start == nil {
			passes := 0.0
			if start, passes, err = t.Solve(ctx, plainAverage, nil); err != nil {
				return nil, err
			}
			s.Passes += passes
		}
		if met = t.metricAt(start); met != nil {
			s.Passes += met.passes
			dealt = t.dealt(fold, o.Folds)
		}
	}
	var plains [][]float64 // without every fold
	if o.Ridge {
		if plains, err = s.chooseRidge(ctx, t, m, start, met, dealt); err != nil {
			return nil, err
		}
		other := *t
		if other.Primal.Mu = s.Mu; met != nil && s.Mu != t.Primal.Mu {
			met.with(other.Primal)
		}
		t = &other
	}
	plain, passes, err := t.Solve(ctx, plainAverage, start)
	if err != nil {
		return nil, err
	}
	s.Passes += passes
	loss, err := t.losses(plain)
	if err != nil {
		return nil, err
	}
	var of []family
	if sc := m.scales(loss); sc.mean > 0 && sc.spread > 0 {
		var hiddens []float64
		if hidden != nil {
			hiddens = s.Subgroup.Shares
		}
		of = families(t.Rows, sc, o.Levels, hiddens)
	}
	s.list(of)
	all := len(s.Candidates)
	r := &race{table: t, fold: fold, count: o.Folds, of: of, laws: hidden, alive: make([]bool, all), from: make([][]float64, o.Folds*all), metric: met, deal: dealt, plain: plains}
	for c := range r.alive {
		r.alive[c] = true
	}
	for k := range o.Folds {
		r.from[k*all] = plain
	}
	rounds := [][]int{nil} // the rows of every round; nil: all
	if t.N >= raceFrom {
		rounds = [][]int{t.sample(t.N/raceShare, o.Seed+1), nil}
	}
	r.tell = o.teller(r, len(rounds))
	for k, rows := range rounds {
		at, here := m, *r
		here.name = fmt.Sprintf("round %d of %d", k+1, len(rounds))
		if rows != nil {
			here.brief = true
			here.table, here.fold, here.laws = t.Select(rows), pick(fold, rows), hidden.pick(rows)
			if met != nil {
				here.deal = here.table.dealt(here.fold, o.Folds)
			}
			at = newMeasure(here.table.Rows, here.fold, o.Folds, o.MinGroupSize, o.Tail)
			if at.groups(); hidden != nil {
				at.reveal(here.laws.held)
			}
		}
		out, err := here.run(ctx)
		if err != nil {
			return nil, err
		}
		s.Passes += here.passes * float64(here.table.N) / float64(t.N)
		s.measure(at, out)
		if rows != nil {
			s.leaveBehind(r.alive, budget)
		}
	}
	if s.choose(o.Rule, budget); met != nil {
		s.Start = make([]float64, len(plain))
		for k := range o.Folds {
			floats.AddScaled(s.Start, 1/float64(o.Folds), r.from[k*all+s.Chosen])
		}
	}
	if o.Path {
		s.Paths, err = t.paths(ctx, of, plain)
	}
	return s, err
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

// list names the candidates.
func (s *Selection) list(of []family) {
	s.Candidates = []Candidate{{Family: "erm", Name: plainAverage.String(), Level: plainAverage}}
	for _, f := range of {
		for _, l := range f.levels {
			s.Candidates = append(s.Candidates, Candidate{Family: f.name, Name: l.String(), Level: l})
		}
	}
}

// measure fills in the candidates that have losses.
func (s *Selection) measure(m *measure, out [][]float64) {
	var plain, plainAverage, plainLargest estimate
	for i, loss := range out {
		if loss == nil {
			continue
		}
		c := &s.Candidates[i]
		average, tail := m.average(loss), m.conditional(loss)
		c.Average, c.Tail, c.Rows = average.value, tail.value, len(loss)
		value, largest := average, average
		if m.grouped() {
			worst := m.worst(loss)
			largest = m.largest(loss)
			if c.WorstGroup = &worst.value; s.traded() {
				value = worst
			}
		}
		if s.Criterion == "tail" {
			value = tail
		}
		if i == 0 {
			plain, plainAverage, plainLargest = value, average, largest
			continue
		}
		c.Fall, c.SE = plain.minus(value)
		c.Rise, c.RiseSE = average.minus(plainAverage)
		if fall, se := plainLargest.minus(largest); s.traded() && fall < c.Fall {
			c.Fall, c.SE = fall, se
		}
	}
}

// affordable reports whether the average stays within the budget by two standard errors.
func (s *Selection) affordable(c *Candidate, budget float64) bool {
	return c.Rise+standardErrors*c.RiseSE <= budget*math.Abs(s.Candidates[0].Average)
}

// leaveBehind takes out of the race what two standard errors keep from being chosen.
func (s *Selection) leaveBehind(alive []bool, budget float64) {
	best := 0.0
	for i := range s.Candidates[1:] {
		c := &s.Candidates[i+1]
		if s.affordable(c, budget) {
			best = max(best, s.score(c)-2*s.scoreSE(c))
		}
	}
	for i := range s.Candidates[1:] {
		c := &s.Candidates[i+1]
		high := s.score(c) + 2*s.scoreSE(c)
		alive[i+1] = high > best && c.Rise-2*c.RiseSE <= budget*math.Abs(s.Candidates[0].Average)
	}
}

const (
	standardErrors = 2    // that a fall has to exceed, and a budget to be kept by: the best of some thirty is looked for
	worth          = 5e-3 // share of ERM's criterion that a fall has to reach: less is not worth another model
	tie            = 1e-3 // share of it below which two candidates are equally good
)

// Value is the criterion of a candidate.
func (s *Selection) Value(c *Candidate) float64 {
	switch {
	case s.traded() && c.WorstGroup != nil:
		return *c.WorstGroup
	case s.Criterion == "tail":
		return c.Tail
	}
	return c.Average
}

// traded reports whether the average is traded at a rate.
func (s *Selection) traded() bool { return s.Criterion == "worst-group" || s.Criterion == "subgroup" }

// score is what a candidate is worth, in loss units.
func (s *Selection) score(c *Candidate) float64 {
	if !s.traded() {
		return c.Fall
	}
	return c.Fall - s.Rate*max(0, c.Rise)
}

// scoreSE is no less than the standard error of the score.
func (s *Selection) scoreSE(c *Candidate) float64 {
	if !s.traded() {
		return c.SE
	}
	return c.SE + s.Rate*c.RiseSE
}

// choose applies the rule: the highest score among the candidates whose fall exceeds two
// standard errors and what the rise costs, within the budget by two as well; ties, and with rule se what
// is within one standard error of the best, go to the simpler; none: ERM.
func (s *Selection) choose(rule string, budget float64) {
	least := tie * math.Abs(s.Value(&s.Candidates[0]))
	best := 0
	for i := 1; i < len(s.Candidates); i++ {
		c := &s.Candidates[i]
		c.Allowed = c.Rows == s.Candidates[0].Rows && c.Fall > max(standardErrors*c.SE, worth*math.Abs(s.Value(&s.Candidates[0]))) && s.score(c) > 0 && s.affordable(c, budget)
		if c.Allowed && (best == 0 || s.score(c) > s.score(&s.Candidates[best])+least) {
			best = i
		}
	}
	if best > 0 && rule == "se" {
		for i := 1; i < best; i++ {
			if c := &s.Candidates[i]; c.Allowed && s.score(c) >= s.score(&s.Candidates[best])-s.Candidates[best].SE {
				best = i
			}
		}
	}
	s.Chosen = best
	what := map[string]string{"worst-group": "worst group's risk", "subgroup": "risk of the worst of the laws", "tail": "risk of the worst tail", "average": "average risk"}[s.Criterion]
	if best == 0 {
		s.Reason = fmt.Sprintf("ERM is best here: of %d other models none lowers the %s by more than two standard errors at a price that is worth it", len(s.Candidates)-1, what)
		return
	}
	c := s.Best()
	s.Reason = fmt.Sprintf("%s lowers the %s by %.3g ± %.2g out of fold, and the average %s by %.3g", c.Name, what, c.Fall, c.SE, rises(c.Rise), math.Abs(c.Rise))
}

func rises(v float64) string {
	if v > 0 {
		return "rises"
	}
	return "falls"
}
