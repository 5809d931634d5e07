package setting

import (
	"slices"
	"testing"
)

// What a column may be called, one by one and all at once, comes back from the list that is
// written of it.
func TestSplitNames_JoinedNamesComeBack(t *testing.T) {
	odd := []string{"a", "a b", "", " ", " pad ", "a,b", `"`, `""`, `"q"`, `a "b" c`, "two\nlines", "\r", "=1+1", "it's",
		"ü|日本", `\`, "`x`", "$HOME", "-9"}
	lists := [][]string{odd}
	for _, name := range odd {
		lists = append(lists, []string{name}, []string{name, name})
	}
	for _, names := range lists {
		text := JoinNames(names)
		if got, err := SplitNames(text); err != nil || !slices.Equal(got, names) {
			t.Errorf("%q is written %q and reads as %q, %v", names, text, got, err)
		}
	}
}
