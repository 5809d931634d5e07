package data

import (
	"fmt"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// A category with a value of its own in every row is an identifier, from 21 rows on:
// among fewer it may be chance.
func TestFit_IdentifiersAmongFewRows(t *testing.T) {
	for rows, refused := range map[int]bool{3: false, 19: false, 20: false, 21: true, 40: true} {
		csv := "y,c\n"
		for i := range rows {
			csv += fmt.Sprintf("%d,u%d\n", i%3, i)
		}
		_, err := NewEncoder(t.Context(), frameOf(t, csv), nil, Spec{Target: "y", Task: Regression})
		if (err != nil) != refused {
			t.Errorf("%d rows: %v", rows, err)
		}
		if refused {
			datatest.WantError(t, err, `column "c"`, fmt.Sprintf("every one of the %d", rows))
		}
		// One value twice, and it is a category.
		if _, err := NewEncoder(t.Context(), frameOf(t, csv+"1,u0\n"), nil, Spec{Target: "y", Task: Regression}); err != nil {
			t.Errorf("%d rows and one again: %v", rows, err)
		}
	}
}
