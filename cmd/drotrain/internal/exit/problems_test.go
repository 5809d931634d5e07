package exit

import (
	"fmt"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// All problems come as one table, in the options of this program, and what settles them
// together as the hint.
func TestProblemsAsTable(t *testing.T) {
	err := fmt.Errorf("cannot train: %w", data.Problems{
		{Path: "t.csv", Column: "name, full", Msg: "every one of the 7 training rows has its own value", Remedies: []data.Remedy{data.DropColumn}},
		{Path: "t.csv", Column: "x", Row: 4, Rows: 2, Msg: "the value is null, as in 2 of 7 rows", Remedies: []data.Remedy{data.Impute, data.DropColumn}},
		{Path: "t.csv", Column: "when", Msg: "values of type date cannot be a feature", Remedies: []data.Remedy{data.SayDates, data.DropColumn}},
	})
	msg, hint := Describe(err)
	want := `cannot train: t.csv: 3 things are to be settled before this table can be used:
  column          rows     first  what is wrong
  name, full         -         -  every one of the 7 training rows has its own value
                                    → leave the column out with --drop '"name, full"'
  x                  2         4  the value is null, as in 2 of 7 rows
                                    → choose --impute mean, median or drop, or leave the column out with --drop x
  when               -         -  values of type date cannot be a feature
                                    → say --dates number, parts or drop, or leave the column out with --drop when`
	if msg != want {
		t.Errorf("got\n%s\nwant\n%s", msg, want)
	}
	if want := `together: --drop '"name, full"' --impute median --dates parts`; hint != want {
		t.Errorf("got %s, want %s", hint, want)
	}
}
