package value

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Write writes what was measured as Markdown: on how many tables the chosen model is better or worse
// than ERM for the worst group, and, by table, the mean risk of the worst group over the splits of
// every model.
func Write(w io.Writer, tables []Table, rows []Row, seeds int) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# The value of robust training on rows not seen\n\nWritten by `go -C bench run ./experiments value`: %d splits of every table, a quarter held out.\n", seeds)
	for _, part := range []struct {
		title string
		name  func(*Table) string
	}{{"Groups named", func(t *Table) string { return t.Name }}, {"No group named", (*Table).Unnamed}} {
		var names []string
		count := map[string]int{}
		for i := range tables {
			name := part.name(&tables[i])
			if len(pairs(rows, name)) == 0 {
				continue
			}
			names = append(names, name)
			count[word(change(rows, name, worst))]++
		}
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n## %s\n\nRisk of the worst group, chosen model against ERM, on %d tables: lower (2 standard errors) on %d, higher (1 standard error) on %d, neither on %d.\n\n",
			part.title, len(names), count["lower"], count["HIGHER"], count["as good"])
		var models []string
		for _, m := range Models {
			if slices.ContainsFunc(rows, func(r Row) bool { return r.Model == m && slices.Contains(names, r.Table) }) {
				models = append(models, m)
			}
		}
		fmt.Fprintf(out, "| table | %s | change of the worst group | of the average | chosen |\n|---|%s--:|--:|---|\n", strings.Join(models, " | "), strings.Repeat("--:|", len(models)))
		for _, name := range names {
			fmt.Fprintf(out, "| %s |", name)
			for _, m := range models {
				if of := at(rows, name, m); len(of) > 0 {
					fmt.Fprintf(out, " %.4g |", mean(of, worst))
				} else {
					out.WriteString(" – |")
				}
			}
			d, se := change(rows, name, worst)
			a, ase := change(rows, name, average)
			fmt.Fprintf(out, " %+.3g ± %.2g, %s | %+.3g ± %.2g | %s |\n", d, se, word(d, se), a, ase, choices(at(rows, name, Chosen)))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func at(rows []Row, table, model string) []Row {
	var out []Row
	for _, r := range rows {
		if r.Table == table && r.Model == model {
			out = append(out, r)
		}
	}
	return out
}

func worst(r Row) float64   { return r.Worst }
func average(r Row) float64 { return r.Average }
func mean(rows []Row, of func(Row) float64) float64 {
	s := 0.0
	for _, r := range rows {
		s += of(r) / float64(len(rows))
	}
	return s
}

// A pair is what was measured of both models on one split.
type pair struct{ plain, chosen Row }

// pairs are those of the splits of a table that both were measured on.
func pairs(rows []Row, table string) (out []pair) {
	plain := map[uint64]Row{}
	for _, r := range at(rows, table, ERM) {
		plain[r.Seed] = r
	}
	for _, r := range at(rows, table, Chosen) {
		if p, ok := plain[r.Seed]; ok {
			out = append(out, pair{p, r})
		}
	}
	return out
}

// change returns the mean of chosen − ERM over the splits and its standard error.
func change(rows []Row, table string, of func(Row) float64) (d, se float64) {
	all := pairs(rows, table)
	n := float64(len(all))
	for _, p := range all {
		d += (of(p.chosen) - of(p.plain)) / n
	}
	for _, p := range all {
		v := of(p.chosen) - of(p.plain) - d
		se += v * v
	}
	return d, math.Sqrt(se / max(1, n-1) / n)
}

// above reports whether a change is above 0 by more than a standard error, beyond rounding:
// where one split of all differs, the two are equal.
func above(d, se float64) bool { return d > se*(1+1e-9) }

// word says what a change is.
func word(d, se float64) string {
	switch {
	case d < -2*se:
		return "lower"
	case above(d, se):
		return "HIGHER"
	}
	return "as good"
}

// choices counts what was chosen over the splits.
func choices(rows []Row) string {
	count := map[string]int{}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.Chosen, ", ν")
		count[name]++
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, count[name])
	}
	return strings.Join(names, ", ")
}
