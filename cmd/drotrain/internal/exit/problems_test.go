package exit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
)

// All problems are printed as one table, and the hint joins the options that solve them.
func TestProblems_AreATableWithOneHint(t *testing.T) {
	err := fmt.Errorf("cannot train: %w", data.Problems{
		{Path: "t.csv", Column: "name, full", Msg: "every one of the 7 training rows has its own value",
			Fixes: []fix.Fix{fix.DropColumn}},
		{Path: "t.csv", Column: "x", Row: 4, Rows: 2, Msg: "the value is null, as in 2 of 7 rows",
			Fixes: []fix.Fix{fix.Impute, fix.DropColumn}},
		{Path: "t.csv", Column: "when", Msg: "a column of type date cannot be a feature",
			Fixes: []fix.Fix{fix.SayDates, fix.DropColumn}},
	})
	msg, hint := Describe(err)
	want := `cannot train: t.csv: 3 problems must be fixed before this table can be used:
  column          rows     first  what is wrong
  name, full         -         -  every one of the 7 training rows has its own value
                                    → leave the column out with --drop '"name, full"'
  x                  2         4  the value is null, as in 2 of 7 rows
                                    → choose --impute mean, median or drop, or leave the column out with --drop x
  when               -         -  a column of type date cannot be a feature
                                    → set --dates to number, parts or drop, or leave the column out with --drop when`
	if msg != want {
		t.Errorf("got\n%s\nwant\n%s", msg, want)
	}
	if want := `together: --drop '"name, full"' --impute median --dates parts`; hint != want {
		t.Errorf("got %s, want %s", hint, want)
	}
}

func TestDescribe_OmitsPackageNames(t *testing.T) {
	err := fmt.Errorf("eval: the report failed: %w", errors.New("train: no rows"))
	if msg, _ := Describe(err); msg != "the report failed: no rows" {
		t.Errorf("%q", msg)
	}
}

// Hints quote the names of columns for the shell, and name only options that the command has.
func TestDescribeFor_OptionsOfTheCommand(t *testing.T) {
	err := data.Problems{
		{Path: "t.csv", Column: "it's `y`", Msg: "the target is null", Fixes: []fix.Fix{fix.DropNullRows}},
		{Path: "t.csv", Column: "x", Msg: "the value is null", Fixes: []fix.Fix{fix.Impute, fix.DropColumn}},
		{Path: "t.csv", Column: "z", Msg: "the target is null", Fixes: []fix.Fix{fix.DropNullRows}},
	}
	const filter = "--filter '`it'\\''s ``y``` is not null && z is not null'"
	if _, hint := Describe(err); hint != "together: --impute median "+filter {
		t.Error(hint)
	}
	eval := func(option string) bool { return option == "filter" || option == "na" }
	msg, hint := DescribeFor(err, eval)
	if hint != "together: "+filter || strings.Contains(msg, "--impute drop") || strings.Contains(msg, "--drop") {
		t.Errorf("%s\nhint: %s", msg, hint)
	}
	predict := func(option string) bool { return false }
	if msg, hint := DescribeFor(err[:1], predict); strings.Contains(msg+hint, "--") ||
		!strings.Contains(msg+hint, "drop the rows") {
		t.Errorf("%s\nhint: %s", msg, hint)
	}
}

// Of many problems, the first 40 are printed and the others are counted.
func TestProblems_BeyondTheFirstAreCounted(t *testing.T) {
	for _, n := range []int{maxProblems, maxProblems + 1} {
		var all data.Problems
		for i := range n {
			all = append(all, &data.Error{Path: "t.csv", Column: fmt.Sprintf("x%d", i), Msg: "it is empty"})
		}
		msg, _ := Describe(all)
		lines := strings.Split(msg, "\n")
		if want := fmt.Sprintf("x%d ", maxProblems-1); len(lines) != n+2 || !strings.Contains(lines[maxProblems+1], want) ||
			strings.Contains(msg, "… and 1 more") != (n > maxProblems) {
			t.Errorf("%d problems:\n%s", n, msg)
		}
	}
}

// If an option states how numbers are written, the hint is this option instead of leaving the column out.
func TestProblems_TextOfNumbers(t *testing.T) {
	err := data.Problems{
		{Path: "t.csv", Column: "name", Msg: "names", Fixes: []fix.Fix{fix.DropColumn}},
		{Path: "t.csv", Column: "income", Msg: "numbers", Fixes: []fix.Fix{fix.SayThousands},
			FixValues: map[fix.Fix]string{fix.SayThousands: ","}},
		{Path: "t.csv", Column: "debt", Msg: "numbers", Fixes: []fix.Fix{fix.SayStrip, fix.SayThousands},
			FixValues: map[fix.Fix]string{fix.SayThousands: ",", fix.SayStrip: "$"}},
	}
	if _, hint := Describe(err); hint != "together: --drop name --thousands , --strip '$'" {
		t.Error(hint)
	}
}
