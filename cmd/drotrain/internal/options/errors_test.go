package options

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/setting"
)

// All problems of a command line or a configuration are reported at once, in order: invalid values, unknown options,
// and a last option without a value. A value that looks like an option is not reported as one.
func TestFlagErrors_AllProblems(t *testing.T) {
	flags := func() *pflag.FlagSet {
		var names []string
		var share *float64
		fs := pflag.NewFlagSet("t", pflag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.Var(setting.Subset(&names, []string{"svg", "png"}), "plots", "")
		fs.Var(setting.OptionalProportion(&share), "share", "")
		fs.Var(setting.Choice([]string{"2", "4"}, func() string { return "" }, func(string) error { return nil }), "count",
			"")
		fs.Var(setting.Word(new(string), "be a letter", func(s string) bool { return len(s) == 1 }), "mark", "`letter`")
		fs.VarPF(setting.Switch(new(bool)), "json", "", "").NoOptDefVal = "true"
		return fs
	}
	for args, want := range map[string]string{
		"--count 3": `--count "3": must be 2 or 4`,
		"--share 7 --count 3 --json=so --mark ab": `4 problems with the command line:
  --share "7": must be above 0 and at most 1
  --count "3": must be 2 or 4
  --json "so": must be true or false
  --mark "ab": must be a letter`,
		"--shaer 1 --count 1 x -y - --plots svg,pgn --shaer=2 --mark": `5 problems with the command line:
  unknown option --shaer
    → did you mean --share?
  --count "1": must be 2 or 4
  unknown option -y
    → long options take two dashes; did you mean --help?
  --plots "svg,pgn": must be one or more of svg, png
    → did you mean png?
  option --mark needs a value
    → write --mark letter`,
		"--mark --no --no -- --nothing": `2 problems with the command line:
  --mark "--no": must be a letter
  unknown option --no
    → --help lists the options`,
	} {
		words := strings.Fields(args)
		if flags().Parse(words) == nil {
			t.Errorf("%s is taken", args)
		}
		if err := FlagErrors(flags(), words); err == nil || told(err) != want {
			t.Errorf("%s:\n%s\nwant\n%s", args, told(err), want)
		}
	}
	const want = `3 problems with c.yaml:
  c.yaml:1: count "3": must be 2 or 4
  c.yaml:2: unknown key "shaer"
    → did you mean share?
  c.yaml:4: plots: must be one or more of svg, png`
	if err := ApplyYAML(flags(), "c.yaml", strings.NewReader(
		"count: 3\nshaer: 1\nmark: a\nplots: [svg, pdf]\n")); err == nil || told(err) != want {
		t.Errorf("%s\nwant\n%s", told(err), want)
	}
}

// told returns the printed error, without the hint if there is a single problem.
func told(err error) string {
	if err == nil {
		return ""
	}
	msg, _ := exit.Describe(err)
	return msg
}

// The help contains every option once, with its text in a separate column, or below the option if its name is long.
func TestHelp_WritesEveryOptionOnce(t *testing.T) {
	fs := pflag.NewFlagSet("t", pflag.ContinueOnError)
	fs.Int("few", 0, "how `many`")
	fs.Int("threads", 3, "of this process, which are shared by everything that it does at once and then some more")
	fs.Bool("an-option-of-a-long-name", false,
		"says much, in more words than a line of the help has room for beside its name")
	var b bytes.Buffer
	for _, name := range []string{"few", "threads", "an-option-of-a-long-name"} {
		printOption(&b, fs.Lookup(name))
	}
	want := `  --few many                how many
  --threads int             of this process, which are shared by everything that
                            it does at once and then some more (default 3)
  --an-option-of-a-long-name
                            says much, in more words than a line of the help has
                            room for beside its name
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
