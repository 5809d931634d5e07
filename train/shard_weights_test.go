package train_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// The default ridge is that of rows that are repeated as often as their weights say; weights that are no numbers of
// rows are warned of.
func TestWeights_DefaultRidge(t *testing.T) {
	x, y, w := make([]float64, 200), make([]float64, 200), make([]float64, 200)
	for i := range x {
		x[i], y[i], w[i] = math.Sin(float64(i)), math.Cos(float64(3*i))+math.Sin(float64(i)), float64(1+i%3)
	}
	for _, c := range []struct {
		name  string
		scale float64
		warns bool
	}{{"numbers of rows", 1, false}, {"shares", 1.0 / 400, true}} {
		scaled, total := make([]float64, len(w)), 0.0
		for i := range w {
			scaled[i] = c.scale * w[i]
			total += scaled[i]
		}
		f, err := data.NewFrame(data.Column{Name: "x", Kind: data.Numeric, Number: x},
			data.Column{Name: "y", Kind: data.Numeric, Number: y}, data.Column{Name: "w", Kind: data.Numeric, Number: scaled})
		if err != nil {
			t.Fatal(err)
		}
		cfg := train.DefaultConfig()
		cfg.Target, cfg.Weight, cfg.Average, cfg.Holdout = "y", "w", "plain", 0
		m, err := train.FitFrame(t.Context(), f, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Result.Mu; math.Abs(got*total-1) > 1e-12 {
			t.Errorf("%s: mu %v, not %v", c.name, got, 1/total)
		}
		warnings, _ := train.SplitWarnings(m.Notes)
		if warned := strings.Contains(strings.Join(warnings, "\n"), "add up to"); warned != c.warns {
			t.Errorf("%s: warnings %q", c.name, warnings)
		}
	}
}
