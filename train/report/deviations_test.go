package report_test

import (
	"math"
	"testing"

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

// So is that of more than two classes: a level deviates by at most a half, and a number by its scale.
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
