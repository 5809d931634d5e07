package data

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

func TestCSV_Types(t *testing.T) {
	for _, c := range []struct {
		cells   string // one per row, separated by |
		kind    Kind
		integer bool
		want    []any
	}{
		{"1|2|3", Numeric, true, []any{1.0, 2.0, 3.0}},
		{"+1|-2|0", Numeric, true, []any{1.0, -2.0, 0.0}},
		{"1|2|007", Categorical, false, []any{"1", "2", "007"}},
		{"01|NA", Categorical, false, []any{"01", "NA"}},
		{"0.5|-0.25", Numeric, false, []any{0.5, -0.25}},
		{"1.5|(2.25)|3.00-|−4", Numeric, false, []any{1.5, -2.25, -3.0, -4.0}},
		{"(1)|(2)", Categorical, false, []any{"(1)", "(2)"}},
		{"1-|2-|3", Categorical, false, []any{"1-", "2-", "3"}},
		{"1|((2))|(-3)", Categorical, false, []any{"1", "((2))", "(-3)"}},
		{"1|2.5|1e3", Numeric, false, []any{1.0, 2.5, 1000.0}},
		{"1||3", Numeric, true, []any{1.0, nil, 3.0}},
		{"1|NA|null|N/A|None|NULL", Numeric, true, []any{1.0, nil, nil, nil, nil, nil}},
		{"a|NA|null", Categorical, false, []any{"a", "NA", "null"}},
		{"a||b", Categorical, false, []any{"a", nil, "b"}},
		{" a |a|\"a\"", Categorical, false, []any{"a", "a", "a"}},
		{"true|false|TRUE", Bool, false, []any{true, false, true}},
		{"True||NA", Bool, false, []any{true, nil, nil}},
		{"true|1", Categorical, false, []any{"true", "1"}},
		{"1|x", Categorical, false, []any{"1", "x"}},
		{"0x10|1", Categorical, false, []any{"0x10", "1"}},
		{"1_000|2", Categorical, false, []any{"1_000", "2"}},
		{"1e|-|.", Categorical, false, []any{"1e", "-", "."}},
		{"1.|.5", Numeric, false, []any{1.0, 0.5}},
		{"NA|NA", Categorical, false, []any{"NA", "NA"}},
		{"||", Categorical, false, []any{nil, nil, nil}},
		{"2020-01-02|2020-01-03", Categorical, false, []any{"2020-01-02", "2020-01-03"}},
	} {
		// A second column keeps rows with an empty cell from being blank lines.
		f := frameOf(t, "i,c\n0,"+strings.ReplaceAll(c.cells, "|", "\n0,")+"\n")
		col := f.Columns[1]
		if col.Kind != c.kind || col.Integer != c.integer {
			t.Errorf("%s: %v (integer %v), want %v (%v)", c.cells, col.Kind, col.Integer, c.kind, c.integer)
			continue
		}
		f.Columns = f.Columns[1:]
		if d := differs(f, map[string][]any{"c": c.want}); d != "" {
			t.Errorf("%s: %s", c.cells, d)
		}
	}
}

func TestCSV_Shapes(t *testing.T) {
	var gz bytes.Buffer
	for _, part := range []string{"a,b\n1,x\n", "2,\"y\ny\"\n"} { // two members
		z := gzip.NewWriter(&gz)
		z.Write([]byte(part))
		z.Close()
	}
	// as bzip2 packs it
	const bz = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x6a\x35\x95\x1d\x00\x00\x05\xd9\x80\x00\x10\x10\x04\x30\x00\x30\x00\x00\x60\x20\x00\x31\x06\x4c\x41\x00\x66\xa2\x78\x47\x30\x27\x61\x5f\x8b\xb9\x22\x9c\x28\x48\x35\x1a\xca\x8e\x80"
	want := map[string][]any{"a": {1.0, 2.0}, "b": {"x", "y\ny"}}
	for name, text := range map[string]string{
		"lf.csv":         "a,b\n1,x\n2,\"y\ny\"\n",
		"crlf.csv":       "a,b\r\n1,x\r\n2,\"y\ny\"\r\n",
		"no-end.csv":     "a,b\n1,x\n2,\"y\ny\"",
		"bom.csv":        "\xef\xbb\xbfa,b\n1,x\n2,\"y\ny\"\n",
		"semi.csv":       "a;b\n1;x\n2;\"y\ny\"\n",
		"tab.csv":        "a\tb\n1\tx\n2\t\"y\ny\"\n",
		"tab.tsv":        "a\tb\n1\tx\n2\t\"y\ny\"\n",
		"blank.csv":      "a,b\n\n1,x\n\n2,\"y\ny\"\n\n",
		"spaces.csv":     " a , b \n1, x\n 2 ,\"y\ny\"\n",
		"sep.csv":        "sep=;\r\na;b\r\n1;x\r\n2;\"y\ny\"\r\n",
		"bom-sep.csv":    "\xef\xbb\xbfSEP=|\na|b\n1|x\n2|\"y\ny\"\n",
		"packed.csv.bz2": bz,
		"packed.csv":     gz.String(), // detected by its first bytes
		"packed.CSV.GZ":  gz.String(),
	} {
		f, err := ReadBytes(context.Background(), name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := differs(f, want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// An empty line of a table of one column is a null, not a row less.
func TestCSV_OneColumn(t *testing.T) {
	f := frameOf(t, "a\n1\n\n3\n")
	if d := differs(f, map[string][]any{"a": {1.0, nil, 3.0}}); d != "" {
		t.Error(d)
	}
}

func TestCSV_NotesUnexpectedText(t *testing.T) {
	f := frameOf(t, "a,b\n1,1\n2,2\nthree,3\n4,4\n")
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0],
		`column "a", row 3: the column is read as text because of "three" in this row`) {
		t.Errorf("notes %q", f.Notes)
	}
}

// A name that is not there, in a table whose first line looks like a row: say so.
func TestLookup_AbsentWithoutHeader(t *testing.T) {
	f := readBytes(t, "t.csv", []byte("1,2.5,a\n2,3.5,b\n"))
	_, err := f.Column(t.Context(), "column_3")
	datatest.WantError(t, err, `no column "column_3"`, "has no header line")
}

func TestCSV_LargeIntegers(t *testing.T) {
	for text, row := range map[string]int{"9007199254740992": 0, "9007199254740993": 1, "0018014398509481984": 0,
		"-9007199254740993": 1, "123456789012345678901": 1} {
		f := frameOf(t, "a\n"+text+"\n")
		if c := f.Columns[0]; c.InexactRow != row {
			t.Errorf("%s: inexact row %d, want %d", text, c.InexactRow, row)
		}
	}
	// as it is marked
	for text, row := range map[string]int{"9'007'199'254'740'992%": 0, "-9'007'199'254'740'993 %": 1,
		"9007199254740992": 0} {
		f := readBytes(t, "t.csv", []byte("a\n"+text+"\n"), Reading{Text: TextOptions{Thousands: "'", Strip: "%"}})
		if c := f.Columns[0]; c.Kind != Numeric || c.InexactRow != row {
			t.Errorf("%s: %v, inexact row %d, want %d", text, c.Kind, c.InexactRow, row)
		}
	}
}

// Texts as other programs write them, in other encodings and with other line ends.
func TestCSV_Encodings(t *testing.T) {
	want := map[string][]any{"a": {1.0, 2.0}, "b": {"Zürich", "é"}}
	utf16 := func(s string, big bool) string {
		out := []byte{0xff, 0xfe}
		if big {
			out = []byte{0xfe, 0xff}
		}
		for _, r := range s {
			if big {
				out = append(out, byte(r>>8), byte(r))
			} else {
				out = append(out, byte(r), byte(r>>8))
			}
		}
		return string(out)
	}
	const text = "a,b\n1,Zürich\n2,é\n"
	for name, c := range map[string]struct{ text, note string }{
		"le.csv":    {utf16(text, false), "UTF-16"},
		"be.csv":    {utf16(text, true), "UTF-16"},
		"latin.csv": {"a,b\n1,Z\xfcrich\n2,\xe9\n", "Windows-1252"},
		"cr.csv":    {"a,b\r1,Zürich\r2,é\r", ""},
		"bar.csv":   {"a|b\n1|Zürich\n2|é\n", ""},
	} {
		f, err := ReadBytes(context.Background(), name, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := differs(f, want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if c.note != "" && (len(f.Notes) != 1 || !strings.Contains(f.Notes[0], c.note)) {
			t.Errorf("%s: notes %q", name, f.Notes)
		}
	}
	_, err := ReadBytes(context.Background(), "binary.csv", []byte("a,b\n1,\xff\x01\n"))
	datatest.WantError(t, err, "binary.csv", "not UTF-8")
}

// Numbers as people write them, and what is said where the reading is not asked for.
func TestCSV_Readings(t *testing.T) {
	type Text = TextOptions
	for _, c := range []struct {
		text   string
		how    Text
		want   []any
		remark fix.Fix // of the same text read plainly; "" for none
	}{
		{"c\n\"1,5\"\n\"2,25\"\n", Text{Decimal: ","}, []any{1.5, 2.25}, fix.SayDecimal},
		{"c\n\"1,234\"\n\"12,345,678\"\n", Text{Thousands: ","}, []any{1234.0, 12345678.0}, fix.SayThousands},
		{"c\n\"1.234,5\"\n\"-2.000.000\"\n", Text{Decimal: ",", Thousands: "."}, []any{1234.5, -2000000.0}, fix.SayDecimal},
		{"c\n1 000\n12\u00a0345.5\n", Text{Thousands: " "}, []any{1000.0, 12345.5}, fix.SayThousands},
		{"c\n10%\n-2.5 %\n", Text{Strip: "%"}, []any{10.0, -2.5}, fix.SayStrip},
		{"c\n$10\n-$3.50\n", Text{Strip: "$"}, []any{10.0, -3.5}, fix.SayStrip},
		{"c\n1\n?\n3\n", Text{Missing: []string{"?"}}, []any{1.0, nil, 3.0}, fix.NameMissing},
		{"c\n1\n-999\n3\n", Text{Missing: []string{"-999"}}, []any{1.0, nil, 3.0}, ""},
	} {
		f, err := ReadBytes(context.Background(), "t.csv", []byte(c.text), Reading{Text: c.how})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if d := differs(f, map[string][]any{"c": c.want}); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
		f, err = ReadBytes(context.Background(), "t.csv", []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if c.remark == "" && len(f.Remarks) > 0 || c.remark != "" &&
			(len(f.Remarks) != 1 || f.Remarks[0].Fixes[0] != c.remark || f.Remarks[0].Column != "c") {
			t.Errorf("%q read plainly: remarks %v", c.text, f.Remarks)
		}
	}
	f, err := ReadBytes(context.Background(), "t.doc", []byte("A11 6 x\nA12 48 y\n"), Reading{})
	if err == nil {
		t.Errorf("a name that says nothing: %v", f)
	}
	f, err = ReadBytes(context.Background(), "t.data", []byte("A11 6 x\nA12 48 y\n"))
	if err != nil || len(f.Columns) != 3 || len(f.Remarks) != 1 || f.Remarks[0].Fixes[0] != fix.SayNoHeader {
		t.Errorf("fields between spaces: %v, %v", f, err)
	}
	f = readBytes(t, "t.csv", []byte(" A11\t6 \t x  \r\n\"A12\" 48 y\r\n"),
		Reading{Text: Text{NoHeader: true, Delimiter: " "}})
	if d := differs(f, map[string][]any{"column_1": {"A11", "A12"}, "column_2": {6.0, 48.0},
		"column_3": {"x", "y"}}); d != "" {
		t.Error(d)
	}
	f, err = ReadBytes(context.Background(), "t.csv", []byte("A11,6,x\nA12,48,y\n"))
	if err != nil || len(f.Remarks) != 1 || f.Remarks[0].Fixes[0] != fix.SayNoHeader {
		t.Errorf("a row for a header: %v, %v", f.Remarks, err)
	}
	for _, bad := range []Text{{Delimiter: "ab"}, {Decimal: "x"}, {Decimal: ",", Thousands: ","}, {Thousands: "x"},
		{Strip: "1"}} {
		if _, err := ReadBytes(context.Background(), "t.csv", []byte("a\n1\n"), Reading{Text: bad}); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

// hintAlone stands for a remark that proposes no option.
const hintAlone fix.Fix = "a hint"

func firstFix(e *Error) fix.Fix {
	if len(e.Fixes) == 0 && e.Hint != "" {
		return hintAlone
	}
	return e.Fixes[0]
}

// What a column of text might be is said where nine in ten of its values agree with it.
func TestCSV_Remarks(t *testing.T) {
	cells := func(n int, of func(i int) string) string {
		text := "i,c\n"
		for i := range n {
			text += fmt.Sprintf("%d,%s\n", i, of(i))
		}
		return text
	}
	mixed := func(words, numbers, percents int) string {
		return cells(words+numbers+percents, func(i int) string {
			switch {
			case i < percents:
				return fmt.Sprintf("%d%%", i)
			case i < percents+numbers:
				return fmt.Sprint(i)
			}
			return fmt.Sprint("w", i)
		})
	}
	for _, c := range []struct {
		text   string
		remark fix.Fix
		row    int
	}{
		{mixed(1, 0, 9), fix.SayStrip, 1}, {mixed(2, 0, 8), "", 0}, {mixed(1, 5, 4), fix.SayStrip, 1},
		{mixed(2, 17, 1), fix.SayStrip, 1}, {mixed(3, 17, 1), hintAlone, 1},
		{mixed(3, 3, 0), hintAlone, 4}, {mixed(4, 3, 0), hintAlone, 4},
		{cells(300, func(i int) string { return []string{"7", "refused"}[max(0, i-298)] }), fix.NameMissing, 300},
		{cells(300, func(i int) string { return []string{"7", "refused"}[i%9/8] }), hintAlone, 9}, {mixed(5, 3, 0), "", 0},
		{cells(30, func(i int) string { return fmt.Sprintf("2024-02-%02d", 1+i%28) }), fix.SayDates, 0},
		{cells(30, func(i int) string { return []string{"2024-02-03", "x"}[i/29] }), "", 0},
		{cells(30, func(i int) string { return []string{"7", "?", "-", "?"}[i%4] }), fix.NameMissing, 2},
	} {
		f := frameOf(t, c.text)
		if c.remark == "" && len(f.Remarks) > 0 || c.remark != "" &&
			(len(f.Remarks) != 1 || firstFix(f.Remarks[0]) != c.remark || f.Remarks[0].Row != c.row) {
			t.Errorf("%.60q …: remarks %v", c.text, f.Remarks)
		}
	}
	if f := frameOf(t, cells(30, func(i int) string { return []string{"7", "?", "-", "?"}[i%4] })); len(f.Remarks) == 1 &&
		f.Remarks[0].FixValues[fix.NameMissing] != "?" {
		t.Errorf("the word for no value is %v", f.Remarks[0].FixValues)
	}
	for _, bad := range []string{"\x00", "\x00a", "a\x00"} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte("i,c\n1,x\n2,"+bad+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path); err == nil {
			t.Errorf("%q is text", bad)
		}
	}
}

// Dates among numbers are text that strays: the first of them is named, wherever it is.
func TestCSV_DatesAmongNumbers(t *testing.T) {
	for text, want := range map[string]int{
		"d\n5\n2024-01-02\n7\n": 2, "d\n5\n6\n2024-01-02\n2024-01-03\n": 3, "d\ntrue\n2024-01-02\nfalse\n": 0,
		"d\n2024-01-02\n2024-01-03\n": 0,
	} {
		f := readBytes(t, "t.csv", []byte(text))
		if c := f.Columns[0]; c.Kind != Categorical || c.UnexpectedRow != want ||
			(want > 0) != (c.Unexpected == "2024-01-02") {
			t.Errorf("%q: %v, row %d, %q; want row %d", text, c.Kind, c.UnexpectedRow, c.Unexpected, want)
		}
	}
}

// Texts are renamed before types are decided: bounds become numbers, in text files and in columns of text of typed
// files. Texts of one column alone may mark missing values.
func TestRead_RelabelsBeforeTypes(t *testing.T) {
	how := Reading{Relabel: map[string]string{"90+": "95", "never": "0"}}
	how.Text.Missing = []string{"n=88", "absent"}
	const text = "age,n,m\n60,1,1\n90+,88,88\n61,3,4\n"
	fromText, err := ReadBytes(t.Context(), "t.csv", []byte(text), how)
	if err != nil {
		t.Fatal(err)
	}
	lines := "{\"age\":60,\"n\":1,\"m\":1}\n{\"age\":\"90+\",\"n\":88,\"m\":88}\n{\"age\":61,\"n\":3,\"m\":4}\n"
	fromLines, err := ReadBytes(t.Context(), "t.jsonl", []byte(lines), how)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := WriteBlocks(path, false, func(put func([]Column) error) error {
		age, err := ColumnOf("age", []string{"60", "90+", "61"})
		if err != nil {
			return err
		}
		n, err := ColumnOf("n", []float64{1, 88, 3})
		if err != nil {
			return err
		}
		m, err := ColumnOf("m", []int32{1, 88, 4})
		if err != nil {
			return err
		}
		return put([]Column{age, n, m})
	}); err != nil {
		t.Fatal(err)
	}
	stored, err := Read(t.Context(), path, how)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*Frame{"text": fromText, "lines": fromLines, "stored": stored} {
		c, err := f.Column(t.Context(), "age")
		if err != nil || c.Kind != Numeric || !c.Integer || !slices.Equal(c.Number, []float64{60, 95, 61}) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		missing, relabel := f.UnusedTexts()
		if n, err := f.Column(t.Context(), "n"); err != nil || !n.IsNull(1) || n.Nulls() != 1 || f.Columns[2].Nulls() != 0 {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
		if !slices.Equal(missing, []string{"absent"}) || !slices.Equal(relabel, []string{"never"}) {
			t.Errorf("%s: unused %q, %q", name, missing, relabel)
		}
	}
}
