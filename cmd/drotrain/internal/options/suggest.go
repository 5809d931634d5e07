package options

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/internal/suggest"
)

// DidYouMean returns a hint that names the candidate closest to word, or "".
func DidYouMean(word string, candidates []string, prefix string) string {
	if near := suggest.Nearest(word, candidates, 1); len(near) > 0 {
		return fmt.Sprintf("did you mean %s%s?", prefix, near[0])
	}
	return ""
}

// nearestFlag returns the option closest to name, or "help".
func nearestFlag(fs *pflag.FlagSet, name string) string {
	if near := suggest.Nearest(name, flagNames(fs), 1); len(near) > 0 {
		return near[0]
	}
	return "help"
}
