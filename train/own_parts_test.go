package train_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/score"
)

// ownPenalty is KL as a program of its own may write it.
type ownPenalty struct {
	dro.KL
	wrong bool
}

func (o ownPenalty) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = o.KL.BestResponseTo(y, f)
	if o.wrong {
		risk *= 0.9
	}
	return risk, tau
}

// ownRidge is the ridge penalty as a program of its own may write it.
type ownRidge struct{ dro.L2 }

// ownFrame is a small table of two classes with two groups.
func ownFrame(t *testing.T) *data.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("x,z,g,y\n")
	for i := range 240 {
		x, z := float64(i%7)-3, float64(i*i%11)/5
		label := "no"
		if x+z-1+3*math.Sin(float64(i)) > 0 {
			label = "yes"
		}
		fmt.Fprintf(&b, "%g,%g,%c,%s\n", x, z, rune(97+i%2), label)
	}
	f, err := data.ReadBytes(t.Context(), "own.csv", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A custom adversary and a custom regulariser give the same solution as the same parts of package dro; the model can
// be saved, read, scored and reported.
func TestFit_OwnAdversaryAndRegulariser(t *testing.T) {
	frame := ownFrame(t)
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Positive, cfg.Groups, cfg.KeepRows = "y", "yes", []string{"g"}, true
	cfg.Nu = level.At(0.3)
	want, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Run.Close()
	cfg.Nu = nil
	own := func(wrong bool) *level.Own {
		return &level.Own{Name: "own penalty", Dual: func(r level.Rows) (dro.Dual, error) {
			return ownPenalty{dro.KL{Nu: 0.3, Weights: r.Weights}, wrong}, nil
		}}
	}
	cfg.Own = own(false)
	cfg.Regulariser = &train.Regulariser{Name: "own ridge",
		Primal: func(mu float64, columns, outputs int, intercept bool) dro.Primal {
			if columns != want.Encoder.D() || outputs != 1 || !intercept {
				t.Errorf("%d columns, %d outputs, intercept %v", columns, outputs, intercept)
			}
			return ownRidge{dro.L2{Mu: mu, Intercept: intercept}}
		}}
	m, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Run.Close()
	if !m.Result.Certified || m.Result.Level != "own penalty" ||
		!(math.Abs(m.Result.Objective-want.Result.Objective) <= 3e-6*want.Result.Objective) {
		t.Errorf("%s by %s: %v, want %v by %s", m.Result.Status, m.Result.Level, m.Result.Objective, want.Result.Objective,
			want.Result.Level)
	}
	r, err := report.Measure(t.Context(), m, report.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	built, err := r.Report()
	if err != nil || !strings.Contains(fmt.Sprintf("%+v", built), "own penalty") {
		t.Errorf("%+v, %v", built, err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	saved := file.String()
	loaded, err := train.ReadModel(strings.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := score.Read(strings.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	p, err := loaded.Predict(t.Context(), frame)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := scorer.Map(map[string]any{"x": -3.0, "z": 0.0, "g": "a"}); err != nil ||
		!(math.Abs(got-p.Score[0]) <= 1e-12) {
		t.Errorf("%v, predicted %v (%v)", got, p.Score[0], err)
	}
	// What was read has no functions, and does not become another training.
	if _, err := train.FitFrame(t.Context(), frame, loaded.Config); err == nil ||
		!strings.Contains(err.Error(), "is defined in the program that trained the model") {
		t.Error(err)
	}
	loaded.Config.Regulariser = cfg.Regulariser
	if _, err := train.FitFrame(t.Context(), frame, loaded.Config); err == nil ||
		!strings.Contains(err.Error(), "set Config.Own.Dual") {
		t.Error(err)
	}
	// An adversary that lies is refused.
	cfg.Own = own(true)
	if _, err := train.FitFrame(t.Context(), frame, cfg); err == nil ||
		!strings.Contains(err.Error(), "best response of the dual train_test.ownPenalty is wrong") {
		t.Error(err)
	}
}
