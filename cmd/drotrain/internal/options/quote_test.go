package options

import "testing"

// A word is quoted where a shell would read it in another way, and only there.
func TestShellQuote(t *testing.T) {
	const plain = "abcxyzABCXYZ0189_-+=./,:@%"
	for _, r := range plain {
		if s := string(r); ShellQuote(s) != s {
			t.Errorf("%q is quoted: %s", s, ShellQuote(s))
		}
	}
	for s, want := range map[string]string{
		plain: plain, "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a`": "'a`'", "a{": "'a{'", "[a": "'[a'", "@a;": "'@a;'", "é": "'é'",
		"a*": "'a*'", "a!": "'a!'", "a~": "'a~'", "a#": "'a#'", "a&": "'a&'", "\n": "'\n'",
	} {
		if got := ShellQuote(s); got != want {
			t.Errorf("%q: %s, not %s", s, got, want)
		}
	}
}
