package options

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
)

// CommandLine writes the command that repeats a run: the options that were
// given, on the command line or in a configuration file, and the values in
// always, which name what was chosen for the user.
func CommandLine(command string, fs *pflag.FlagSet, always ...string) string {
	words := []string{"drotrain", command}
	keep := map[string]bool{}
	for _, name := range always {
		keep[name] = true
	}
	fs.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if !has(f, effectKey, "result") || !f.Changed && (!keep[f.Name] || value == "") {
			return
		}
		if list, ok := f.Value.(*ListValue); ok {
			value = list.CSV()
		}
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name+"="+value)
			return
		}
		words = append(words, "--"+f.Name, quote.Shell(value))
	})
	return strings.Join(words, " ")
}
