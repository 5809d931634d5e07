package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
)

// The help and the results fit a terminal of 80 columns, and the help of every command has an example.
func TestHelp_FitsEightyColumns(t *testing.T) {
	fits := func(what, text string) {
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > show.Width {
				t.Errorf("%s: %d columns: %s", what, n, line)
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "completion" || c.Hidden {
			return
		}
		if c.Name() != "help" && !strings.Contains(c.Example, "  drotrain") {
			t.Errorf("%s: no example", c.CommandPath())
		}
		for _, help := range []string{"-h", "--help"} {
			args := append(strings.Fields(c.CommandPath())[1:], help)
			code, stdout, stderr := try(t.Context(), args...)
			if code != exit.OK || stderr != "" {
				t.Errorf("%s %s: exit code %d, stderr %q", c.CommandPath(), help, code, stderr)
			}
			fits(c.CommandPath()+" "+help, stdout)
			if n := strings.Count(stdout, "\n"); help == "-h" && n > 40 {
				t.Errorf("%s -h: %d lines", c.CommandPath(), n)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&app{now: time.Now}))

	t.Chdir(t.TempDir())
	for _, args := range []string{
		"train --quiet --data builtin:hmda --groups afam,single --folds 2",
		"inspect drotrain-out",
		"inspect builtin:cps1988",
		"eval --model drotrain-out --data builtin:hmda --quiet --resamples 100",
		"eval --model drotrain-out --resamples 0",
		"predict --model drotrain-out --data builtin:hmda --keep deny,afam --out p.csv",
		"eval --predictions p.csv --target deny --score probability --groups afam --resamples 100",
		"eval --predictions p.csv --target deny --score " +
			"a=probability,b=probability,c=probability,d=probability,e=probability --groups afam --resamples 0",
		"datasets",
	} {
		code, stdout, stderr := try(t.Context(), strings.Fields(args)...)
		if code != exit.OK || stdout == "" {
			t.Errorf("drotrain %s: exit code %d: %s", args, code, stderr)
		}
		fits("drotrain "+args, stdout)
	}
}
