package printable

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A shell reads a word as it was before it was quoted.
func TestShell_WordsComeBack(t *testing.T) {
	odd := []string{"a", "a b", "", " ", " pad ", "a,b", `"`, `""`, `"q"`, `a "b" c`, "two\nlines", "\r", "=1+1", "it's",
		"ü|日本", `\`, "`x`", "$HOME", "-9"}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	var script strings.Builder
	for _, name := range odd {
		script.WriteString("printf '%s\\000' " + QuoteShell(name) + "\n")
	}
	out, err := exec.Command(sh, "-c", script.String()).Output()
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, odd) {
		t.Errorf("a shell reads %q, %v", got, err)
	}
}

// A word is quoted where a shell would read it in another way, and only there.
func TestShell_QuotesWhereItMust(t *testing.T) {
	const plain = "abcxyzABCXYZ0189_-+=./,:@%"
	for _, r := range plain {
		if s := string(r); QuoteShell(s) != s {
			t.Errorf("%q is quoted: %s", s, QuoteShell(s))
		}
	}
	for s, want := range map[string]string{
		plain: plain, "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a`": "'a`'", "a{": "'a{'",
		"[a": "'[a'", "a;": "'a;'", "é": "'é'",
		"a*": "'a*'", "a!": "'a!'", "a~": "'a~'", "a#": "'a#'", "a&": "'a&'", "\n": "'\n'",
	} {
		if got := QuoteShell(s); got != want {
			t.Errorf("%q: %s, not %s", s, got, want)
		}
	}
}
