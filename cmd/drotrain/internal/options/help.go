package options

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/internal/printable"
)

// helpIndent is the column where the texts of the options begin.
const helpIndent = 28

// Help writes the help of a command: with -h a short one with usage, examples and the most important options;
// with --help the full text with all options by section.
func Help(cmd *cobra.Command, args []string) {
	long := !cmd.HasParent() || isLong(args)
	important := 0
	visitShown(cmd, func(f *pflag.Flag) {
		if hasValue(f, importantKey, "true") {
			important++
		}
	})
	long = long || important == 0
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
		all := 0
		visitShown(cmd, func(f *pflag.Flag) {
			all++
			if hasValue(f, importantKey, "true") {
				printShort(w, f)
			}
		})
		fmt.Fprintf(w, "\n`%s --help` lists all %d options.\n", cmd.CommandPath(), all)
		return
	}
	var title string
	visitShown(cmd, func(f *pflag.Flag) {
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
		fmt.Fprintf(w, "\n`%s <command> -h` shows a command's main options, --help all.\n", cmd.CommandPath())
	}
}

// isLong reports whether a command line asks for the full help, by --help or `drotrain help`.
func isLong(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--help":
			return true
		case "-h":
			return false
		}
	}
	return true
}

// visitShown calls see for every option in the full help of a command.
func visitShown(cmd *cobra.Command, see func(*pflag.Flag)) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			see(f)
		}
	})
}

// wordsOf returns an option with the name of its value, and its help text with the default.
func wordsOf(f *pflag.Flag) (left, usage string) {
	name, usage := pflag.UnquoteUsage(f)
	left = strings.TrimRight("  --"+f.Name+" "+name, " ")
	if words := strings.Split(f.Value.Type(), "|"); len(words) > 1 && utf8.RuneCountInString(left) > show.Width/2 {
		left, usage = "  --"+f.Name+" word", "one of "+strings.Join(words, ", ")+"; "+usage
	}
	switch f.DefValue {
	case "", "false", "0":
	default:
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return left, usage
}

// printOption writes an option with its help text.
func printOption(w io.Writer, f *pflag.Flag) {
	left, usage := wordsOf(f)
	lines := printable.Wrap(usage, show.Width-helpIndent)
	if utf8.RuneCountInString(left) > helpIndent-2 {
		fmt.Fprintln(w, left)
		left = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", helpIndent, left, line)
		left = ""
	}
}

// shortIndent is the column of the texts in the short help.
const shortIndent = 22

// printShort writes one option of the short help.
func printShort(w io.Writer, f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	if strings.Contains(f.Value.Type(), "|") {
		name = "word"
	}
	if a := f.Annotations[shortKey]; a != nil {
		usage = strings.ReplaceAll(a[0], "`", "")
	}
	left := strings.TrimRight("  --"+f.Name+" "+name, " ")
	for i, line := range printable.Wrap(usage, show.Width-shortIndent) {
		if i > 0 {
			left = ""
		}
		fmt.Fprintf(w, "%-*s%s\n", shortIndent, left, line)
	}
}
