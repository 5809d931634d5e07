package options

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
)

// Columns at which the help texts of options begin, in the full and in the short help.
const (
	helpIndent    = 28
	exampleIndent = 8
	shortIndent   = 22
)

// Help writes the help of a command. With -h, the help of a command with important options consists of usage, examples
// and these options. Otherwise, as with --help or `drotrain help`, it contains all options by section.
func Help(cmd *cobra.Command, args []string) {
	var all, important []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		all = append(all, f)
		if f.Annotations[shortKey] != nil {
			important = append(important, f)
		}
	})
	asked := slices.IndexFunc(args, func(arg string) bool { return arg == "-h" || arg == "--help" })
	long := !cmd.HasParent() || len(important) == 0 || asked < 0 || args[asked] == "--help"
	w := cmd.OutOrStdout()
	text := cmd.Short + "."
	if long && cmd.Long != "" {
		text = cmd.Long
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n", text)
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s <command> [options]\n\nCommands:\n", cmd.CommandPath())
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if !long {
		fmt.Fprintln(w, "\nOptions:")
		for _, f := range important {
			printShort(w, f)
		}
		fmt.Fprintf(w, "\n`%s --help` lists all %d options.\n", cmd.CommandPath(), len(all))
		return
	}
	title := ""
	for _, f := range all {
		section := "Options"
		if a := f.Annotations[sectionKey]; a != nil {
			section = a[0]
		}
		if section != title {
			title = section
			fmt.Fprintf(w, "\n%s:\n", title)
			if a := f.Annotations[exampleKey]; a != nil {
				show.PrintBeside(w, "  e.g.", a[0], exampleIndent)
			}
		}
		printOption(w, f)
	}
	if cmd.HasAvailableSubCommands() {
		text := "`%s <command> --help` shows the options of a command."
		if !cmd.HasParent() { // only its commands have a short help
			text = "`%s <command> -h` shows the main options of a command; `--help` shows all options."
		}
		fmt.Fprintln(w)
		show.Wrapped(w, "", fmt.Sprintf(text, cmd.CommandPath()))
	}
}

// helpOfOption returns an option with the name of its value, and its help text with the default value.
func helpOfOption(f *pflag.Flag) (left, usage string) {
	name, usage := pflag.UnquoteUsage(f)
	left = strings.TrimRight("  --"+f.Name+" "+name, " ")
	if words := strings.Split(f.Value.Type(), "|"); len(words) > 1 && utf8.RuneCountInString(left) > show.Width/2 {
		left = "  --" + f.Name + " word"
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(usage, word) }) {
			usage += "; one of " + strings.Join(words, ", ")
		}
	}
	if d := f.DefValue; d != "" && d != "false" && d != "0" {
		usage += fmt.Sprintf(" (default %s)", d)
	}
	return left, usage
}

// printOption writes an option with its help text.
func printOption(w io.Writer, f *pflag.Flag) {
	left, usage := helpOfOption(f)
	if utf8.RuneCountInString(left) > helpIndent-2 {
		fmt.Fprintln(w, left)
		left = ""
	}
	show.PrintBeside(w, left, usage, helpIndent)
}

// printShort writes one option of the short help.
func printShort(w io.Writer, f *pflag.Flag) {
	name, _ := pflag.UnquoteUsage(f)
	if strings.Contains(f.Value.Type(), "|") {
		name = "word"
	}
	show.PrintBeside(w, strings.TrimRight("  --"+f.Name+" "+name, " "), f.Annotations[shortKey][0], shortIndent)
}
