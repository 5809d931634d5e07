package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// Columns called as those of a prediction are refused before a row is read, all at once; a
// regression has no probability.
func TestKeptColumnsOfAPredictionsNames(t *testing.T) {
	const n = 40
	number := func(name string) data.Column {
		c := data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range c.Number {
			c.Number[i] = float64(i * i * len(name) % 7)
		}
		return c
	}
	two := number("two")
	for i := range two.Number {
		two.Number[i] = float64(i % 2)
	}
	f, err := data.NewFrame(number("row"), number("probability"), number("prediction"), number("many"), two)
	if err != nil {
		t.Fatal(err)
	}
	for target, taken := range map[string][]string{"two": {"row", "probability", "prediction"}, "many": {"row", "prediction"}} {
		cfg := DefaultConfig()
		cfg.Target, cfg.Nu = target, level.At(1)
		m, err := FitFrame(t.Context(), f, cfg)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range [][]string{{"row", "probability", "prediction", "many"}, {"probability", "many"}, {"many"}} {
			want := ""
			for _, name := range keep {
				if slices.Contains(taken, name) {
					want += " and \"" + name + "\""
				}
			}
			want = strings.TrimPrefix(want, " and ")
			_, whole := m.Table(t.Context(), f, p, keep, 0.5)
			read := 0
			_, blocks := m.PredictBlocks(t.Context(), f, keep, 0.5, func([]data.Column) error { read++; return nil })
			for _, err := range []error{whole, blocks} {
				if (err != nil) != (want != "") || err != nil && (!strings.HasPrefix(err.Error(), want+" cannot be kept") || read > 0) {
					t.Errorf("target %s, keep %q, after %d blocks: %v", target, keep, read, err)
				}
			}
		}
	}
}
