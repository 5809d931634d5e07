package options

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands lists the commands with options in the registry.
var commands = []string{Train, Tune, Eval, Predict, Export, Verify, Inspect}

// Page returns the reference of all options as Markdown.
func Page() string {
	flags := map[string]*pflag.FlagSet{}
	for _, command := range commands {
		cmd := &cobra.Command{}
		Add(cmd, command)
		flags[command] = cmd.Flags()
	}
	plainTable := strings.ReplaceAll(tableHelp, "`", "")
	var b strings.Builder
	b.WriteString(`# Options

Generated from the registry of the program (` + "`make golden`" + `). Every option is also a key of the YAML file
of ` + "`--config`" + `, where a repeatable option is a list; the command line wins. ` + "`drotrain COMMAND -h`" + ` shows
the options that matter most, ` + "`--help`" + ` all of a command.

A table is ` + plainTable + `.
`)
	for _, of := range registry {
		fmt.Fprintf(&b, "\n## %s\n", of.title)
		last := ""
		for _, o := range of.options {
			names := strings.Fields(strings.ReplaceAll(o.Commands, "*", ""))
			f := flags[names[0]].Lookup(o.Name)
			kind, _ := pflag.UnquoteUsage(f)
			_, usage := helpOfOption(f)
			if o.Aliases != "" {
				usage += "; also `--" + strings.Join(strings.Fields(o.Aliases), "`, `--") + "`"
			}
			if option := strings.TrimSpace("--" + o.Name + " " + kind); option != last {
				fmt.Fprintf(&b, "\n* `%s`", option)
				last = option
			} else { // of other commands
				b.WriteString(" ·")
			}
			fmt.Fprintf(&b, " *%s:* %s", strings.Join(names, ", "), strings.ReplaceAll(usage, plainTable, "a table"))
		}
		b.WriteString("\n")
	}
	return b.String()
}
