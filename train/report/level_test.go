package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// The report states the objective for every level except a penalty over unweighted rows, with all its parameters, and
// no two levels have the same objective.
func TestObjectiveText_Levels(t *testing.T) {
	groups := func(l level.Level) level.Level { l.Adversary = "groups"; return l }
	rows := examples(60, 5)
	seen := map[string]string{}
	for name, c := range map[string]struct {
		level  level.Level
		weight bool
		holds  []float64
	}{
		"price":             {level.Level{Nu: level.At(0.7)}, false, nil},
		"weighted price":    {level.Level{Nu: level.At(0.7)}, true, []float64{0.7}},
		"χ², weighted":      {level.Level{Nu: level.At(0.7), Penalty: "chi2"}, true, []float64{0.7}},
		"plain":             {level.Level{Average: "plain"}, false, []float64{}},
		"weighted":          {level.Level{Average: "plain"}, true, []float64{}},
		"balanced":          {level.Level{Average: "balanced"}, false, []float64{}},
		"tail":              {level.Level{Protect: level.At(0.35)}, false, []float64{35}},
		"ball":              {level.Level{Ess: level.At(0.8)}, false, []float64{}},
		"χ² ball":           {level.Level{Ess: level.At(0.8), Penalty: "chi2"}, false, []float64{}},
		"total variation":   {level.Level{Radius: level.At(0.12), Penalty: "tv"}, false, []float64{}},
		"spectral":          {level.Level{Spectral: "extremile:1.5"}, false, []float64{1.5}},
		"Wasserstein":       {level.Level{Wasserstein: level.At(0.07)}, false, []float64{0.07}},
		"groups":            {groups(level.Level{Nu: level.At(0)}), false, []float64{}},
		"groups at a price": {groups(level.Level{Nu: level.At(0.23)}), false, []float64{0.23}},
		"groups in a ball":  {groups(level.Level{Radius: level.At(0.017)}), false, []float64{0.017}},
		"groups, adjusted":  {groups(level.Level{Nu: level.At(0), Adjust: 0.61}), false, []float64{0.61}},
	} {
		m := trained(t, rows, c.level, c.weight, func(cfg *train.Config) { cfg.Gap = 1e-4 })
		text := objectiveText(m)
		if (text == "") != (c.holds == nil) {
			t.Errorf("%s: %q", name, text)
		}
		for _, v := range c.holds {
			if !strings.Contains(text, fmt.Sprintf("%.4g", v)) {
				t.Errorf("%s: no %v in %q", name, v, text)
			}
		}
		if text != "" && !strings.Contains(text, fmt.Sprintf("(%.4g/2)‖x‖²", *m.Config.Mu)) {
			t.Errorf("%s: no μ in %q", name, text)
		}
		if other, known := seen[text]; known {
			t.Errorf("%s and %s are both %q", name, other, text)
		}
		seen[text] = name
	}
}

// The formula of every divergence is its own.
func TestObjectiveText_Divergences(t *testing.T) {
	all := dro.Divergences()
	for _, d := range all {
		for name, l := range map[string]level.Level{"ball": {Radius: level.At(0.1)}, "size": {Ess: level.At(0.7)},
			"penalty": {Nu: level.At(1)}} {
			if !d.HasPenalty() && name != "ball" {
				continue
			}
			if l.Penalty = d; !strings.Contains(l.String(), d.Symbol()) {
				t.Errorf("%s of %s: described as %q", name, string(d), l)
			}
			text := objectiveText(trained(t, examples(60, 5), l, true, func(cfg *train.Config) { cfg.Gap = 1e-4 }))
			for _, other := range all {
				if strings.Contains(text, other.Formula()) != (other == d) {
					t.Errorf("%s of %s: %q and the formula of %s", name, string(d), text, string(other))
				}
			}
		}
	}
}
