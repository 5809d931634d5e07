package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

// Slices are searched for in columns that are not labels, scores or identifiers; text columns need few levels, unless
// the columns are named.
func TestSlices_Columns(t *testing.T) {
	const n = 2 * (encode.DefaultMaxLevels + 1)
	level := func(levels int) data.Column {
		text := make([]string, n)
		for i := range text {
			text[i] = fmt.Sprint("level ", i%levels)
		}
		c, err := data.ColumnOf("", text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	few, many := level(encode.DefaultMaxLevels), level(encode.DefaultMaxLevels+1)
	few.Name, many.Name = "few", "many"
	columns := []data.Column{few, many}
	for _, name := range []string{"y", "w", "p", "row", "age", "left"} {
		columns = append(columns, data.Column{Name: name, Type: "double", Kind: data.Numeric, Number: make([]float64, n)})
	}
	table := must(data.NewFrame(columns...))
	o := audit{AuditOptions: AuditOptions{Options: Options{Weight: "w"}, Label: "y", Scores: []Score{{Column: "p"}},
		Drop: []string{"left"}}, frame: table}
	for want, named := range map[string][]string{"few age": nil, "many row": {"many", "row", "y"}} {
		o.Columns = named
		got, err := o.sliceColumns(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range got {
			names = append(names, c.Name)
		}
		if s := strings.Join(names, " "); s != want {
			t.Errorf("columns %q, want %q", s, want)
		}
	}
}
