package frame

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
)

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
