package tune

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

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
func (s *Selection) traded() bool { return s.Criterion == "worst-group" }

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
	what := map[string]string{"worst-group": "worst group's risk", "tail": "risk of the worst tail", "average": "average risk"}[s.Criterion]
	if best == 0 {
		s.Reason = fmt.Sprintf("ERM is best here: of %d other %s none lowers the %s by more than two standard errors at a price that is worth it", len(s.Candidates)-1, printable.Noun(len(s.Candidates)-1, "model", "models"), what)
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
