package goldentest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// Arithmetic names what the bits of a computation depend on besides the code. Functions of
// package math may change with Go's versions, not with the fixes of one.
func Arithmetic() string {
	level, kernels := "", "kernels in assembly"
	version := regexp.MustCompile(`go\d+\.\d+`).FindString(runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				level = " " + s.Value
			}
			if s.Key == "-tags" && strings.Contains(s.Value, "purego") {
				kernels = "kernels in Go"
			}
		}
	}
	return fmt.Sprintf("%s, %s%s, AVX2 %v, FMA %v, %s", version, runtime.GOARCH, level, cpu.X86.HasAVX2, cpu.X86.HasFMA, kernels)
}

// Values are v as JSON with ten digits of every fraction, and, after a ~, a sum of all bits.
func Values(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	sum := fnv.New32a()
	sum.Write(b)
	return Digits(string(b)) + fmt.Sprintf(" ~%08x", sum.Sum32())
}

// Digits is text with ten digits of every fraction.
func Digits(text string) string {
	return fraction.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x, 'g', 10, 64)
	})
}

var fraction = regexp.MustCompile(`-?\d+(?:\.\d+(?:e[-+]?\d+)?|e-\d+)`)

// Record holds lines against those of a file whose head says what they are. Where the arithmetic
// is that of the file they are the same. Elsewhere words are, and numbers are within a share of
// their size, or so much of 1; a word that begins with ~, and all that follows one alone, depends
// on the arithmetic and is not compared.
func Record(t testing.TB, path, head, got string, share float64) {
	t.Helper()
	const of = "# arithmetic: "
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(head+of+Arithmetic()+"\n"+got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), of)
	arithmetic, text, _ := strings.Cut(text, "\n")
	same := arithmetic == Arithmetic()
	if !same {
		t.Logf("%s is of another arithmetic than %s: numbers may differ by %v of their size", path, Arithmetic(), share)
	}
	want, lines := strings.Split(text, "\n"), strings.Split(got, "\n")
	section, told := "", 0
	for k := range max(len(want), len(lines)) {
		var a, b string
		if k < len(lines) {
			a = lines[k]
		}
		if k < len(want) {
			b = want[k]
		}
		if strings.HasPrefix(b, "# ") {
			section = b
		}
		if a == b || !same && similar(a, b, share) {
			continue
		}
		if told++; told <= 10 {
			t.Errorf("%s, %s\nwas %s\n is %s", path, section, b, a)
		}
	}
	if told > 0 {
		t.Errorf("%s: %d of %d lines are others. If that is meant, run with -update and read the diff", path, told, len(want))
	}
}

// similar reports whether two lines are the same but for rounding, and what it leads to.
func similar(got, want string, share float64) bool {
	got, want = loose.ReplaceAllString(got, "~"), loose.ReplaceAllString(want, "~")
	if Number.ReplaceAllString(got, "0") != Number.ReplaceAllString(want, "0") {
		return false
	}
	a, b := Number.FindAllString(got, -1), Number.FindAllString(want, -1)
	for k := range a {
		x, _ := strconv.ParseFloat(a[k], 64)
		y, _ := strconv.ParseFloat(b[k], 64)
		if math.Abs(x-y) > share*max(1, math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}

var loose = regexp.MustCompile(`~(?: .*|\S+)`)
