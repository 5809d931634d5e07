package train

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// Where the features say nothing a model that saw a row predicts it too well; out of fold
// every row is predicted worse than by a constant, by any model.
func TestCrossFit_SeesNoRowItPredicts(t *testing.T) {
	const n, d = 80, 30
	rng := rand.New(rand.NewPCG(8, 1))
	var b strings.Builder
	b.WriteString("y,g")
	for k := range d {
		b.WriteString(",x" + decimal(float64(k)))
	}
	b.WriteString("\n")
	for j := range n {
		b.WriteString(decimal(5+3*rng.NormFloat64()) + "," + string(rune('a'+j%2)))
		for range d {
			b.WriteString("," + decimal(rng.NormFloat64()))
		}
		b.WriteString("\n")
	}
	path := filepath.Join(t.TempDir(), "noise.csv")
	put(t, path, b.String())
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Holdout, cfg.Evaluate = path, "y", []string{"g"}, 0, EvaluateCrossfit
	cfg.Level = level.Level{Penalty: "kl", Nu: level.At(1)}
	m := fit(t, cfg)
	out, err := m.CrossFit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	average := func(v []float64) float64 {
		s := 0.0
		for _, a := range v {
			s += a / n
		}
		return s
	}
	if inside := average(m.Run.Loss); inside > 0.4 { // a constant has ½
		t.Errorf("risk on the training rows %v", inside)
	}
	y, err := m.Run.Frame.Column(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*Prediction{"ERM": out.Baseline, "robust": out.Robust, "balanced": out.GroupWeighted, "tempered": out.Tempered} {
		if p == nil {
			t.Fatalf("no %s", name)
		}
		if v := average(p.Loss); v < 0.5 {
			t.Errorf("%s: risk %v out of fold", name, v)
		}
		for j, row := range p.Rows {
			z := (p.Score[j] - y.Number[row]) / m.Encoder.Target.Scale
			if !(math.Abs(p.Loss[j]-z*z/2) <= 1e-9*(1+p.Loss[j])) {
				t.Fatalf("%s: row %d has loss %v at score %v", name, row, p.Loss[j], p.Score[j])
			}
		}
	}
	if len(out.Levels) != out.Folds || out.Levels[0] != m.Result.Level {
		t.Errorf("levels %q", out.Levels)
	}
	// A fold is told of before its rows are encoded.
	var told []Progress
	m.Config.Observe = func(p Progress) { told = append(told, p) }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.CrossFit(ctx); err == nil || len(told) != 1 || told[0].Phase != "cross-fitting" || told[0].Total != out.Folds {
		t.Errorf("%v, told %+v", err, told)
	}
	cfg.Holdout = 0.2
	if _, err := Fit(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "set Config.Holdout to 0") {
		t.Errorf("crossfit with a hold-out: %v", err)
	}
}

// Where the level is chosen every fold chooses its own, and a loaded model measures the
// same again.
func TestCrossFit_ChoosesWithinFolds(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Nu, cfg.Holdout, cfg.Evaluate, cfg.Folds = nil, 0, EvaluateCrossfit, 3
	cfg.Select = "tail" // where the folds do not agree on the plain average
	m := fit(t, cfg)
	out, err := m.CrossFit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	loaded := reloaded(t, m)
	if err := loaded.Rerun(t.Context(), m.Run.Frame); err != nil {
		t.Fatal(err)
	}
	again, err := loaded.CrossFit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[string]bool{}
	for k, l := range out.Levels {
		distinct[l] = true
		if again.Levels[k] != l {
			t.Errorf("fold %d: %s, loaded %s", k, l, again.Levels[k])
		}
	}
	if len(distinct) < 2 {
		t.Errorf("the folds chose %q: the prices of each depend on its own losses", out.Levels)
	}
	for j := range out.Robust.Score {
		if out.Robust.Score[j] != again.Robust.Score[j] {
			t.Fatalf("row %d: %v, loaded %v", j, out.Robust.Score[j], again.Robust.Score[j])
		}
	}
}
