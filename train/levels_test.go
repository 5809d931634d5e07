package train_test

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// The levels of hmda at which a constant is optimal agree with an independent solution on all 2380 rows: L-BFGS-B for
// the exponential and the squared hinge loss, and a linear program for the hinge loss.
func TestFit_LevelsWithConstantOptimum(t *testing.T) {
	for name, c := range map[string]struct {
		level  level.Level
		warned bool
	}{
		"CVaR, too strong": {level.Level{Protect: level.At(0.05)}, true},
		"CVaR":             {level.Level{Protect: level.At(0.5)}, false},
		"KL, too strong":   {level.Level{Ess: level.At(0.5), Penalty: dro.KullbackLeibler}, true},
		"χ²":               {level.Level{Ess: level.At(0.5), Penalty: dro.PearsonChi2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := train.DefaultConfig()
			cfg.Data, cfg.Target, cfg.Holdout, cfg.NoBaseline = "builtin:hmda", "deny", 0, true
			penalty := cfg.Level.Penalty
			if cfg.Level = c.level; cfg.Level.Penalty == "" {
				cfg.Level.Penalty = penalty
			}
			m, err := train.Fit(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			r := m.Result.Levels
			if r == nil || len(r.Balls) != 2 || r.Protect == nil {
				t.Fatalf("%+v", r)
			}
			for _, v := range []struct{ got, want, tolerance float64 }{
				{r.Balls[0].Ess, 0.5098, 1e-4}, {r.Balls[0].Radius, 0.6738, 1e-4}, {r.Balls[1].Ess, 0.3080, 1e-4},
				{r.Balls[1].Radius, 1.1236, 1e-4}, {*r.Protect, 0.2059, 2e-3}, {r.Balls[0].Nu, 3.1e-4, 5e-6},
				{r.Balls[1].Nu, 1.6e-4, 5e-6},
			} {
				if !(math.Abs(v.got-v.want) <= v.tolerance) {
					t.Errorf("%v, want %v", v.got, v.want)
				}
			}
			warnings, _ := train.SplitWarnings(m.Notes)
			if (len(warnings) > 0) != c.warned || m.Result.ConstantPrediction != c.warned || !m.Result.Certified {
				t.Errorf("warnings %q, constant %v, %s", warnings, m.Result.ConstantPrediction, m.Result.Status)
			}
		})
	}
}

// For a target of many different values, a constant is not optimal at any level.
func TestFit_NoRangeForQuantities(t *testing.T) {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.NoBaseline, cfg.Level.Protect = "builtin:cps1988", "wage", true, level.At(0.05)
	m, err := train.Fit(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if text := m.Result.Levels.String(); text != "" || m.Result.ConstantPrediction {
		t.Errorf("%q, constant %v", text, m.Result.ConstantPrediction)
	}
}
