package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data/fix"
)

// What the rows of testdata/people hold, which make.py there has pandas, polars, DuckDB and
// a spreadsheet write.
const peopleRows = 24

func peopleColumn(of func(i int) any) []any {
	out := make([]any, peopleRows)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

var (
	peopleCity   = peopleColumn(func(i int) any { return []string{"Zürich", "Genève", "Basel"}[i%3] })
	peopleSize   = peopleColumn(func(i int) any { return []string{"small", "medium", "large"}[i*i%3] })
	peopleAmount = peopleColumn(func(i int) any { return 1234.5 + 317.25*float64(i) })
	peopleShare  = peopleColumn(func(i int) any { return float64(i%7) * 2.5 })
	peoplePaid   = peopleColumn(func(i int) any { return i%4 != 1 })
	peopleYes    = peopleColumn(func(i int) any { return map[bool]string{true: "ja", false: "nein"}[i%4 != 1] })
	peopleGap    = peopleColumn(func(i int) any {
		if i%5 == 2 {
			return nil
		}
		return float64(3 * i)
	})
	peopleNote = peopleColumn(func(i int) any {
		switch i % 8 {
		case 3:
			return "two\nlines"
		case 5:
			return `he said "no"`
		}
		return "plain; text, here"
	})
	peopleDay  = peopleColumn(func(i int) any { return peopleDays(i, 0) })
	peopleTook = peopleColumn(func(i int) any { return float64(i) * 3600 })
	peopleID   = peopleColumn(func(i int) any { return fmt.Sprint("C", 100+i) })
)

// peopleDays are days since 1970 of the ith day, so many hours into it.
func peopleDays(i int, hours float64) float64 {
	return float64(time.Date(2024, 1, 15+9*i, 0, 0, 0, 0, time.UTC).Unix())/86400 + hours/24
}

// Tables as people get them, by the options that docs/input.md names for each, and what is
// said of them without: remedies of remarks, and words of notes.
func TestRead_TablesOfPeople(t *testing.T) {
	german := TextOptions{Decimal: ",", Thousands: ".", Strip: "%"}
	sheet := map[string][]any{"Ort": peopleCity, "Betrag": peopleAmount, "Anteil": peopleShare, "Datum": peopleDay,
		"Bemerkung": peopleNote, "bezahlt": peopleYes}
	plain := map[string][]any{"city": peopleCity, "amount": peopleAmount, "gap": peopleGap, "paid": peoplePaid,
		"day": peopleDay}
	with := func(m map[string][]any, more map[string][]any, without ...string) map[string][]any {
		out := map[string][]any{}
		for k, v := range m {
			out[k] = v
		}
		for k, v := range more {
			out[k] = v
		}
		for _, k := range without {
			delete(out, k)
		}
		return out
	}
	when := peopleColumn(func(i int) any { // midnight of Zurich is 23:00 of the day before, in summer 22:00
		hours := -1.0
		if d := time.Date(2024, 1, 15+9*i, 0, 0, 0, 0, time.UTC); d.After(time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC)) &&
			d.Before(time.Date(2024, 10, 27, 12, 0, 0, 0, time.UTC)) {
			hours = -2
		}
		return peopleDays(i, hours)
	})
	pandas := map[string][]any{"city": peopleCity, "size": peopleSize, "amount": peopleAmount, "gap": peopleGap,
		"when": when,
		"paid": peopleColumn(func(i int) any {
			if i == 6 {
				return nil
			}
			return i%4 != 1
		})}
	none := peopleColumn(func(int) any { return nil })
	clock := func(but int) []any {
		return peopleColumn(func(i int) any {
			if i == but {
				return nil
			}
			return float64(time.Date(2024, 1, 15, i, 30, 0, 0, time.UTC).Unix()) / 86400
		})
	}
	polars := with(plain, map[string][]any{"size": peopleSize, "nothing": none, "when": clock(-1)})
	for _, c := range []struct {
		file    string
		how     TextOptions
		want    map[string][]any
		refused []string  // of no use, which is said where they are asked for
		remarks []fix.Fix // of the file read plainly
		note    string
	}{
		{file: "pandas_index.parquet", want: with(pandas,
			map[string][]any{"__index_level_0__": peopleColumn(func(i int) any { return float64(10*i + 3) }),
				"took": peopleTook})},
		{file: "pandas_lz4.feather", want: with(pandas, map[string][]any{"took": peopleTook})},
		{file: "pandas_zstd.feather", want: with(pandas, map[string][]any{"took": peopleTook})},
		{file: "pandas_index.csv", want: with(plain, map[string][]any{"column_1": peopleColumn(
			func(i int) any { return float64(i) })}), remarks: []fix.Fix{fix.SayDates}},
		{file: "pandas_gzip.csv.gz", want: plain, remarks: []fix.Fix{fix.SayDates}},
		{file: "pandas_bzip2.csv.bz2", want: plain, remarks: []fix.Fix{fix.SayDates}},
		{file: "pandas_na.csv", how: TextOptions{Missing: []string{"-999"}}, want: plain, remarks: []fix.Fix{fix.SayDates}},
		{file: "fastparquet.parquet", want: with(plain, map[string][]any{"size": peopleSize, "when": clock(4)}, "day")},
		{file: "spark_int96.parquet", want: map[string][]any{"city": peopleCity, "when": clock(4)}},
		{file: "polars_types.parquet", want: with(polars, map[string][]any{"took": peopleTook}),
			refused: []string{"list", "pair"}},
		{file: "polars_types.arrow", want: with(polars, map[string][]any{"took": peopleTook}),
			refused: []string{"list", "pair"}},
		{file: "polars_semicolon.csv", want: plain, remarks: []fix.Fix{fix.SayDates}},
		{file: "duckdb_types.parquet", want: with(plain,
			map[string][]any{"cents": peopleColumn(func(i int) any { return 123450 + 31725*float64(i) })}),
			refused: []string{"took", "raw"}},
		{file: "duckdb_bar.csv", want: plain, remarks: []fix.Fix{fix.SayDates}},
		{file: "pyarrow_stream.arrows", want: map[string][]any{"city": peopleCity, "name": peopleID, "amount": peopleAmount,
			"nothing": none}},
		{file: "excel_semicolon.csv", how: german, want: sheet,
			remarks: []fix.Fix{fix.SayDecimal, fix.SayStrip, fix.SayDates}},
		{file: "excel_cp1252.csv", how: german, want: sheet, remarks: []fix.Fix{fix.SayDecimal, fix.SayStrip, fix.SayDates},
			note: "Windows-1252"},
		{file: "excel_utf16.csv", how: german, want: sheet, remarks: []fix.Fix{fix.SayDecimal, fix.SayStrip, fix.SayDates},
			note: "UTF-16"},
		{file: "excel_sep.csv", how: german, want: sheet, remarks: []fix.Fix{fix.SayDecimal, fix.SayStrip, fix.SayDates}},
		{file: "excel_us.csv", how: TextOptions{Strip: "$%", Thousands: ","},
			remarks: []fix.Fix{fix.SayStrip, fix.SayStrip, fix.SayDates},
			want: map[string][]any{"City": peopleCity, "Amount": peopleAmount, "Share": peopleShare, "Date": peopleDay,
				"Notes": peopleNote, "Paid": peoplePaid}},
		{file: "excel_mac.csv", how: TextOptions{Strip: "$%", Thousands: ","},
			remarks: []fix.Fix{fix.SayStrip, fix.SayStrip, fix.SayDates},
			want: map[string][]any{"City": peopleCity, "Amount": peopleAmount, "Share": peopleShare, "Date": peopleDay,
				"Notes": peopleNote, "Paid": peoplePaid}},
		{file: "columns.txt", how: TextOptions{Missing: []string{"?"}},
			want:    map[string][]any{"id": peopleID, "amount": peopleAmount, "gap": peopleGap},
			remarks: []fix.Fix{fix.NameMissing}, note: "separated by spaces"},
		{file: "noheader.data", how: TextOptions{Missing: []string{"?"}, NoHeader: true},
			remarks: []fix.Fix{fix.NameMissing, fix.SayNoHeader},
			want: map[string][]any{"column_1": peopleID, "column_2": peopleAmount, "column_3": peopleGap,
				"column_4": peopleColumn(func(i int) any { return []string{"<=50K", "<=50K", ">50K"}[i%3] })}},
	} {
		path := filepath.Join("testdata", "people", c.file)
		f, err := Open(t.Context(), path, Reading{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		said := map[fix.Fix]int{}
		for _, r := range f.Remarks {
			said[r.Fixes[0]]++
		}
		for _, r := range c.remarks {
			said[r]--
		}
		for r, n := range said {
			if n != 0 {
				t.Errorf("%s: %+d remarks that ask to %s: %v", c.file, n, r, f.Remarks)
			}
		}
		if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q", c.file, notes)
		}
		how := Reading{Text: c.how, Dates: "number", Relabel: map[string]string{"<=50K.": "<=50K"}}
		if f, err = Open(t.Context(), path, how); err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		for _, name := range c.refused {
			if col, err := f.Column(t.Context(), name); err != nil || col.Kind != Other {
				t.Errorf("%s, %s: %+v, %v", c.file, name, col, err)
			}
		}
		if len(f.Columns) != len(c.want)+len(c.refused) {
			t.Errorf("%s: columns %q", c.file, f.Names())
		}
		for name, want := range c.want {
			col, err := f.Column(t.Context(), name)
			if err != nil {
				t.Errorf("%s, %s: %v", c.file, name, err)
				continue
			}
			one := &Frame{Rows: f.Rows, Columns: []*Column{col}}
			if d := differs(one, map[string][]any{name: want}); d != "" {
				t.Errorf("%s: %s", c.file, d)
			}
		}
	}
	files, err := os.ReadDir(filepath.Join("testdata", "people"))
	if err != nil || len(files) != 24 {
		t.Errorf("%d files in testdata/people, %v: a new one needs its row here", len(files), err)
	}
}

// A column of numbers in one file and of dates in another is text in both, in any order of the files.
func TestOpen_NumbersAndDatesOfSeveralFilesAreText(t *testing.T) {
	for name, texts := range map[string][2]string{
		"numbers first": {"v\n1\n2\n", "v\n2024-01-01\n2024-02-01\n"},
		"dates first":   {"v\n2024-01-01\n2024-02-01\n", "v\n1\n2\n"},
	} {
		dir := t.TempDir()
		for k, text := range texts {
			if err := os.WriteFile(filepath.Join(dir, string(rune('a'+k))+".csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(t.Context(), dir, Reading{Dates: "number"})
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Lookup("v")
		if err != nil {
			t.Fatal(err)
		}
		if v, err = v.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := []string{v.Text(0), v.Text(1), v.Text(2), v.Text(3)}
		want := slices.DeleteFunc(strings.Fields(texts[0]+texts[1]), func(s string) bool { return s == "v" })
		if v.Kind != Categorical || !slices.Equal(got, want) {
			t.Errorf("%s: %v %q, want texts %q", name, v.Kind, got, want)
		}
		f.Close()
	}
}
