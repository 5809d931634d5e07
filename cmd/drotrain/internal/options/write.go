package options

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
)

// WriteYAML writes the options that were given as a configuration file. comment, unless it is nil, returns a
// comment for an element of a list.
func WriteYAML(w io.Writer, command, path string, fs *pflag.FlagSet, comment func(name, item string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# drotrain %s --config %s\n", command, printable.QuoteShell(path))
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || !isKey(f) {
			return
		}
		names := f.Value.(*setting.Value).Names()
		if names == nil {
			text := f.Value.String()
			if t := f.Value.Type(); t != "bool" && t != "int" && t != "float" {
				text = strconv.Quote(text)
			}
			fmt.Fprintf(&b, "%s: %s\n", f.Name, text)
			return
		}
		fmt.Fprintf(&b, "%s:\n", f.Name)
		for _, item := range names {
			fmt.Fprintf(&b, "  - %s", strconv.Quote(item))
			if comment != nil && comment(f.Name, item) != "" {
				fmt.Fprintf(&b, " # %s", strings.Join(strings.Fields(comment(f.Name, item)), " "))
			}
			b.WriteByte('\n')
		}
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// CommandLine returns the command that repeats a run: with the options that were given, and those in always, which
// the program chose.
func CommandLine(command string, fs *pflag.FlagSet, always ...string) string {
	words := []string{"drotrain", command}
	fs.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if !hasEffect(f, result) || !f.Changed && (!slices.Contains(always, f.Name) || value == "") {
			return
		}
		if given := f.Value.(*setting.Value).Given(); given != nil {
			for _, text := range given {
				words = append(words, "--"+f.Name, printable.QuoteShell(text))
			}
			return
		}
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name+"="+value)
			return
		}
		words = append(words, "--"+f.Name, printable.QuoteShell(value))
	})
	return strings.Join(words, " ")
}
