package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/internal/goldentest"
)

// TestGolden_Runs compares the output of whole runs with testdata/golden. In each file a command
// begins with $, and its output follows, indented. The sentences of a verdict are left out, as
// package eval tests them. Commands besides drotrain:
//
//	cat FILE      prints a text file
//	page FILE     prints the headings of an HTML or Markdown page and the titles of its figures
//	table FILE    prints the first and last rows of a table
func TestGolden_Runs(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600") // the date of every model
	public, err := filepath.Abs("testdata/public")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs("testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden runs", err)
	}
	for _, file := range files {
		file, _ = filepath.Abs(file)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw := contents(t, file)
			t.Chdir(t.TempDir())
			for _, dir := range []string{public, golden} {
				if err := os.CopyFS(".", os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
			}
			var got strings.Builder
			for _, line := range strings.SplitAfter(string(raw), "\n") {
				switch {
				case strings.HasPrefix(line, "#"):
					got.WriteString(line)
				case strings.HasPrefix(line, "$ "):
					got.WriteString(line)
					for l := range strings.Lines(strings.TrimRight(said(t, strings.TrimSpace(line[2:])), "\n")) {
						got.WriteString("    " + strings.TrimRight(l, " \n") + "\n")
					}
				}
			}
			goldentest.Text(t, file, got.String())
		})
	}
}

var (
	word = regexp.MustCompile(`'[^']*'|\S+`)
	tag  = regexp.MustCompile(`<[^>]*>`)
	// heading is a heading of a page, or a figure's title.
	heading = regexp.MustCompile(`(?s)<(h[1-4])[^>]*>(.*?)</h\d>|(?m-s)^(#+ )(.*)$`)
	solver  = regexp.MustCompile(`(?m)^.*(?:note:|notes\[\d+\]:) solver .*\n|, solver [a-z-]+| solver=[a-z-]+`)
	verdict = regexp.MustCompile(`(?m)^(Measured on .*:?\n|\S+: [\d\x{202f}]+ (?:[a-z-]+ )?rows.*, target .*\n\n)((?:.+\n)+)`)
	// What differs from run to run, between methods and between processors: times, work, gaps
	// that are reached, and checksums.
	passing = regexp.MustCompile(
		`(?:^|[\s(])[0-9.]+(?:e-?[0-9]+)? (?:seconds|µs|ms|s|pass|passes)\b|gap [0-9.]+e-[0-9]+|(?:passes|relative gap|time)  +[0-9.e+-]+|` +
			`"?\b(?:seconds|passes|gap|relative_gap|target_gap)"?(?:=|: )[0-9.e+-]+|20\d\d-\d\d-\d\dT[0-9:]+Z`)
	long     = regexp.MustCompile(`-?\d+\.\d{7,}(?:e[-+]\d+)?`)
	falling  = regexp.MustCompile(`(Certified gap falling from )[^*\n]*`)
	checksum = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// said returns the output of a command and, for drotrain, the exit code.
func said(t *testing.T, command string) string {
	t.Helper()
	args := word.FindAllString(command, -1)
	for k, a := range args {
		args[k] = strings.Trim(a, "'")
	}
	if args[0] == "drotrain" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which --memory lowers
		var stdout, stderr bytes.Buffer
		// so that nothing is said because it takes long
		a := &app{stdout: &stdout, stderr: &stderr, now: func() time.Time { return time.Time{} }}
		code := a.run(t.Context(), args[1:])
		out := strings.TrimRight(stdout.String(), "\n")
		if strings.HasPrefix(out, "{") {
			out = document(t, []byte(out))
		} else if out != "" {
			out += "\n"
		}
		if stderr.Len() > 0 {
			out += "! " + strings.ReplaceAll(strings.TrimRight(stderr.String(), "\n"), "\n", "\n! ") + "\n"
		}
		if code != 0 {
			out += fmt.Sprintf("exit code %d\n", code)
		}
		return withoutPassing(verdict.ReplaceAllString(out, "$1  (verdict)\n"))
	}
	raw, err := os.ReadFile(args[1])
	if err != nil {
		return "! there is no such file"
	}
	text := string(raw)
	switch args[0] {
	case "page":
		var headings []string
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			m[1], m[2] = m[1]+m[3], m[2]+m[4]
			headings = append(headings, strings.TrimSpace(m[1])+" "+strings.Join(strings.Fields(tag.ReplaceAllString(m[2], " ")),
				" "))
		}
		text = strings.Join(headings, "\n") + "\n"
	case "table":
		lines := strings.SplitAfter(text, "\n")
		if n := len(lines); n > 9 {
			text = strings.Join(lines[:4], "") + fmt.Sprintf("… of %d lines\n", n-1) + strings.Join(lines[n-4:], "")
		}
	case "cat":
	default:
		t.Fatalf("no command %q", args[0])
	}
	return withoutPassing(text)
}

func withoutPassing(text string) string {
	text = solver.ReplaceAllString(text, "")
	text = falling.ReplaceAllString(text, "$1")
	text = passing.ReplaceAllStringFunc(text, func(s string) string { return goldentest.Number.ReplaceAllString(s, "N") })
	text = long.ReplaceAllStringFunc(text, func(s string) string {
		f, _ := strconv.ParseFloat(s, 64)
		return digits(f)
	})
	return checksum.ReplaceAllString(text, "(checksum)")
}

// document formats a JSON document by its values.
func document(t *testing.T, raw []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	values(&out, "", v)
	return out.String()
}

// values writes one line for the numbers and texts of an object, and one line for each of its other values.
func values(out *strings.Builder, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		plain := ""
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch x := v[k].(type) {
			case map[string]any, []any:
			default:
				plain += " " + k + "=" + scalar(x)
			}
		}
		if plain != "" {
			fmt.Fprintf(out, "%s:%s\n", at, plain)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch x := v[k].(type) {
			case map[string]any, []any:
				if k == "trace" { // of gaps and seconds
					continue
				}
				values(out, strings.TrimPrefix(at+"."+k, "."), x)
			}
		}
	case []any:
		short := len(v) <= 3
		for k := range v {
			if short || k == 0 || k == len(v)-1 {
				values(out, fmt.Sprintf("%s[%d]", at, k), v[k])
			}
		}
		if !short {
			fmt.Fprintf(out, "%s: %d in all, sum %s\n", at, len(v), digits(total(v)))
		}
	default:
		fmt.Fprintf(out, "%s: %s\n", at, scalar(v))
	}
}

func scalar(v any) string {
	if n, ok := v.(json.Number); ok {
		f, _ := n.Float64()
		return digits(f)
	}
	return fmt.Sprint(v)
}

// digits formats a number with five significant digits, and whole numbers with all digits.
func digits(f float64) string {
	if whole := math.Round(f); math.Abs(f-whole) < 1e-9*math.Max(1, math.Abs(f)) && math.Abs(f) < 1e9 {
		return strconv.Itoa(int(whole))
	}
	return strconv.FormatFloat(f, 'e', 4, 64)
}

// total returns the sum of the numbers in a list and in its elements.
func total(v any) (sum float64) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			sum += total(x)
		}
	case []any:
		for _, x := range v {
			sum += total(x)
		}
	case json.Number:
		sum, _ = v.Float64()
	}
	return sum
}
