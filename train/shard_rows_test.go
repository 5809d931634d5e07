package train

import (
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Every row of a table is looked at by one rank, that of the training row at or before it; by
// none that has no training row.
func TestStretchesCoverATable(t *testing.T) {
	f := newFrame(t, data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: make([]float64, 12)})
	for _, c := range []struct {
		own  [3][]int
		want [3][2]int
	}{
		{[3][]int{{0, 2}, {3}, {8, 6, 9}}, [3][2]int{{0, 3}, {3, 6}, {6, 12}}},
		{[3][]int{{2}, {}, {5, 7}}, [3][2]int{{0, 5}, {5, 5}, {5, 12}}},
		{[3][]int{{1}, {4}, {}}, [3][2]int{{0, 4}, {4, 12}, {12, 12}}},
		{[3][]int{{}, {4}, {5}}, [3][2]int{{4, 4}, {0, 5}, {5, 12}}},
	} {
		var got [3][2]int
		err := ranks.Run(3, func(comm ranks.Comm) error {
			from, to := tableRange(f, c.own[comm.Rank()], ranks.NewRowsIn(comm, 12, 3))
			got[comm.Rank()] = [2]int{from, to}
			return nil
		})
		if err != nil || got != c.want {
			t.Errorf("%v: %v, not %v; %v", c.own, got, c.want, err)
		}
	}
	if from, to := tableRange(f, []int{5}, nil); from != 0 || to != 12 {
		t.Errorf("of rows that are all here: %d to %d", from, to)
	}
}
