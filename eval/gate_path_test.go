package eval

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// Paths are divided as these regular expressions say, for texts of a few letters.
func TestDividePath_AgainstRegexp(t *testing.T) {
	syntax := regexp.MustCompile(`^[^.\[\]]+(\[.*\])?(\.[^.\[\]]+(\[.*\])?)*$`)
	parts := regexp.MustCompile(`^(?:(change|since)\.)?([^.\[]+)(\[.*\])?(?:\.([^.]+))??(?:\.(low|high))?$`)
	words := []string{".", ".", "[", "]", "a", "é", "change", "since", "low", "high", "change.", ".low", "[a]", "[a.b]",
		"]."}
	rng, paths, divided := rand.New(rand.NewPCG(1, 2)), 0, 0
	for range 200_000 {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		text := b.String()
		if got, want := isPath(text), syntax.MatchString(text); got != want {
			t.Fatalf("%q: a path %v, want %v", text, got, want)
		} else if got {
			paths++
		}
		p, ok := dividePath(text)
		m := parts.FindStringSubmatch(text)
		if ok != (m != nil) {
			t.Fatalf("%q: divided %v, want %q", text, ok, m)
		}
		if !ok {
			continue
		}
		divided++
		argument := ""
		if p.hasArgument {
			argument = "[" + p.argument + "]"
		}
		if p.comparison != m[1] || p.head != m[2] || argument != m[3] || p.key != m[4] || p.end != m[5] {
			t.Fatalf("%q: %+v, want %q", text, p, m)
		}
	}
	if paths < 1000 || divided < 1000 {
		t.Errorf("only %d paths and %d divided", paths, divided)
	}
	if isPath("a[" + strings.Repeat("].x[", 300)) {
		t.Error("a path that is none")
	}
}
