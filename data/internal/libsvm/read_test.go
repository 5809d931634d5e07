package libsvm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A memoryFile is a file in memory.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (f memoryFile) Name() string               { return f.name }
func (f memoryFile) Afford(int64, string) error { return nil }

func readText(t *testing.T, text string) (*intake.Table, error) {
	t.Helper()
	return Read(t.Context(), memoryFile{bytes.NewReader([]byte(text)), "t.svm"})
}

// describe writes the columns of a table as text.
func describe(t *intake.Table) string {
	var b strings.Builder
	for r := range t.Rows {
		for _, c := range t.Columns {
			if c.Kind != table.Vector {
				fmt.Fprintf(&b, "%s=%v ", c.Name, c.Number[r])
				continue
			}
			index, value := c.Sparse.Reader().Row(r)
			fmt.Fprintf(&b, "%s=%v%v", c.Name, index, value)
		}
		b.WriteString("; ")
	}
	return b.String()
}

func TestRead_Rows(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"entries", "+1 1:0.5 3:2\n-1 2:-1e-3\n", "label=1 x=[1 3][0.5 2]; label=-1 x=[2][-0.001]; "},
		{"places from 0", "1 0:7\n0 4:1\n", "label=1 x=[0][7]; label=0 x=[4][1]; "},
		{"no order", "1 3:2 1:0.5\n", "label=1 x=[1 3][0.5 2]; "},
		{"row without entries", "1\n2 1:1", "label=1 x=[][]; label=2 x=[1][1]; "},
		{"comments and blank lines", "# made by hand\n\n1 1:1 # first\n   \n2 2:2\n", "label=1 x=[1][1]; label=2 x=[2][2]; "},
		{"queries", "1 qid:7 1:1\n0 qid:8 1:2\n", "label=1 qid=7 x=[1][1]; label=0 qid=8 x=[1][2]; "},
		{"tabs and carriage returns", "1\t1:1 \r\n2 \t 2:2\r\n", "label=1 x=[1][1]; label=2 x=[2][2]; "},
		{"byte-order mark", "\ufeff1 1:1\n", "label=1 x=[1][1]; "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := readText(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(got); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestRead_FaultNamesLine(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"text as label", "1 1:1\n\nspam 1:1\n", `line 3: the label "spam" is not a finite number`},
		{"label is NaN", "nan 1:1\n", `line 1: the label "nan"`},
		{"no label", "1 1:1\n1:1 2:2\n", `line 2: the line begins with "1:1", not with a label`},
		{"several labels", "1,3 1:1\n", `line 1: "1,3" holds several labels`},
		{"no value", "# c\n1 1:1 2\n", `line 2: "2" is not INDEX:VALUE`},
		{"place is negative", "1 -1:1\n", `line 1: the index of "-1:1"`},
		{"place is too large", "1 4294967295:1\n", "line 1: the index of"},
		{"value is infinite", "1 1:1\n1 1:inf\n", `line 2: the value of "1:inf"`},
		{"value is too large", "1 1:1e999\n", `line 1: the value of "1:1e999"`},
		{"hexadecimal value", "1 1:0x1p3\n", `line 1: the value of "1:0x1p3"`},
		{"value is cut", "1 1:1\n1 1:", `line 2: the value of "1:"`},
		{"place occurs twice", "1 5:1 2:1 5:1\n", "line 1: the index 5 occurs twice"},
		{"query is missing", "1 qid:1 1:1\n1 1:1\n", "line 2: the qid is missing"},
		{"query begins late", "1 1:1\n1 qid:1 1:1\n", "line 2: the qid must follow"},
		{"no rows", "# nothing\n", "the file holds no rows"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := readText(t, c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("1 qid:3 1:0.5 # c\n-1 qid:4 2:1e3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(t.Context(), memoryFile{bytes.NewReader(b), "f.svm"})
		if err != nil {
			return
		}
		x := got.Columns[len(got.Columns)-1]
		if x.Sparse.Rows() != got.Rows || len(got.Columns[0].Number) != got.Rows {
			t.Fatalf("%d rows of vectors and %d labels for %d rows", x.Sparse.Rows(), len(got.Columns[0].Number), got.Rows)
		}
	})
}

// A tightFile is a file in memory whose rows do not fit there.
type tightFile struct{ memoryFile }

func (f tightFile) Afford(bytes int64, use string) error {
	if bytes < 1<<10 {
		return nil
	}
	return &table.Error{Class: table.ErrMemory, Msg: "no memory " + use}
}

// Rows that memory would not hold are stored in a file, with the same values.
func TestRead_StoresManyRows(t *testing.T) {
	var b strings.Builder
	for i := range 3*everyRows + 5 {
		fmt.Fprintf(&b, "%d qid:%d %d:%d.5 100:1\n", i%3, i/10, 1+i%50, i)
		if i%7 == 0 {
			b.WriteString("# a comment\n2 qid:1\n")
		}
	}
	in := memoryFile{bytes.NewReader([]byte(b.String())), "t.svm"}
	want, err := Read(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(t.Context(), tightFile{in})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range got.Columns {
		if c.Kind == table.Vector && c.Sparse.HeldEntries() > 0 || c.Kind != table.Vector && !c.IsStored() {
			t.Errorf("column %q is in memory", c.Name)
		}
		if got.Columns[k], err = c.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if describe(got) != describe(want) {
		t.Error("rows in a file differ from those in memory")
	}
	held := intake.WithValuesHeld(t.Context())
	if _, err := Read(held, tightFile{in}); err == nil || !strings.Contains(err.Error(), "no memory for about") {
		t.Errorf("rows that must be in memory and do not fit: %v", err)
	}
}
