package train

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// A training says in one note which group columns are features, and what to do about it.
func TestGroupFeatures_NoteSaysWhichAndWhy(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		in     bool
		says   string
	}{
		{"default", func(*Config) {}, true, `group columns used as features: "afam"; leave them out if that is illegal`},
		{"off", func(c *Config) { c.GroupFeatures = false }, false, `group columns not used as features: "afam"; features are usually better for the worst group`},
		{"dropped", func(c *Config) { c.Drop = []string{"afam"} }, false, `group columns not used as features: "afam"`},
		{"listed", func(c *Config) { c.Features = []string{"afam", "pirat"} }, true, `group columns used as features: "afam"; leave them out if that is illegal`},
		{"partly", func(c *Config) { c.Groups, c.Drop = []string{"afam", "single"}, []string{"single"} }, true, `unknown at prediction; not used as features: "single"`},
	} {
		cfg := keepingRows()
		cfg.Data, cfg.Target, cfg.Groups, cfg.Nu, cfg.NoBaseline = "builtin:hmda", "deny", []string{"afam"}, level.At(1), true
		c.change(&cfg)
		m := fit(t, cfg)
		if has := slices.Contains(m.Encoder.Names(), "afam=yes"); has != c.in {
			t.Errorf("%s: features %q", c.name, m.Encoder.Names())
		}
		notes := slices.DeleteFunc(slices.Clone(m.Notes), func(n string) bool { return !strings.Contains(n, "used as features") })
		if len(notes) != 1 || !strings.Contains(notes[0], c.says) {
			t.Errorf("%s: notes %q, want one with %q", c.name, notes, c.says)
		}
	}
}

// Where a group has a mean of its own, leaving its column out of the features costs the worst
// group; where all groups are alike it costs nothing that can be measured.
func TestGroupFeatureCost_WorstGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	b.WriteString("x,g,like,y\n")
	for range 1500 {
		x, g, y := rng.NormFloat64(), "b", rng.NormFloat64()
		if y += x; rng.IntN(5) == 0 {
			g, y = "a", y+2
		}
		fmt.Fprintf(&b, "%.4f,%s,%d,%.4f\n", x, g, rng.IntN(2), 10*y)
	}
	f := readCSV(t, "t.csv", b.String())
	for _, c := range []struct {
		name    string
		group   string
		change  func(*Config)
		says    string // of the cost
		leftOut string
	}{
		{"matters", "g", func(c *Config) { c.GroupFeatures = false }, `Leaving "g" out of the features costs the worst group, a (`, ""},
		{"listed", "g", func(c *Config) { c.Features = []string{"x"} }, "costs the worst group", ""},
		{"dropped", "g", func(c *Config) { c.Drop = []string{"g"} }, "costs the worst group", ""},
		{"does not matter", "like", func(c *Config) { c.GroupFeatures, c.Features = false, []string{"x", "g"} }, "no measurable difference", ""},
		{"a feature", "g", func(*Config) {}, "", ""},
		{"no group large enough", "g", func(c *Config) { c.GroupFeatures, c.MinGroupSize = false, 2000 }, "", "no group"},
		{"on disk", "g", func(c *Config) { c.GroupFeatures, c.Cache, c.OnDisk = false, t.TempDir(), true }, "", "not in memory"},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Groups, cfg.Nu, cfg.NoBaseline = "y", []string{c.group}, level.At(1), true
		c.change(&cfg)
		m := fitFrame(t, f, cfg)
		cost, leftOut, err := m.GroupFeatureCost(t.Context())
		m.Run.Close()
		if err != nil || (cost != nil) != (c.says != "") || !strings.Contains(leftOut, c.leftOut) || (leftOut != "") != (c.leftOut != "") {
			t.Fatalf("%s: %+v, %q, %v", c.name, cost, leftOut, err)
		}
		if cost == nil {
			continue
		}
		if !strings.Contains(cost.String(), c.says) || !strings.Contains(cost.String(), "RMSE (units of y)") {
			t.Errorf("%s: %s", c.name, cost)
		}
		// Without the column the means of a and b are 20 apart, and a fifth of the rows is in a.
		if c.name == "matters" && !(cost.Without*cost.MeanError > 300 && cost.Without*cost.MeanError < 420 && cost.With*cost.MeanError < 130 && cost.With*cost.MeanError > 70) {
			t.Errorf("mean squared errors %v without and %v with the column", cost.Without*cost.MeanError, cost.With*cost.MeanError)
		}
	}
}

// The groups of the embedded digits are not known at prediction, and are no features by default.
func TestFit_DigitsWithoutTheirGroups(t *testing.T) {
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Nu, cfg.NoBaseline = "builtin:digits", "size", []string{"agrees"}, level.At(1), true
	m := fit(t, cfg)
	if in, out := splitGroupFeatures(m.Encoder); len(in) > 0 || len(out) != 1 || m.Config.GroupFeatures {
		t.Errorf("features %q, not features %q, group features %v", in, out, m.Config.GroupFeatures)
	}
}
