package quote

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What a column may be called, one by one and all at once, comes back from the list that is
// written of it, and from a shell.
func TestNamesComeBack(t *testing.T) {
	odd := []string{"a", "a b", "", " ", " pad ", "a,b", `"`, `""`, `"q"`, `a "b" c`, "two\nlines", "\r", "=1+1", "it's", "ü|日本", `\`, "`x`", "$HOME", "-9"}
	lists := [][]string{odd}
	for _, name := range odd {
		lists = append(lists, []string{name}, []string{name, name})
	}
	for _, names := range lists {
		text := Names(names)
		if got, err := Split(text); err != nil || !slices.Equal(got, names) {
			t.Errorf("%q is written %q and reads as %q, %v", names, text, got, err)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	var script strings.Builder
	for _, name := range odd {
		script.WriteString("printf '%s\\000' " + Shell(name) + "\n")
	}
	out, err := exec.Command(sh, "-c", script.String()).Output()
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, odd) {
		t.Errorf("a shell reads %q, %v", got, err)
	}
}

// A word is quoted where a shell would read it in another way, and only there.
func TestWordsAreQuotedWhereTheyMustBe(t *testing.T) {
	const plain = "abcxyzABCXYZ0189_-+=./,:@%"
	for _, r := range plain {
		if s := string(r); Shell(s) != s {
			t.Errorf("%q is quoted: %s", s, Shell(s))
		}
	}
	for s, want := range map[string]string{
		plain: plain, "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a`": "'a`'", "a{": "'a{'", "[a": "'[a'", "a;": "'a;'", "é": "'é'",
		"a*": "'a*'", "a!": "'a!'", "a~": "'a~'", "a#": "'a#'", "a&": "'a&'", "\n": "'\n'",
	} {
		if got := Shell(s); got != want {
			t.Errorf("%q: %s, not %s", s, got, want)
		}
	}
}
