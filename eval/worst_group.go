package eval

import "math"

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

// WorstBy returns the group of the headline grouping with the worst value of a measure for model k, among groups with
// enough rows; nil if there is none.
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

// IsWorstBy reports whether no group with enough rows has a worse value of a measure than the worst group of model k,
// which is the one with the largest risk.
func (e *Evaluation) IsWorstBy(m Measure, k int) bool {
	w, h := e.Models[k].WorstGroup, e.WorstBy(m, k)
	if w == nil || h == nil {
		return true
	}
	i := e.Headline().find(w.Label)
	return i >= 0 && h.Models[k].Values.Of[m.Key] == e.Headline().Groups[i].Models[k].Values.Of[m.Key]
}
