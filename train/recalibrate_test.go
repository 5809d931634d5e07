package train

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// A recalibrated model predicts with another slope and intercept in all functions, and its certificate covers the
// original coefficients. It predicts hold-out rows better than an underconfident robust model.
func TestRecalibrate_ImprovesTheLogLoss(t *testing.T) {
	cfg := keepingRows()
	cfg.Data, cfg.Target = "builtin:digits", "size"
	cfg.Level = level.Level{Penalty: "kl", Nu: level.At(0.1)}
	before := fit(t, cfg)
	cfg.Recalibrate = true
	m := fit(t, cfg)
	r := m.Result.Recalibration
	if r == nil || m.Result.Objective != before.Result.Objective || !m.Result.Certified {
		t.Fatalf("recalibration %+v, objective %v, before %v", r, m.Result.Objective, before.Result.Objective)
	}
	if !(r.Slope > 1.5) || !(r.After < r.Before-0.01) ||
		!strings.Contains(strings.Join(m.Notes, "\n"), "The certificate covers the model before recalibration") {
		t.Errorf("recalibration %+v", r)
	}
	last := len(m.Coefficients) - 1
	for i, v := range m.Coefficients {
		want := r.Slope * v
		if i == last {
			want += r.Intercept
		}
		if v != before.Coefficients[i] || !(math.Abs(m.Recalibrated[i]-want) <= 1e-12*(1+math.Abs(want))) {
			t.Fatalf("coefficient %d: %v, recalibrated %v, not %v and %v", i, v, m.Recalibrated[i], before.Coefficients[i], want)
		}
	}
	loaded := reloaded(t, m)
	scorer := scorer(t, loaded)
	held := m.Run.Holdout
	p, err := loaded.PredictDataset(held, loaded.ScoringCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	old, err := before.PredictDataset(held, before.ScoringCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	risk, without := 0.0, 0.0
	for j := range p.Loss {
		risk += p.Loss[j] / float64(held.N)
		without += old.Loss[j] / float64(held.N)
	}
	if !(risk < without-0.01) {
		t.Errorf("risk on rows held out: %v, before %v", risk, without)
	}
	row := map[string]any{}
	for _, name := range scorer.Inputs() {
		c, err := m.Run.Frame.Column(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if row[name] = any(c.Text(held.Rows[0])); c.Kind == data.Numeric {
			row[name] = c.Number[held.Rows[0]]
		}
	}
	if score, err := scorer.Map(row); err != nil || !(math.Abs(score-p.Score[0]) <= 1e-12) {
		t.Errorf("the scorer says %v (%v), the model %v", score, err, p.Score[0])
	}
}

func TestRecalibration_RequiresClasses(t *testing.T) {
	cfg := builtin(t, "cps1988")
	cfg.Level, cfg.Recalibrate = level.Level{Penalty: "kl", Average: "plain"}, true
	if _, err := Fit(t.Context(), cfg); err == nil ||
		!strings.Contains(err.Error(), "Config.Recalibrate needs a target with two classes") {
		t.Errorf("a recalibration of wages: %v", err)
	}
}
