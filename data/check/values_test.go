package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each case is a table of 600 rows with a noisy target and one column of its own, about which the case wants a finding
// or none.
func TestExamine_Values(t *testing.T) {
	date := func(i int) time.Time { return time.Date(2021, 1, 1+i*7%900, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name, column string
		value        func(i int) string
		what         Kind // "" for none
		says         string
	}{
		{"N+", "age", func(i int) string { return []string{"90+", fmt.Sprint(60 + i%30)}[min(1, i%4)] }, Bounds,
			"by numbers, as in 90+->90"},
		{"<N", "lead", func(i int) string { return []string{"<0.3", fmt.Sprint(0.3 + float64(i%40)/10)}[min(1, i%5)] },
			Bounds, `"<0.3" among numbers`},
		{"N or more", "rooms", func(i int) string { return []string{"8 or more", fmt.Sprint(i % 7)}[min(1, i%5)] }, Bounds,
			""},
		{"≥N", "rooms", func(i int) string { return []string{"≥ 8", fmt.Sprint(i % 7)}[min(1, i%5)] }, Bounds, ""},
		{"under N", "rooms", func(i int) string { return []string{"under 2", fmt.Sprint(2 + i%7)}[min(1, i%5)] }, Bounds, ""},
		{"ranges are levels", "band", func(i int) string { return []string{"18-25", "26-40", "41+"}[i%3] }, "", ""},
		{"99 far away", "drinks", func(i int) string { return []string{"99", fmt.Sprint(i % 12)}[min(1, i%20)] }, Sentinel,
			"99 is a usual code for a missing value"},
		{"77 and 99", "drinks", func(i int) string { return []string{"77", "99", fmt.Sprint(i % 12)}[min(2, i%20)] },
			Sentinel, "77 (30 rows) and 99 (30 rows) are usual codes"},
		{"a spike of 99 near the rest", "age", func(i int) string {
			return []string{"99",
				fmt.Sprint(18 + i*37%80)}[min(1, i%6)]
		}, Sentinel, "99 is a usual code for a missing value"},
		{"-9999", "income", func(i int) string { return []string{"-9999", fmt.Sprint(i * i % 977)}[min(1, i%20)] }, Sentinel,
			"-9999 is a usual code for a missing value"},
		{"percentages", "percent", func(i int) string { return fmt.Sprint(i * 7 % 101) }, "", ""},
		{"accounting", "balance", func(i int) string {
			return []string{fmt.Sprintf("%d.50 CR", i),
				fmt.Sprintf("%d.25", i)}[min(1, i%3)]
		}, Accounting, "minus sign"},
		{"zip", "zip", func(i int) string { return fmt.Sprint(10001 + i%9*1111) }, Codes, "as a category"},
		{"few numbers without a code's name", "rooms", func(i int) string { return fmt.Sprint(i % 9) }, "", ""},
		{"case", "sex", func(i int) string { return []string{"Female", "Male", "female", "Male "}[i*i%7%4] }, Spellings,
			"rename the variants"},
		{"Unicode", "town", func(i int) string { return []string{"Z\u00fcrich", "Zu\u0308rich", "Bern"}[i%3] }, Spellings,
			""},
		{"accents", "town", func(i int) string { return []string{"Québec", "Quebec", "Bern"}[i%3] }, Spellings, ""},
		{"hyphens", "work", func(i int) string { return []string{"self-employed", "Self_employed", "retired"}[i%3] },
			Spellings, ""},
		{"grades", "grade", func(i int) string { return []string{"A", "A-", "A+", "B", "B-"}[i%5] }, "", ""},
		{"letters that are no accents", "town", func(i int) string { return []string{"край", "краи", "град"}[i%3] }, "", ""},
		{"one edit", "town", func(i int) string { return []string{"Geneva", "Geneav"}[max(0, i-598)] }, Spellings,
			`"Geneva" and "Geneav"`},
		{"two towns", "town", func(i int) string { return []string{"Geneva", "Genoa"}[i%2] }, "", ""},
		{"row numbers", "n", func(i int) string { return fmt.Sprint(i) }, Index, "leave it out"},
		{"month names", "opened", func(i int) string { return date(i).Format("02-Jan-2006") }, Dates, "use the parts"},
		{"years of two digits", "opened", func(i int) string { return date(i).Format("02-Jan-06") }, Dates, "write dates as"},
		{"dates in digits", "opened", func(i int) string { return date(i).Format("20060102") }, Dates, "write dates as"},
		{"texts of their own", "note", func(i int) string { return fmt.Sprint("note ", i) }, UniqueText, "leave it out"},
		{"constant", "unit", func(int) string { return "kg" }, Constant, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("y,x," + c.column + "\n")
			for i := range 600 {
				fmt.Fprintf(&b, "%d,%d,%s\n", i*7919%10/6, i*i%397, c.value(i))
			}
			all := slices.DeleteFunc(examineText(t, b.String(), Roles{Target: "y"}),
				func(f Finding) bool { return f.Column != c.column })
			if (len(all) > 0) != (c.what != "") || len(all) > 0 &&
				(all[0].What != c.what || !strings.Contains(all[0].String(), c.says)) {
				t.Errorf("found %q", stringsOf(all))
			}
		})
	}
}

// The target and the groups: another spelling is another class or group, a class of a handful of rows makes another
// model, and the header line may occur again.
func TestExamine_Labels(t *testing.T) {
	for _, c := range []struct {
		name  string
		label func(i int) string
		group func(i int) string
		what  Kind
		says  string
	}{
		{"a spelling of a class", func(i int) string { return []string{"no", "Yes", "yes"}[i*7919%10%3] }, nil, Spellings,
			"3 classes instead of 2"},
		{"one row of a third class", func(i int) string { return []string{fmt.Sprint("c", i*7919%10%2), "unknown"}[i/599] },
			nil, RareClass, `without it the target has the two classes`},
		{"three classes", func(i int) string { return fmt.Sprint("c", i*7919%10%3) }, nil, "", ""},
		{"spellings of a group", func(i int) string { return fmt.Sprint("c", i*7919%10%2) },
			func(i int) string { return []string{"Female", "female", "FEMALE", "Male"}[i%4] }, Spellings,
			"4 groups instead of 2"},
		{"a header line", func(i int) string { return []string{fmt.Sprint("c", i*7919%10%2), "y"}[i/599] },
			func(i int) string { return []string{fmt.Sprint("g", i%2), "g"}[i/599] }, HeaderRows, "first 600"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.group == nil {
				c.group = func(i int) string { return fmt.Sprint("g", i*i%7%2) }
			}
			var b strings.Builder
			b.WriteString("y,x,g\n")
			for i := range 600 {
				fmt.Fprintf(&b, "%s,%d,%s\n", c.label(i), i*i%397, c.group(i))
			}
			all := examineText(t, b.String(), Roles{Target: "y", Groups: []string{"g"}})
			at := slices.IndexFunc(all, func(f Finding) bool { return f.What == c.what })
			if c.what == "" && len(all) > 0 || c.what != "" &&
				(at < 0 || all[at].Severity != Warning || !strings.Contains(all[at].String(), c.says)) {
				t.Errorf("found %q", stringsOf(all))
			}
		})
	}
}

// A level that is called as its column is no header line where other columns hold numbers.
func TestExamine_LevelCalledAsItsColumn(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,x,a\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%d,%s\n", i*7919%10/6, i*i%97, []string{"a", "b"}[i%2])
	}
	if all := examineText(t, b.String(), Roles{Target: "y"}); len(all) > 0 {
		t.Errorf("found %q", stringsOf(all))
	}
}
