package options

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/internal/printable"
)

// commands lists the commands that have options in the registry.
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

This overview is generated from the registry of options (` + "`make golden`" + `). ` +
		"`drotrain COMMAND --help`" + ` explains every option and its values; ` + "`-h`" + ` explains the main options. Every
option is also a key of the YAML file of ` + "`--config`" + `, in which a repeatable option is a list. Options on the
command line take precedence.

Below, "a table" is ` + plainTable + `.
`)
	for _, of := range registry {
		usual := usualCommands(of.options)
		fmt.Fprintf(&b, "\n## %s\n", of.title)
		if usual != "" {
			fmt.Fprintf(&b, "\nThese options belong to %s unless a line names other commands.\n",
				printable.JoinWords(strings.Split(usual, ", "), "and"))
		}
		option, usage := "", ""
		for _, o := range of.options {
			names := strings.Fields(strings.ReplaceAll(o.Commands, "*", ""))
			f := flags[names[0]].Lookup(o.Name)
			kind, _ := pflag.UnquoteUsage(f)
			lastOption, lastUsage := option, usage
			_, help := helpOfOption(f)
			option, usage = strings.TrimSpace("--"+o.Name+" "+kind), firstClause(strings.ReplaceAll(help, plainTable, "a table"))
			if o.Aliases != "" {
				usage += "; also `--" + strings.Join(strings.Fields(o.Aliases), "`, `--") + "`"
			}
			if option != lastOption {
				fmt.Fprintf(&b, "\n* `%s`", option)
			} else { // an option of other commands
				b.WriteString(" ·")
			}
			of := strings.Join(names, ", ")
			switch {
			case of == usual && option != lastOption:
				fmt.Fprintf(&b, ": %s", usage)
			case len(names) == len(commands):
				fmt.Fprintf(&b, " *every command:* %s", usage)
			case option == lastOption && usage == lastUsage:
				fmt.Fprintf(&b, " *%s:* the same", of)
			default:
				fmt.Fprintf(&b, " *%s:* %s", of, usage)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// usualCommands returns the commands to which most of the options belong, or "" if no commands share half of them.
func usualCommands(options []Option) string {
	count := map[string]int{}
	for _, o := range options {
		commands := strings.Join(strings.Fields(strings.ReplaceAll(o.Commands, "*", "")), ", ")
		if count[commands]++; 2*count[commands] > len(options) {
			return commands
		}
	}
	return ""
}

// firstClause returns help up to its first colon, semicolon, parenthesis, example or relative clause after a condition
// such as "for two classes: ", or all of it if a single word is left, which is a value of the option.
func firstClause(help string) string {
	condition := ""
	for _, c := range []string{"for two classes: ", "with --predictions: ", "with --target: "} {
		if strings.HasPrefix(help, c) {
			condition, help = c, help[len(c):]
		}
	}
	end := len(help)
	for _, mark := range []string{": ", "; ", " (", ", such as ", ", which ", ", written as "} {
		if i := strings.Index(help, mark); i > 0 && help[i-1] != ',' {
			end = min(end, i)
		}
	}
	if !strings.Contains(help[:end], " ") {
		end = len(help)
	}
	return condition + help[:end]
}
