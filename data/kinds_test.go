package data

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// kindRows is how many rows the columns of every kind have.
const kindRows = 24

// kinds are columns of every kind that a table may have.
func kinds() []*Column {
	column := func(name, typ string, kind Kind, at func(i int) any) *Column {
		c := &Column{Name: name, Type: typ, Kind: kind}
		codes := map[string]int32{}
		for i := range kindRows {
			switch v := at(i).(type) {
			case string:
				if _, known := codes[v]; !known {
					codes[v] = int32(len(codes))
					c.Level = append(c.Level, v)
				}
				c.Code = append(c.Code, codes[v])
			case bool:
				c.Number = append(c.Number, map[bool]float64{true: 1}[v])
			case float64:
				c.Number = append(c.Number, v)
			default: // a null
				if c.Null == nil {
					c.Null = make([]bool, kindRows)
				}
				if c.Null[i] = true; kind == Categorical {
					c.Code = append(c.Code, -1)
				} else {
					c.Number = append(c.Number, 0)
				}
			}
		}
		return c
	}
	day := func(i int) any { return float64(19_000 + 40*i) }
	all := []*Column{
		column("fractions", "double", Numeric, func(i int) any { return float64(i*i%17) + 0.25 }),
		column("whole", "int64", Numeric, func(i int) any { return float64(i % 4) }),
		column("two", "int64", Numeric, func(i int) any { return float64(i / 7 % 2) }),
		column("bools", "bool", Bool, func(i int) any { return i%5 < 2 }),
		column("texts", "string", Categorical, func(i int) any { return []string{"b", "a", "c"}[i%3] }),
		column("yes", "string", Categorical, func(i int) any { return []string{"no", "yes"}[i/5%2] }),
		column("digits", "string", Categorical, func(i int) any { return fmt.Sprint(i % 2) }),
		column("own", "string", Categorical, func(i int) any { return fmt.Sprint("t", i) }),
		column("mostly", "string", Categorical, func(i int) any {
			if i == 9 {
				return "many"
			}
			return fmt.Sprint(i % 4)
		}),
		column("constant", "double", Numeric, func(int) any { return 3.5 }),
		column("large", "int64", Numeric, func(i int) any { return float64(1<<53 + 2*(i%2)) }),
		column("endless", "double", Numeric, func(i int) any { return []any{1.0, math.Inf(-1), math.NaN()}[i%3] }),
		column("gaps", "double", Numeric, func(i int) any { return []any{1.5, nil, 2.5, 0.5}[i%4] }),
		column("untold", "string", Categorical, func(i int) any { return []any{nil, "u", "v"}[i%3] }),
		column("none", "null", Categorical, func(int) any { return nil }),
		column("missing", "double", Numeric, func(int) any { return nil }),
		column("days", "date", Numeric, day),
		{Name: "times", Type: "timestamp", Kind: Other, Clock: true},
		{Name: "lists", Type: "list", Kind: Other},
	}
	for _, c := range all {
		c.Integer = c.Type == "int64"
	}
	of := func(name string) *Column {
		for _, c := range all {
			if c.Name == name {
				return c
			}
		}
		return nil
	}
	of("mostly").StrayRow, of("mostly").Stray = 10, "many"
	of("large").InexactRow = 4
	of("days").Clock = true
	part := table.Derived(of("days"), "days.month", "int64", func(v float64) float64 { return math.Floor(v/30) - 633 })
	part.Of = "days"
	return append(all, part)
}

// What a column of every kind gives or what is said of it, whatever it is taken for; and in a
// model that was trained on a column of another kind.
func TestKindsInEveryPlace(t *testing.T) {
	columns := kinds()
	tableWith := func(c *Column, as string) *Frame {
		y, x := &Column{Name: "y", Type: "double", Kind: Numeric}, &Column{Name: "x", Type: "double", Kind: Numeric}
		for i := range kindRows {
			y.Number, x.Number = append(y.Number, float64(i*i%11)), append(x.Number, float64(i%5))
		}
		own := *c
		own.Name = as
		return &Frame{Rows: kindRows, Columns: []*Column{y, x, &own}, Sources: []Source{{Path: "t", Rows: kindRows}}}
	}
	encoded := func(e *Encoder, d *Dataset) string {
		said := []string{fmt.Sprintf("%d × %d", d.N, d.D)}
		for _, c := range e.Columns {
			if c.Source != "x" {
				said = append(said, fmt.Sprintf("%s %.4g %.4g", c.Name, c.Shift, c.Scale))
			}
		}
		for _, g := range d.Groups {
			if len(g.Labels) > 5 {
				g.Labels = append(g.Labels[:5:5], "…")
			}
			said = append(said, fmt.Sprintf("groups %s %q %d", g.Name, g.Labels, g.Index[:4]))
		}
		if e.Target.Name != "y" {
			said = append(said, fmt.Sprintf("%s %q %.4g", e.Target.Task, e.Target.Positive, d.Target[:4]))
		}
		for _, n := range e.Notes {
			said = append(said, strings.TrimSuffix(n, "; name it under features to use it as one"))
		}
		return strings.Join(append(said, fmt.Sprintf("row %.4g", d.Row(3))), "; ")
	}
	var out strings.Builder
	places := []struct {
		name string
		spec Spec
	}{
		{"target", Spec{Target: "c", Features: []string{"x"}}},
		{"target of a regression", Spec{Target: "c", Features: []string{"x"}, Task: Regression, ScaleTarget: true}},
		{"target of two classes", Spec{Target: "c", Features: []string{"x"}, Task: Binary}},
		{"logarithm of the target", Spec{Target: "c", Features: []string{"x"}, TargetTransform: "log1p"}},
		{"feature", Spec{Target: "y", Intercept: true, Scale: "standard"}},
		{"filled feature", Spec{Target: "y", Impute: "median"}},
		{"feature of complete rows", Spec{Target: "y", Impute: "drop"}},
		{"category", Spec{Target: "y", Categorical: []string{"c"}, Impute: "mean"}},
		{"category compared to a level", Spec{Target: "y", Reference: map[string]string{"c": "a"}}},
		{"category of two levels at most", Spec{Target: "y", Categorical: []string{"c"}, MinCount: 4, MaxLevels: 3}},
		{"group", Spec{Target: "y", Groups: []string{"c"}}},
		{"group and feature", Spec{Target: "y", Groups: []string{"c", "x"}, Features: []string{"c", "x"}}},
		{"logarithm", Spec{Target: "y", Transforms: schema.Transforms{Log: []string{"c"}}}},
		{"square", Spec{Target: "y", Impute: "mean", Transforms: schema.Transforms{Square: []string{"c"}}}},
		{"spline", Spec{Target: "y", Impute: "median", Transforms: schema.Transforms{Spline: map[string]int{"c": 4}}}},
		{"interaction", Spec{Target: "y", Impute: "mean", Transforms: schema.Transforms{Interact: [][2]string{{"c", "x"}}}}},
	}
	for _, p := range places {
		fmt.Fprintf(&out, "# %s\n", p.name)
		for _, c := range columns {
			said := ""
			if got, err := Fit(t.Context(), tableWith(c, "c"), nil, nil, p.spec, Float64); err != nil {
				said = err.Error()
			} else {
				said = encoded(got.Encoder, got.Train)
			}
			fmt.Fprintf(&out, "%12s: %s\n", c.Name, strings.ReplaceAll(said, "\n", ""))
		}
	}
	fmt.Fprintln(&out, "# chosen by a filter, and held out")
	for _, c := range columns {
		f, said := tableWith(c, "c"), []string{}
		for _, filter := range []string{"c is null", "c > 1", `c == "a"`, "c != true", "c", "c in (1, 2)"} {
			rows, err := f.Filter(t.Context(), filter)
			if err != nil {
				what, _, _ := strings.Cut(err.Error(), " (") // as every filter is advised
				said = append(said, strings.TrimPrefix(what, "t: the filter, "))
			} else {
				said = append(said, fmt.Sprint(filter, ": ", len(rows)))
			}
		}
		for _, h := range []Holdout{{Split: "c"}, {Group: "c", Fraction: 0.3, Seed: 1}, {Time: "c", Fraction: 0.3}} {
			_, held, err := f.SplitRows(t.Context(), h)
			said = append(said, fmt.Sprint(held, err))
		}
		fmt.Fprintf(&out, "%12s: %s\n", c.Name, strings.Join(said, "; "))
	}
	for _, p := range places {
		switch p.name {
		case "target", "filled feature", "group", "interaction":
		default:
			continue
		}
		for _, c := range columns {
			got, err := Fit(t.Context(), tableWith(c, "c"), nil, nil, p.spec, Float64)
			if err != nil || !slices.Contains([]string{"whole", "bools", "texts", "gaps", "untold"}, c.Name) {
				continue
			}
			fmt.Fprintf(&out, "# %s, trained on %s\n", p.name, c.Name)
			last := ""
			for _, other := range columns {
				if slices.Contains([]string{"fractions", "own", "mostly", "constant", "days", "days.month"}, other.Name) {
					continue // as others are
				}
				said := ""
				d, report, err := got.Encoder.Encode(t.Context(), tableWith(other, "c"), nil)
				if err != nil {
					said = err.Error()
				} else if said = report.String(); p.name == "target" {
					said += fmt.Sprintf(" %.4g", d.Target[:4])
				} else if p.name == "group" {
					said += fmt.Sprintf(" %d %d", len(d.Groups[0].Labels), d.Groups[0].Index[:4])
				} else {
					said += fmt.Sprintf(" %.4g", d.Row(3))
				}
				if said == last {
					said = "as well"
				} else {
					last = said
				}
				fmt.Fprintf(&out, "%12s: %s\n", other.Name, strings.ReplaceAll(said, "\n", ""))
			}
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "kinds.txt"), out.String())
}
