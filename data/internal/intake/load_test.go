package intake

import (
	"errors"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// A defect of a caller is no damage to the user's file: its panic arrives as it is.
func TestParallel_PanicsOfItsCalls(t *testing.T) {
	want := errors.New("a defect")
	defer func() {
		if got := recover(); got != want {
			t.Errorf("recovered %v, want %v", got, want)
		}
	}()
	err := table.Parallel(t.Context(), 9, func(i int) error {
		if i == 3 {
			panic(want)
		}
		return nil
	})
	t.Errorf("returned %v", err)
}
