package export

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/score"
)

func TestSQL_RewrittenLevels(t *testing.T) {
	for _, test := range []struct {
		name   string
		levels []string
		want   []string
	}{
		{"leading zeros", []string{"02134", "10001"}, []string{"2134", "2134.0", "10001.0"}},
		{"both are levels", []string{"01", "1", "1.0"}, []string{"1", "1.0"}},
		{"dates", []string{"31/1/2024", "2024-02-01"}, []string{"2024-01-31", "2024-01-31 00:00:00", "2024-02-01 00:00:00"}},
		{"times", []string{"7:05", "2024-01-31T10:00"}, []string{"07:05:00", "2024-01-31 10:00:00"}},
		{"zeros alone", []string{"00"}, []string{"0", "0.0"}},
		{"beyond 2^53", []string{"09007199254740993"}, []string{"9007199254740993", "9007199254740993.0"}},
		{"fraction", []string{"1.50"}, []string{"1.5"}},
		{"truth value", []string{"True", "no"}, []string{"true"}},
		{"text", []string{"A1", "x", ""}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rewriteLevels(test.levels); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestSQL_NamesTextColumns(t *testing.T) {
	w := &sqlWriter{dialect: &dialects[0], model: &model{columns: make([]column, 1)}}
	w.model.columns[0].Column, w.model.columns[0].Kind = "a\nDROP", score.Categorical
	w.describeText()
	for line := range strings.Lines(w.b.String()) {
		if !strings.HasPrefix(line, "-- ") {
			t.Errorf("the line %q is outside the comment", line)
		}
	}
}

// A category whose levels were all rare has a weight for nulls alone; a level that another one may be read as has a
// score in a column of text alone.
func TestSQL_LevelWeights(t *testing.T) {
	for _, c := range []struct {
		name   string
		levels []string
		want   string
	}{
		{"no levels", nil, `CASE WHEN "c" IS NULL THEN 9e+00 ELSE 0e+00 END`},
		{"one read as the other", []string{"01", "1"}, `WHEN '1' THEN CASE WHEN typeof("c") = 'text' THEN 2e+00 END`},
		{"not confused", []string{"a", "b"}, "WHEN 'b' THEN 2e+00\n"},
	} {
		d, err := findDialect("sqlite")
		if err != nil {
			t.Fatal(err)
		}
		w := &sqlWriter{dialect: d, model: &model{}}
		w.model.columns = make([]column, 1)
		q := &w.model.columns[0]
		q.Column, q.Kind, q.Levels = "c", score.Categorical, c.levels
		if err := w.addColumn(q); err != nil {
			t.Fatal(err)
		}
		weights := [][]float64{}
		for k := range c.levels {
			weights = append(weights, []float64{float64(k + 1)})
		}
		if got := w.levelWeight(part{levels: append(weights, []float64{9}, []float64{0})}, 0); !strings.Contains(got,
			c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
