package train_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// The default μ is that of rows repeated as often as their weights state. A warning is added if the weights cannot be
// numbers of rows.
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

// Rows that the filter leaves out need no weight.
func TestWeights_Filter(t *testing.T) {
	x, y, w := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for i := range x {
		x[i], y[i], w[i] = math.Sin(float64(i)), math.Cos(float64(3*i)), float64(i%4)
	}
	f, err := data.NewFrame(data.Column{Name: "x", Kind: data.Numeric, Number: x},
		data.Column{Name: "y", Kind: data.Numeric, Number: y}, data.Column{Name: "w", Kind: data.Numeric, Number: w})
	if err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Weight, cfg.Average, cfg.Holdout = "y", "w", "plain", 0.2
	var wrong *data.Error
	if _, err := train.FitFrame(t.Context(), f, cfg); !errors.As(err, &wrong) || wrong.Row != 1 ||
		!strings.Contains(err.Error(), "the weight is 0; 25 of 100 weights are not positive") ||
		!strings.Contains(wrong.Hint, `Config.Filter "w > 0"`) {
		t.Errorf("without a filter: %v", err)
	}
	cfg.Filter = "w > 0"
	m, err := train.FitFrame(t.Context(), f, cfg)
	if err != nil || m.TrainRows != 60 {
		t.Fatalf("with a filter: %+v, %v", m, err)
	}
	cfg.Filter = "w != 1"
	if _, err := train.FitFrame(t.Context(), f, cfg); err == nil || !strings.Contains(err.Error(), "25 of 75 weights") {
		t.Errorf("with another filter: %v", err)
	}
}
