package csv

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A smallSource is a source of a process with little memory.
type smallSource struct{ source }

func (s smallSource) Afford(bytes int64, _ string) error {
	if bytes > 1<<20 {
		return &table.Error{Class: table.ErrMemory, Msg: "too much"}
	}
	return nil
}

// Where memory does not hold the values, they are in a file, and are the same.
func TestRead_ValuesInAFile(t *testing.T) {
	const rows = 40_000
	var csv, lines strings.Builder
	csv.WriteString("x,flag,word,day,big,empty\n")
	for i := range rows {
		x, word := fmt.Sprint(float64(i%977)/8), fmt.Sprintf("word %d", i%31)
		number := x
		if i%13 == 5 {
			x, word, number = "", "", "null"
		}
		fmt.Fprintf(&csv, "%s,%v,%s,2024-01-%02d,%d,\n", x, i%3 == 0, word, 1+i%28, int64(1)<<53+int64(i/39_000))
		fmt.Fprintf(&lines, `{"x":%s,"flag":%v,"word":%q}`+"\n", number, i%3 == 0, word)
	}
	readers := map[string]struct {
		text string
		read func(ctx context.Context, src intake.Source, names []string, o Options, verbatim bool) (*intake.Table, error)
	}{
		"csv":        {csv.String(), Read},
		"json lines": {lines.String(), ReadLines},
	}
	for name, r := range readers {
		whole, err := r.read(t.Context(), sourceOf("t", r.text), nil, Options{Dates: true}, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		spilled, err := r.read(t.Context(), smallSource{sourceOf("t", r.text)}, nil, Options{Dates: true}, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored := 0
		for _, c := range spilled.Columns {
			if c.IsStored() {
				stored++
			}
		}
		if stored < 3 {
			t.Errorf("%s: %d columns are in the file", name, stored)
		}
		if spilled.Columns, err = table.Load(t.Context(), spilled.Columns); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if spilled.Rows != rows || !reflect.DeepEqual(whole.Remarks, spilled.Remarks) {
			t.Errorf("%s: %d rows, remarks %v", name, spilled.Rows, spilled.Remarks)
		}
		for j, c := range whole.Columns {
			d := spilled.Columns[j]
			if c.Name != d.Name || c.Type != d.Type || c.InexactRow != d.InexactRow {
				t.Errorf("%s: %s of type %s, inexact from row %d, not %s", name, d.Name, d.Type, d.InexactRow, c.Name)
			}
			for i := range rows {
				if c.Text(i) != d.Text(i) || c.IsNull(i) != d.IsNull(i) {
					t.Fatalf("%s: column %s, row %d: %q, not %q", name, c.Name, i+1, d.Text(i), c.Text(i))
				}
			}
		}
		wrong := r.text + "1,2\n"
		if name == "json lines" {
			wrong = r.text + `{"x":[1]}` + "\n"
		}
		var e *table.Error
		if _, err := r.read(t.Context(), smallSource{sourceOf("t", wrong)}, nil, Options{}, false); !errors.As(err, &e) ||
			!strings.Contains(e.Error(), fmt.Sprint(rows+1)) && !strings.Contains(e.Error(), fmt.Sprint(rows+2)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
