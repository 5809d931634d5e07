package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// The reported coefficients by group agree with predictions: the margins of two rows of a group that differ in one
// number differ by the group's coefficient times the difference.
func TestReport_GroupCoefficientsArePredictions(t *testing.T) {
	for _, how := range []string{"no", "pooled"} {
		m := fit(t, func(c *train.Config) {
			c.Data, c.Target, c.Groups, c.GroupCoefficients = "builtin:cps1988", "wage", []string{"region", "smsa"}, how
			c.Features = []string{"education", "experience", "region", "smsa"}
		})
		o := options()
		o.Quick = true
		x := must(report.Measure(t.Context(), m, o))
		r := must(x.Report())
		for _, q := range r.Coefficients.Rows {
			if strings.Contains(q.Name, ":") {
				t.Errorf("%s: the product %s is among the coefficients", how, q.Name)
			}
		}
		g := r.GroupCoefficients
		if (g != nil) != (how == "pooled") {
			t.Fatalf("%s: %+v", how, g)
		}
		if g == nil {
			continue
		}
		if !strings.Contains(g.About, "κ = 125: the ridge penalty") || !strings.Contains(g.About, `“region” and “smsa”`) {
			t.Error(g.About)
		}
		slope := make(map[string]float64) // of education, in every group
		shared := math.NaN()
		for _, q := range g.Panels {
			for k, label := range q.Labels {
				if q.Feature == "education" {
					slope[q.By+"="+label], shared = float64(q.Group[k]), float64(q.Shared)
				}
			}
		}
		if len(slope) != 6 {
			t.Fatal(slope)
		}
		scorer, err := m.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		for _, region := range []string{"northeast", "midwest", "south", "west"} {
			for _, smsa := range []string{"no", "yes"} {
				row := map[string]any{"experience": 10.0, "region": region, "smsa": smsa}
				var at [2]float64
				for k := range at {
					row["education"] = 12.0 + float64(k)
					if at[k], err = scorer.Map(row); err != nil {
						t.Fatal(err)
					}
				}
				want := slope["region="+region] + slope["smsa="+smsa] - shared
				if got := at[1] - at[0]; !(math.Abs(got-want) <= 1e-8*math.Abs(want)) {
					t.Errorf("%s, smsa %s: a year of education is %v, by the report %v", region, smsa, got, want)
				}
			}
		}
	}
}
