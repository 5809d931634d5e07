package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// writeText writes a file of a test and returns its path.
func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A row that cannot be scored has a null and a reason; the other rows have the scores that they have alone, in
// blocks of every size, and a null that the model fills is no fault.
func TestPredictBlocks_NullInvalid(t *testing.T) {
	var training strings.Builder
	training.WriteString("x,z,y\n")
	for i := range 60 {
		x := ""
		if i != 7 {
			x = fmt.Sprint(math.Sin(float64(i)))
		}
		fmt.Fprintf(&training, "%s,%v,%d\n", x, math.Cos(float64(3*i)), i%3%2)
	}
	scored := []string{"0.5,0.1", "-0.5,0.25"}
	invalid := []struct{ row, reason string }{
		{"abc,0.1", `column "x": the value is "abc", but the model reads numbers`},
		{"1,inf", `column "z": the value is +Inf`},
		{"1,", `column "z": the value is null`},
		{"1.7e308,0", `column "x": the value 1.7e+308 is too far from those of training to standardise`},
		{"NA,0.1", `column "x": the value is null`},
	}
	for _, impute := range []string{"", "mean"} {
		t.Run("impute "+impute, func(t *testing.T) {
			text := training.String()
			if impute == "" {
				text = strings.Replace(text, "\n,", "\n0,", 1)
			}
			cfg := keepingRows()
			cfg.Target, cfg.Nu, cfg.Impute = "y", level.At(1), impute
			m := fitFrame(t, openTable(t, writeText(t, "t.csv", text)), cfg)
			score := func(f *data.Frame, size int) (scores []float64, reasons []string) {
				report, err := m.PredictBlocks(t.Context(), f, BlockOptions{Keep: []string{"z"}, NullInvalid: true, size: size}, func(c []data.Column) error {
					for i := range c[0].Len() {
						if want := float64(len(scores) + 1); c[0].Number[i] != want {
							t.Errorf("row %v follows, not %v", c[0].Number[i], want)
						}
						why, v := "", math.NaN()
						if !c[4].IsNull(i) {
							why = c[4].Text(i)
						}
						if !c[2].IsNull(i) {
							v = c[2].Number[i]
						}
						if c[2].IsNull(i) != (why != "") || c[3].IsNull(i) != (why != "") {
							t.Errorf("row %d: nulls and the reason %q disagree", len(scores)+1, why)
						}
						scores, reasons = append(scores, v), append(reasons, why)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, why := range reasons {
					if why != "" {
						n++
					}
				}
				if report.Invalid != n {
					t.Errorf("the report counts %d invalid rows of %d", report.Invalid, n)
				}
				return scores, reasons
			}
			alone, _ := score(openTable(t, writeText(t, "good.csv", "x,z\n"+strings.Join(scored, "\n")+"\n")), 0)
			mixed := "x,z\n" + scored[0] + "\n"
			for _, bad := range invalid {
				mixed += bad.row + "\n"
			}
			mixed += scored[1] + "\n"
			for _, size := range []int{0, 1, 3} {
				got, reasons := score(openTable(t, writeText(t, "mixed.csv", mixed)), size)
				last := len(got) - 1
				if got[0] != alone[0] || got[last] != alone[1] || reasons[0]+reasons[last] != "" {
					t.Errorf("blocks of %d: scores %v, %v with the reasons %q, want %v", size, got[0], got[last], reasons, alone)
				}
				for i, bad := range invalid {
					want := bad.reason
					if impute == "mean" && strings.HasSuffix(want, "null") {
						want = ""
					}
					if reasons[i+1] != want {
						t.Errorf("blocks of %d: %q has the reason %q, want %q", size, bad.row, reasons[i+1], want)
					}
				}
			}
		})
	}
}

// A column without any number is a fault of the column, not of its rows.
func TestPredictBlocks_NullInvalidWholeColumn(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	m := fitFrame(t, wide(t, 100), cfg)
	none := func([]data.Column) error { return nil }
	f := openTable(t, writeText(t, "t.csv", "k\n1\n"))
	if _, err := m.PredictBlocks(t.Context(), f, BlockOptions{NullInvalid: true}, none); err == nil {
		t.Error("a table without the columns of the model was scored")
	}
}
