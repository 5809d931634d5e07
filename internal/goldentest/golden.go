// Package goldentest holds what a test says against a committed file, which -update writes
// again: whoever does looks at what changed. Only tests import it.
package goldentest

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again: look at what changed")

// Updating reports whether golden files are to be written.
func Updating() bool { return *update }

// Bytes holds bytes against those of a file.
func Bytes(t testing.TB, path string, got []byte) {
	t.Helper()
	if want := golden(t, path, got); !bytes.Equal(got, want) {
		t.Errorf("%s differs: look at it, then run with -update", path)
	}
}

// Text holds lines against those of a file. A number with a fraction may differ by one in
// its last digit: other processors round otherwise.
func Text(t testing.TB, path, got string) {
	t.Helper()
	want, lines := strings.Split(string(golden(t, path, []byte(got))), "\n"), strings.Split(got, "\n")
	command := ""
	for k := range max(len(want), len(lines)) {
		if k < len(want) && strings.HasPrefix(want[k], "$ ") { // whose words follow
			command = "\n" + want[k]
		}
		if k >= len(want) || k >= len(lines) || !sameLine(lines[k], want[k]) {
			t.Errorf("%s, line %d: look at it, then run with -update%s\n got %q\nwant %q", path, k+1, command, lines[min(k, len(lines)-1)], want[min(k, len(want)-1)])
			return
		}
	}
}

// golden is what a file holds, written first if it is to be.
func golden(t testing.TB, path string, got []byte) []byte {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// Number is a number as people and programs write it.
var Number = regexp.MustCompile(`[-−]?\d+(?:\.\d+)?(?:e[-+]\d+)?`)

// sameLine reports whether two lines are the same but for last digits.
func sameLine(got, want string) bool {
	if got == want {
		return true
	}
	if Number.ReplaceAllString(got, "0") != Number.ReplaceAllString(want, "0") {
		return false
	}
	a, b := Number.FindAllString(got, -1), Number.FindAllString(want, -1)
	for k := range a {
		if a[k] == b[k] {
			continue
		}
		x, _ := strconv.ParseFloat(strings.Replace(a[k], "−", "-", 1), 64)
		y, _ := strconv.ParseFloat(strings.Replace(b[k], "−", "-", 1), 64)
		mantissa, exponent, _ := strings.Cut(b[k], "e")
		_, fraction, is := strings.Cut(mantissa, ".")
		e, _ := strconv.Atoi(exponent)
		if !is || math.Abs(x-y) > 1.01*math.Pow(10, float64(e-len(fraction))) {
			return false
		}
	}
	return true
}

// Turns writes what is said of the numbers from first to last, where its words change: of
// the last with the same words, and of the first with others, so that an end that moves by
// one is seen.
func Turns(what string, first, last int, say func(k int) string) string {
	said := make([]string, 0, last-first+1)
	for k := first; k <= last; k++ {
		said = append(said, say(k))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s, %d to %d\n", what, first, last)
	words := func(i int) string { return Number.ReplaceAllString(said[i], "") }
	for i, text := range said {
		if i == 0 || i == len(said)-1 || words(i) != words(i-1) || words(i) != words(i+1) {
			fmt.Fprintf(&out, "%6d: %s\n", first+i, strings.ReplaceAll(text, "\n", " ⏎ "))
		}
	}
	return out.String()
}
