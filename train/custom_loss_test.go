package train

import (
	"bytes"
	"math"
	"sync/atomic"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

// smoothQuantile is the quantile loss of level 0.9 with a parabola of width 0.1 around 0: slopes of
// the residual r = m − t from −0.9 to 0.1.
type smoothQuantile struct{}

func (smoothQuantile) Name() string { return "quantile-0.9" }

func (smoothQuantile) Meaning() losses.Meaning { return losses.Meaning{Scalable: true, Power: 1} }

func (smoothQuantile) EvalTo(value, slope, margin, target []float64) {
	const width, low, high = 0.1, -0.9, 0.1
	for j, m := range margin {
		r := m - target[j]
		switch {
		case r < low*width:
			value[j], slope[j] = low*(r-low*width/2), low
		case r > high*width:
			value[j], slope[j] = high*(r-high*width/2), high
		default:
			value[j], slope[j] = r*r/(2*width), r/width
		}
	}
}

func (smoothQuantile) CurvatureTo(curvature, slope, _ []float64) {
	for j, s := range slope {
		curvature[j] = 0
		if s > -0.9 && s < 0.1 {
			curvature[j] = 10
		}
	}
}

func (smoothQuantile) CurvatureLowerBoundTo(curvature, _, _ []float64) (radius, decay float64) {
	clear(curvature)
	return math.Inf(1), 0
}

func (smoothQuantile) Lipschitz() float64 { return 0.9 }

func (smoothQuantile) Smoothness() float64 { return 10 }

// A loss of the program is trained, certified, saved, read and scored by its name.
func TestFit_RegisteredLoss(t *testing.T) {
	if err := losses.Register(smoothQuantile{}); err != nil {
		t.Fatal(err)
	}
	if err := losses.Register(smoothQuantile{}); err == nil {
		t.Error("a loss is registered twice")
	}
	frame := openTable(t, "builtin:cps1988")
	cfg := builtin(t, "cps1988")
	cfg.Loss, cfg.Features, cfg.Penalty, cfg.Nu =
		smoothQuantile{}.Name(), []string{"education", "experience"}, "kl", level.At(0.2)
	for name, set := range map[string]func(c *Config){
		"KL": func(*Config) {}, "ERM": func(c *Config) { c.Level = level.Level{Average: "plain"} },
	} {
		c := cfg
		set(&c)
		m := fitFrame(t, frame, c)
		if !m.Result.Certified || m.Result.Loss != c.Loss || m.Result.Constant == nil || *m.Result.Constant < 0.5 {
			t.Errorf("%s: status %s, loss %s, constant %v", name, m.Result.Status, m.Result.Loss, *m.Result.Constant)
		}
		p := predict(t, m, frame)
		wage, err := frame.Column(t.Context(), "wage")
		if err != nil {
			t.Fatal(err)
		}
		below := 0.0
		for i, v := range p.Score {
			if wage.Number[i] <= v {
				below += 1 / float64(len(p.Score))
			}
		}
		if name == "ERM" && !(math.Abs(below-0.9) <= 0.02) {
			t.Errorf("%.3f of the wages are below the 0.9 quantile", below)
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		loaded := readModel(t, &b)
		checkScorer(t, loaded, frame, p.Score)
	}
}

// renamed is a loss under another name, with no method but those of losses.Loss.
type renamed struct {
	losses.Loss
	name string
}

func (r renamed) Name() string { return r.name }

// A registered loss of two classes starts at the log-odds, as the logistic loss does, and its best
// constant is found by search.
func TestFit_RegisteredLossOfTwoClasses(t *testing.T) {
	if err := losses.Register(renamed{losses.Logistic{}, "log-odds"}); err != nil {
		t.Fatal(err)
	}
	frame := openTable(t, "builtin:hmda")
	cfg := builtin(t, "hmda")
	cfg.Penalty, cfg.Nu = "kl", level.At(1)
	var of [2]*Model
	for k, name := range []string{"logistic", "log-odds"} {
		cfg.Loss = name
		of[k] = fitFrame(t, frame, cfg)
	}
	constant, want := *of[1].Result.Constant, *of[0].Result.Constant
	first, wantFirst := *of[1].Trace[0].Upper, *of[0].Trace[0].Upper
	if !(math.Abs(constant-want) <= 1e-6) || !(math.Abs(first-wantFirst) <= 1e-12) || !of[1].Result.Certified {
		t.Errorf("constant %v, want %v; first bound %v, want %v; %s", constant, want, first, wantFirst, of[1].Result.Status)
	}
}

// checkScorer compares the scorer of a model with predictions of the first rows of a table.
func checkScorer(t *testing.T, m *Model, f *data.Frame, want []float64) {
	t.Helper()
	s := scorer(t, m)
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := score.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	for r, v := range want[:100] {
		var row []any
		for _, name := range s.Inputs() {
			row = append(row, cellOf(t, f, name, r))
		}
		if got, err := s.Values(row...); err != nil || !(math.Abs(got-v) <= 1e-9*(1+math.Abs(v))) {
			t.Fatalf("row %d: %v, predicted %v (%v)", r, got, v, err)
		} else if same, err := read.Values(row...); err != nil || same != got {
			t.Fatalf("row %d: %v by score.Read, %v by the model (%v)", r, same, got, err)
		}
	}
}

// explosive is a loss whose value is a bug, after some calls.
type explosive struct {
	renamed
	calls *atomic.Int64
}

func (e explosive) EvalTo(value, slope, margin, target []float64) {
	if e.calls.Add(-1) == 0 {
		panic("a bug of the loss")
	}
	e.renamed.EvalTo(value, slope, margin, target)
}

// A panic in the caller's loss reaches the caller, who can recover from it, even from the goroutines of the
// cross-validation that chooses the level.
func TestFit_PanicOfALossReachesTheCaller(t *testing.T) {
	calls := &atomic.Int64{}
	if err := losses.Register(explosive{renamed{losses.Squared{}, "explosive"}, calls}); err != nil {
		t.Fatal(err)
	}
	frame := openTable(t, "builtin:cps1988")
	cfg := builtin(t, "cps1988")
	cfg.Loss, cfg.Features, cfg.Level = "explosive", []string{"education", "experience"}, level.Level{}
	calls.Store(0)
	if m := fitFrame(t, frame, cfg); m.Result.Selection == nil {
		t.Fatal("no level is chosen")
	}
	all := -calls.Load()
	for _, at := range []int64{1, all / 8, all / 4, all / 2} {
		calls.Store(at)
		func() {
			defer func() {
				if got := recover(); got != "a bug of the loss" {
					t.Errorf("a panic in call %d of %d: %v", at, all, got)
				}
			}()
			if _, err := FitFrame(t.Context(), frame, cfg); err != nil {
				t.Error(err)
			}
		}()
	}
}
