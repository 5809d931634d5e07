package report

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// On the training rows, predicted totals of counts equal the observed ones, since the intercept is unpenalised, and
// the proportion of targets below a predicted quantile is its level. Gates can refer to both, over all rows and by
// group.
func TestMeasure_TotalsOfCountsAndCoverageOfQuantiles(t *testing.T) {
	table := must(datasets.Open("builtin:cps1988"))
	defer table.Close()
	for _, c := range []struct {
		name, target, loss, exposure, key string
		want, within                      float64
		passes, fails                     string
	}{
		{"counts", "experience", "poisson", "", "total_ratio", 1, 1e-6, "total_ratio > 1.01", "total_ratio < 1.01"},
		{"rates", "experience", "poisson", "education", "total_ratio", 1, 1e-6, "total_ratio < 0.99", "total_ratio > 0.99"},
		{"quantile", "wage", "quantile:0.9", "", "coverage", 0.9, 0.01, "any_group.coverage < 0.8", "coverage > 0.8"},
		{"median", "wage", "quantile:0.5", "", "coverage", 0.5, 0.01, "coverage < 0.45", "coverage.high < 0.6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := train.DefaultConfig()
			cfg.Target, cfg.Loss, cfg.Exposure, cfg.Groups, cfg.Holdout = c.target, c.loss, c.exposure, []string{"smsa"}, 0
			cfg.Filter = "experience >= 0 && education > 0"
			cfg.Features, cfg.Average, cfg.KeepRows, cfg.Gap = []string{"region", "ethnicity"}, "plain", true, 1e-12
			m := must(train.FitFrame(t.Context(), table, cfg))
			x := must(Measure(t.Context(), m, DefaultOptions()))
			defer x.Close()
			got, ok := x.Evaluation.Models[0].Overall.Get(c.key)
			iv := x.Evaluation.Models[0].Intervals.Find(c.key)
			if !ok || !(math.Abs(got-c.want) <= c.within) || iv == nil || !(iv.Low < eval.Num(got) && eval.Num(got) < iv.High) {
				t.Errorf("%s is %v, want %v; the interval is %+v", c.key, got, c.want, iv)
			}
			for condition, failed := range map[string]bool{c.passes: false, c.fails: true} {
				if r := must(must(eval.ParseGate(condition)).Check(x.Evaluation)); r.Failed != failed {
					t.Errorf("%s: %s", condition, r.Message)
				}
			}
		})
	}
}
