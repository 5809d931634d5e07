package train

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

// A training run that is cancelled in any phase returns the error of the context and, from the robust training on, a
// model that can be saved and predicts with the certified coefficients.
func TestFit_InterruptedInAnyPhase(t *testing.T) {
	f := wide(t, 600)
	cfg := keepingRows()
	cfg.Target, cfg.Groups, cfg.Folds, cfg.Recalibrate, cfg.Loss = "y", []string{"g"}, 2, true, "logistic"
	cfg.GroupCoefficients = groupCoefficientsNo
	type stage struct {
		phase string
		done  int
	}
	told := map[stage]bool{}
	cfg.Observe = func(p Progress) { told[stage{p.Phase, p.Done}] = true }
	if _, err := FitFrame(t.Context(), f, cfg); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"erm", "group-weighted erm", "choosing", "robust", "tempered erm", "recalibrating"} {
		if !told[stage{phase, 0}] && !told[stage{phase, 1}] && phase != "robust" {
			t.Errorf("nothing is told of %s: %v", phase, told)
		}
	}
	for at := range told {
		ctx, cancel := context.WithCancel(t.Context())
		cfg.Observe = func(p Progress) {
			if (stage{p.Phase, p.Done}) == at {
				cancel()
			}
		}
		m, err := FitFrame(ctx, f, cfg)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", at, err)
		}
		trained := at.phase == "robust" || at.phase == "tempered erm" || at.phase == "recalibrating"
		if (m != nil) != trained {
			t.Errorf("%+v: a model %v", at, m != nil)
		}
		if m != nil && (m.Config.Recalibrate != (m.Recalibrated != nil) || loaded(t, m).ScoringCoefficients() == nil ||
			strings.HasPrefix(at.phase, "recal") != strings.HasPrefix(err.Error(), "recalibration failed: ")) {
			t.Errorf("%+v: recalibrated %v, %v", at, m.Recalibrated, err)
		}
	}
}

// A cross-fitted evaluation needs the training rows, and rows of every class and group in several folds.
func TestCrossFit_NeedsRows(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Evaluate, cfg.Holdout = "y", level.At(1), EvaluateCrossfit, 0
	try := func(text string, groups ...string) (*Model, error) {
		t.Helper()
		f := readCSV(t, "t.csv", text)
		c := cfg
		c.Groups = groups
		return FitFrame(t.Context(), f, c)
	}
	fit := func(text string, groups ...string) *Model {
		t.Helper()
		m, err := try(text, groups...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const numbers = "y,a,g\n1,2,p\n3,1,p\n2,2,p\n5,1,p\n2,4,p\n4,3,p\n1,1,p\n6,2,p\n2,3,q\n"
	const classes = "y,a\nno,2\nno,1\nyes,3\nyes,4\nno,2\nyes,1\nyes,5\nyes,2\nyes,1\n"
	for want, m := range map[string]*Model{
		"set Config.KeepRows before training, or call Rerun": loaded(t, fit(numbers)),
		"fewer than two groups have training rows":           fit(numbers, "g"),
	} {
		if _, err := m.CrossFit(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	for want, text := range map[string]string{ // known before the training
		"a fold would lack a class":           classes,
		"for more classes, use hold-out rows": "y,a\n" + strings.Repeat("u,1\nv,2\nw,3\n", 9),
	} {
		m, err := try(text)
		var none *CrossfitError
		if m != nil || !errors.As(err, &none) || !strings.Contains(err.Error(), want) {
			t.Errorf("a model: %v, %v, not %q", m != nil, err, want)
		}
	}
}

// Edge cases of NewProblem, ReadModel, Predict and GatherRows are errors or do nothing.
func TestFit_ValidEdgeCases(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	m := fitFrame(t, wide(t, 60), cfg)
	for name, set := range map[string]func(c *Config){
		"an unknown loss":      func(c *Config) { c.Loss = "hinge" },
		"a level of no groups": func(c *Config) { c.Adversary = "groups" },
	} {
		c := m.Config
		set(&c)
		if p, _, err := NewProblem(t.Context(), m.Run.Frame, c); err == nil {
			t.Errorf("%s: %v", name, p)
		}
	}
	if methodNamed("lbfgs").Name() != (dro.LBFGS{}).Name() {
		t.Error("lbfgs is another method")
	}
	if _, err := ReadModel(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := m.Predict(t.Context(), &data.Frame{}); err == nil {
		t.Error("a table without columns is predicted")
	}
	before := written(t, m)
	if m.GatherRows(); string(written(t, m)) != string(before) || len(m.Run.Weights) != m.TrainRows {
		t.Error("a model of one process is completed")
	}
}
