package frame

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
)

// What a column of text is taken for, and what is said of it, with one cell more of another
// kind at a time.
func TestColumnsOfTextTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	turns := func(what string, first, last int, lines func(k int) string) {
		out.WriteString(goldentest.Turns(what, first, last, func(k int) string {
			f, err := ReadBytes(t.Context(), "t.csv", []byte(lines(k)))
			if err != nil {
				return err.Error()
			}
			said := []string{fmt.Sprintf("%d rows", f.Rows)}
			for _, c := range f.Columns {
				nulls := 0
				for r := range f.Rows {
					if c.IsNull(r) {
						nulls++
					}
				}
				text := fmt.Sprintf("%s %v %s", c.Name, c.Kind, c.Type)
				if c.Integer {
					text += ", whole"
				}
				if nulls > 0 {
					text += fmt.Sprintf(", %d null", nulls)
				}
				if c.StrayRow > 0 {
					text += fmt.Sprintf(", stray %q in row %d", c.Stray, c.StrayRow)
				}
				if c.InexactRow > 0 {
					text += fmt.Sprintf(", inexact from row %d on", c.InexactRow)
				}
				said = append(said, text)
			}
			for _, r := range f.Remarks {
				said = append(said, r.Error())
			}
			return strings.Join(append(said, f.Notes...), "; ")
		}))
	}
	cells := func(n int, cell func(i int) string) string {
		var b strings.Builder
		b.WriteString("a,b\n")
		for i := range n {
			fmt.Fprintf(&b, "%s,%d\n", cell(i), i)
		}
		return b.String()
	}
	mixed := func(n int, of, rest string) func(k int) string {
		return func(k int) string {
			return cells(n, func(i int) string {
				if i < k {
					return of
				}
				return rest
			})
		}
	}
	turns("numbers among words", 0, 8, mixed(8, "7", "seven"))
	turns("words among numbers", 0, 8, mixed(8, "seven", "7"))
	turns("fractions among whole numbers", 0, 2, mixed(8, "7.5", "7"))
	turns("empty cells among numbers", 0, 8, mixed(8, "", "7"))
	turns("empty cells among words", 0, 8, mixed(8, "", "seven"))
	turns("NA among numbers", 0, 8, mixed(8, "NA", "7"))
	turns("NA among words", 0, 8, mixed(8, "NA", "seven"))
	turns("true among numbers", 0, 8, mixed(8, "true", "7"))
	turns("true among false", 0, 8, mixed(8, "true", "false"))
	turns("empty cells among true", 0, 8, mixed(8, "", "true"))
	turns("NA among true", 0, 8, mixed(8, "NA", "true"))
	turns("question marks among numbers", 0, 8, mixed(8, "?", "7"))
	turns("question marks among 100 numbers", 0, 60, mixed(100, "?", "7"))
	turns("days among numbers", 0, 8, mixed(8, "2024-03-05", "7"))
	turns("other texts among days", 0, 8, mixed(8, "later", "2024-03-05"))
	turns("empty cells among days", 0, 8, mixed(8, "", "2024-03-05"))
	turns("days with the day first", 10, 14, func(k int) string {
		return cells(6, func(i int) string { return fmt.Sprintf("%02d/%02d/2024", k, 5+i) })
	})
	turns("days with the month first", 10, 14, func(k int) string {
		return cells(6, func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 5+i, k) })
	})
	turns("the day of a month", 27, 33, func(k int) string {
		return cells(3, func(i int) string { return fmt.Sprintf("2023-02-%02d", k-i) })
	})
	turns("hours of times", 21, 26, func(k int) string {
		return cells(3, func(i int) string { return fmt.Sprintf("2023-02-03 %02d:00:00", k-i) })
	})
	turns("digits of a whole number", 14, 22, func(k int) string {
		return cells(3, func(i int) string { return strings.Repeat("9", k-1) + fmt.Sprint(i+1) })
	})
	turns("digits of a fraction", 14, 22, func(k int) string {
		return cells(3, func(i int) string { return "0." + strings.Repeat("9", k-1) + fmt.Sprint(i+1) })
	})
	turns("percent signs among numbers", 0, 8, mixed(8, "7%", "7"))
	turns("decimal commas among numbers", 0, 8, mixed(8, `"7,5"`, "7"))
	turns("thousands among numbers", 0, 8, mixed(8, `"7,500"`, "7"))
	turns("fields of a row of two", 0, 4, func(k int) string { return "a,b\n1,2\n" + strings.Repeat("3,", max(0, k-1)) + "4\n" })
	turns("rows of text", 0, 3, func(k int) string { return cells(k, func(i int) string { return fmt.Sprint("t", i) }) })
	turns("semicolons in lines with one comma", 0, 3, func(k int) string {
		return "a" + strings.Repeat(";b", k) + ",c\n1" + strings.Repeat(";2", k) + ",3\n4" + strings.Repeat(";5", k) + ",6\n"
	})
	turns("names that are there twice", 1, 4, func(k int) string { return strings.Repeat("a,", k) + "b\n" + strings.Repeat("1,", k) + "2\n" })
	goldentest.Text(t, filepath.Join("testdata", "turns.txt"), out.String())
}

// Which rows are held out of few, by every way to choose them, with shares of rows that end halfway
// between two; and of how many rows drawn one by one.
func TestHoldoutsTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	for n := range 10 {
		var text strings.Builder
		text.WriteString("unit,time,part,x\n")
		for r := range n {
			unit := fmt.Sprint("u", r*r%5)
			if r == 6 {
				unit = ""
			}
			fmt.Fprintf(&text, "%s,%d,%s,%d\n", unit, r*3%7%4, []string{"train", "", "test", "Training", "holdout"}[r%5], r)
		}
		f, err := ReadBytes(t.Context(), "t.csv", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []Holdout{{}, {Group: "unit"}, {Time: "time"}, {Split: "part"}, {Filter: "x != 1"}, {Filter: "x > 2", Time: "time"}, {Filter: "x < 8", Group: "unit"}} {
			fmt.Fprintf(&out, "# %d rows, %q %q %q %q\n", n, h.Filter, h.Group, h.Time, h.Split)
			before := ""
			for k := range 9 {
				h.Fraction, h.Seed = float64(k)/8, 3
				train, held, err := f.SplitRows(t.Context(), h)
				said := fmt.Sprint(train, " ", held)
				if err != nil {
					said = err.Error()
				}
				if said != before {
					fmt.Fprintf(&out, "%d/8: %s\n", k, said)
				}
				before = said
			}
		}
	}
	was := manyRows
	defer func() { manyRows = was }()
	manyRows = 4000
	for _, fraction := range []float64{0.25, 0.75} {
		for n := 3999; n < 4002; n++ {
			train, held, err := Split(n, fraction, 1)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "# %v of %d rows\n%d %v, %d %v\n", fraction, n, len(train), train[:8], len(held), held[:8])
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "holdouts.txt"), out.String())
}
