package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// The command that tune prints trains at the chosen robustness and μ, on the same rows, without options about the
// choice.
func TestTune_PrintsTrainingCommand(t *testing.T) {
	given := []string{"--data", "t.parquet", "--target", "y", "--groups", "a,b", "--weight", "w", "--filter", "x",
		"--seed", "7", "--rate", "1.5", "--budget", "0.25",
		"--folds", "4", "--select", "worst-group"}
	for _, l := range []level.Level{
		{Average: "plain"}, {Average: "balanced"}, {Nu: level.At(0.0163)}, {Nu: level.At(1e-300), Penalty: "chi2"},
		{Nu: level.At(0), Adversary: "groups", Adjust: 0.469},
	} {
		if l.Penalty == "" {
			l.Penalty = train.DefaultConfig().Penalty
		}
		for _, mu := range []float64{0.01, 0.25} {
			cmd := &cobra.Command{Use: "tune"}
			o := &trainOptions{Settings: options.Add(cmd, options.Tune)}
			if err := cmd.ParseFlags(given); err != nil {
				t.Fatal(err)
			}
			chosen := o.flagsAtChosen(cmd.Flags(), &tune.Selection{Of: 100, Candidates: []tune.Candidate{{}, {Level: l, Mu: mu}},
				Chosen: 1})
			line := options.CommandLine("train", chosen)
			var file bytes.Buffer
			fromFile := &cobra.Command{Use: "train"}
			configured := options.Add(fromFile, options.Train)
			if err := options.WriteYAML(&file, "train", "t.yaml", chosen, nil); err != nil {
				t.Fatal(err)
			}
			if err := options.ApplyYAML(fromFile.Flags(), "t.yaml", &file); err != nil {
				t.Fatal(err)
			}
			trained := &cobra.Command{Use: "train"}
			again := options.Add(trained, options.Train)
			words := strings.Fields(line)
			if err := trained.ParseFlags(words[2:]); err != nil || strings.Join(words[:2], " ") != "drotrain train" {
				t.Fatalf("%s: %v", line, err)
			}
			if err := checkCombinations(trained.Flags(), &again.Config); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			c := again.Config
			if !reflect.DeepEqual(c, configured.Config) {
				t.Errorf("the command line sets %+v, and the file %+v", c, configured.Config)
			}
			if !reflect.DeepEqual(c.Level, l) || (c.Mu != nil) != (mu != 0.01) || c.Mu != nil && *c.Mu != mu {
				t.Errorf("%s: %+v at μ = %v, want %+v at %v", line, c.Level, c.Mu, l, mu)
			}
			if c.Data != "t.parquet" || c.Target != "y" || !reflect.DeepEqual(c.Groups, []string{"a", "b"}) || c.Weight != "w" ||
				c.Filter != "x" || c.Seed != 7 || c.Budget == nil || *c.Budget != 0.25 {
				t.Errorf("%s: %+v", line, c)
			}
		}
	}
}
