package eval

import (
	"math"
	"testing"
)

// Groups a, b, c of 2, 0 and 3 rows with risks (1+3)/2 = 2 and (2+2+5)/3 = 3.
func TestFindWorstGroup_ByHand(t *testing.T) {
	r := []groupRisk{{"a", 2, 2}, {"c", 3, 3}}
	for _, c := range []struct {
		groups []groupRisk
		least  int
		worst  int
	}{
		{r, 0, 1}, {r, 3, 1}, {r, 4, -1}, {nil, 0, -1},
		{[]groupRisk{{"a", 9, 1}, {"b", 2, 7}}, 3, 0},          // the worse one is too small
		{[]groupRisk{{"a", 5, 2}, {"b", 5, 2}}, 1, 0},          // the first of equals
		{[]groupRisk{{"a", 5, math.NaN()}, {"b", 5, 1}}, 1, 1}, // no number
		{[]groupRisk{{"a", 5, math.Inf(-1)}, {"b", 5, math.Inf(-1)}}, 1, 0},
	} {
		if w := findWorstGroup(c.groups, c.least); w != c.worst {
			t.Errorf("worst of %v with %d rows: %d, want %d", c.groups, c.least, w, c.worst)
		}
	}
}
