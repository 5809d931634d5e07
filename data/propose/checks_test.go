package propose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
)

// Each case is a table of 400 rows with two noisy numbers, a target of two classes and one column of its
// own; the proposal says about the column what the case wants.
func TestMake_Checks(t *testing.T) {
	class := func(i int) int { return i * 7919 % 10 / 6 } // 1 in four of ten rows
	for _, c := range []struct {
		name, column string
		value        func(i int) string
		groups       []string
		finding      string // about the column, "" for none
		does         string
		drop         bool
		proposed     []string // as groups
		holdout      string
	}{
		{name: "levels spelled in several ways", column: "status",
			value:   func(i int) string { return []string{"Permanent", "permanent", "Temporary", "permanent"}[i*i%37%4] },
			finding: `"permanent" and "Permanent" look like spellings of one label`, does: "rename the variants"},
		{name: "levels of their own", column: "status",
			value: func(i int) string { return []string{"A", "b", "C"}[i*i%37%3] }},
		{name: "rows without a group", column: "hospital",
			value:   func(i int) string { return []string{"x", "", "z"}[i*i%37%3] },
			finding: "some values are missing", does: "would form the group (missing)", proposed: []string{"hospital"}},
		{name: "rows without a named group", column: "ward", groups: []string{"ward"},
			value:   func(i int) string { return []string{"x", "", "z"}[i*i%37%3] },
			finding: "some values are missing", does: "would form the group (missing)"},
		{name: "groups by name", column: "applicant_sex", value: func(i int) string { return []string{"f", "m"}[i*i%37%2] },
			proposed: []string{"applicant_sex"}},
		{name: "one group and three rows", column: "race", value: func(i int) string { return []string{"a", "b"}[i/397] }},
		{name: "a name and a nearly pure level", column: "event",
			value:   func(i int) string { return fmt.Sprint(class(i) * min(1, i%3)) },
			finding: "have the outcome", does: "is the column known"},
		{name: "weight", column: "survey_weight", value: func(i int) string { return fmt.Sprint(0.5 + float64(i*i%101)/50) },
			finding: "the name of the column suggests that it is a row weight", does: "kept as a feature"},
		{name: "weight with a zero", column: "weight", value: func(i int) string { return fmt.Sprint(i * i % 101) }},
		{name: "dates in two formats", column: "opened", value: func(i int) string {
			if i%3 == 0 {
				return fmt.Sprintf("%02d.%02d.2021", 1+i%28, 1+i%12)
			}
			return fmt.Sprintf("2021-%02d-%02d", 1+i%12, 1+i%28)
		}, finding: "dates in different formats", does: "write all dates as 2024-03-31", drop: true},
		{name: "a level that gives the target away", column: "insurance", value: func(i int) string {
			if class(i) == 1 && i%3 == 0 {
				return "denied"
			}
			return "no"
		}, finding: "have the outcome", does: "is the column known"},
		{name: "a rarer level that gives it away", column: "insurance", value: func(i int) string {
			if class(i) == 1 && i%2 == 0 {
				return "denied"
			}
			return "no"
		}, finding: "have the outcome", does: "is the column known"},
		{name: "a name that was suspected", column: "lesion",
			value: func(i int) string { return []string{"a", "b"}[(i*i%11+class(i))%2] }},
		{name: "a name and nearly the target", column: "final_state",
			value:   func(i int) string { return fmt.Sprint(i*i%11 + 9*class(i)) },
			finding: "far better than all other columns", does: "left out", drop: true},
		{name: "an identifier that rows share", column: "person_id",
			value:   func(i int) string { return fmt.Sprint(5000 + 7*(i/2)) },
			finding: "identifier", does: "rows that share a value are held out together", drop: true, holdout: "person_id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			fmt.Fprintf(&b, "y,a,b,%s\n", c.column)
			for i := range 400 {
				fmt.Fprintf(&b, "%d,%d,%d,%s\n", class(i), i*i%397, i*i*i%389, c.value(i))
			}
			p, err := Make(t.Context(), tableOf(t, b.String()), check.Roles{Target: "y", Groups: c.groups}, data.Reading{})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(p.Findings, func(f check.Finding) bool { return f.Column == c.column })
			wanted := c.finding != ""
			if wanted != (at >= 0) || at >= 0 && (!strings.Contains(p.Findings[at].Evidence, c.finding) ||
				!strings.Contains(p.Findings[at].Proposal, c.does)) {
				t.Errorf("findings %+v", p.Findings)
			}
			if slices.Contains(p.Drop, c.column) != c.drop || !slices.Equal(p.Groups, c.proposed) ||
				p.GroupHoldout != c.holdout {
				t.Errorf("drop %q, groups %q, hold-out by %q", p.Drop, p.Groups, p.GroupHoldout)
			}
		})
	}
}
