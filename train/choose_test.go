package train

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// If no level is set, Fit chooses one, adds a note and stores it.
func TestFit_ChoosesALevel(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Nu = nil
	m := fit(t, cfg)
	s := m.Result.Selection
	if s == nil || !m.Config.Level.IsSet() || s.Best().Level.String() != m.Result.Level || len(s.Candidates) < 8 {
		t.Fatalf("selection %+v, level %v", s, m.Config.Level)
	}
	if s.Criterion != "trade-off" || s.Candidates[0].Family != "erm" || !m.Result.Certified {
		t.Errorf("criterion %s, first %s, certified %v", s.Criterion, s.Candidates[0].Family, m.Result.Certified)
	}
	loaded := reloaded(t, m)
	if loaded.Result.Selection.Reason != s.Reason || loaded.Config.Level.String() != m.Config.Level.String() {
		t.Errorf("loaded: %v, %q", loaded.Config.Level, loaded.Result.Selection.Reason)
	}
	cfg.Average = "plain"
	plain := fit(t, cfg)
	if plain.Result.Selection != nil || plain.Result.Objective != plain.Result.ERM.Objective {
		t.Errorf("the plain average: %v, ERM %v", plain.Result.Objective, plain.Result.ERM.Objective)
	}
}

// A row of weight two counts as two equal rows, at every level.
func TestWeights_RepeatRows(t *testing.T) {
	dir := t.TempDir()
	weighted, repeated := "y,x,g,w\n", "y,x,g,w\n"
	for i := range 60 {
		x := math.Sin(float64(i)) * 3
		row := []string{decimal(x + math.Cos(float64(7*i))), decimal(x), string(rune('a' + i%2))}
		w := 1 + i%3
		weighted += strings.Join(append(row, decimal(float64(w))), ",") + "\n"
		for range w {
			repeated += strings.Join(append(row, "1"), ",") + "\n"
		}
	}
	for name, rows := range map[string]string{"weighted.csv": weighted, "repeated.csv": repeated} {
		put(t, filepath.Join(dir, name), rows)
	}
	mu := 0.01
	for name, l := range map[string]level.Level{
		"kl": {Nu: level.At(0.5)}, "chi2": {Nu: level.At(0.5), Penalty: "chi2"}, "ess": {Ess: level.At(0.7)},
		"radius": {Radius: level.At(0.1), Penalty: "chi2"}, "protect": {Protect: level.At(0.25)},
		"average":  {Average: "plain"},
		"balanced": {Average: "balanced"}, "groups": {Adversary: "groups", Nu: level.At(0.1)},
		"group dro": {Adversary: "groups", Nu: level.At(0)},
	} {
		if l.Penalty == "" {
			l.Penalty = "kl"
		}
		var objective, average [2]float64
		for i, file := range []string{"weighted.csv", "repeated.csv"} {
			cfg := keepingRows()
			cfg.Data, cfg.Target, cfg.Groups, cfg.Holdout, cfg.Scale, cfg.ScaleTarget =
				filepath.Join(dir, file), "y", []string{"g"}, 0, "none", false
			cfg.Level, cfg.Mu, cfg.Gap = l, &mu, 1e-8
			cfg.Weight = "w"
			m, err := Fit(context.Background(), cfg)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			objective[i], average[i] = m.Result.Objective, m.Result.ERM.Risk
		}
		if !(math.Abs(objective[0]/objective[1]-1) <= 3e-8) || !(math.Abs(average[0]/average[1]-1) <= 1e-6) {
			t.Errorf("%s: objective %v weighted, %v repeated; ERM %v, %v", name, objective[0], objective[1], average[0],
				average[1])
		}
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// If there are too few rows for folds with both classes, ERM is trained with a note; if a choice was requested, this
// is an error.
func TestFit_FewRowsAreNoChoice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "few.csv")
	put(t, path, "y,x\nno,1\nno,2\nno,2.5\nno,4\nyes,5\nyes,3\n")
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Holdout = path, "y", 0
	m := fit(t, cfg)
	if m.Config.Average != "plain" || m.Result.Selection != nil ||
		!strings.Contains(strings.Join(m.Notes, "\n"), "a fold would lack a class") {
		t.Errorf("level %v, notes %q", m.Config.Level, m.Notes)
	}
	cfg.Select = "tail"
	for _, cfg.Checkpoint = range []*Checkpoint{nil, NewCheckpoint(filepath.Join(t.TempDir(), "checkpoint"), 0)} {
		if _, err := Fit(context.Background(), cfg); err == nil ||
			!strings.Contains(err.Error(), "a fold would lack a class") {
			t.Errorf("a choice that was asked for: %v", err)
		}
	}
}

// Weights whose squared ratio would overflow are an error when they are read.
func TestFit_ExtremeWeights(t *testing.T) {
	text := "x,w,y\n"
	for i := range 40 {
		w := "1e-300"
		if i == 7 {
			w = "1"
		}
		text += fmt.Sprintf("%d,%s,%d\n", i*7%11, w, i*i%7%2)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	put(t, path, text)
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Weight, cfg.Holdout = path, "y", "w", 0
	_, err := Fit(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "too far apart: from 1e-300 to 1") {
		t.Errorf("got %v", err)
	}
}
