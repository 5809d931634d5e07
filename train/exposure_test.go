package train

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// exposedCounts returns a table of counts with exposures 1 to 3, and the same table with every row split into rows of
// exposure 1 with equal shares of the count.
func exposedCounts(t *testing.T) (whole, split *data.Frame) {
	t.Helper()
	var a, b strings.Builder
	a.WriteString("x,site,n,years\n")
	b.WriteString("x,site,n,years\n")
	for i := range 90 {
		x, years := math.Sin(float64(i)), 1+i%3
		n := float64(years) * (1 + float64(i*i%4)) * math.Round(2+2*x)
		fmt.Fprintf(&a, "%v,%c,%v,%d\n", x, 'p'+i%2, n, years)
		for range years {
			fmt.Fprintf(&b, "%v,%c,%v,1\n", x, 'p'+i%2, n/float64(years))
		}
	}
	return readCSV(t, "whole.csv", a.String()), readCSV(t, "split.csv", b.String())
}

// A row of exposure 3 counts as three rows of exposure 1 with a third of its count, for every adversary.
func TestExposure_SplitRows(t *testing.T) {
	whole, split := exposedCounts(t)
	for name, change := range map[string]func(*Config){
		"average":  func(c *Config) { c.Average = "plain" },
		"balanced": func(c *Config) { c.Average, c.Groups, c.GroupFeatures = "balanced", []string{"site"}, false },
		"kl":       func(c *Config) { c.Nu = level.At(0.5) },
		"cvar":     func(c *Config) { c.Protect = level.At(0.3) },
		"group dro": func(c *Config) {
			c.Adversary, c.Groups, c.GroupFeatures, c.Nu = "groups", []string{"site"}, false, level.At(0)
		},
	} {
		fit := func(f *data.Frame, exposure string) *Model {
			cfg := keepingRows()
			mu := 0.01
			cfg.Target, cfg.Loss, cfg.Exposure, cfg.Features, cfg.Holdout = "n", "poisson", exposure, []string{"x"}, 0
			cfg.Mu, cfg.Gap, cfg.Scale = &mu, 1e-10, "none"
			change(&cfg)
			return fitFrame(t, f, cfg)
		}
		m, want := fit(whole, "years"), fit(split, "")
		if !(math.Abs(m.Result.Objective-want.Result.Objective) <= 1e-8*want.Result.Objective) {
			t.Errorf("%s: the risk is %v, of the split rows %v", name, m.Result.Objective, want.Result.Objective)
		}
		for k, c := range want.Coefficients {
			if !(math.Abs(m.Coefficients[k]-c) <= 1e-4) {
				t.Errorf("%s: coefficient %d is %v, of the split rows %v", name, k, m.Coefficients[k], c)
			}
		}
	}
}

// Predicted counts are proportional to the exposure, which every row needs. A scorer gives the same counts, and rates
// are predictions for an exposure of 1.
func TestExposure_Predictions(t *testing.T) {
	whole, _ := exposedCounts(t)
	cfg := keepingRows()
	cfg.Target, cfg.Loss, cfg.Exposure, cfg.Nu = "n", "poisson", "years", level.At(1)
	m := fitFrame(t, whole, cfg)
	f := readCSV(t, "new.csv", "x,site,years\n0.5,p,1\n0.5,p,2.5\n")
	p, err := m.Predict(t.Context(), f)
	if err != nil || !(math.Abs(p.Score[1]/p.Score[0]-2.5) <= 1e-12) {
		t.Fatalf("predictions %v, %v", p, err)
	}
	_, err = m.PredictBlocks(t.Context(), f, BlockOptions{}, func(c []data.Column) error {
		if got := c[len(c)-1].Number; got[0] != p.Score[0] || got[1] != p.Score[1] {
			t.Errorf("blocks have %v, not %v", got, p.Score)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Map(map[string]any{"x": 0.5, "site": "p", "years": 2.5})
	if err != nil || !(math.Abs(got/p.Score[1]-1) <= 1e-12) {
		t.Errorf("the scorer gives %v (%v), not %v", got, err, p.Score[1])
	}
	for name, c := range map[string]struct{ text, want string }{
		"no column": {"x,site\n0.5,p\n", `no column "years"`},
		"zero":      {"x,site,years\n0.5,p,1\n0.5,p,0\n", "row 2: the exposure is 0"},
		"null":      {"x,site,years\n0.5,p,\n0.5,p,1\n", "row 1: the exposure is null"},
	} {
		if _, err := m.Predict(t.Context(), readCSV(t, "bad.csv", c.text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Config){
		"loss":    func(c *Config) { c.Loss = "squared" },
		"target":  func(c *Config) { c.Exposure = "n" },
		"feature": func(c *Config) { c.Features = []string{"x", "years"} },
	} {
		wrong := cfg
		change(&wrong)
		if _, err := FitFrame(t.Context(), whole, wrong); err == nil || !strings.Contains(err.Error(), "Exposure") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
