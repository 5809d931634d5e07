package tune

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

const (
	significance = 2.5  // standard errors that an improvement must exceed
	budgetErrors = 2    // standard errors by which the cost must stay within a budget
	worth        = 5e-3 // share of ERM's criterion that an improvement must reach
	tie          = 1e-3 // share of it below which two candidates are equally good
)

// estimate sets the estimates of each candidate from its values, ERM's first. A value is the out-of-fold loss
// or error of a row.
func (s *Selection) estimate(m *measure, values [][]float64) {
	erm := values[0]
	average, tail := m.average(erm), m.tail(erm)
	for i, v := range values {
		c := &s.Candidates[i]
		a, t := m.average(v), m.tail(v)
		c.Average, c.Tail, c.Rows = a.value, t.value, len(v)
		c.Cost, c.CostSE = a.minus(average)
		switch s.Criterion {
		case "tail":
			c.Improvement, c.SE = tail.minus(t)
		case "average":
			c.Improvement, c.SE = average.minus(a)
		}
		if m.countEligible() == 0 {
			continue
		}
		worst, decrease, se := m.worstGroup(erm, v)
		if c.WorstGroup = &worst; s.isByGroup() {
			c.Improvement, c.SE = decrease, se
		}
	}
	s.Candidates[0].Improvement, s.Candidates[0].SE = 0, 0
}

// isByGroup reports whether the criterion is about the worst group.
func (s *Selection) isByGroup() bool {
	return s.Criterion == "worst-group" || s.Criterion == "worst-group-accuracy"
}

// Value returns the criterion of a candidate.
func (s *Selection) Value(c *Candidate) float64 {
	switch {
	case s.isByGroup() && c.WorstGroup != nil:
		return *c.WorstGroup
	case s.Criterion == "tail":
		return c.Tail
	}
	return c.Average
}

// score returns the improvement minus rate times the cost.
func (s *Selection) score(c *Candidate) float64 {
	if !s.isByGroup() {
		return c.Improvement
	}
	return c.Improvement - s.Rate*max(0, c.Cost)
}

// choose chooses the candidate of the highest score among those that may replace ERM: their
// improvement exceeds two and a half standard errors, half a percent of ERM's criterion and rate times
// the cost, and their cost stays within the budget by two standard errors. Ties go to the
// candidate that comes first; with no such candidate the choice is ERM.
func (s *Selection) choose(budget float64) {
	erm := &s.Candidates[0]
	least := math.Abs(s.Value(erm))
	best := 0
	for i := 1; i < len(s.Candidates); i++ {
		c := &s.Candidates[i]
		c.Allowed = c.Improvement > max(significance*c.SE, worth*least) && s.score(c) > 0 &&
			c.Cost+budgetErrors*c.CostSE <= budget*math.Abs(erm.Average)
		if c.Allowed && (best == 0 || s.score(c) > s.score(&s.Candidates[best])+tie*least) {
			best = i
		}
	}
	s.Chosen = best
	if best == 0 {
		s.Reason = fmt.Sprintf("ERM is kept: %d robust %s tried, and none improves the %s significantly (by 2.5 standard errors) and enough to justify its cost",
			len(s.Candidates)-1, printable.Noun(len(s.Candidates)-1, "candidate was", "candidates were"), s.criterionText())
		return
	}
	c := s.Best()
	change := "falls"
	if c.Cost > 0 {
		change = "rises"
	}
	s.Reason = fmt.Sprintf("%s improves the %s by %.3g ± %.2g out of fold; the average %s by %.3g", c.Name, s.criterionText(), c.Improvement, c.SE, change, math.Abs(c.Cost))
}

// criterionText describes the criterion.
func (s *Selection) criterionText() string {
	return map[string]string{"worst-group": "worst group's risk", "worst-group-accuracy": "worst group's error rate",
		"tail": "risk of the worst tenth", "average": "average risk"}[s.Criterion]
}
