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

// If the features are noise, a model fitted to a row predicts it better than a constant does; every out-of-fold
// prediction must be worse than the constant on average.
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
	for name, p := range map[string]*Prediction{"ERM": out.Baseline, "robust": out.Robust, "balanced": out.GroupWeighted} {
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
	// A fold is told of before its rows are encoded.
	var told []Progress
	m.Config.Observe = func(p Progress) { told = append(told, p) }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.CrossFit(ctx); err == nil || len(told) != 1 || told[0].Phase != "cross-fitting" ||
		told[0].Total != out.Folds {
		t.Errorf("%v, told %+v", err, told)
	}
	cfg.Holdout = 0.2
	if _, err := Fit(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "set Config.Holdout to 0") {
		t.Errorf("crossfit with a hold-out: %v", err)
	}
}

// A spurious feature agrees with the class in 95 % of the rows, and the model is chosen for the worst of four groups.
// The models of the folds must have the level of the delivered model.
func TestCrossFit_MeasuresTheDeliveredLevel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spurious.csv")
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("y,g,s,x0,x1,x2\n")
	for range 600 {
		y, agree := float64(2*rng.IntN(2)-1), 1.0
		if rng.Float64() < 0.08 {
			agree = -1
		}
		b.WriteString(map[bool]string{true: "yes", false: "no"}[y > 0] + "," + decimal(y) + "/" + decimal(agree) + "," +
			decimal(agree*y+0.3*rng.NormFloat64()))
		for range 3 {
			b.WriteString("," + decimal(0.5*y+rng.NormFloat64()))
		}
		b.WriteString("\n")
	}
	put(t, path, b.String())
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures = path, "y", []string{"g"}, false
	cfg.Holdout, cfg.Evaluate, cfg.Level = 0, EvaluateCrossfit, level.Level{Penalty: "kl"}
	m := fit(t, cfg)
	if m.Config.Average == "plain" {
		t.Fatal("ERM was kept: the test shows nothing")
	}
	out, err := m.CrossFit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Result.Selection; !(s.Comparisons.Groups > s.Comparisons.Average) || !(s.Comparisons.Average > 1) {
		t.Errorf("effective comparisons %+v", s.Comparisons)
	}
	loaded := reloaded(t, m)
	if err := loaded.Rerun(t.Context(), m.Run.Frame); err != nil {
		t.Fatal(err)
	}
	again, err := loaded.CrossFit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fold, err := m.assignCrossfitFolds()
	if err != nil {
		t.Fatal(err)
	}
	set, _ := splitFold(m.Run.Train.Rows, fold, 0)
	one := cfg
	one.Level, one.Mu, one.Evaluate, one.Rows = m.Config.Level, m.Config.Mu, "", set
	without := fit(t, one)
	p, err := without.PredictDataset(without.Run.Holdout, without.ScoringCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	byRow := map[int]float64{}
	for i, row := range p.Rows {
		byRow[row] = p.Score[i]
	}
	for j, row := range out.Robust.Rows {
		if out.Robust.Score[j] != again.Robust.Score[j] {
			t.Fatalf("row %d: %v, loaded %v", j, out.Robust.Score[j], again.Robust.Score[j])
		}
		if want, ok := byRow[row]; ok && !(math.Abs(out.Robust.Score[j]-want) <= 1e-4) {
			t.Fatalf("row %d: %v, by the delivered level %v", j, out.Robust.Score[j], want)
		}
	}
}
