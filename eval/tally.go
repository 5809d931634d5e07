package eval

import (
	"fmt"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Tally counts groups by the side of 0 on which the simultaneous interval of their difference in risk lies.
type Tally struct {
	Better    int `json:"better"`    // groups whose interval lies below 0
	Worse     int `json:"worse"`     // groups whose interval lies above 0
	Undecided int `json:"undecided"` // the interval contains 0, or is missing
	TooSmall  int `json:"too_small"` // not tested, since the group has fewer rows than min_group_size
}

// tallyGroups counts the groups of a comparison. It returns nil if there are none.
func (c *Comparison) tallyGroups() *Tally {
	if c.Groups == nil {
		return nil
	}
	t := &Tally{}
	for _, g := range c.Groups {
		side, ok := g.Change().Direction()
		switch {
		case !g.Sufficient:
			t.TooSmall++
		case ok && side < 0:
			t.Better++
		case ok:
			t.Worse++
		default:
			t.Undecided++
		}
	}
	return t
}

// String describes the tally.
func (t Tally) String() string {
	better, worse := "no group is", printable.Count(t.Worse)+" measurably"
	if t.Better > 0 {
		better = printable.Plural(t.Better, "group is", "groups are")
	}
	if t.Worse == 0 {
		worse = "none"
	}
	s := fmt.Sprintf("%s measurably better off, %s worse off, %s undecided", better, worse, printable.Count(t.Undecided))
	if t.Better == 0 && t.Worse == 0 {
		s = fmt.Sprintf("no group is measurably better or worse off, %s undecided", printable.Count(t.Undecided))
	}
	if t.TooSmall > 0 {
		s += fmt.Sprintf(", %s too small to tell", printable.Count(t.TooSmall))
	}
	return s + "."
}

// A Gap is the largest difference in a rate between groups, compared with a tolerance.
type Gap struct {
	Model     string    `json:"model"`
	Measure   string    `json:"measure"` // key of a measure that has a criterion
	Value     Num       `json:"difference"`
	High      string    `json:"highest_in,omitempty"`
	Low       string    `json:"lowest_in,omitempty"`
	Interval  *Interval `json:"interval,omitempty"` // intervals that hold simultaneously for all groups
	Tolerance float64   `json:"tolerance"`
	// Outcome is "within" or "above" if the interval lies on one side of the tolerance, "undecided" if it
	// contains the tolerance, and "untested" if there is no interval.
	Outcome string `json:"outcome"`
}

// findGaps returns the largest differences between groups of the measures that have a criterion.
func (e *Evaluation) findGaps(tolerance float64) []Gap {
	g := e.Headline()
	if g == nil || e.Task != Binary {
		return nil
	}
	var out []Gap
	for _, r := range e.Task.Measures() {
		if r.Criterion == "" || r.ifNegative && (e.Favourable == nil || e.Favourable.IsPositive) {
			continue
		}
		for k, m := range e.Models {
			s, ok := g.Summary[k].Spread[r.Key]
			if !ok || !s.Difference.BetweenGroups.Defined() || s.Groups < 2 {
				continue
			}
			q := Gap{Model: m.Name, Measure: r.Key, Value: s.Difference.BetweenGroups, High: s.MaxGroup, Low: s.MinGroup,
				Tolerance: tolerance, Outcome: "untested"}
			if iv, ok := s.Intervals["difference"]; ok {
				q.Interval = &iv
				switch {
				case float64(iv.High) <= tolerance:
					q.Outcome = "within"
				case float64(iv.Low) > tolerance:
					q.Outcome = "above"
				default:
					q.Outcome = "undecided"
				}
			}
			out = append(out, q)
		}
	}
	return out
}
