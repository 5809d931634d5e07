package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/tune"
)

// fit trains at a level that is set.
func fit(t *testing.T, change func(*train.Config)) *train.Model {
	t.Helper()
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Data, cfg.Target, cfg.Groups, cfg.Nu = "builtin:hmda", "deny", []string{"afam", "single"}, level.At(1)
	if change != nil {
		change(&cfg)
	}
	m := must(train.Fit(t.Context(), cfg))
	return m
}

// renamed is a loss under another name, with no method but those of losses.Loss.
type renamed struct{ losses.Loss }

func (renamed) Name() string { return "log-odds" }

func TestMeasure_RegisteredLoss(t *testing.T) {
	if err := losses.Register(renamed{losses.Logistic{}}); err != nil {
		t.Fatal(err)
	}
	m := fit(t, func(c *train.Config) { c.Loss = "log-odds" })
	if x, err := report.Measure(t.Context(), m, options()); err != nil || x.Evaluation.Loss != "log-odds" {
		t.Errorf("%v", err)
	}
}

func options() report.Options {
	o := report.DefaultOptions()
	o.Resamples = 0
	return o
}

// After saving, loading and Rerun, the report is the same as in the process that trained the model, including the
// adversary's weights.
func TestRerun_SameReport(t *testing.T) {
	for name, change := range map[string]func(*train.Config){
		"hold-out": nil,
		"training rows, χ²": func(c *train.Config) {
			c.Data, c.Target, c.Groups = "builtin:cps1988", "wage", []string{"region"}
			c.Holdout, c.Penalty, c.Gap = 0, "chi2", 1e-9
		},
	} {
		m := fit(t, change)
		path := filepath.Join(t.TempDir(), "model.json")
		if err := m.Save(path, false); err != nil {
			t.Fatal(err)
		}
		loaded := must(train.Load(path))
		if _, err := report.Measure(t.Context(), loaded, options()); err == nil {
			t.Error("a loaded model was measured without its rows")
		}
		frame := must(train.Open(t.Context(), m.Config.Data))
		if err := loaded.Rerun(t.Context(), frame); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(loaded.Run.Train.Rows, m.Run.Train.Rows) {
			t.Errorf("%s: other training rows", name)
		}
		for i, y := range m.Run.Weights {
			if !(math.Abs(loaded.Run.Weights[i]-y) <= 1e-9*y+1e-12) {
				t.Fatalf("%s: weight %d is %v, in training %v", name, i, loaded.Run.Weights[i], y)
			}
		}
		var pages [2]string
		var coefficients [2]*eval.Coefficients
		for k, m := range []*train.Model{m, loaded} {
			x, r := reportOf(t, m, options())
			r.Adversary.Top = nil // their last digits come from the solver's weights
			var b bytes.Buffer
			if err := x.Evaluation.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			pages[k] = b.String()
			if coefficients[k] = r.Coefficients; r.Evaluation != x.Evaluation {
				t.Errorf("%s: the report has another evaluation", name)
			}
		}
		if !reflect.DeepEqual(coefficients[0], coefficients[1]) {
			t.Errorf("%s: a loaded model has other coefficients", name)
		}
		if pages[0] != pages[1] {
			t.Errorf("%s: a loaded model measures otherwise", name)
		}
	}
}

// The report of a loaded model is the same to the last digit if Rerun stores the rows on disk, where no file remains.
func TestRerun_OnDisk(t *testing.T) {
	const n = 45_000 // of which columns are cut by a sample
	rng := rand.New(rand.NewPCG(16, 2))
	a, b, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range a {
		a[i], b[i] = rng.NormFloat64(), float64(rng.IntN(9))
		if a[i]-b[i]/4+rng.NormFloat64() > -1 {
			y[i] = 1
		}
	}
	many := filepath.Join(t.TempDir(), "many.parquet")
	err := data.WriteTable(many, []data.Column{{Name: "a", Kind: data.Numeric, Type: "double", Number: a},
		{Name: "b", Kind: data.Numeric, Type: "double", Number: b},
		{Name: "y", Kind: data.Numeric, Type: "double", Number: y}}, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*train.Config){
		"hold-out": func(c *train.Config) { c.Gap = 1e-4 },
		"many rows": func(c *train.Config) {
			c.Data, c.Target, c.Groups, c.Categorical, c.Gap = many, "y", nil, []string{"b"}, 1e-3
		},
		"training rows, χ²": func(c *train.Config) {
			c.Data, c.Target, c.Groups = "builtin:cps1988", "wage", []string{"region"}
			c.Holdout, c.Penalty, c.Gap, c.TargetTransform = 0, "chi2", 1e-4, "log"
		},
	} {
		m := fit(t, change)
		path := filepath.Join(t.TempDir(), "model.json")
		if err := m.Save(path, false); err != nil {
			t.Fatal(err)
		}
		var reports [2]string
		dir := t.TempDir()
		for k := range reports {
			loaded := must(train.Load(path))
			if k == 1 {
				loaded.Config.Cache, loaded.Config.OnDisk = dir, true // even where memory has room
			}
			frame := must(train.Open(t.Context(), m.Config.Data))
			if err := loaded.Rerun(t.Context(), frame); err != nil {
				t.Fatal(name, err)
			}
			if loaded.Run.OnDisk() != (k == 1) {
				t.Fatalf("%s: on disk %v", name, loaded.Run.OnDisk())
			}
			o := report.DefaultOptions()
			o.Resamples = 100
			_, r := reportOf(t, loaded, o)
			var b bytes.Buffer
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			reports[k] = b.String()
			loaded.Run.Close()
		}
		if reports[0] != reports[1] {
			at := 0
			for at < min(len(reports[0]), len(reports[1])) && reports[0][at] == reports[1][at] {
				at++
			}
			t.Errorf("%s: in memory …%.200s\non disk …%.200s", name, reports[0][max(0, at-100):], reports[1][max(0, at-100):])
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func TestRerun_RefusesOtherData(t *testing.T) {
	m := fit(t, nil)
	m.Run = nil
	path := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(path, []byte("deny,afam\nyes,no\nno,yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := must(data.Read(t.Context(), path))
	var changed *train.ChangedDataError
	if err := m.Rerun(t.Context(), f); !errors.As(err, &changed) || m.Run != nil || changed.Data != path {
		t.Errorf("got %v, of %s", err, path)
	}
}

// The summary of the training and the evaluation of the same rows name the same worst group for every minimum size.
func TestReport_WorstGroupConsistent(t *testing.T) {
	for _, least := range []int{1, 20, 150, 100000} {
		m := fit(t, func(c *train.Config) { c.Holdout, c.MinGroupSize = 0, least })
		o := options()
		o.MinGroupSize = least
		x := must(report.Measure(t.Context(), m, o))
		for k, w := range []*train.SummaryGroup{m.Result.ERM.WorstGroup, m.Result.WorstGroup} {
			v := x.Evaluation.Models[k].WorstGroup
			if (v == nil) != (w == nil) || (v == nil) != (least == 100000) {
				t.Fatalf("groups of %d rows: %v in training, %v in the evaluation", least, w, v)
			}
			if v != nil && (v.Label != w.Name || v.N != w.Count || !(math.Abs(float64(v.Risk)-w.Risk) <= 1e-12) || v.N < least) {
				t.Errorf("groups of %d rows: %+v in training, %+v in the evaluation", least, *w, *v)
			}
		}
	}
}

// Options.Groups replaces the groupings of the training, for its rows and for a table.
func TestRerun_OtherGroups(t *testing.T) {
	m := fit(t, nil)
	o := options()
	o.Groups = []string{"hschool"}
	x := must(report.Measure(t.Context(), m, o))
	y := must(report.MeasureTable(t.Context(), m, m.Run.Frame, o))
	for _, e := range []*eval.Evaluation{x.Evaluation, y.Evaluation} {
		if len(e.Groupings) != 1 || e.Groupings[0].Name != "hschool" {
			t.Errorf("groupings %+v", e.Groupings)
		}
	}
	if len(m.Run.Train.Groups) != 3 || len(m.Encoder.Groups) != 3 {
		t.Error("the model has other groups now")
	}
	r := must(x.Report())
	if n := strings.Join(r.Notes, "\n"); !strings.Contains(n, "the same total weight for every group of afam × single") ||
		!strings.Contains(n, fmt.Sprintf("a rank correlation of %.3g", *m.Result.Tempered.RankCorrelation)) ||
		!strings.Contains(n, fmt.Sprintf("achieves %.3g %% of the reduction", 100**m.Result.Tempered.ExplainedRobust)) {
		t.Errorf("notes %q", n)
	}
}

// An audit of a model's own predictions has the losses of the model.
func TestAudit_OwnPredictions(t *testing.T) {
	for name, loss := range map[string]string{"hmda": "logistic", "cps1988": "squared"} {
		m := fit(t, func(c *train.Config) {
			if c.Gap = 1e-4; name == "cps1988" {
				c.Data, c.Target, c.Groups, c.ScaleTarget = "builtin:cps1988", "wage", []string{"region"}, false
			}
		})
		f := m.Run.Frame
		p := must(m.Predict(t.Context(), f))
		label := must(f.Column(t.Context(), m.Config.Target))
		path := filepath.Join(t.TempDir(), "p.parquet")
		columns := []data.Column{*label, {Name: "score", Type: "double", Kind: data.Numeric, Number: p.Score}}
		if err := data.WriteTable(path, columns, false); err != nil {
			t.Fatal(err)
		}
		table := must(data.Read(t.Context(), path))
		x, err := report.Audit(t.Context(), table, report.AuditOptions{
			Options: options(), Label: m.Config.Target, Scores: []report.Score{{Name: "it", Column: "score"}}, HuberDelta: 1})
		if err != nil {
			t.Fatal(err)
		}
		if x.Input.LossName != loss {
			t.Errorf("%s: loss %s", name, x.Input.LossName)
		}
		for i, v := range x.Input.Models[0].Loss {
			if !(math.Abs(v-p.Loss[i]) <= 1e-9*(1+v)) {
				t.Fatalf("%s, row %d: loss %v, the model's %v", name, i, v, p.Loss[i])
			}
		}
		if r, err := x.Report(); err != nil || r.Evaluation.N != f.Rows {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The target of a built-in table has its unit, unless the options set another.
func TestReport_UnitOfEmbeddedTarget(t *testing.T) {
	m := fit(t, func(c *train.Config) { c.Data, c.Target, c.Groups = "builtin:cps1988", "wage", []string{"region"} })
	for given, want := range map[string]string{"": "1992 US dollars per week", "USD": "USD"} {
		o := options()
		o.Unit = given
		x := must(report.Measure(t.Context(), m, o))
		if got := x.Evaluation.TargetUnit; got != want {
			t.Errorf("with the unit %q: %q, not %q", given, got, want)
		}
	}
}

// reportOf measures a model and reports on it.
func reportOf(t *testing.T, m *train.Model, o report.Options) (*report.Measured, *eval.Report) {
	t.Helper()
	x := must(report.Measure(t.Context(), m, o))
	return x, must(x.Report())
}

// The verdict uses the requested rate or budget, and also compares the model with rescaled ERM.
func TestReport_VerdictUsesCriterion(t *testing.T) {
	budget := 0.02
	m := fit(t, func(c *train.Config) { c.Rate, c.Budget = 3, &budget })
	for given, want := range map[float64]float64{0: 3, 5: 5} {
		o := options()
		o.Rate = given
		x := must(report.Measure(t.Context(), m, o))
		if in := x.Input; in.Rate != want || in.Budget == nil || *in.Budget != budget ||
			in.Models[len(in.Models)-1].Role != eval.RescaledModel {
			t.Errorf("rate %v: %v, budget %v, models %v", given, in.Rate, in.Budget, x.Evaluation.Names())
		}
	}
	// A comparison of two trainings asks for neither tempered scores nor rows enough.
	x := must(report.Compare(t.Context(), []report.Named{{Name: "one", Model: m}, {Name: "other", Model: m}}, nil,
		options()))
	if x.Input.RejectedCandidates != 0 || x.Input.EffectiveRows != 0 {
		t.Errorf("%d rejected, %v effective rows", x.Input.RejectedCandidates, x.Input.EffectiveRows)
	}
	// Without one of its own it is held to that of the choice, but for the none at all that
	// nobody asked for.
	m.Config.Budget = nil
	for chosen, want := range map[float64]*float64{0.01: level.At(0.01), 0: nil} {
		m.Result.Selection = &tune.Selection{Budget: &chosen, Candidates: []tune.Candidate{{}}}
		x := must(report.Measure(t.Context(), m, options()))
		if in := x.Input; !reflect.DeepEqual(in.Budget, want) {
			t.Errorf("a choice within %v: %v", chosen, in.Budget)
		}
	}
}

// The training and its report use the same minimum size of a worst group.
func TestMinGroupSize_SameInReport(t *testing.T) {
	if a, b := report.DefaultOptions().MinGroupSize, train.DefaultConfig().MinGroupSize; a != b || a < 1 {
		t.Errorf("report: %d rows, training: %d", a, b)
	}
}
