package data

import "math"

// A GroupRisk is the mean loss of the rows of one group.
type GroupRisk struct {
	Label string
	Rows  int
	Risk  float64
}

// WorstGroup returns the index of the group with the largest risk among those of at
// least minRows rows, the first of several; -1 without one. Risks that are
// not numbers are passed over.
func WorstGroup(groups []GroupRisk, minRows int) int {
	worst, risk := -1, math.Inf(-1)
	for i, g := range groups {
		if g.Rows >= minRows && (g.Risk > risk || worst < 0 && !math.IsNaN(g.Risk)) {
			worst, risk = i, g.Risk
		}
	}
	return worst
}
