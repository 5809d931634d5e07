package train

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

func cellOf(t *testing.T, f *data.Frame, name string, row int) any {
	c, err := f.Column(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case c.IsNull(row):
		return nil
	case c.Kind == data.Categorical:
		return c.Text(row)
	case c.Kind == data.Bool:
		return c.Number[row] != 0
	}
	return c.Number[row]
}

// scoreRows returns the scores of all rows of a table, one at a time.
func scoreRows(t *testing.T, s *score.Scorer, f *data.Frame) []float64 {
	t.Helper()
	out, row := make([]float64, f.Rows), make([]any, len(s.Inputs()))
	for r := range out {
		for k, name := range s.Inputs() {
			row[k] = cellOf(t, f, name, r)
		}
		v, err := s.Values(row...)
		if err != nil {
			t.Fatalf("row %d: %v", r, err)
		}
		out[r] = v
	}
	return out
}

func columnOf[T any](t *testing.T, name string, values []T) data.Column {
	t.Helper()
	c, err := data.ColumnOf(name, values)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestScorer_TextsOfATableReadWithoutRelabelling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "raw.csv")
	var b strings.Builder
	b.WriteString("y,site,x\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%v,%s,%d\n", float64(i%7)+0.3*float64(i%4), []string{"N", "north", "south", "S.", "west"}[i%5], i%9)
	}
	put(t, path, b.String())
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Nu, cfg.Holdout, cfg.NoBaseline = path, "y", level.At(1), 0, true
	cfg.Reading.Relabel, cfg.Interact = map[string]string{"N": "north", "S.": "south", "west": "east"}, []string{"site:x"}
	m := fit(t, cfg)
	named, err := OpenAs(t.Context(), path, cfg.Reading)
	if err != nil {
		t.Fatal(err)
	}
	want := predict(t, m, named)
	raw := openTable(t, path)
	s := scorer(t, m)
	got := scoreRows(t, s, raw)
	for i := range got {
		if !(math.Abs(got[i]-want.Score[i]) <= closedForm*max(1, math.Abs(want.Score[i]))) {
			t.Fatalf("row %d: %v of the texts as they are, %v of their names", i, got[i], want.Score[i])
		}
	}
	// "east" is a name that no text of the table has: as a text it is a level too.
	if v, err := s.Values("east", 1.0); err != nil || v == 0 {
		t.Error(v, err)
	}
}
