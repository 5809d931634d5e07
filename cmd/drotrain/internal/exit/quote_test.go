package exit

import "testing"

func TestFlagValue(t *testing.T) {
	for s, want := range map[string]string{
		"a_-.0189azAZ": "a_-.0189azAZ", "größe": "größe", "a b": `"a b"`, "a,b": `"a,b"`, "a/b": `"a/b"`, "a:b": `"a:b"`, "a@b": `"a@b"`, "a[b": `"a[b"`,
		"a`b": "\"a`b\"", "a{b": `"a{b"`, "a\x7fb": `"a\x7fb"`,
	} {
		if got := flagValue(s); got != want {
			t.Errorf("%q: %s, not %s", s, got, want)
		}
	}
}
