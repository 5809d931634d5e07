package datasets

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

func TestList_AgreesWithFiles(t *testing.T) {
	for _, info := range List() {
		f, err := Open(Prefix + info.Name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Rows != info.Rows || len(f.Columns) != info.Columns {
			t.Errorf("%s: %d × %d, the list says %d × %d", info.Name, f.Rows, len(f.Columns), info.Rows, info.Columns)
		}
		if s := f.Sources; len(s) != 1 || s[0].Path != Prefix+info.Name || len(s[0].SHA256) != 64 || s[0].Rows != f.Rows {
			t.Errorf("%s: sources %+v", info.Name, s)
		}
		for _, name := range append([]string{info.Target}, info.Groups...) {
			if _, err := f.Column(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		card, err := Card(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Columns {
			if !strings.Contains(card, "| "+c.Name+" |") {
				t.Errorf("%s: the card does not tell of column %s", info.Name, c.Name)
			}
			if c.Null != nil {
				t.Errorf("%s: column %s has nulls", info.Name, c.Name)
			}
		}
		for _, word := range []string{"**Source.**", "**Licence.**", "**How it was made.**"} {
			if !strings.Contains(card, word) {
				t.Errorf("%s: the card lacks %s", info.Name, word)
			}
		}
		e, err := data.NewEncoder(t.Context(), f, nil, data.Spec{Target: info.Target, Groups: info.Groups})
		if err != nil {
			t.Fatal(err)
		}
		if e.Target.Task != info.Task {
			t.Errorf("%s: task %q, the list says %q", info.Name, e.Target.Task, info.Task)
		}
	}
}

// Facts that do not come from our own writer: counts and means of the CSV
// files, computed apart.
func TestFacts(t *testing.T) {
	count := func(f *data.Frame, column, level string) (n int) {
		c, err := f.Column(t.Context(), column)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < f.Rows; i++ {
			if c.Text(i) == level {
				n++
			}
		}
		return n
	}
	cps, err := Open("cps1988")
	if err != nil {
		t.Fatal(err)
	}
	hmda, err := Open("hmda")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f             *data.Frame
		column, level string
		want          int
	}{
		{cps, "ethnicity", "afam", 2232}, {cps, "region", "south", 8760}, {cps, "parttime", "yes", 2524}, {cps, "smsa", "yes", 20932},
		{hmda, "deny", "yes", 285}, {hmda, "afam", "yes", 339}, {hmda, "single", "yes", 936},
	} {
		if got := count(c.f, c.column, c.level); got != c.want {
			t.Errorf("%s = %s: %d rows, want %d", c.column, c.level, got, c.want)
		}
	}
	wage, _ := cps.Column(t.Context(), "wage")
	var sum float64
	for _, w := range wage.Number {
		sum += w
	}
	if mean := sum / float64(cps.Rows); !(math.Abs(mean-603.7267) <= 1e-3) {
		t.Errorf("mean wage %v", mean)
	}
	if wage.Number[0] != 354.94 || wage.Number[1] != 123.46 {
		t.Errorf("first wages %v", wage.Number[:2])
	}
}

func TestAgainstCSV(t *testing.T) {
	for _, info := range List() {
		g, err := data.Read(context.Background(), "../../shared/datasets/"+info.Name+".csv")
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the CSV files are not here")
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Columns {
			d := g.Columns[i]
			if c.Name != d.Name || c.Kind != d.Kind || !reflect.DeepEqual(c.Number, d.Number) || !reflect.DeepEqual(c.Code, d.Code) || !reflect.DeepEqual(c.Level, d.Level) {
				t.Errorf("%s: column %s is not that of the CSV file", info.Name, c.Name)
			}
		}
	}
}

func TestUnknownName(t *testing.T) {
	for name, want := range map[string]string{"builtin:cps1989": "did you mean cps1988?", "hdma": "did you mean hmda?", "zzz": "there are cps1988, digits and hmda"} {
		_, err := Open(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v, want %q in it", name, err, want)
		}
		if _, err2 := Bytes(name); err2 == nil || err2.Error() != err.Error() {
			t.Errorf("Bytes(%q): %v", name, err2)
		}
	}
}

func TestBytesIsACopy(t *testing.T) {
	b, err := Bytes("hmda")
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	again, _ := Bytes("hmda")
	if bytes.Equal(b, again) || !bytes.HasPrefix(again, []byte("PAR1")) {
		t.Error("Bytes hands out the embedded bytes themselves")
	}
}
