package options

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/internal/goldentest"
)

func TestGolden_OptionsPage(t *testing.T) {
	goldentest.Text(t, "../../../../docs/options.md", Page())
}

// No command has two entries with the same name, and every command in the registry is known.
func TestRegistry_OneEntryForACommand(t *testing.T) {
	seen := map[string]bool{}
	known := map[string]bool{}
	for _, c := range commands {
		known[c] = true
	}
	for _, of := range registry {
		for _, o := range of.options {
			for c := range strings.FieldsSeq(o.Commands) {
				key := strings.TrimSuffix(c, "*") + " --" + o.Name
				if seen[key] || !known[strings.TrimSuffix(c, "*")] {
					t.Errorf("%s twice, or of no command", key)
				}
				seen[key] = true
			}
			for alias := range strings.FieldsSeq(o.Aliases) {
				foreign := slices.ContainsFunc(foreignNames, func(
					e foreignName) bool {
					return slices.Contains(strings.Fields(e.names), alias)
				})
				if isOption(Train, alias) || foreign && o.Name != "target" {
					t.Errorf("--%s is an option or has a hint, and is an alias of --%s", alias, o.Name)
				}
			}
		}
	}
}

// Settings of the library are replaced by their options; other text stays unchanged.
func TestNameOptions_ReplacesSettingsOfTheLibrary(t *testing.T) {
	for in, want := range map[string]string{
		"set Config.MaxPasses or Config.GroupFeatures=false": "set --max-passes or --group-features=false",
		"Options.Cache":    "--cache",
		"Config.Announce":  "Config.Announce",
		"MyConfig.Nu, Nu.": "MyConfig.Nu, Nu.",
	} {
		if got := NameOptions(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Every hint about a name from another program belongs to an option that exists.
func TestElsewhere_HintsNameOptions(t *testing.T) {
	for _, e := range foreignNames {
		if !slices.ContainsFunc(commands, func(command string) bool { return isOption(command, e.option) }) {
			t.Errorf("%s: there is no option --%s", e.names, e.option)
		}
	}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.Int("adversary", 0, "")
	if got := foreignNameHint(fs, "group_dro"); !strings.Contains(got, "--adversary groups --nu 0") {
		t.Errorf("%q", got)
	}
}
