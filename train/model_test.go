package train

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

const closedForm = 1e-12 // relative tolerance of one formula against another

func builtin(t testing.TB, name string) Config {
	cfg := keepingRows()
	cfg.Data, cfg.Nu = "builtin:"+name, level.At(1)
	switch name {
	case "hmda":
		cfg.Target, cfg.Groups = "deny", []string{"afam", "single"}
	case "cps1988":
		cfg.Target, cfg.Groups, cfg.Penalty = "wage", []string{"ethnicity", "region"}, "chi2"
	}
	return cfg
}

func fit(t testing.TB, cfg Config) *Model {
	t.Helper()
	m, err := Fit(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reloaded returns the model as read from its file.
func reloaded(t testing.TB, m *Model) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	if err := m.Save(path, false); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func TestSave_LoadPredictsSameBits(t *testing.T) {
	for _, name := range []string{"hmda", "cps1988"} {
		cfg := builtin(t, name)
		m := fit(t, cfg)
		path := filepath.Join(t.TempDir(), "model.json")
		if err := m.Save(path, false); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(path, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("an existing model was overwritten: %v", err)
		}
		loaded, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(loaded.Summary(path), m.Summary(path)) {
			t.Errorf("summary changed:\n%+v\n%+v", loaded.Summary(path), m.Summary(path))
		}
		frame := openTable(t, cfg.Data)
		a := predict(t, m, frame)
		b := predict(t, loaded, frame)
		if !reflect.DeepEqual(a.Score, b.Score) || !reflect.DeepEqual(a.Loss, b.Loss) {
			t.Error("a loaded model predicts otherwise")
		}
	}
}

// The coefficients in original units, applied to the raw columns by hand, give
// the model's predictions.
func TestExplain_ReproducesPredictions(t *testing.T) {
	for _, intercept := range []bool{true, false} {
		cfg := builtin(t, "cps1988")
		cfg.Intercept, cfg.GroupCoefficients = intercept, "no"
		m := fit(t, cfg)
		frame, _ := Open(context.Background(), cfg.Data)
		p := predict(t, m, frame)
		standard, _, err := m.Variant(VariantERM)
		if err != nil {
			t.Fatal(err)
		}
		q := predict(t, standard, frame)
		for _, row := range []int{0, 7, 28154} {
			var robust, erm float64
			for _, c := range m.Explain() {
				v := 1.0 // the constant
				if name, level, ok := strings.Cut(c.Name, "="); ok {
					col, err := frame.Column(t.Context(), name)
					if err != nil {
						t.Fatal(err)
					}
					if v = 0; col.Text(row) == level {
						v = 1
					}
				} else if !strings.HasPrefix(c.Name, "(") {
					col, err := frame.Column(t.Context(), c.Name)
					if err != nil {
						t.Fatal(err)
					}
					v = col.Number[row]
				}
				robust += c.Robust * v
				erm += *c.Baseline * v
			}
			if !(math.Abs(robust-p.Score[row]) <= closedForm*1e2*math.Abs(robust)) ||
				!(math.Abs(erm-q.Score[row]) <= closedForm*1e2*math.Abs(erm)) {
				t.Errorf("intercept %v, row %d: by hand %v and %v, predicted %v and %v", intercept, row, robust, erm, p.Score[row],
					q.Score[row])
			}
		}
	}
}

// For a large ν the robust model equals ERM.
func TestFit_LargeNuIsERM(t *testing.T) {
	for _, penalty := range dro.Divergences() {
		if !penalty.HasPenalty() {
			continue
		}
		cfg := builtin(t, "hmda")
		cfg.Penalty, cfg.Nu, cfg.Gap = penalty, level.At(1e7), 1e-12
		m := fit(t, cfg)
		s := m.Summary("")
		if e := math.Abs(s.Objective/s.ERM.Objective - 1); e > 1e-6 {
			t.Errorf("%s: objective %v, ERM %v", penalty, s.Objective, s.ERM.Objective)
		}
		if s.EffectiveSampleSize < 0.999999*float64(s.N) {
			t.Errorf("%s: effective sample size %v of %d", penalty, s.EffectiveSampleSize, s.N)
		}
	}
}

// The robust model has the smaller robust risk and ERM the smaller average risk, up to their gaps.
func TestFit_EachModelWinsItsObjective(t *testing.T) {
	for _, name := range []string{"hmda", "cps1988"} {
		s := fit(t, builtin(t, name)).Summary("")
		if s.RobustRisk > s.ERM.RobustRisk {
			t.Errorf("%s: robust risk %v above ERM's %v", name, s.RobustRisk, s.ERM.RobustRisk)
		}
		if s.ERM.Risk > s.AverageRisk {
			t.Errorf("%s: ERM's average %v above the robust model's %v", name, s.ERM.Risk, s.AverageRisk)
		}
		if !s.Certified || *s.Certificate.Lower > s.Objective || *s.Certificate.Upper < s.Objective {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestFit_SolversAgree(t *testing.T) {
	solvers := []string{"auto", "newton", "lbfgs", "separable", "stochastic", "full"}
	var first float64
	for i, solver := range solvers {
		cfg := builtin(t, "hmda")
		cfg.Solver, cfg.Gap = solver, 1e-9
		s := fit(t, cfg).Summary("")
		if i == 0 {
			first = s.Objective
		}
		if !s.Certified || !(math.Abs(s.Objective/first-1) <= 1e-8) {
			t.Errorf("%s: %s, objective %v, %s's %v", solver, s.Status, s.Objective, solvers[0], first)
		}
	}
}

// With ν = 0 the robust risk is the maximum loss; the model is certified, and it is the limit of small ν.
func TestFit_NuZeroIsCertified(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Nu = level.At(0)
	s := fit(t, cfg).Summary("")
	if !s.Certified || s.Solver != "newton" {
		t.Errorf("%s by %s, relative gap %v", s.Status, s.Solver, *s.Certificate.RelativeGap)
	}
	cfg.Nu = level.At(1e-3)
	if small := fit(t, cfg).Summary(""); small.Objective > s.Objective ||
		small.Objective < s.Objective-1e-3*math.Log(float64(s.N)) {
		t.Errorf("objective %v, with ν = 1e-3 %v", s.Objective, small.Objective)
	}
}

func TestFit_CancelledKeepsModel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cfg := builtin(t, "hmda")
	cfg.Gap = 1e-15
	cfg.Observe = func(p Progress) {
		if p.Phase == "robust" {
			cancel()
		}
	}
	m, err := Fit(ctx, cfg)
	if !errors.Is(err, context.Canceled) || m == nil {
		t.Fatalf("model %v, error %v", m, err)
	}
	if s := m.Summary(""); s.Status != "cancelled" || s.Certified || len(m.Coefficients) != m.Encoder.D() {
		t.Errorf("%+v", s)
	}
}

// With μ = 0 the certificate uses the curvature of the losses. It agrees with the certificate for a tiny μ, whose
// objective is larger by at most the penalty.
func TestFit_WithoutRegulariser(t *testing.T) {
	for _, name := range []string{"hmda", "cps1988"} {
		zero, tiny := 0.0, 1e-12
		cfg := builtin(t, name)
		cfg.Mu, cfg.MaxPasses = &tiny, 200
		cfg.GroupFeatures = false // every level of region has a column: without μ no optimum is unique
		above := fit(t, cfg).Summary("").Objective
		cfg.Mu = &zero
		s := fit(t, cfg).Summary("")
		if !s.Certified || *s.Certificate.Lower > above || s.Objective < *s.Certificate.Lower ||
			s.Objective > above*(1+cfg.Gap) {
			t.Errorf("%s: %s, [%v, %v], objective %v, with a tiny regulariser %v", name, s.Status, s.Certificate.Lower,
				s.Certificate.Upper, s.Objective, above)
		}
	}
}

// Missing tables and columns, and a loss that does not fit the target, are errors.
func TestFit_Refusals(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"column": func(c *Config) { c.Target = "dney" }, "data": func(c *Config) { c.Data = "" },
		"builtin": func(c *Config) { c.Data = "builtin:hdma" }, "file": func(c *Config) { c.Data = "none.parquet" },
		"squared loss of a yes/no target": func(c *Config) { c.Loss = "squared" },
	} {
		cfg := builtin(t, "hmda")
		change(&cfg)
		if m, err := Fit(context.Background(), cfg); err == nil || m != nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := FitFrame(context.Background(), &data.Frame{}, builtin(t, "hmda")); err == nil {
		t.Error("an empty table was accepted")
	}
}

// Group-balanced ERM minimises the mean of the group risks plus the ridge penalty.
func TestFit_GroupBalancedWinsItsObjective(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Gap = 1e-9
	m := fit(t, cfg)
	mu := *m.Config.Mu
	balanced := func(x []float64) float64 {
		p, err := m.PredictDataset(m.Run.Train, x)
		if err != nil {
			t.Fatal(err)
		}
		last := m.Run.Train.Groups[len(m.Run.Train.Groups)-1]
		sum, count := make([]float64, len(last.Labels)), make([]float64, len(last.Labels))
		for j, g := range last.Index {
			sum[g] += p.Loss[j]
			count[g]++
		}
		v := 0.0
		for g := range sum {
			v += sum[g] / count[g] / float64(len(sum))
		}
		for i, a := range x {
			if i != m.Encoder.Intercept() {
				v += mu / 2 * a * a
			}
		}
		return v
	}
	best := balanced(m.GroupWeighted)
	if e := math.Abs(best/m.Result.GroupWeighted.Objective - 1); e > 1e-8 {
		t.Errorf("objective %v by hand, %v reported", best, m.Result.GroupWeighted.Objective)
	}
	for name, x := range map[string][]float64{"robust": m.Coefficients, "ERM": m.Baseline} {
		if v := balanced(x); v <= best {
			t.Errorf("the %s model has a lower group-weighted objective: %v, %v", name, v, best)
		}
	}
	cfg.Groups = nil
	if m := fit(t, cfg); m.GroupWeighted != nil || m.Result.GroupWeighted != nil {
		t.Error("a group-weighted model without groups")
	}
}

func TestFit_RowsReleased(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.KeepRows = false
	m := fit(t, cfg)
	if m.Run != nil {
		t.Error("the rows are kept")
	}
	if _, err := m.AdversaryWeights(); err == nil || !strings.Contains(err.Error(), "KeepRows") {
		t.Errorf("the weights of rows that were released: %v", err)
	}
	if _, err := m.CrossFit(t.Context()); err == nil {
		t.Error("a model without rows is cross-fitted")
	}
}

// Every ambiguity set contains the original weights, so its optimum is at least that of ERM, and larger sets have
// larger optima.
func TestFit_LargerSetsHaveLargerOptima(t *testing.T) {
	for name, levels := range map[string][2]level.Level{
		"total variation": {{Penalty: "tv", Radius: level.At(0.02)}, {Penalty: "tv", Radius: level.At(0.05)}},
		"spectral":        {{Spectral: "extremile:1.5"}, {Spectral: "extremile:2"}},
		"Wasserstein":     {{Wasserstein: level.At(0.01)}, {Wasserstein: level.At(0.05)}},
	} {
		least := 0.0
		for _, l := range levels {
			cfg := builtin(t, "hmda")
			cfg.Level, cfg.Loss = l, "logistic"
			s := fit(t, cfg).Summary("")
			if least = max(least, s.ERM.Objective); !s.Certified || !(s.Objective > least) {
				t.Errorf("%s, %v: certified %v, objective %v, not above %v", name, l, s.Certified, s.Objective, least)
			}
			least = s.Objective
		}
	}
}
