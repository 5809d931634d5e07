package data

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// expectations are what testdata/make.py says its files hold. A nil list
// stands for a column of kind Other.
type expectations map[string]map[string][]any

func loadExpectations(t testing.TB) expectations {
	t.Helper()
	b := datatest.ReadFile(t, "testdata/expected.json")
	var raw struct {
		Files map[string]map[string]int
		Lists [][]any
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	out := make(expectations)
	for file, columns := range raw.Files {
		out[file] = make(map[string][]any)
		for name, k := range columns {
			out[file][name] = raw.Lists[k]
		}
	}
	return out
}

// differs says how a frame differs from what a file should hold, or "".
func differs(f *Frame, want map[string][]any) string {
	if len(f.Columns) != len(want) {
		return fmt.Sprintf("%d columns, want %d", len(f.Columns), len(want))
	}
	for _, c := range f.Columns {
		values, ok := want[c.Name]
		if !ok {
			return fmt.Sprintf("unexpected column %q", c.Name)
		}
		if values == nil {
			if c.Kind != Other {
				return fmt.Sprintf("column %q is %v (%s), want other", c.Name, c.Kind, c.Type)
			}
			continue
		}
		if c.Kind == Other {
			return fmt.Sprintf("column %q is other (%s)", c.Name, c.Type)
		}
		if f.Rows != len(values) || c.Len() != len(values) {
			return fmt.Sprintf("column %q has %d rows in a frame of %d, want %d", c.Name, c.Len(), f.Rows, len(values))
		}
		for i, w := range values {
			var got any
			switch {
			case c.IsNull(i):
			case c.Kind == Numeric:
				got = c.Number[i]
			case c.Kind == Bool:
				got = c.Number[i] == 1
			default:
				got = c.Level[c.Code[i]]
			}
			if got != w {
				return fmt.Sprintf("column %q (%s), row %d: %v, want %v", c.Name, c.Type, i+1, got, w)
			}
		}
	}
	return ""
}

func TestRead_OtherWriters(t *testing.T) {
	want := loadExpectations(t)
	if len(want) < 35 {
		t.Fatalf("only %d files are described", len(want))
	}
	var files []string
	for file := range want {
		files = append(files, file)
	}
	sort.Strings(files)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			f := readFrame(t, filepath.Join("testdata", file))
			if d := differs(f, want[file]); d != "" {
				t.Error(d)
			}
		})
	}
}

// Decimals of 32 and 64 bits, which Arrow's Go library does not know, are read.
func TestRead_SmallDecimals(t *testing.T) {
	for _, bits := range []string{"32", "64"} {
		f := readFrame(t, filepath.Join("testdata", "pyarrow_decimal"+bits+".arrow"))
		if c := f.Columns[1]; c.Name != "amount" || !strings.HasPrefix(c.Type, "decimal(") ||
			!slices.Equal(c.Number, []float64{1.5, -2.25}) || c.Null != nil {
			t.Errorf("%s: %+v", bits, c)
		}
	}
}

// A pattern names files in the order of their names, whatever folders they are in.
func TestOpen_PatternsAreSorted(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for k, name := range []string{"a-b/t.csv", "a/t.csv", "ab/t.csv"} { // '-' comes before '/'
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"+string(rune('1'+k))+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, path)
	}
	got, err := listFiles(filepath.Join(dir, "a*", "*.csv"))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
