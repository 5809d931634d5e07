package report_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

// Two compared models have the risks that Measure gives for each of them on the same rows, for hold-out rows and for
// tables. The report names both in order, and in the other order only the order changes.
func TestCompare_AgreesWithMeasure(t *testing.T) {
	models := []report.Named{
		{Name: "mild", Model: fit(t, func(c *train.Config) { c.Nu = level.At(3) })},
		{Name: "strict", Model: fit(t, func(c *train.Config) { c.Penalty = "chi2" })},
	}
	risk := func(m eval.ModelResult) float64 {
		v, ok := m.Overall.Get("risk")
		if !ok {
			t.Fatalf("%s has no risk", m.Name)
		}
		return v
	}
	for _, table := range []*data.Frame{nil, models[0].Model.Run.Frame} {
		x := must(report.Compare(t.Context(), models, table, options()))
		back := must(report.Compare(t.Context(), []report.Named{models[1], models[0]}, table, options()))
		for k, m := range models {
			var alone *report.Measured
			if table == nil {
				alone = must(report.Measure(t.Context(), m.Model, options()))
			} else {
				alone = must(report.MeasureTable(t.Context(), m.Model, table, options()))
			}
			want := math.NaN()
			for _, a := range alone.Evaluation.Models {
				if a.Name == report.Robust {
					want = risk(a)
				}
			}
			got := x.Evaluation.Models[k]
			if got.Name != m.Name || !(math.Abs(risk(got)-want) <= 1e-12) || risk(back.Evaluation.Models[1-k]) != risk(got) ||
				x.Evaluation.N != alone.Evaluation.N {
				t.Errorf("%s: %v of %d rows beside another, %v of %d alone, %v in the other order", m.Name, risk(got),
					x.Evaluation.N, want, alone.Evaluation.N, risk(back.Evaluation.Models[1-k]))
			}
		}
		r := must(x.Report())
		if !strings.HasPrefix(r.Title, "mild against strict: ") || len(r.Facts) < 2 || r.Facts[0].Key != "mild" ||
			r.Facts[1].Key != "strict" {
			t.Errorf("%q, %+v", r.Title, r.Facts)
		}
	}
}

// Models that cannot be compared are an error with a reason: fewer than two, equal names, different or missing
// hold-out rows, different losses or units.
func TestCompare_Refuses(t *testing.T) {
	m := fit(t, nil)
	path := filepath.Join(t.TempDir(), "model.json")
	if err := m.Save(path, false); err != nil {
		t.Fatal(err)
	}
	loaded := must(train.Load(path))
	all := fit(t, func(c *train.Config) { c.Holdout = 0 })
	others := fit(t, func(c *train.Config) { c.Seed++ })
	wage := func(c *train.Config) { c.Data, c.Target, c.Groups = "builtin:cps1988", "wage", []string{"region"} }
	wages := fit(t, wage)
	huber := fit(t, func(c *train.Config) { wage(c); c.Loss = "huber" })
	dollars := fit(t, func(c *train.Config) { wage(c); c.ScaleTarget = false })
	named := func(m ...*train.Model) (out []report.Named) {
		for k, m := range m {
			out = append(out, report.Named{Name: string(rune('a' + k)), Model: m})
		}
		return out
	}
	for want, models := range map[string][]report.Named{
		"at least two models":                  named(m),
		`has two models called "a"`:            {{Name: "a", Model: m}, {Name: "a", Model: m}},
		"a has no hold-out rows":               named(loaded, m),
		"a has no hold-out rows ":              named(all, m),
		"a and b have different hold-out rows": named(m, others),
		"a and b have different hold-out":      named(m, all),
		"have different hold-out rows":         named(m, loaded),
		"their losses are squared and huber":   named(wages, huber),
		"different units":                      named(wages, dollars),
		"one predicts deny":                    named(m, wages),
	} {
		_, err := report.Compare(t.Context(), models, nil, options())
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: %v", want, err)
		}
		var option *report.OptionError
		if strings.Contains(want, "held out") && (!errors.As(err, &option) || option.Hint() == "") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The units of a loss of probabilities do not depend on the scaling of the features.
func TestCompare_ClassesWithDifferentScales(t *testing.T) {
	scaled := fit(t, nil)
	raw := fit(t, func(c *train.Config) { c.Scale, c.ScaleTarget = "none", false })
	models := []report.Named{{Name: "a", Model: scaled}, {Name: "b", Model: raw}}
	if _, err := report.Compare(t.Context(), models, nil, options()); err != nil {
		t.Error(err)
	}
}
