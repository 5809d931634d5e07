package options

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
)

// sectionKey annotates an option with its heading in the help of a command.
const sectionKey = "section"

// helpIndent is the column where the texts of the options begin.
const helpIndent = 28

// Section adds the options that define makes to cmd, under one heading.
func Section(cmd *cobra.Command, title string, define func(fs *pflag.FlagSet)) {
	fs := pflag.NewFlagSet(title, pflag.ContinueOnError)
	fs.SortFlags = false
	define(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{sectionKey: {title}}
	})
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*enumValue); ok {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.allowed, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// Help prints the help of a command: text, usage, example, options by section.
func Help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
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
	var title string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		s := "Options"
		if a := f.Annotations[sectionKey]; a != nil {
			s = a[0]
		}
		if s != title {
			title = s
			fmt.Fprintf(w, "\n%s:\n", title)
		}
		printOption(w, f)
	})
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n`%s <command> -h` explains one command and its options.\n", cmd.CommandPath())
	}
}

// printOption writes one option, its text wrapped in the second column.
func printOption(w io.Writer, f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	left := strings.TrimRight("  --"+f.Name+" "+name, " ")
	if v, ok := f.Value.(*enumValue); ok && utf8.RuneCountInString(left) > show.Width/2 {
		left, usage = "  --"+f.Name+" word", "one of "+strings.Join(v.allowed, ", ")+"; "+usage
	}
	switch f.DefValue {
	case "", "false", "0":
	default:
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	lines := show.Wrap(usage, show.Width-helpIndent)
	if utf8.RuneCountInString(left) > helpIndent-2 {
		fmt.Fprintln(w, left)
		left = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", helpIndent, left, line)
		left = ""
	}
}
