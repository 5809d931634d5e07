package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/train"
)

// The ends of the ranges of the options that say how robust a model is to be: what is
// inside is taken, what is outside or no number is refused.
func TestEndsOfLevels(t *testing.T) {
	for name, c := range map[string]struct{ in, out []string }{
		"latent":           {[]string{"1e-300", "0.5", "0.999999"}, []string{"0", "1", "-0.5", "NaN", "half"}},
		"confidence":       {[]string{"0.500001", "0.95", "0.999999"}, []string{"0.5", "1", "0.3", "NaN"}},
		"ess":              {[]string{"1e-9", "0.5", "1"}, []string{"0", "1.000001", "-1", "NaN"}},
		"protect":          {[]string{"1e-9", "0.5", "1"}, []string{"0", "1.000001", "-1", "NaN"}},
		"radius":           {[]string{"1e-300", "0.5", "7"}, []string{"0", "-1", "NaN"}},
		"nu":               {[]string{"0", "1e-300", "7"}, []string{"-1e-300", "NaN"}},
		"group-adjust":     {[]string{"0", "1e-300", "7"}, []string{"-1e-300", "NaN"}},
		"average":          {[]string{"plain", "balanced"}, []string{"median"}},
		"adversary":        {[]string{"rows", "groups"}, []string{"columns"}},
		"adversary-prior":  {[]string{"shares", "equal"}, []string{"odd"}},
		"adversary-groups": {[]string{"crossed", "each"}, []string{"all"}},
		"penalty":          {[]string{"kl", "chi2"}, []string{"tv"}},
	} {
		try := func(value string) error {
			cfg := train.DefaultConfig()
			cmd := &cobra.Command{Use: "train"}
			defineLevel(cmd, &cfg)
			return cmd.Flags().Set(name, value)
		}
		for _, v := range c.in {
			if err := try(v); err != nil {
				t.Errorf("--%s %s: %v", name, v, err)
			}
		}
		for _, v := range c.out {
			if err := try(v); err == nil {
				t.Errorf("--%s %s is taken", name, v)
			}
		}
	}
}
