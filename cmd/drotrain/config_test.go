package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// parse applies args and then the YAML text to the options of train.
func parse(t *testing.T, yaml string, args ...string) (*options.Settings, error) {
	t.Helper()
	cmd := &cobra.Command{Use: "train"}
	o := options.Add(cmd, options.Train)
	if err := cmd.ParseFlags(args); err != nil {
		return o, options.FlagErrors(cmd.Flags(), args)
	}
	return o, options.ApplyYAML(cmd.Flags(), "c.yaml", strings.NewReader(yaml))
}

func TestConfig_CommandLineWins(t *testing.T) {
	const yaml = `
data: builtin:hmda
target: deny
groups: [afam, "a, b"]
drop: x, y
features:
  - pirat
  - lvrat
nu: 0.25
mu: 0
seed: 18446744073709551615
max-passes: 1_000
gap: 1e-4
intercept: false
positive: 1
penalty: chi2
json: true
`
	o, err := parse(t, yaml, "--nu=3", "--drop", "z", "--drop=u,v", "--intercept")
	if err != nil {
		t.Fatal(err)
	}
	want := train.DefaultConfig()
	zero := 0.0
	want.Data, want.Target = "builtin:hmda", "deny"
	want.Groups = []string{"afam", "a, b"}
	want.Drop = []string{"z", "u", "v"} // the command line wins
	want.Features = []string{"pirat", "lvrat"}
	want.Nu, want.Mu, want.Seed, want.MaxPasses = level.At(3), &zero, 1<<64-1, 1000
	want.Positive, want.Penalty, want.Gap = "1", "chi2", 1e-4
	if !reflect.DeepEqual(o.Config, want) {
		t.Errorf("got\n%+v, want\n%+v", o.Config, want)
	}
	if !o.JSON || o.Quiet || o.Out != defaultOut {
		t.Errorf("output options: %+v", o)
	}
}

func TestConfig_Empty(t *testing.T) {
	for _, yaml := range []string{"", "# nothing\n", "---\n", "~\n"} {
		o, err := parse(t, yaml)
		if err != nil {
			t.Errorf("%q: %v", yaml, err)
		} else if !reflect.DeepEqual(o.Config, train.DefaultConfig()) {
			t.Errorf("%q changed the defaults", yaml)
		}
	}
}

// A wrong configuration is a usage error that names the file and has a hint. Package setting tests how values are
// read.
func TestConfig_Errors(t *testing.T) {
	for _, c := range []struct{ yaml, msg, hint string }{
		{"data: a\nfrob: 1", `c.yaml:2: unknown key "frob"`, "the keys are"},
		{"\nmax_passes: 1", `c.yaml:2: unknown key "max_passes"`, "did you mean max-passes?"},
		{"config: x", `c.yaml:1: unknown key "config"`, ""},
		{"nu: -1", `c.yaml:1: nu "-1": must be at least 0`, ""},
		{"penalty: kll", `c.yaml:1: penalty "kll": must be kl, chi2 or tv`, "did you mean kl?"},
		{"penalty: 2", `c.yaml:1: penalty "2": must be kl, chi2 or tv`, ""},
		{"- nu\n- 1", `c.yaml:1: the configuration must be keys and values, not a list`, "target: deny"},
		{"nu: [1", `c.yaml:1: not valid YAML`, ""},
	} {
		_, err := parse(t, c.yaml)
		if err == nil {
			t.Errorf("%q: no error", c.yaml)
			continue
		}
		msg, hint := exit.Describe(err)
		if !strings.Contains(msg, c.msg) || !strings.Contains(hint, c.hint) {
			t.Errorf("%q: got %q, hint %q; want %q, hint %q", c.yaml, msg, hint, c.msg, c.hint)
		}
		if code := exit.Code(t.Context(), err); code != exit.Usage {
			t.Errorf("%q: exit code %d", c.yaml, code)
		}
	}
}

// Every setting of the library has an option of train with the same name.
func TestTrain_HasTheSettingsOfTheLibrary(t *testing.T) {
	cmd := &cobra.Command{Use: "train"}
	options.Add(cmd, options.Train)
	for name := range new(train.Config).Options() {
		if cmd.Flags().Lookup(name) == nil {
			t.Errorf("no option --%s", name)
		}
	}
}

func TestCommandLine_RepeatsTheRun(t *testing.T) {
	cmd := &cobra.Command{Use: "train"}
	o := options.Add(cmd, options.Train)
	if err := cmd.ParseFlags([]string{"--groups", `a,"b, c"`, "--nu=0.5", "--intercept=false", "--out=x", "--positive",
		"it's"}); err != nil {
		t.Fatal(err)
	}
	o.Config.Data, o.Config.Target = "builtin:hmda", "deny"
	const want = `drotrain train --data builtin:hmda --target deny --groups 'a,"b, c"' ` +
		`--positive 'it'\''s' --intercept=false --nu 0.5`
	if got := options.CommandLine("train", cmd.Flags(), "data", "target", "groups"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A configuration either sets options, which are printed and read back unchanged, or is a usage error that names the
// file.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"data: x.csv\ntarget: y\ngroups: [a, \"b, c\"]\nnu: 0.5\n", "nu: 1\nnu: 2\n", "- a\n", "a: &x [*x]\n",
		"groups: &g [a]\ndrop: *g\n",
		"intercept: yes\n", "seed: -1\n", "---\n---\n", "nu: .nan\n", "mu: 1_000e-3\n", "target: |\n  a\n  b\n",
		"? [a]\n: b\n", "<<: {nu: 1}\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		cmd := &cobra.Command{Use: "train"}
		options.Add(cmd, options.Train)
		if err := options.ApplyYAML(cmd.Flags(), "c.yaml", strings.NewReader(yaml)); err != nil {
			if msg, _ := exit.Describe(err); exit.Code(t.Context(), err) != exit.Usage || !strings.Contains(msg, "c.yaml") {
				t.Errorf("%q: %v", yaml, err)
			}
			return
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			list, ok := f.Value.(*setting.Value)
			if !f.Changed || !ok || len(list.Names()) == 0 || strings.ContainsAny(strings.Join(list.Names(), ""), "\r\n") {
				return // a command line has no line breaks
			}
			var again []string
			if err := setting.List(&again, nil).Set(list.String()); err != nil || !reflect.DeepEqual(again, list.Names()) {
				t.Errorf("%q: %s is %q, read back %q, %v", yaml, f.Name, list.Names(), again, err)
			}
		})
	})
}
