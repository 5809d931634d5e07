package encode

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
)

// What chooses the rows may be a column of dates that is taken apart, of one file and of several.
func TestSplitRows_DatesTakenApart(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "when,x\n2024-01-02,1\n2023-05-06,2\n",
		"b.csv": "when,x\n2024-12-01,3\n2022-01-31,4\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := openFrame(t, dir, data.Reading{Dates: "parts"})
	defer f.Close()
	if f.Has("when") {
		t.Fatal("the dates are not taken apart")
	}
	train, held, err := f.SplitRows(t.Context(), data.Holdout{Time: "when", Fraction: 0.25})
	if err != nil || !slices.Equal(held, []int{2}) {
		t.Fatalf("held out %v, %v", held, err)
	}
	first, last, err := f.Period(t.Context(), "when", train)
	if err != nil || first != "2022-01-31" || last != "2024-01-02" {
		t.Errorf("trained on %s to %s, %v", first, last, err)
	}
	if _, held, err = f.SplitRows(t.Context(), data.Holdout{Group: "when", Fraction: 0.25}); err != nil || len(held) != 1 {
		t.Errorf("units by day: held out %v, %v", held, err)
	}
	for _, dates := range []string{"parts", "drop"} { // the column that chooses the rows held out is no feature
		f := openFrame(t, dir, data.Reading{Dates: dates})
		e, err := Fit(t.Context(), f, []int{0, 1, 3}, nil, Spec{Target: "x", Task: Regression, Drop: []string{"when"}},
			Sink{Storage: design.Float64Storage})
		if _, held, splitErr := f.SplitRows(t.Context(), data.Holdout{Time: "when", Fraction: 0.25}); splitErr != nil ||
			!slices.Equal(held, []int{2}) {
			t.Errorf("dates %s: held out %v, %v", dates, held, splitErr)
		}
		if err == nil || strings.Contains(err.Error(), "no column") {
			t.Errorf("dates %s: %v, %v", dates, e, err)
		}
		f.Close()
	}
	if _, _, err = f.SplitRows(t.Context(), data.Holdout{Split: "when"}); err == nil ||
		strings.Contains(err.Error(), "no column") {
		t.Errorf("split by day: %v", err)
	}
}
