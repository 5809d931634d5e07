package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

// measured returns a table whose target is in the given unit, with a category of which two levels are rare.
func measured(t *testing.T, unit float64) *data.Frame {
	t.Helper()
	const n = 240
	r := rand.New(rand.NewPCG(12, 21))
	y, x := make([]float64, n), make([]float64, n)
	kind, group := make([]string, n), make([]string, n)
	for i := range n {
		x[i], kind[i], group[i] = r.NormFloat64(), []string{"a", "b", "c"}[i%3], []string{"east", "west"}[i/3%2]
		switch {
		case i < 4:
			kind[i] = "rare"
		case i < 7:
			kind[i] = "odd"
		}
		slope := 1.0
		if group[i] == "west" && i%5 == 0 {
			slope = -2
		}
		y[i] = unit * (4 + slope*x[i] + float64(i%3) + 0.3*r.ExpFloat64())
	}
	f := newFrame(t, data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: y}, columnOf(t, "x", x),
		columnOf(t, "kind", kind), columnOf(t, "group", group))
	return f
}

// If the unit of the target changes, losses, risks, ν, objectives and bounds scale with its square and coefficients
// with the unit; everything without a unit stays the same.
func TestUnits_OfTheTarget(t *testing.T) {
	for name, l := range map[string]func(unit float64) level.Level{
		"kl":   func(unit float64) level.Level { return level.Level{Penalty: "kl", Nu: level.At(0.7 * unit * unit)} },
		"chi2": func(unit float64) level.Level { return level.Level{Penalty: "chi2", Nu: level.At(0.7 * unit * unit)} },
		"groups": func(unit float64) level.Level {
			return level.Level{Penalty: "kl", Nu: level.At(0.1 * unit * unit), Adversary: "groups"}
		},
		"ball": func(float64) level.Level { return level.Level{Penalty: "kl", Radius: level.At(0.2)} },
		"tail": func(float64) level.Level { return level.Level{Penalty: "kl", Protect: level.At(0.3)} },
	} {
		t.Run(name, func(t *testing.T) { unitsOfTheTarget(t, l) })
	}
}

func unitsOfTheTarget(t *testing.T, at func(unit float64) level.Level) {
	results := map[float64]*Model{}
	for _, unit := range []float64{1, 0x1p-20, 0x1p20} {
		cfg := keepingRows()
		cfg.Target, cfg.Groups, cfg.ScaleTarget, cfg.Holdout, cfg.Gap = "y", []string{"group"}, false, 0, 1e-9
		cfg.Level = at(unit)
		m := fitFrame(t, measured(t, unit), cfg)
		results[unit] = m
	}
	one := results[1]
	for unit, m := range results {
		check := func(what string, got, want, power float64) {
			t.Helper()
			if want *= math.Pow(unit, power); !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
				t.Errorf("unit %v: %s is %v, not %v", unit, what, got, want)
			}
		}
		a, b := m.Result, one.Result
		for j := range one.Coefficients {
			check("a coefficient", m.Coefficients[j], one.Coefficients[j], 1)
			check("a coefficient of ERM", m.Baseline[j], one.Baseline[j], 1)
		}
		check("the objective", a.Objective, b.Objective, 2)
		check("the robust risk", a.RobustRisk, b.RobustRisk, 2)
		check("the average", a.AverageRisk, b.AverageRisk, 2)
		check("a bound", *a.Certificate.Upper, *b.Certificate.Upper, 2)
		check("tau", a.Tau, b.Tau, 2)
		check("the effective rows", a.EffectiveSampleSize, b.EffectiveSampleSize, 0)
		check("the largest weight", a.MaxWeight, b.MaxWeight, 0)
		check("the worst group", a.WorstGroup.Risk, b.WorstGroup.Risk, 2)
		check("ERM's risk", a.ERM.Risk, b.ERM.Risk, 2)
		check("ERM's robust risk", a.ERM.RobustRisk, b.ERM.RobustRisk, 2)
		check("the risk of equal groups", a.GroupWeighted.Risk, b.GroupWeighted.Risk, 2)
		if m.Tempered != nil {
			t.Errorf("unit %v: a quantity has a rescaled baseline", unit)
		}
		for k, g := range a.Groups {
			check("the risk of "+g.Name, g.Risk, b.Groups[k].Risk, 2)
		}
	}
}

// A Scorer and Predict agree on rows with rare, unseen and missing levels, for every reference level.
func TestScores_OfRareLevels(t *testing.T) {
	f := measured(t, 1)
	seen := columnOf(t, "kind", []string{"a", "b", "c", "rare", "odd", "never seen", "a"})
	some, err := data.NewFrame(data.Column{Name: "x", Kind: data.Numeric, Type: "double",
		Number: []float64{1, 2, 3, 4, 5, 6, 0}}, seen,
		columnOf(t, "group", []string{"east", "west", "east", "west", "east", "west", "east"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, reference := range [][]string{nil, {"kind=b"}, {"kind=c"}} {
		cfg := keepingRows()
		cfg.Target, cfg.Holdout, cfg.MinCount, cfg.Reference, cfg.Level =
			"y", 0, 10, reference, level.Level{Penalty: "kl", Nu: level.At(1)}
		m := fitFrame(t, f, cfg)
		want := predict(t, m, some)
		s := scorer(t, m)
		for i := range some.Rows {
			row := make([]any, len(s.Inputs()))
			for k, name := range s.Inputs() {
				row[k] = cellOf(t, some, name, i)
			}
			got, err := s.Values(row...)
			if err != nil || !(math.Abs(got-want.Score[i]) <= 1e-9*math.Abs(want.Score[i])) {
				t.Errorf("reference %v, row %d: scored %v (%v), predicted %v", reference, i, got, err, want.Score[i])
			}
		}
	}
}

// NewProblem returns the problem that Fit solves: its objective at the coefficients is that of the model, and its
// objective elsewhere is at least the model's lower bound. Targets that the loss does not accept are errors.
func TestNewProblem_AgreesWithFit(t *testing.T) {
	for name, l := range map[string]level.Level{
		"kl": {Penalty: "kl", Nu: level.At(1)}, "chi2": {Penalty: "chi2", Nu: level.At(1)},
		"protect": {Penalty: "kl", Protect: level.At(0.4)},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Level, cfg.Holdout = "y", l, 0
		f := measured(t, 1)
		m := fitFrame(t, f, cfg)
		p, _, err := NewProblem(t.Context(), f, cfg)
		if err != nil {
			t.Fatal(err)
		}
		at := func(x []float64) float64 {
			c, err := dro.Certify(p, x)
			if err != nil {
				t.Fatal(err)
			}
			return c.Upper
		}
		if v := at(m.Coefficients); !(math.Abs(v-m.Result.Objective) <= 1e-9*v) {
			t.Errorf("%s: objective %v, the model's %v", name, v, m.Result.Objective)
		}
		for j := range m.Coefficients {
			x := append([]float64(nil), m.Coefficients...)
			x[j] += 0.1
			if v := at(x); v < *m.Result.Certificate.Lower {
				t.Errorf("%s: %v elsewhere, below %v", name, v, *m.Result.Certificate.Lower)
			}
		}
		cfg.Loss = "logistic"
		if p, _, err := NewProblem(t.Context(), f, cfg); err == nil || p != nil {
			t.Errorf("%s: a problem of classes with the targets of quantities", name)
		}
	}
}
