package eval

import (
	"maps"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
)

// Shares are those of the rows, and labels without rows have none.
func TestShares_OfLabelsWithRows(t *testing.T) {
	got := Shares([]facts.Grouping{{Name: "g", Labels: []string{"a", "b", "c"}, Index: []int32{0, 2, 2, 2}}})
	if want := map[string]float64{"a": 0.25, "c": 0.75}; len(got) != 1 || !maps.Equal(got[0], want) {
		t.Errorf("%v", got)
	}
}
