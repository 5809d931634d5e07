package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Values at the ends of the range of an option are accepted, and values outside, or that are not numbers, are refused,
// by every command that has the option.
func TestOptions_EndsOfRanges(t *testing.T) {
	ends := map[string]struct{ in, out string }{
		"ess": {"1e-9 0.5 1", "0 1.000001 -1 NaN"}, "protect": {"1e-9 0.5 1", "0 1.000001 -1 NaN"},
		"radius": {"1e-300 0.5 7", "0 -1 NaN"},
		"nu":     {"0 1e-300 7", "-1e-300 NaN"}, "group-adjust": {"0 1e-300 7", "-1e-300 NaN"},
		"average": {"plain balanced", "median"}, "adversary": {"rows groups", "columns"}, "penalty": {"kl chi2 tv", "js"},
		"wasserstein": {"1e-300 7", "0 -1 NaN"},
		"spectral": {"extremile:1 extremile:1000 superquantile:1e-9 superquantile:1 esrm:1e-9 esrm:500",
			"extremile extremile:0.9 extremile:NaN superquantile:0 superquantile:1.01 esrm:0 esrm:501 tv:0.1 mean:1"},
		"confidence": {"1e-9 0.5 0.999999", "0 1 -0.5 1.5 NaN"}, "threshold": {"0 0.5 1", "-1e-300 1.000001 NaN"},
		"tolerance": {"1e-300 1", "0 -1 NaN 1.000001"}, "gap": {"1e-300 7", "0 -1"}, "max-passes": {"1e-300 7", "0 -1"},
		"loss": {"huber:1e-300 huber:7 squared", "huber:0 huber:-1 huber: squared:1 hubr"},
		"mu":   {"0 1e-300 7", "-1e-300 NaN"}, "rate": {"0 7", "-1e-300"}, "budget": {"0 7", "-1e-300"},
		"holdout": {"0 0.5 0.999999", "1 -1e-300"}, "folds": {"2 3", "1 0 -1 2.5"},
		"min-group-size": {"0 1", "-1 0.5"}, "min-count": {"0 1", "-1"}, "threads": {"0 1", "-1"},
	}
	seen := map[string]int{}
	var walk func(path []string)
	walk = func(path []string) {
		command := func() *cobra.Command {
			c, _, err := newRoot(&app{}).Find(path)
			if err != nil {
				t.Fatal(path, err)
			}
			return c
		}
		command().Flags().VisitAll(func(f *pflag.Flag) {
			c, known := ends[f.Name]
			if !known {
				return
			}
			seen[f.Name]++
			for _, v := range strings.Fields(c.in) {
				if err := command().Flags().Set(f.Name, v); err != nil {
					t.Errorf("%v --%s %s: %v", path, f.Name, v, err)
				}
			}
			for _, v := range strings.Fields(c.out) {
				if err := command().Flags().Set(f.Name, v); err == nil {
					t.Errorf("%v --%s %s is taken", path, f.Name, v)
				}
			}
		})
		for _, sub := range command().Commands() {
			walk(append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk(nil)
	for name := range ends {
		if seen[name] == 0 {
			t.Errorf("no command has --%s", name)
		}
	}
}
