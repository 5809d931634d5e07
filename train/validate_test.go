package train

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// Every invalid setting is an error that names it, and the valid setting next to it is not.
func TestValidate_Settings(t *testing.T) {
	mu := func(v float64) *float64 { return &v }
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		change func(*Config)
		want   string // of the error; "": none
	}{
		"defaults":              {func(*Config) {}, ""},
		"no target":             {func(c *Config) { c.Target = "" }, "no target"},
		"no baseline, no level": {func(c *Config) { c.NoBaseline = true }, "Config.NoBaseline needs"},
		"no baseline, average":  {func(c *Config) { c.NoBaseline, c.Average = true, "plain" }, "Config.NoBaseline needs"},
		"no baseline, a level":  {func(c *Config) { c.NoBaseline, c.Nu = true, level.At(1) }, ""},
		"loss":                  {func(c *Config) { c.Loss = "hinge" }, `unknown loss "hinge"`},
		"a loss":                {func(c *Config) { c.Loss = "huber" }, ""},
		"scale":                 {func(c *Config) { c.Scale = "minmax" }, `Config.Scale is "minmax"; it must be one of`},
		"no scale":              {func(c *Config) { c.Scale = "" }, ""},
		"unscaled":              {func(c *Config) { c.Scale = "none" }, ""},
		"evaluate":              {func(c *Config) { c.Evaluate = "loo" }, `Config.Evaluate is "loo"; it must be one of`},
		"impute":                {func(c *Config) { c.Impute = "mode" }, `Config.Impute is "mode"; it must be one of`},
		"medians":               {func(c *Config) { c.Impute = "median" }, ""},
		"storage": {func(c *Config) { c.Storage = "float16" },
			`Config.Storage is "float16"; it must be one of`},
		"a storage":  {func(c *Config) { c.Storage = "float32" }, ""},
		"no storage": {func(c *Config) { c.Storage = "" }, ""},
		"solver":     {func(c *Config) { c.Solver = "sgd" }, `Config.Solver is "sgd"; it must be one of`},
		"no solver":  {func(c *Config) { c.Solver = "" }, ""},
		"delta below 0": {func(c *Config) { c.HuberDelta = -1 },
			"Config.HuberDelta is -1; it must be finite and > 0"},
		"delta":                 {func(c *Config) { c.HuberDelta = 1e-300 }, ""},
		"delta ∞":               {func(c *Config) { c.HuberDelta = inf }, "HuberDelta"},
		"gap below 0":           {func(c *Config) { c.Gap = -1 }, "Config.Gap is -1"},
		"gap NaN":               {func(c *Config) { c.Gap = math.NaN() }, "Config.Gap is NaN"},
		"passes below 0":        {func(c *Config) { c.MaxPasses = -1 }, "MaxPasses is -1"},
		"passes ∞":              {func(c *Config) { c.MaxPasses = inf }, "MaxPasses"},
		"half a pass":           {func(c *Config) { c.MaxPasses = 0.5 }, ""},
		"holdout 1":             {func(c *Config) { c.Holdout = 1 }, "Config.Holdout is 1; it must be finite and in [0, 1)"},
		"holdout below 0":       {func(c *Config) { c.Holdout = -1e-9 }, "Holdout"},
		"holdout 0":             {func(c *Config) { c.Holdout = 0 }, ""},
		"most held out":         {func(c *Config) { c.Holdout = 0.999 }, ""},
		"a level":               {func(c *Config) { c.Nu = level.At(-1) }, "Nu is -1"},
		"crossfit of a holdout": {func(c *Config) { c.Evaluate = EvaluateCrossfit }, "set Config.Holdout to 0"},
		"rows and a split": {func(c *Config) { c.Rows, c.Split = &RowSet{Train: []int{0}}, "set" },
			"set only one of them"},
		"rows":               {func(c *Config) { c.Rows = &RowSet{Train: []int{0}} }, ""},
		"a split":            {func(c *Config) { c.Split = "set" }, ""},
		"a split and a time": {func(c *Config) { c.Split, c.Time = "set", "when" }, "set only one of them"},
		"crossfit of a split": {func(c *Config) { c.Evaluate, c.Holdout, c.Split = EvaluateCrossfit, 0, "set" },
			"combined with Config.HoldoutData, Config.Split"},
		"crossfit of a time": {func(c *Config) { c.Evaluate, c.Holdout, c.Time = EvaluateCrossfit, 0, "when" },
			"combined with Config.HoldoutData, Config.Split"},
		"crossfit of units": {func(c *Config) { c.Evaluate, c.Holdout, c.GroupHoldout = EvaluateCrossfit, 0, "unit" },
			"combined with Config.HoldoutData, Config.Split"},
		"crossfit of a table": {func(c *Config) { c.Evaluate, c.Holdout, c.HoldoutData = EvaluateCrossfit, 0, "t" },
			"combined with Config.HoldoutData, Config.Split"},
		"crossfit": {func(c *Config) { c.Evaluate, c.Holdout = EvaluateCrossfit, 0 }, ""},
		"recalibrated numbers": {func(c *Config) { c.Recalibrate, c.Loss = true, "squared" },
			"Config.Recalibrate is for two classes"},
		"recalibrated Huber": {func(c *Config) { c.Recalibrate, c.Loss = true, "huber" },
			"Config.Recalibrate is for two classes"},
		"recalibrated": {func(c *Config) { c.Recalibrate, c.Loss = true, "logistic" }, ""},
		"own regulariser, subsets of the validation rows": {func(c *Config) {
			c.Regulariser, c.Average, c.ValidationSplit = &Regulariser{Name: "own"}, level.ValidationSubsets, "set"
		}, "Config.Regulariser own cannot be combined with"},
		"weight the target": {func(c *Config) { c.Weight = "y" }, `Config.Weight: column "y"`},
		"weight a feature":  {func(c *Config) { c.Weight, c.Features = "w", []string{"w"} }, `Config.Weight: column "w"`},
		"weight a group":    {func(c *Config) { c.Weight, c.Groups = "w", []string{"w"} }, `Config.Weight: column "w"`},
		"weight":            {func(c *Config) { c.Weight, c.Groups = "w", []string{"g"} }, ""},
		"μ below 0":         {func(c *Config) { c.Mu = mu(-1e-9) }, "Config.Mu is -1e-09"},
		"μ NaN":             {func(c *Config) { c.Mu = mu(math.NaN()) }, "Config.Mu is NaN"},
		"μ ∞":               {func(c *Config) { c.Mu = mu(inf) }, "Config.Mu is +Inf"},
		"budget ∞":          {func(c *Config) { c.Budget = mu(inf) }, "Config.Budget is +Inf; it must be finite"},
		"budget NaN":        {func(c *Config) { c.Budget = mu(math.NaN()) }, "Config.Budget is NaN; it must be finite"},
		"budget below 0":    {func(c *Config) { c.Budget = mu(-1) }, "Config.Budget is -1"},
		"budget 0":          {func(c *Config) { c.Budget = mu(0) }, ""},
		"knots of nothing":  {func(c *Config) { c.Spline = []string{"a"} }, `Config.Spline "a": write column:knots`},
		"knots":             {func(c *Config) { c.Spline = []string{"a:b:4", "a:4"} }, ""},
		"knots twice": {func(c *Config) { c.Spline = []string{"a:4", "a:5"} },
			`Config.Spline: column "a" is listed twice`},
		"three columns": {func(c *Config) { c.Interact = []string{"a:b:c"} }, `Config.Interact "a:b:c"`},
		"references":    {func(c *Config) { c.Reference = []string{"a=x=y", "b=z"} }, ""},
		"references twice": {func(c *Config) { c.Reference = []string{"a=x", "a=y"} },
			`Config.Reference: column "a" is listed twice`},
		"ν without digits": {func(c *Config) { c.Nu = mu(5e-324) }, "Config.Nu is 5e-324, a denormal number with too few " +
			"digits"},
		"ν with digits": {func(c *Config) { c.Nu = mu(0x1p-1022) }, ""},
		"μ 0":           {func(c *Config) { c.Mu = mu(0) }, ""},
	} {
		cfg := keepingRows()
		cfg.Target = "y"
		c.change(&cfg)
		switch err := cfg.Validate(); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The error lists all invalid settings.
func TestValidate_ListsAllErrors(t *testing.T) {
	c := keepingRows()
	c.Loss, c.Gap, c.Nu, c.Ess, c.Folds, c.Rate = "hinge", -1, level.At(1), level.At(1.5), 1, -1
	err := c.Validate()
	for _, want := range []string{"no target", "hinge", "Config.Gap is -1", "Config.Nu and Config.Ess",
		"Config.Ess is 1.5", "Config.Folds is 1", "Config.Rate is -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nothing of %q: %v", want, err)
		}
	}
}

// Settings that other settings leave without an effect are errors, unless they have their defaults.
func TestFitFrame_SettingsWithoutEffect(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		want   string // of the error; "": none
	}{
		"a divergence without a level": {func(c *Config) { c.Penalty = "chi2" }, "Config.Penalty chi2"},
		"a divergence of an average": {func(c *Config) { c.Penalty, c.Average = "chi2", "plain" },
			"Config.Penalty chi2"},
		"a divergence of CVaR": {func(c *Config) { c.Penalty, c.Protect = "chi2", level.At(0.5) },
			"Config.Penalty chi2"},
		"a divergence of a level":      {func(c *Config) { c.Penalty, c.Nu = "chi2", level.At(1) }, ""},
		"an adversary without a level": {func(c *Config) { c.Adversary = "rows" }, "Config.Adversary rows"},
		"δ of the logistic loss": {func(c *Config) { c.HuberDelta, c.Nu = 2, level.At(1) },
			"Config.HuberDelta is 2"},
		"δ of the squared loss": {func(c *Config) {
			c.HuberDelta, c.Nu, c.Loss, c.Target = 2, level.At(1),
				"squared", "a"
		}, "Config.HuberDelta is 2"},
		"δ of the Huber loss": {func(c *Config) {
			c.HuberDelta, c.Nu, c.Loss, c.Target = 2, level.At(1), "huber",
				"a"
		}, ""},
		"a quantity of two values, Huber": {func(c *Config) { c.Nu, c.Loss = level.At(1), "huber" }, ""},
	} {
		cfg := keepingRows()
		cfg.Target = "y"
		c.change(&cfg)
		m, err := FitFrame(t.Context(), wide(t, 60), cfg)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		case err == nil:
			loaded(t, m) // what trains can be read again
		}
	}
}

// The reading of the table is recorded in the model, even if Config.Reading is not set.
func TestFitFrame_TakesTheReadingOfTheTable(t *testing.T) {
	how := data.Reading{Relabel: map[string]string{"p.": "p"}}
	how.Text.Delimiter, how.Text.Decimal = ";", ","
	var b strings.Builder
	b.WriteString("y;a;g\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d;%d,5;%s\n", i*7919%2, i*104729%97, []string{"p", "p.", "q"}[i%3])
	}
	f, err := data.OpenReader(t.Context(), "t.csv", strings.NewReader(b.String()), how)
	if err != nil {
		t.Fatal(err)
	}
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Loss = "y", level.At(1), "logistic"
	m := fitFrame(t, f, cfg)
	got := m.Config.Reading
	if len(got.Columns) != 3 || got.Columns[2].Name != "g" || !got.Columns[2].Text {
		t.Errorf("forms %+v", got.Columns)
	}
	if got.Columns = nil; !reflect.DeepEqual(got, how) {
		t.Errorf("%+v", m.Config.Reading)
	}
	s := scorer(t, m)
	p, err1 := s.Map(map[string]any{"a": 1.5, "g": "p."})
	q, err2 := s.Map(map[string]any{"a": 1.5, "g": "q"})
	if err1 != nil || err2 != nil || p == q {
		t.Errorf("%v, %v (%v, %v)", p, q, err1, err2)
	}
}
