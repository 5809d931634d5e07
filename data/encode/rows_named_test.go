package encode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// Whatever a column is for and whatever is wrong in one of its rows, the error names the file
// that the row is in and its number there: of every row of two files in one table.
func TestFit_FaultsNameTheirRow(t *testing.T) {
	for name, c := range map[string]struct {
		column, value string
		spec          Spec
		split         *data.Holdout
		words         string
	}{
		"null target":       {"y", "", Spec{}, nil, "is null"},
		"infinite target":   {"y", "inf", Spec{}, nil, "+Inf"},
		"no logarithm":      {"y", "-7", Spec{TargetTransform: "log1p"}, nil, "log1p is undefined"},
		"null feature":      {"x", "", Spec{}, nil, "is null"},
		"infinite feature":  {"x", "-inf", Spec{}, nil, "-Inf"},
		"infinite category": {"k", "inf", Spec{Categorical: []string{"k"}}, nil, "+Inf"},
		"infinite group":    {"g", "inf", Spec{Groups: []string{"g"}}, nil, "+Inf"},
		"no time":           {"u", "", Spec{}, &data.Holdout{Time: "u", Fraction: 0.5}, "the time is missing"},
		"an unknown split":  {"u", "2", Spec{}, &data.Holdout{Split: "u"}, "neither train nor test"},
	} {
		for row := range 6 {
			var f *data.Frame
			for part := range 2 {
				var text strings.Builder
				text.WriteString("y,x,k,g,u\n")
				for i := range 3 {
					j := 3*part + i
					cell := map[string]string{"y": fmt.Sprint(j * j), "x": fmt.Sprint(5 * j), "k": fmt.Sprint(j % 3),
						"g": fmt.Sprint(j % 2), "u": fmt.Sprint(j / 3)}
					if j == row {
						cell[c.column] = c.value
					}
					fmt.Fprintf(&text, "%s,%s,%s,%s,%s\n", cell["y"], cell["x"], cell["k"], cell["g"], cell["u"])
				}
				own := readBytes(t, []string{"one.csv", "two.csv"}[part], []byte(text.String()))
				if f == nil {
					f = own
					continue
				}
				var err error
				if f, err = f.Join(t.Context(), own); err != nil {
					t.Fatal(err)
				}
			}
			c.spec.Target = "y"
			var err error
			if c.split != nil {
				_, _, err = f.SplitRows(t.Context(), *c.split)
			} else {
				_, err = Fit(t.Context(), f, nil, nil, c.spec, Sink{Storage: design.Float64Storage})
			}
			datatest.WantError(t, err, []string{"one.csv", "two.csv"}[row/3],
				fmt.Sprintf("column %q, row %d", c.column, row%3+1), c.words)
			if of := (*data.Error)(nil); errors.As(err, &of) &&
				(c.words == "is null" || c.words == "log1p is undefined") != (of.Rows == 1) {
				t.Errorf("%d rows are said to have it", of.Rows)
			}
			if t.Failed() {
				t.Fatalf("%s in row %d: %v", name, row, err)
			}
		}
	}
}
