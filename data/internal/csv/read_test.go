package csv

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data/table"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// source is a file in memory.
type source struct {
	*bytes.Reader
	name string
}

func sourceOf(name, text string) source { return source{bytes.NewReader([]byte(text)), name} }

func (s source) Name() string               { return s.name }
func (s source) Size() int64                { return s.Reader.Size() }
func (s source) Afford(int64, string) error { return nil }

// written is a number by hand: groups of three before the mark of the fraction.
func written(v int, cents int, o Options) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	s := strconv.Itoa(v)
	if o.Thousands != "" {
		for k := len(s) - 3; k > 0; k -= 3 {
			s = s[:k] + o.Thousands + s[k:]
		}
	}
	if cents > 0 {
		s += o.numberFormat().decimal + fmt.Sprintf("%02d", cents)
	}
	return sign + s
}

// A day is the day that was written, in the orders that it can be in and in no other one.
func TestDay_Orders(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	isoDate, yearFirst, dayFirst, monthFirst, named :=
		layoutsOf("ISO 8601"), layoutsOf("year-first"), layoutsOf(table.DayFirst), layoutsOf(table.MonthFirst),
		layoutsOf("month-by-name")
	forms := []struct {
		layout string
		order  layoutSet
	}{
		{"2006-01-02", isoDate}, {"2006-01-02T15:04:05", isoDate}, {"2006-01-02 15:04:05.000", isoDate},
		{"2006-01-02T15:04:05Z07:00", isoDate}, {"2006-01-02 15:04", isoDate},
		{"2006/1/2", yearFirst}, {"2006.01.02", yearFirst}, {"2006/01/02 15:04", yearFirst},
		{"2/1/2006", dayFirst}, {"02-01-2006", dayFirst}, {"2.1.2006", dayFirst}, {"02.01.2006 15:04:05", dayFirst},
		{"2/1/2006T15:04", dayFirst},
		{"1/2/2006", monthFirst}, {"01-02-2006", monthFirst}, {"1/2/2006 3:04:05 PM", monthFirst},
		{"01/02/2006 15:04", monthFirst}, {"1/2/2006 3:04 PM", monthFirst},
		{"2-1-2006 3:04pm", dayFirst}, {"2006-01-02 15:04:05Z0700", isoDate}, {"2006-01-02 15:04:05Z07", isoDate},
		{"2006-01-02 15:04:05 UTC", isoDate}, {"2006-1-2", isoDate},
		{"02-Jan-2006", named}, {"2-Jan-2006 15:04", named}, {"2 Jan 2006", named}, {"02Jan2006", named},
		{"Jan 2, 2006", named}, {"January 2, 2006", named},
		{"2 January 2006", named}, {"2006-Jan-02", named}, {"Jan 2, 2006 3:04:05 PM", named}, {"02/Jan/2006", named},
	}
	for range 100 {
		at := time.Unix(rng.Int64N(4e9)-1e9, 0).UTC()
		for _, f := range forms {
			s := at.Format(f.layout)
			exact, err := time.Parse(f.layout, s)
			if err != nil {
				t.Fatal(err)
			}
			want := float64(exact.Unix()) / 86400
			if m := parseDate(s, f.order); m.in == 0 || !(math.Abs(m.days-want) <= 1e-9) {
				t.Fatalf("%q by order %b: %v, want %v", s, f.order, m, want)
			}
			may := f.order
			if other := dayFirst | monthFirst; f.order&other != 0 && at.Day() <= 12 && !strings.Contains(f.layout, ".") {
				may = other
			}
			if m := parseDate(strings.ToUpper(s), anyOrder); m.in.allOrders() != may {
				t.Fatalf("%q may be in the orders %b, want %b", s, m.in.allOrders(), may)
			}
		}
	}
	if m := parseDate("31/12/2024 06:00:00.5", dayFirst); m.in == 0 || !(math.Abs(m.days-(20088.25+0.5/86400)) <= 1e-9) {
		t.Errorf("half a second after six: %v", m.days)
	}
	for _, s := range []string{"", "2024", "2024-02-30", "2024-13-01", "30/2/2024", "31.4.2024", "2024/13/1", "1/2/24",
		"1/2/20244", "123/1/2024", "1/2/2024 25:00", "1/2/2024 x", "1-2/2024",
		"12345678", "x/1/2024ab", "Mars 3, 2024", "31-Foo-2024", "31-Feb-2024", "2024-03-31T", "T12:00:00", "2024/00/10",
		"1/2/3/2024", "-1/2/2024", "2024-01-02x", "001/2/2024", "1/002/2024", "2024/003/1", "2024/3/001", "31.012.2024"} {
		if m := parseDate(s, anyOrder); m.in != 0 {
			t.Errorf("%q is a date in the layouts %b", s, m.in)
		}
	}
	for o, want := range map[layoutSet]string{0: "", isoDate: "ISO 8601", monthFirst: table.MonthFirst,
		dayFirst | monthFirst: "", anyOrder: ""} {
		if o.order() != want {
			t.Errorf("order %b is %q, want %q", o, o.order(), want)
		}
	}
	for s, want := range map[string]string{"2024-03-31 12:00": "", "2024-03-31T12:00:00Z": "UTC",
		"2024-03-31T12:00:00+02:00": "+02:00", "2024-03-31 12:00:00-0330": "-03:30", "2024-03-31 12:00:00 GMT": "UTC"} {
		m := parseDate(s, anyOrder)
		if m.zoned != (want != "") || m.zoned && zoneOf(m.offset) != want {
			t.Errorf("%q has the offset %d (%v), want %q", s, m.offset, m.zoned, want)
		}
	}
}

// A table reads back from every way in which it is written: separators, marks, ends of
// lines, quotes, encodings and packings.
func TestRead_WrittenInEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	texts := []string{"Zürich", "a;b", "a,b", "two words", `say "no"`, "bar|x", "tab\tx", "line\nx", "é"}
	for trial := range 40 {
		sep := []string{",", ";", "\t", "|", " "}[rng.IntN(5)]
		marks := []table.TextOptions{{}, {Decimal: ","}, {Decimal: ",", Thousands: "."}, {Thousands: "'"}}[rng.IntN(4)]
		o := Options{TextOptions: marks}
		end := []string{"\n", "\r\n", "\r"}[rng.IntN(3)]
		rows := 2 + rng.IntN(6)
		quoted := func(s string) string {
			if strings.ContainsAny(s, sep+"\"\n\r\t ") || rng.IntN(3) == 0 {
				return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
			}
			return s
		}
		var head, tail strings.Builder
		header := []string{"city", "amount", "yes", "count", "gap"}
		numbers, counts, cities, yes, null := make([]float64, rows), make([]float64, rows), make([]string,
			rows), make([]float64, rows), make([]bool, rows)
		for k, h := range header {
			if k > 0 {
				head.WriteString(sep)
			}
			head.WriteString(quoted(h))
		}
		head.WriteString(end)
		hasNull := false
		for i := range rows {
			v, cents := rng.IntN(1e7), 25*rng.IntN(4)
			if i == 0 {
				cents = 75
			}
			numbers[i] = float64(v) + float64(cents)/100
			counts[i] = float64(rng.IntN(1000))
			cities[i] = texts[rng.IntN(len(texts))]
			if end == "\r" {
				cities[i] = strings.ReplaceAll(cities[i], "\n", " ")
			}
			b := rng.IntN(2)
			yes[i] = float64(b)
			gap := "NA"
			if null[i] = i > 0 && rng.IntN(3) == 0; !null[i] {
				gap = strconv.Itoa(i)
			} else if hasNull = true; sep != " " && rng.IntN(2) == 0 {
				gap = ""
			}
			tail.WriteString(strings.Join([]string{quoted(cities[i]), quoted(written(v, cents, o)), []string{"false", "True"}[b],
				strconv.Itoa(int(counts[i])), gap}, sep) + end)
		}
		text := head.String() + tail.String()
		switch rng.IntN(6) {
		case 0:
			text = "\xef\xbb\xbf" + text
		case 1:
			text, _ = unicode.UTF16([]unicode.Endianness{unicode.LittleEndian, unicode.BigEndian}[rng.IntN(2)],
				unicode.UseBOM).NewEncoder().String(text)
		case 2:
			text, _ = charmap.Windows1252.NewEncoder().String(text)
		}
		src := sourceOf("t.csv", text)
		if rng.IntN(4) == 0 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			io.WriteString(z, text)
			z.Close()
			src = sourceOf("t.csv.gz", packed.String())
		}
		o.Delimiter = sep
		got, err := Read(context.Background(), src, nil, o, false)
		if err != nil {
			t.Fatalf("trial %d: %v in %q", trial, err, text)
		}
		if got.Rows != rows || len(got.Columns) != len(header) {
			t.Fatalf("trial %d: %d rows of %d columns in %q", trial, got.Rows, len(got.Columns), text)
		}
		for k, c := range got.Columns {
			if c.Name != header[k] {
				t.Fatalf("column %d is %q", k, c.Name)
			}
			for i := range rows {
				switch c.Name {
				case "city":
					if c.Kind != table.Categorical || c.Level[c.Code[i]] != strings.TrimSpace(cities[i]) {
						t.Fatalf("trial %d row %d: %q, not %q in %q", trial, i, c.Level[c.Code[i]], cities[i], text)
					}
				case "gap":
					if (c.Null != nil && c.Null[i]) != null[i] || (c.Null != nil) != hasNull || !null[i] && c.Number[i] != float64(i) {
						t.Fatalf("trial %d row %d: %v of %v in %q", trial, i, c.Number[i], c.Null, text)
					}
				default:
					want := map[string][]float64{"amount": numbers, "yes": yes, "count": counts}[c.Name]
					kind := map[string]table.Kind{"amount": table.Numeric, "yes": table.Bool, "count": table.Numeric}[c.Name]
					if c.Kind != kind || c.Number[i] != want[i] || c.Integer != (c.Name == "count") {
						t.Fatalf("trial %d, %s, row %d: %v of kind %v, not %v in %q", trial, c.Name, i, c.Number[i], c.Kind, want[i],
							text)
					}
				}
			}
		}
		// Some of the columns, in the order of the file; and every character of them.
		some, err := Read(context.Background(), src, []string{"count", "city"}, o, false)
		if err != nil || len(some.Columns) != 2 || some.Columns[0].Name != "city" ||
			!slices.Equal(some.Columns[1].Number, counts) {
			t.Fatalf("trial %d: %+v, %v", trial, some, err)
		}
		all, err := Read(context.Background(), src, []string{"count"}, o, true)
		if err != nil || all.Columns[0].Level[all.Columns[0].Code[rows-1]] != strconv.Itoa(int(counts[rows-1])) {
			t.Fatalf("trial %d: %v", trial, err)
		}
	}
}

// Blank lines of a table of one column are nulls where records follow, and the separator
// is what the first line has.
func TestRead_Separators(t *testing.T) {
	for text, names := range map[string][]string{
		"a,b;c\n1,2\n": {"a", "b;c"}, "a;b\tc\n1;2\n": {"a", "b\tc"}, "a\tb|c\n1\t2\n": {"a", "b|c"},
		"a|b\n1|2\n": {"a", "b"},
		"a,b;c\n1;2": {"a,b", "c"}, "a;b,c\n1,2": {"a;b", "c"}, // a last line without an end is one
		"a b\n1 2\n": {"a", "b"}, "a b\nx y\n": {"a b"},
		"sep=;\na;b,c\n1;2\n": {"a", "b,c"}, "SEP=|\r\na|b,c\r\n1|2\r\n": {"a", "b,c"}, "sep=\na\n": {"sep="},
		"sep=ab\n1\n": {"sep=ab"},
	} {
		got, err := Read(context.Background(), sourceOf("t.csv", text), nil, Options{}, false)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var have []string
		for _, c := range got.Columns {
			have = append(have, c.Name)
		}
		if !slices.Equal(have, names) {
			t.Errorf("%q has the columns %q", text, have)
		}
	}
	if got, err := Read(context.Background(), sourceOf("T.TSV", "a,b\tc\n1\t2\n"), nil, Options{}, false); err != nil ||
		len(got.Columns) != 2 {
		t.Errorf("a file of tabs by its name: %v", err)
	}
	for text, o := range map[string]table.TextOptions{"x\n\n1\n\n\n\"2\"\n3\n\n": {},
		"7\n\n1\n\n\n\"2\"\n3\n\n": {NoHeader: true}} {
		got, err := Read(context.Background(), sourceOf("t.csv", text), nil, Options{TextOptions: o}, false)
		if err != nil {
			t.Fatal(err)
		}
		null, number := []bool{true, false, true, true, false, false}, []float64{0, 1, 0, 0, 2, 3}
		if o.NoHeader {
			null, number = append([]bool{false}, null...), append([]float64{7}, number...)
		}
		if c := got.Columns[0]; got.Rows != len(null) || !slices.Equal(c.Null, null) || !slices.Equal(c.Number, number) {
			t.Errorf("%d rows, %v, nulls %v", got.Rows, c.Number, c.Null)
		}
	}
}

// A header that is no text is refused, one in Latin-1 is read, and what has no name or a
// name again gets one.
func TestRead_Headers(t *testing.T) {
	for text, want := range map[string][]string{
		" a , b\n1,2\n": {"a", "b"}, "a,,c\n1,2,3\n": {"a", "column_2", "c"}, "gr\xf6\xdfe,b\n1,2\n": {"größe", "b"},
		"grö,b\n1,2\n":    {"grö", "b"},
		"a\x00b,c\n1,2\n": nil, "\x81,c\n1,2\n": nil, "ok,\xff\x01\n1,2\n": nil, "": nil,
	} {
		got, err := Read(context.Background(), sourceOf("t.csv", text), nil, Options{}, false)
		if want == nil {
			if err == nil {
				t.Errorf("%q is taken", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for i, c := range got.Columns {
			if c.Name != want[i] {
				t.Errorf("%q: column %d is %q, not %q", text, i, c.Name, want[i])
			}
		}
	}
}

// What separates the fields is as often in every line, outside of quotes; names and numbers
// hold the others.
func TestSeparator_IsTheOneThatHoldsTheOthers(t *testing.T) {
	for text, want := range map[string]byte{
		"a,b\n1,2\n":                              ',',
		"a;b\n1;2\n":                              ';',
		"a\tb\n1\t2\n":                            '\t',
		"a|b\n1|2\n":                              '|',
		"a\n1\n":                                  0,
		"\"a,b\"\n1\n":                            0,
		"a\n1,5\n":                                0, // the header tells
		"\"Price, EUR\";\"City\"\n1;Bern\n":       ';',
		"Price, EUR;City;Year\n1,5;Bern;2\n":      ';',
		"Price, EUR;City\n1;Bern\n":               ';',
		"Price, EUR;City\n1,5;Bern\n":             ';', // either is in every line
		"1,5;2,5;3,5\n1;2;3\n":                    ';',
		"id,name;alias,x\n1,a;b,2\n":              ',',
		"p(a|b),c\n1,2\n":                         ',',
		"a,b\tc\n1\t2\n":                          '\t',
		"a;b,c\n\"1;2\",3\n\n4,5\n":               ',', // in quotes, and a line that is empty
		"a;b,c\n\"two\n;;lines\",1\n":             ',',
		"a;b,c\n\"say \"\"x;y\"\"\",1\n":          ',',
		"a;b,c\n1,2\n3":                           ',', // half a line does not count, where more follows
		"a,b;c,d\r\n1;2\r\n":                      ';',
		"a,b,c;d\n1,2\n3;4;5\n":                   ',', // every one is uneven: the most frequent
		"Price, EUR;City\n" + "1,5;x\n" + "2;y\n": ';',
	} {
		for _, whole := range []bool{true, false} {
			if strings.HasSuffix(text, "\n3") && whole {
				continue
			}
			if got := findSeparator(linesOf([]byte(text), whole)); got != want {
				t.Errorf("%q, whole %v: %q, want %q", text, whole, got, want)
			}
		}
	}
}

// turning is a text that is another one, as long, when its values are read: after three readings of its
// beginning and one of its types.
type turning struct {
	source
	later  string
	begins *int
}

func (s turning) ReadAt(b []byte, at int64) (int, error) {
	if at == 0 && len(b) > 3 {
		*s.begins++
	}
	if *s.begins > 4 {
		return strings.NewReader(s.later).ReadAt(b, at)
	}
	return s.source.ReadAt(b, at)
}

// A text that is another one when its values are read than it was when its types were is an
// error: that it was changed, or what is wrong with the second.
func TestRead_TextChangesBetweenReadings(t *testing.T) {
	text := "a,b\n1,2\n3,4\n"
	for _, q := range []struct{ later, says string }{
		{"a,b\n1,2\n3,4\n", ""},
		{"a,b\n1,2\n\n\n\n\n", "the file was changed while it was being read"},
		{"a,b\n123,234\n", "the file was changed while it was being read"},
		{"a\n1\n2\n3\n4\n5\n", "the file was changed while it was being read"},
		{"a,b\n1,2\n3456\n", "line 3 has 1 field, but the header has 2"},
		{"a,b\n1,2\n\"3,4\n", "line 3"},
		{"a,b\n1,2\n3,4", "the file became shorter while it was being read"},
	} {
		_, err := Read(t.Context(), turning{sourceOf("t.csv", text), q.later, new(int)}, nil, Options{}, false)
		if q.says == "" && err != nil || q.says != "" && (err == nil || !strings.Contains(err.Error(), q.says)) {
			t.Errorf("%q and then %q: %v", text, q.later, err)
		}
		if strings.Contains(q.says, "changed") != errors.Is(err, table.ErrChanged) {
			t.Errorf("%q: the class of %v", q.later, err)
		}
	}
}
