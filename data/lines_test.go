package data

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

func FuzzJSONLines(f *testing.F) {
	f.Add([]byte("{\"a\":1,\"b\":\"x\"}\n{\"b\":null,\"c\":true}\n"))
	f.Add([]byte("{\"a\":1.5e300,\"b\":\"\\u00e9\"} {\"a\":-0}\n"))
	fuzzRead(f, "x.jsonl")
}

func readLines(t *testing.T, text string, how Reading) *Frame {
	t.Helper()
	f := readBytes(t, "x.jsonl", []byte(text), how)
	return f
}

func TestJSONLines_TypesAndNulls(t *testing.T) {
	f := readLines(t, `{"id": 1, "x": 1.5, "yes": true, "text": "a b", "day": "2024-09-11"}

{"text": null, "x": -2e3, "id": "2", "yes": false, "late": "z"}
{"id": 3, "day": "2024-10-01", "text": "", "x": null}
`, Reading{Dates: "number"})
	want := map[string]string{
		"id": "int64: 1 2 3", "x": "float64: 1.5 -2000 <null>", "yes": "bool: true false <null>",
		"text": "string: a b <null> <null>", "day": "date: 19977 <null> 19997", "late": "string: <null> z <null>",
	}
	if f.Rows != 3 || len(f.Columns) != len(want) {
		t.Fatalf("%d rows, %d columns", f.Rows, len(f.Columns))
	}
	for _, c := range f.Columns {
		got := c.Type + ":"
		for i := range f.Rows {
			switch {
			case c.IsNull(i):
				got += " <null>"
			case c.Clock:
				got += fmt.Sprintf(" %v", c.Number[i])
			default:
				got += " " + c.Text(i)
			}
		}
		if got != want[c.Name] {
			t.Errorf("%s: %q, want %q", c.Name, got, want[c.Name])
		}
	}
}

// A model trained on text with a decimal comma reads the numbers of JSON, which have a
// point, and quoted numbers with a comma.
func TestJSONLines_DecimalComma(t *testing.T) {
	how := Reading{}
	how.Text.Decimal, how.Text.Thousands = ",", "."
	f := readLines(t, "{\"a\": 1234.5}\n{\"a\": \"1.234,5\"}\n{\"a\": 1e3}\n", how)
	if c := f.Columns[0]; c.Kind != Numeric || c.Number[0] != 1234.5 || c.Number[1] != 1234.5 || c.Number[2] != 1000 {
		t.Errorf("%s %v", c.Type, c.Number)
	}
}

func TestJSONLines_Errors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "the file is empty"},
		"blank":         {" \n\n", "no rows"},
		"array of rows": {"[{\"a\":1}]", "jq -c '.[]'"},
		"not an object": {"{\"a\":1}\n7\n", "row 2: every line of JSON Lines must be an object"},
		"nested":        {"{\"a\":1}\n{\"a\":{\"b\":2}}\n", `column "a", row 2: the value is an array or an object`},
		"list":          {"{\"a\":[1,2]}\n", `column "a", row 1: the value is an array or an object`},
		"key twice":     {"{\"a\":1,\"a\":2}\n", `column "a", row 1: the key occurs twice`},
		"truncated":     {"{\"a\":1}\n{\"a\":", "row 2: the file ends within this row"},
		"text":          {"a,b\n1,2\n", "row 1: this row is not valid JSON"},
		"not UTF-8":     {"{\"a\":\"Z\xfcrich\"}\n", "not UTF-8"},
		"NUL":           {"{\"a\":\"x\\u0000\"}\n", `column "a", row 1: the value holds a NUL`},
	} {
		_, err := ReadBytes(t.Context(), "x.jsonl", []byte(c.text))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.Path != "x.jsonl" {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := ReadBytes(t.Context(), "x.json", []byte("{\"a\":1}\n")); err == nil ||
		!strings.Contains(err.Error(), "rename it to .jsonl") {
		t.Errorf(".json: %v", err)
	}
}

// JSON Lines and CSV of the same values are the same table, compressed, in a directory,
// through a pipe, by column and for copying.
func TestJSONLines_EqualsCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text, lines strings.Builder
	text.WriteString("n,s,b\n")
	for i := range 500 {
		n, s, b := rng.NormFloat64(), fmt.Sprintf("k%d", rng.IntN(5)), rng.IntN(2) == 0
		fmt.Fprintf(&text, "%v,%s,%v\n", n, s, b)
		row := map[string]any{"n": n, "s": s, "b": b}
		if i == 0 { // the order of the columns is that of the first row
			fmt.Fprintf(&lines, "{\"n\":%v,\"s\":%q,\"b\":%v}\n", n, s, b)
			continue
		}
		line := datatest.Marshal(t, row)
		lines.Write(append(line, '\n'))
	}
	want := readBytes(t, "x.csv", []byte(text.String()))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(lines.String())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.jsonl.gz"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(context.Context) (*Frame, error){
		"file":      func(ctx context.Context) (*Frame, error) { return ReadBytes(ctx, "x.jsonl", []byte(lines.String())) },
		"gzip":      func(ctx context.Context) (*Frame, error) { return ReadBytes(ctx, "x.ndjson.gz", packed.Bytes()) },
		"directory": func(ctx context.Context) (*Frame, error) { return Open(ctx, dir) },
		"pipe": func(ctx context.Context) (*Frame, error) {
			return OpenReader(ctx, "-", strings.NewReader(lines.String()), Reading{})
		},
	} {
		got, err := open(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Rows != want.Rows || len(got.Columns) != len(want.Columns) {
			t.Fatalf("%s: %d rows, %d columns", name, got.Rows, len(got.Columns))
		}
		for j, c := range got.Columns {
			if w := want.Columns[j]; c.Name != w.Name || c.Type != w.Type {
				t.Errorf("%s: column %d is %s %s, in CSV %s %s", name, j, c.Name, c.Type, w.Name, w.Type)
			}
			for i := range got.Rows {
				if c.Text(i) != want.Columns[j].Text(i) {
					t.Fatalf("%s: %s of row %d is %q, in CSV %q", name, c.Name, i+1, c.Text(i), want.Columns[j].Text(i))
				}
			}
		}
		got.Close()
	}
	f := openFrame(t, dir)
	defer f.Close()
	exact, err := exactRows(t.Context(), f, []string{"s"})
	if err != nil || exact[0].Text(3) != want.Columns[1].Text(3) {
		t.Errorf("copied: %v", err)
	}
}

// Integers that float64 does not hold are copied digit for digit.
func TestJSONLines_CopiesLargeIntegers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte("{\"id\":9007199254740993}\n{\"id\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFrame(t, path)
	defer f.Close()
	exact, err := exactRows(t.Context(), f, []string{"id"})
	if err != nil || exact[0].Text(0) != "9007199254740993" {
		t.Errorf("%v, %v", exact, err)
	}
}
