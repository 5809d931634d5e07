package options

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/setting"
)

// isKey reports whether an option is a key of a configuration file.
func isKey(f *pflag.Flag) bool {
	return f != nil && f.Name != "help" && !hasEffect(f, meta)
}

// ApplyConfig sets options of fs from a YAML file. The keys are the long options; options given on the command
// line take precedence.
func ApplyConfig(fs *pflag.FlagSet, path string) error {
	f, err := os.Open(path)
	if err != nil {
		var of *os.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return exit.Usagef("", "--config %s: cannot read the file: %w", path, err)
	}
	defer f.Close()
	return ApplyYAML(fs, path, f)
}

// ApplyYAML sets options of fs from YAML as ApplyConfig does; path is used in errors.
func ApplyYAML(fs *pflag.FlagSet, path string, r io.Reader) error {
	return joinErrorsBy(path, setting.ApplyYAML(path, r, setting.Keys{
		Find: func(key string) (*setting.Value, bool) {
			flag := fs.Lookup(key)
			if !isKey(flag) || flag.Changed {
				return nil, isKey(flag)
			}
			v, _ := flag.Value.(*setting.Value)
			return v, true
		},
		Unknown: func(key string) string {
			name := strings.TrimLeft(key, "-")
			return cmp.Or(foreignNameHint(fs, name), setting.DidYouMean(name, names(fs, isKey), ""),
				"the keys are the long options that --help lists")
		},
		Done: func(key string) { fs.Lookup(key).Changed = true }, // mark the option as set, as parsing does
	}))
}
