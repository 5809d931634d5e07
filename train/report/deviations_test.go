package report_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// A coefficient per standard deviation of a level is that of the level times √(p(1 − p)).
func TestCoefficients_LevelsPerStandardDeviation(t *testing.T) {
	m := fit(t, func(c *train.Config) { c.Data, c.Target, c.Groups = "builtin:hmda", "deny", []string{"afam"} })
	found := false
	for _, q := range report.Coefficients(m).Rows {
		if q.Name != "afam=yes" {
			continue
		}
		found = true
		const share = 339.0 / 2380 // of all rows; the training rows are a sample
		ratio := float64(q.Scaled[0]) / float64(q.Original[0])
		if want := math.Sqrt(share * (1 - share)); !(math.Abs(ratio-want) <= 0.02) {
			t.Errorf("the ratio is %v, not %v", ratio, want)
		}
	}
	if !found {
		t.Error("afam=yes is no coefficient")
	}
}

// For more than two classes, the coefficient of a level per standard deviation is at most half that of the level, and
// the coefficient of a number is multiplied by its scale.
func TestCoefficients_ClassesPerStandardDeviation(t *testing.T) {
	m := fit(t, func(c *train.Config) {
		c.Data, c.Target, c.Filter, c.Groups = "builtin:cps1988", "region", "education > 17", []string{"ethnicity"}
	})
	ratios := make(map[string]float64)
	for _, q := range report.Coefficients(m).Rows {
		ratios[q.Name] = float64(q.Scaled[0]) / float64(q.Original[0])
	}
	if r := ratios["smsa=yes"]; !(r > 0.2 && r <= 0.5) {
		t.Errorf("smsa=yes: the ratio is %v", r)
	}
	if r := ratios["wage"]; !(r > 100) {
		t.Errorf("wage: the ratio is %v", r)
	}
}

// Coefficients of columns that are not standardised are not per standard deviation, and those of a transformed or linked
// target are in units of the transformed target.
func TestCoefficients_Units(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(c *train.Config)
		unit, scaled string
	}{
		"standardised": {func(*train.Config) {}, "wage per unit",
			"standard deviations of wage per standard deviation of the column"},
		"log": {func(c *train.Config) { c.TargetTransform = "log" }, "log wage per unit",
			"standard deviations of log wage per standard deviation of the column"},
		"max": {func(c *train.Config) { c.Scale = "max" }, "wage per unit",
			"standard deviations of wage times the largest absolute value of the column"},
		"counts": {func(c *train.Config) { c.Loss, c.Target = "poisson", "experience"; c.Filter += " && experience >= 0" },
			"log of experience per unit", "log of experience per standard deviation of the column"},
	} {
		m := fit(t, func(cfg *train.Config) {
			cfg.Data, cfg.Target, cfg.Filter, cfg.Groups = "builtin:cps1988", "wage", "education > 17", []string{"ethnicity"}
			c.change(cfg)
		})
		got := report.Coefficients(m)
		if got.Unit != c.unit || got.Scaled != c.scaled {
			t.Errorf("%s: %q, %q", name, got.Unit, got.Scaled)
		}
	}
}

// Entries of sparse vectors are divided by their largest absolute values, whatever is done with the other columns.
func TestCoefficients_StepOfSparseEntries(t *testing.T) {
	var with, without strings.Builder // a column of numbers beside the vectors
	for i := range 60 {
		entries := fmt.Sprintf("1:%d 4:%d", 1+i%5, 10-i%7)
		fmt.Fprintf(&with, "%d qid:%d %s\n", i%3%2, i%11, entries)
		fmt.Fprintf(&without, "%d %s\n", i%3%2, entries)
	}
	const largest = eval.LargestAbsoluteValue
	for name, c := range map[string]struct {
		text, scale, scaled, step string
		own                       map[string]string // steps of the rows that have their own
	}{
		"mixed": {text: with.String(), scaled: "log-odds per step of the column",
			own: map[string]string{"x[1]": largest, "x[4]": largest}},
		"entries alone": {text: without.String(), step: largest,
			scaled: "log-odds times the largest absolute value of the column"},
		"max": {text: with.String(), scale: "max", step: largest,
			scaled: "log-odds times the largest absolute value of the column"},
		"none": {text: with.String(), scale: "none", step: "unit", scaled: "log-odds per unit of the column"},
		"classes": {text: strings.ReplaceAll(with.String(), "0 qid:3 ", "2 qid:3 "),
			scaled: "norm over the classes, log-odds per step of the column",
			own:    map[string]string{"x[1]": largest, "x[4]": largest}},
	} {
		path := filepath.Join(t.TempDir(), "t.svm")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := fit(t, func(cfg *train.Config) {
			cfg.Data, cfg.Target, cfg.Groups, cfg.Loss = path, "label", nil, "logistic"
			cfg.Scale = cmp.Or(c.scale, cfg.Scale)
		})
		got := report.Coefficients(m)
		own := map[string]string{}
		for i, q := range got.Rows {
			if q.Step != "" {
				own[q.Name] = q.Step
			}
			if i == m.Encoder.Intercept() {
				continue
			}
			ratio, want := float64(q.Scaled[0])/float64(q.Original[0]), m.Encoder.Columns[i].Scale
			if !(math.Abs(ratio-want) <= 1e-12*want) {
				t.Errorf("%s: %s: a step is %v, not %v", name, q.Name, ratio, want)
			}
		}
		if got.Scaled != c.scaled || got.Step != c.step || !maps.Equal(own, c.own) {
			t.Errorf("%s: %q, %q, %q", name, got.Scaled, got.Step, own)
		}
	}
}
