package options

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
)

// WriteYAML writes the options of a command that were given as a configuration file for path.
// Comment returns what is noted behind one item of a list; it may be nil.
func WriteYAML(w io.Writer, command, path string, fs *pflag.FlagSet, comment func(name, item string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# drotrain %s --config %s\n", command, quote.Shell(path))
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || !isKey(f) {
			return
		}
		list, ok := f.Value.(*ListValue)
		if !ok {
			text := f.Value.String()
			if t := f.Value.Type(); t != "bool" && t != "int" && t != "float" {
				text = strconv.Quote(text)
			}
			fmt.Fprintf(&b, "%s: %s\n", f.Name, text)
			return
		}
		fmt.Fprintf(&b, "%s:\n", f.Name)
		for _, item := range list.Names() {
			fmt.Fprintf(&b, "  - %s", strconv.Quote(item))
			if comment != nil {
				if text := comment(f.Name, item); text != "" {
					fmt.Fprintf(&b, " # %s", strings.Join(strings.Fields(text), " "))
				}
			}
			b.WriteByte('\n')
		}
	})
	_, err := io.WriteString(w, b.String())
	return err
}
