package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// A groupRisk is the mean loss over the rows of a group.
type groupRisk struct {
	Label string
	Rows  int
	Risk  float64
}

// findWorstGroup returns the index of the first group with the largest risk among groups with at least minRows
// rows, or -1 if there is none. It ignores groups whose risk is NaN.
func findWorstGroup(groups []groupRisk, minRows int) int {
	worst, risk := -1, math.Inf(-1)
	for i, g := range groups {
		if g.Rows >= minRows && (g.Risk > risk || worst < 0 && !math.IsNaN(g.Risk)) {
			worst, risk = i, g.Risk
		}
	}
	return worst
}

// WorstBy returns the group of the headline grouping in which model k has the worst value of measure m, among
// groups with enough rows. It returns nil if there is none.
func (e *Evaluation) WorstBy(m Measure, k int) (worst *Group) {
	g := e.Headline()
	if g == nil {
		return nil
	}
	least := 0.0
	for i := range g.Groups {
		h := &g.Groups[i]
		v, ok := h.Models[k].Values.Get(m.Key)
		if !h.Sufficient || !ok {
			continue
		}
		if worst == nil || v != least && (v < least) == (m.Better == More) {
			worst, least = h, v
		}
	}
	return worst
}

// IsWorstBy reports whether no group with enough rows has a worse value of measure m than the worst group of model
// k, which is the group with the largest risk.
func (e *Evaluation) IsWorstBy(m Measure, k int) bool {
	w, h := e.Models[k].WorstGroup, e.WorstBy(m, k)
	if w == nil || h == nil {
		return true
	}
	i := e.Headline().find(w.Label)
	return i >= 0 && h.Models[k].Values.Of[m.Key] == e.Headline().Groups[i].Models[k].Values.Of[m.Key]
}

// A WorstComparison compares the worst group of a model with the other groups that have enough rows.
type WorstComparison struct {
	Others  []*Group // compared groups, by decreasing risk
	Settled []bool   // for each of Others, whether its risk is measurably lower
	Rest    float64  // risk of all other groups together
	IsAbove bool     // the risk of the worst group is measurably above Rest
}

// CompareWorst compares the worst group of model k with every other group and with all others together. It returns
// nil if there is no worst group or there are no intervals. The groups have no rows in common, so the errors of
// their risks are independent; the distance from a difference to the limit of its interval is the square root of
// the sum of the squared distances for both risks (Zou and Donner 2008). The intervals of single comparisons hold
// simultaneously for all pairs of groups.
func (e *Evaluation) CompareWorst(k int) *WorstComparison {
	g, w := e.Headline(), e.Models[k].WorstGroup
	if w == nil || g.find(w.Label) < 0 {
		return nil
	}
	mean := func(x float64) float64 { return x } // the risk is the mean over rows of a value
	root := mean
	if e.Loss == RootMeanSquare {
		mean, root = func(x float64) float64 { return x * x }, math.Sqrt
	}
	worst := &g.Groups[g.find(w.Label)]
	if worst.Models[k].Simultaneous == nil {
		return nil
	}
	var c WorstComparison
	for i := range g.Groups {
		if h := &g.Groups[i]; h.Sufficient && h != worst && h.Models[k].Simultaneous != nil {
			c.Others = append(c.Others, h)
		}
	}
	slices.SortStableFunc(c.Others, func(a, b *Group) int {
		return cmp.Compare(b.Models[k].Values.Risk(), a.Models[k].Values.Risk())
	})
	risk := func(h *Group) float64 { return mean(float64(h.Models[k].Values.Risk())) }
	below := risk(worst) - mean(float64(worst.Models[k].Simultaneous.Low))
	above := func(h *Group) float64 { return mean(float64(h.Models[k].Simultaneous.High)) - risk(h) }
	groups := len(c.Others) + 1
	total, sum, square := 0.0, 0.0, 0.0
	for _, h := range c.Others {
		freedom := float64(max(1, min(h.N, worst.N)-1))
		factor := interval.Widening(e.Confidence, float64(groups*(groups-1)/2), freedom) /
			interval.Widening(e.Confidence, float64(groups), freedom)
		c.Settled = append(c.Settled, risk(worst)-risk(h) > factor*math.Hypot(below, above(h)))
		total, sum = total+h.Share, sum+h.Share*risk(h)
		square += h.Share * above(h) * h.Share * above(h)
	}
	rest := sum / total
	c.Rest, c.IsAbove = root(rest), risk(worst)-rest > math.Hypot(below, math.Sqrt(square)/total)
	return &c
}
