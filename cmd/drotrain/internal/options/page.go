package options

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WritePage writes the reference of all options as Markdown.
func WritePage(w io.Writer) error {
	defaults := map[string]*pflag.FlagSet{}
	for _, command := range commands {
		cmd := &cobra.Command{}
		Add(cmd, command)
		defaults[command] = cmd.Flags()
	}
	var b strings.Builder
	plainTable := strings.ReplaceAll(tableHelp, "`", "")
	b.WriteString(`# Options

Generated from the registry of the program (` + "`make golden`" + `). Every option is also a key of the YAML file
of ` + "`--config`" + `, where a repeatable option is a list; the command line wins. ` + "`drotrain COMMAND -h`" + ` shows
the options that matter most, ` + "`--help`" + ` all of a command.

A table is ` + plainTable + `.
`)
	for _, of := range registry {
		fmt.Fprintf(&b, "\n## %s\n\n", of.title)
		for i := 0; i < len(of.options); i++ {
			o := of.options[i]
			kind, usage := describe(&o, defaults)
			same := []string{usage}
			for ; i+1 < len(of.options) && of.options[i+1].Name == o.Name; i++ { // other commands
				if other, usage := describe(&of.options[i+1], defaults); other == kind {
					same = append(same, usage)
					continue
				}
				break
			}
			fmt.Fprintf(&b, "* `%s` %s\n", strings.TrimSpace("--"+o.Name+" "+kind), strings.Join(same, " · "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commands lists the commands with options in the registry.
var commands = []string{Train, Tune, Eval, Predict, Export, Inspect}

// describe returns the kind of the value of an option, and its help texts by command.
func describe(o *Option, defaults map[string]*pflag.FlagSet) (kind, usage string) {
	names := strings.Fields(strings.ReplaceAll(o.Commands, "*", ""))
	f := *defaults[names[0]].Lookup(o.Name)
	_, usage = wordsOf(&f)
	kind, _ = pflag.UnquoteUsage(&f)
	if o.Aliases != "" {
		usage += "; also `--" + strings.Join(strings.Fields(o.Aliases), "`, `--") + "`"
	}
	usage = strings.ReplaceAll(usage, strings.ReplaceAll(tableHelp, "`", ""), "a table")
	return kind, "*" + strings.Join(names, ", ") + ":* " + usage
}
