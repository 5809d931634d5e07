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
