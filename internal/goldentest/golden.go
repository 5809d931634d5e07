// Package goldentest compares the output of tests with committed files. To update the files, set UPDATE_GOLDEN=1,
// as `make golden` does for all packages, and review the diff. The names of tests that use this package contain
// Golden. Only tests import it.
package goldentest

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", os.Getenv("UPDATE_GOLDEN") != "", "write the golden files again")

// Updating reports whether golden files are to be updated.
func Updating() bool { return *update }

// Bytes compares got with the content of a file.
func Bytes(t testing.TB, path string, got []byte) {
	t.Helper()
	if want := readGolden(t, path, got); !bytes.Equal(got, want) {
		t.Errorf("%s differs: review it, then run make golden", path)
	}
}

// Text compares the lines of got with those of a file. The last digit of a number with a decimal fraction may
// differ by one, because processors round differently.
func Text(t testing.TB, path, got string) {
	t.Helper()
	want, lines := strings.Split(string(readGolden(t, path, []byte(got))), "\n"), strings.Split(got, "\n")
	command := ""
	for k := range max(len(want), len(lines)) {
		if k < len(want) && strings.HasPrefix(want[k], "$ ") { // the words of the command follow
			command = "\n" + want[k]
		}
		if k >= len(want) || k >= len(lines) || !sameLine(lines[k], want[k]) {
			t.Errorf("%s, line %d: review it, then run make golden%s\n got %q\nwant %q", path, k+1, command,
				lines[min(k, len(lines)-1)], want[min(k, len(want)-1)])
			return
		}
	}
}

// readGolden returns the content of a file. When updating, it first writes got to the file.
func readGolden(t testing.TB, path string, got []byte) []byte {
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

// Number matches a number.
var Number = regexp.MustCompile(`[-−]?\d+(?:\.\d+)?(?:e[-+]\d+)?`)

// sameLine reports whether two lines are equal except for the last digits of numbers.
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
