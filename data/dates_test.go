package data

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Dates are the same days in every format, and their parts are those of the calendar.
func TestDates_AreTheSameDaysInEveryFormat(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"pyarrow_zstd.parquet", "duckdb_zstd_v1.parquet", "polars_zstd.parquet", "pyarrow.arrow",
		"polars_zstd.arrow"} {
		path := filepath.Join("testdata", name)
		f := openFrame(t, path, Reading{Dates: "number"})
		c, err := f.Column(t.Context(), "date")
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range c.Number { // from 2020-01-01 on
			if !c.IsNull(i) && v != float64(18262+i) {
				t.Errorf("%s, row %d: day %v, want %d", name, i+1, v, 18262+i)
			}
		}
		f.Close()
		f = openFrame(t, path, Reading{Dates: "parts"})
		if f.Has("date") || !f.Has("stamp.hour") {
			t.Errorf("%s: columns %q", name, f.Names())
		}
		// 2020-02-01 was a Saturday
		for part, want := range map[string]float64{"date.year": 2020, "date.month": 2, "date.weekday": 6} {
			c, err := f.Column(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			if c.Number[31] != want {
				t.Errorf("%s: %s is %v, want %v", name, part, c.Number[31], want)
			}
		}
		f.Close()
		if f, err = Open(ctx, path, Reading{Dates: "drop"}); err != nil || f.Has("date") || f.Has("stamp") {
			t.Errorf("%s: %v, %q", name, err, f.Names())
		}
	}
	const text = "y,d,t\n1,1970-01-02,1970-01-01T12:00:00Z\n2,2024-02-29,2024-02-29 18:00:00\n3,,NA\n"
	f := readBytes(t, "t.csv", []byte(text), Reading{Dates: "number"})
	if d := differs(f, map[string][]any{"y": {1.0, 2.0, 3.0}, "d": {1.0, 19782.0, nil},
		"t": {0.5, 19782.75, nil}}); d != "" {
		t.Error(d)
	}
	f = readBytes(t, "t.csv", []byte(text), Reading{Dates: "parts"})
	if d := differs(f, map[string][]any{"y": {1.0, 2.0, 3.0}, "d.year": {1970.0, 2024.0, nil}, "d.month": {1.0, 2.0, nil},
		"d.weekday": {5.0, 4.0, nil},
		"t.year":    {1970.0, 2024.0, nil}, "t.month": {1.0, 2.0, nil}, "t.weekday": {4.0, 4.0, nil},
		"t.hour": {12.0, 18.0, nil}}); d != "" {
		t.Error(d)
	}
	f, err := ReadBytes(ctx, "t.csv", []byte(text))
	if err != nil || len(f.Remarks) != 2 || f.Remarks[0].Fixes[0] != fix.SayDates {
		t.Errorf("read plainly: %v, %v", f.Remarks, err)
	}
	_, err = ReadBytes(ctx, "t.csv", []byte(text), Reading{Dates: "weeks"})
	datatest.WantError(t, err, "weeks", "number, parts or drop")
}

// A column without values has the parts that a date would have, without values, for whoever asks for
// them by name; any other has not.
func TestDates_PartsOfNothing(t *testing.T) {
	for text, rows := range map[string]int{"y,d\n": 0, "y,d\n1,\n2,\n": 2} {
		f := readBytes(t, "t.csv", []byte(text), Reading{Dates: "parts"})
		c, err := f.Column(t.Context(), "d.month")
		if err != nil || c.Kind != Numeric || c.Len() != rows || c.Of != "d" || rows > 0 && !(c.IsNull(0) && c.IsNull(1)) {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
		if len(f.Columns) != 2 {
			t.Errorf("%q: columns %q", text, f.Names())
		}
		for _, name := range []string{"d.day", "e.month", "month", "d"} {
			if c, err := f.Lookup(name); err == nil && (name != "d" || c.Of != "") {
				t.Errorf("%q has a column %s", text, name)
			}
		}
	}
	for text, dates := range map[string]string{"y,d\n1,\n": "number", "y,d\n1,x\n": "parts"} {
		f := readBytes(t, "t.csv", []byte(text), Reading{Dates: dates})
		if _, err := f.Lookup("d.month"); err == nil {
			t.Errorf("%q, dates as %s: there is a month", text, dates)
		}
	}
}

// Texts get other names whatever the format, and levels that become one are one.
func TestRelabel_MergesLevelsInEveryFormat(t *testing.T) {
	how := Reading{Relabel: map[string]string{"<=50K.": "<=50K", ">50K.": ">50K"}}
	f := readBytes(t, "t.csv", []byte("y,x\n<=50K,1\n<=50K.,2\n>50K.,3\n,4\n"), how)
	c, err := f.Column(t.Context(), "y")
	if err != nil || len(c.Level) != 2 || c.Text(1) != "<=50K" || c.Text(2) != ">50K" || !c.IsNull(3) {
		t.Errorf("%v %+v", err, c)
	}
	how.Relabel = map[string]string{"alpha": "beta"}
	for _, name := range []string{"pyarrow_pages.parquet", "pyarrow_zstd.parquet", "pyarrow.arrow"} {
		b := testdataFile(t, name)
		plain := readBytes(t, name, b)
		other := readBytes(t, name, b, how)
		for i, c := range plain.Columns {
			for r := range plain.Rows {
				want := c.Text(r)
				if want == "alpha" {
					want = "beta"
				}
				if got := other.Columns[i].Text(r); got != want {
					t.Fatalf("%s, %s, row %d: %q, want %q", name, c.Name, r, got, want)
				}
			}
		}
	}
}

// Dates in another order are dates where a row of the column tells the order.
func TestDates_OrderIsToldByAnyRow(t *testing.T) {
	for _, c := range []struct {
		cells string
		want  []any // days; nil: text
	}{
		{"2012/01/02|2012/1/3", []any{15341.0, 15342.0}},
		{"17-08-1984|01-02-1985", []any{5342.0, 5510.0}},
		{"2/1/2012|13/1/2012 12:00", []any{15341.0, 15352.5}},
		{"1/2/2012|1/13/2012 6:00:00 PM", []any{15341.0, 15352.75}},
		{"2.1.2012|3.1.2012", []any{15341.0, 15342.0}}, // points are for the day first
		{"1/2/2012|3/4/2012", nil},                     // nothing tells
		{"31/1/2012|1/31/2012", nil},                   // not one order
		{"30/2/2012|1/3/2012", nil},                    // no such day
		{"2012-01-02|2012/01/03", nil},
		{"1.2.3|2.3.4", nil}, // versions
	} {
		f := readBytes(t, "t.csv", []byte("i,c\n0,"+strings.ReplaceAll(c.cells, "|", "\n0,")+"\n"), Reading{Dates: "number"})
		col := f.Columns[1]
		if c.want == nil {
			if col.Kind != Categorical {
				t.Errorf("%s: %v", c.cells, col.Kind)
			}
			continue
		}
		f.Columns = f.Columns[1:]
		if d := differs(f, map[string][]any{"c": c.want}); d != "" {
			t.Errorf("%s: %s", c.cells, d)
		}
	}
}
