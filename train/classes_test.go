package train

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/level"
)

// classTable returns rows of k classes and three groups; a third feature follows the class in the
// first group alone.
func classTable(t *testing.T, n, k int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, uint64(k)))
	x := make([][]float64, 3)
	class, group, kind, weight := make([]int32, n), make([]int32, n), make([]int32, n), make([]float64, n)
	var labels []string
	for c := range k {
		labels = append(labels, fmt.Sprintf("class %d", c))
	}
	for i := range n {
		c := rng.IntN(k)
		class[i], group[i], kind[i], weight[i] = int32(c), int32(min(2, rng.IntN(8))), int32(rng.IntN(3)), 0.5+rng.Float64()
		angle := 2 * math.Pi * float64(c) / float64(k)
		x[0] = append(x[0], 2*math.Cos(angle)+rng.NormFloat64())
		x[1] = append(x[1], 2*math.Sin(angle)+rng.NormFloat64())
		x[2] = append(x[2], rng.NormFloat64())
		if group[i] == 0 {
			x[2][i] += float64(c)
		}
	}
	number := func(name string, v []float64) data.Column {
		return data.Column{Name: name, Type: "double", Kind: data.Numeric, Number: v}
	}
	text := func(name string, code []int32, labels ...string) data.Column {
		return data.Column{Name: name, Type: "string", Kind: data.Categorical, Code: code, Level: labels}
	}
	f, err := data.NewFrame(text("class", class, labels...), number("a", x[0]), number("b", x[1]), number("c", x[2]),
		text("kind", kind, "p", "q", "r"), text("group", group, "g", "h", "i"), number("weight", weight))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// With five classes, every setting either yields a certified model that predicts, saves, loads and scores, or an
// error that names the classes as the reason.
func TestClasses_EverySetting(t *testing.T) {
	f := classTable(t, 600, 5)
	for name, c := range map[string]struct {
		set     func(*Config)
		refused string
	}{
		"ERM":                {func(c *Config) { c.Average = "plain" }, ""},
		"balanced":           {func(c *Config) { c.Average = "balanced" }, ""},
		"KL":                 {func(c *Config) { c.Nu = level.At(0.5) }, ""},
		"chi2":               {func(c *Config) { c.Nu, c.Penalty = level.At(0.5), "chi2" }, ""},
		"KL ball":            {func(c *Config) { c.Radius = level.At(0.05) }, ""},
		"chi2 ball":          {func(c *Config) { c.Ess, c.Penalty = level.At(0.8), "chi2" }, ""},
		"CVaR":               {func(c *Config) { c.Protect = level.At(0.3) }, ""},
		"group DRO":          {func(c *Config) { c.Adversary, c.Nu = "groups", level.At(0) }, ""},
		"KL over groups":     {func(c *Config) { c.Adversary, c.Nu = "groups", level.At(0.1) }, ""},
		"row weights":        {func(c *Config) { c.Weight, c.Nu = "weight", level.At(0.5) }, ""},
		"no intercept":       {func(c *Config) { c.Intercept, c.Nu = false, level.At(0.5) }, ""},
		"another mu":         {func(c *Config) { c.Mu, c.Nu = level.At(0.01), level.At(0.5) }, ""},
		"choice":             {func(c *Config) {}, ""},
		"choice by accuracy": {func(c *Config) { c.Select = "worst-group-accuracy" }, ""},
		"choice by tail":     {func(c *Config) { c.Select = "tail" }, ""},
		"no group features":  {func(c *Config) { c.GroupFeatures, c.Average = false, "plain" }, ""},
		"lbfgs":              {func(c *Config) { c.Solver, c.Nu = "lbfgs", level.At(0.5) }, ""},
		"newton":             {func(c *Config) { c.Solver, c.Nu = "newton", level.At(0.5) }, ""},
		"float32":            {func(c *Config) { c.Storage, c.Nu = "float32", level.At(0.5) }, ""},
		"sparse":             {func(c *Config) { c.Storage, c.Nu = "sparse", level.At(0.5) }, ""},
		"functions": {func(c *Config) {
			c.Spline, c.Interact, c.Nu = []string{"a:4"}, []string{"kind:b"},
				level.At(0.5)
		}, ""},
		"all rows":           {func(c *Config) { c.Holdout, c.Nu = 0, level.At(0.5) }, ""},
		"hold-out of groups": {func(c *Config) { c.GroupHoldout, c.Nu = "kind", level.At(0.5) }, ""},
		"rows on disk":       {func(c *Config) { c.Cache, c.OnDisk, c.Nu = t.TempDir(), true, level.At(0.5) }, ""},
		"threshold":          {func(c *Config) { c.Threshold, c.Nu = level.At(0.3), level.At(0.5) }, "two classes"},
		"recalibrate":        {func(c *Config) { c.Recalibrate, c.Nu = true, level.At(0.5) }, "two classes"},
		"pooled coefficients": {func(c *Config) { c.GroupCoefficients, c.Nu = groupCoefficientsPooled, level.At(0.5) },
			"but this target has more classes"},
		"squared loss": {func(c *Config) { c.Loss, c.Nu = "squared", level.At(0.5) }, "number"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := keepingRows()
			cfg.Target, cfg.Groups, cfg.MaxPasses = "class", []string{"group"}, 2000
			c.set(&cfg)
			m, err := FitFrame(t.Context(), f, cfg)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("not refused: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer m.Run.Close()
			if !m.Result.Certified || *m.Result.Certificate.Upper < *m.Result.Certificate.Lower ||
				len(m.Coefficients) != 5*m.Encoder.D() {
				t.Errorf("status %s, bounds %v, %v", m.Result.Status, *m.Result.Certificate.Upper, *m.Result.Certificate.Lower)
			}
			checkClassScores(t, m, f)
		})
	}
}

// checkClassScores compares the scorer of a model that was saved and loaded with its predictions.
func checkClassScores(t *testing.T, m *Model, f *data.Frame) {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	loaded := readModel(t, &b)
	p := predict(t, loaded, f)
	s := scorer(t, loaded)
	k := len(loaded.Classes())
	for i, row := range frameRows(t, f, s.Inputs())[:50] {
		named := map[string]any{}
		for j, name := range s.Inputs() {
			named[name] = row[j]
		}
		e, err := s.Explain(named)
		if err != nil {
			t.Fatal(err)
		}
		if e.Class != loaded.Classes()[p.Class[i]] {
			t.Errorf("row %d: class %s, predicted %s", i, e.Class, loaded.Classes()[p.Class[i]])
		}
		for c, v := range e.Probabilities {
			if !(math.Abs(v-p.Probability[i*k+c]) <= 1e-6) {
				t.Fatalf("row %d, class %d: scored %v, predicted %v", i, c, v, p.Probability[i*k+c])
			}
		}
		if v, err := s.Values(row...); err != nil || v != e.Score || !(math.Abs(v-e.Probabilities[p.Class[i]]) <= 1e-15) {
			t.Errorf("row %d: %v by values, %v by name (%v)", i, v, e.Score, err)
		}
	}
}

// A target of more than two classes on several ranks is an error.
func TestClasses_RanksRefused(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Average = "class", "plain"
	f := classTable(t, 400, 4)
	err := ranks.Run(2, func(c ranks.Comm) error {
		_, err := onRank(c, f, cfg)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "softmax") {
		t.Errorf("two ranks: %v", err)
	}
}

// The constant prediction of several classes is their proportions, and no other has a smaller average loss.
func TestConstantLosses_SeveralClasses(t *testing.T) {
	f := classTable(t, 400, 4)
	for _, weight := range []string{"", "weight"} {
		cfg := DefaultConfig()
		cfg.KeepRows, cfg.Target, cfg.Average, cfg.Weight, cfg.Holdout = true, "class", "plain", weight, 0
		m := fitFrame(t, f, cfg)
		target := m.Run.Train.Target
		loss, best := make([]float64, len(target)), m.Result.ClassConstant
		if !m.ConstantLosses(loss, target) || len(best) != 4 {
			t.Fatalf("no constant: %v", best)
		}
		least := m.Run.weightedAverage(loss)
		for c := range best {
			shifted := slices.Clone(best)
			shifted[c] += 0.1
			total := 0.0
			for _, v := range shifted {
				total += math.Exp(v)
			}
			for j, t := range target {
				loss[j] = math.Log(total) - shifted[int(t)]
			}
			if other := m.Run.weightedAverage(loss); !(other > least) {
				t.Errorf("weight %q: a constant has a loss of %v, that of the model %v", weight, other, least)
			}
		}
		m.Result.ClassConstant = best[:3]
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(&b); err == nil || !strings.Contains(err.Error(), "3 classes instead of 4") {
			t.Errorf("a constant of three classes: %v", err)
		}
	}
}
