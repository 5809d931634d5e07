package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/train/level"
)

// Options say how to choose. Start from DefaultOptions.
type Options struct {
	Criterion    string  // worst-group, tail or average; empty: worst-group where there are two groups, else tail
	Folds        int     // ≥ 2
	Levels       int     // prices of each adversary over rows, ≥ 1
	Rate         float64 // what a unit of the average has to buy of the worst group, ≥ 0
	Budget       float64 // largest rise of the average, a share of ERM's; +Inf: none; NaN: 1 % for tail, none else
	Rule         string  // best, or se: the simplest model within one standard error of the best
	Tail         float64 // share of the rows of the tail, in (0, 1]
	MinGroupSize int     // rows of a group that may be called the worst
	Rows         int     // rows that are taken for the choice, at most
	Seed         uint64
	Logf         func(string, ...any) // one line each; may be nil
}

// DefaultOptions are those of `drotrain train`.
func DefaultOptions() Options {
	return Options{Folds: 3, Levels: 10, Rate: 2, Budget: math.NaN(), Rule: "best", Tail: 0.1, MinGroupSize: 20, Rows: 100_000}
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
	say(o.Folds >= 2, "folds is %d: at least 2", o.Folds)
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
	Family     string      `json:"family"` // erm, balanced, groups, or rows with the divergence
	Name       string      `json:"name"`   // for people
	Level      level.Level `json:"level"`
	Average    float64     `json:"average"`               // mean loss
	WorstGroup *float64    `json:"worst_group,omitempty"` // largest group mean, the group named on the other folds
	Tail       float64     `json:"tail"`                  // mean of the worst share of the losses
	Fall       float64     `json:"fall"`                  // of the criterion, from ERM's
	SE         float64     `json:"se"`                    // standard error of the fall, paired
	Rise       float64     `json:"rise"`                  // of the average, from ERM's
	RiseSE     float64     `json:"rise_se"`
	Allowed    bool        `json:"allowed"` // the fall exceeds its standard error and what the rise costs
}

// A Selection is a choice and its grounds.
type Selection struct {
	Criterion  string      `json:"criterion"`
	Rate       float64     `json:"rate"`
	Budget     *float64    `json:"budget"` // share of ERM's average; null: none
	Rule       string      `json:"rule"`
	Folds      int         `json:"folds"`
	Rows       int         `json:"rows"`   // that the choice was made on
	Of         int         `json:"of"`     // training rows
	Passes     float64     `json:"passes"` // over these rows that the choice took
	Candidates []Candidate `json:"candidates"`
	Chosen     int         `json:"chosen"` // index
	Reason     string      `json:"reason"`
}

// Best returns the candidate chosen.
func (s *Selection) Best() *Candidate { return &s.Candidates[s.Chosen] }

// Select chooses a level for the table. start is a point to solve from, nil for zero.
func Select(ctx context.Context, t *Table, start []float64, o Options) (*Selection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Selection{Rate: o.Rate, Rule: o.Rule, Folds: o.Folds, Of: t.N}
	if t.N > o.Rows {
		t = t.Select(t.sample(o.Rows, o.Seed))
	}
	s.Rows = t.N
	fold, err := t.Folds(o.Folds, o.Seed)
	if err != nil {
		return nil, err
	}
	m := newMeasure(t.Rows, fold, o.Folds, o.MinGroupSize, o.Tail)
	eligible, groups := m.groups()
	if s.Criterion = o.Criterion; s.Criterion == "" {
		if s.Criterion = "tail"; groups > 1 {
			s.Criterion = "worst-group"
		}
	}
	if s.Criterion == "worst-group" && groups == 0 {
		return nil, fmt.Errorf("select worst-group needs groups of at least %d rows, with some in every fold", o.MinGroupSize)
	}
	budget := o.Budget
	if math.IsNaN(budget) {
		if budget = math.Inf(1); s.Criterion == "tail" {
			budget = 0.01
		}
	}
	if !math.IsInf(budget, 1) {
		s.Budget = &budget
	}
	plain, passes, err := t.Solve(ctx, level.Level{Average: "plain", Penalty: "kl"}, start)
	if err != nil {
		return nil, err
	}
	loss, err := t.losses(plain)
	if err != nil {
		return nil, err
	}
	mean := m.average(loss)
	spread := 0.0
	for j, v := range loss {
		spread += m.weight[j] / m.total * (v - mean.value) * (v - mean.value)
	}
	spread = math.Sqrt(spread)
	var of []family
	if mean.value > 0 && spread > 0 {
		of = families(t.Rows, mean.value, spread, o.Levels)
	}
	out, more, err := t.crossfit(ctx, fold, o.Folds, plain, of)
	if err != nil {
		return nil, err
	}
	s.Passes = passes + more
	s.measure(m, of, out, eligible, groups)
	s.choose(o.Rule, budget)
	return s, nil
}

// measure fills in the candidates.
func (s *Selection) measure(m *measure, of []family, out [][]float64, eligible []bool, groups int) {
	add := func(name string, l level.Level, loss []float64) {
		c := Candidate{Family: name, Name: l.String(), Level: l}
		average, tail := m.average(loss), m.conditional(loss)
		c.Average, c.Tail = average.value, tail.value
		value := average
		if groups > 0 {
			worst := m.worst(loss, eligible)
			if c.WorstGroup = &worst.value; s.Criterion == "worst-group" {
				value = worst
			}
		}
		if s.Criterion == "tail" {
			value = tail
		}
		if len(s.Candidates) == 0 {
			s.Candidates = append(s.Candidates, c)
			m.plain, m.plainAverage = value, average
			return
		}
		c.Fall, c.SE = m.plain.minus(value)
		c.Rise, c.RiseSE = average.minus(m.plainAverage)
		s.Candidates = append(s.Candidates, c)
	}
	add("erm", level.Level{Average: "plain", Penalty: "kl"}, out[0])
	k := 1
	for _, f := range of {
		for _, l := range f.levels {
			add(f.name, l, out[k])
			k++
		}
	}
}

// tie is the share of ERM's criterion below which a difference is none.
const tie = 1e-3

// value is the criterion of a candidate.
func (s *Selection) value(c *Candidate) float64 {
	switch {
	case s.Criterion == "worst-group" && c.WorstGroup != nil:
		return *c.WorstGroup
	case s.Criterion == "tail":
		return c.Tail
	}
	return c.Average
}

// score is what a candidate is worth, in loss units.
func (s *Selection) score(c *Candidate) float64 {
	if s.Criterion != "worst-group" {
		return c.Fall
	}
	return c.Fall - s.Rate*max(0, c.Rise)
}

// choose applies the rule: the highest score among the candidates whose fall exceeds its
// standard error and what the rise costs, within the budget; ties, and with rule se what
// is within one standard error of the best, go to the simpler; none: ERM.
func (s *Selection) choose(rule string, budget float64) {
	plain := s.Candidates[0].Average
	least := tie * math.Abs(s.value(&s.Candidates[0]))
	best := 0
	for i := 1; i < len(s.Candidates); i++ {
		c := &s.Candidates[i]
		c.Allowed = c.Fall > max(c.SE, least) && s.score(c) > 0 && c.Rise <= budget*math.Abs(plain)
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
	what := map[string]string{"worst-group": "worst group's risk", "tail": "risk of the worst tail", "average": "average risk"}[s.Criterion]
	if best == 0 {
		s.Reason = fmt.Sprintf("ERM is best here: of %d other models none lowers the %s by more than one standard error at a price that is worth it", len(s.Candidates)-1, what)
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
