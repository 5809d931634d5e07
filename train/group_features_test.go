package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// One note states which group columns are features and when the opposite is better.
func TestGroupFeatures_Note(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		in     bool
		says   string
	}{
		{"default", func(*Config) {}, true,
			`group columns used as features: “afam”; with --group-features no they are not`},
		{"off", func(c *Config) { c.GroupFeatures = false }, false,
			`group columns not used as features: “afam”; if their use is legal`},
		{"dropped", func(c *Config) { c.Drop = []string{"afam"} }, false, `group columns not used as features: “afam”`},
		{"listed", func(c *Config) { c.Features = []string{"afam", "pirat"} }, true,
			`group columns used as features: “afam”; with --group-features no they are not`},
		{"partly", func(c *Config) { c.Groups, c.Drop = []string{"afam", "single"}, []string{"single"} }, true,
			`unknown at prediction time; not used as features: “single”`},
	} {
		cfg := keepingRows()
		cfg.Data, cfg.Target, cfg.Groups, cfg.Nu, cfg.NoBaseline = "builtin:hmda", "deny", []string{"afam"}, level.At(1), true
		c.change(&cfg)
		m := fit(t, cfg)
		if has := slices.Contains(m.Encoder.Names(), "afam=yes"); has != c.in {
			t.Errorf("%s: features %q", c.name, m.Encoder.Names())
		}
		notes := slices.DeleteFunc(slices.Clone(m.Notes),
			func(n string) bool { return !strings.Contains(n, "used as features") })
		if len(notes) != 1 || !strings.Contains(notes[0], c.says) {
			t.Errorf("%s: notes %q, want one with %q", c.name, notes, c.says)
		}
	}
}

// The groups of builtin:digits are unknown at prediction time, and are not features by default.
func TestFit_DigitsWithoutTheirGroups(t *testing.T) {
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Nu, cfg.NoBaseline =
		"builtin:digits", "size", []string{"agrees"}, level.At(1), true
	m := fit(t, cfg)
	if in, out := splitGroupFeatures(m.Encoder); len(in) > 0 || len(out) != 1 || m.Config.GroupFeatures {
		t.Errorf("features %q, not features %q, group features %v", in, out, m.Config.GroupFeatures)
	}
}
