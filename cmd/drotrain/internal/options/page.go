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
	b.WriteString(`# Options

Generated from the registry of the program (` + "`make golden`" + `). Every option is also a key of the YAML file
of ` + "`--config`" + `, where a repeatable option is a list; the command line wins. ` + "`drotrain COMMAND -h`" + ` shows
the options that matter most, ` + "`--help`" + ` all of a command.
`)
	for _, of := range registry {
		fmt.Fprintf(&b, "\n## %s\n\n| option | commands | |\n|---|---|---|\n", of.title)
		for _, o := range of.options {
			names := strings.ReplaceAll(strings.Join(strings.Fields(o.Commands), ", "), "*", "")
			first, _, _ := strings.Cut(names, ",")
			f := *defaults[first].Lookup(o.Name)
			_, usage := wordsOf(&f)
			value, _ := pflag.UnquoteUsage(&f)
			if o.Aliases != "" {
				usage += "; also `--" + strings.Join(strings.Fields(o.Aliases), "`, `--") + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(strings.TrimSpace("--"+o.Name+" "+value), "|", "\\|"), names, strings.ReplaceAll(usage, "|", "\\|"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commands lists the commands that have options of the registry.
var commands = []string{Train, Tune, Eval, Predict, Export, Inspect, Bench}
