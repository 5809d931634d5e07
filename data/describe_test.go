package data

import (
	"fmt"
	"testing"
)

func TestDescribe_CountsAndRanges(t *testing.T) {
	f := frameOf(t, "x,g,b,none\n1,a,true,\n-2.5,b,false,\n,b,true,\n7,,true,\n")
	d, err := f.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, c := range d.Columns {
		text += fmt.Sprintf("%s %s %d", c.Name, c.Kind, c.Nulls)
		if c.Min != nil {
			text += fmt.Sprintf(" [%v, %v]", *c.Min, *c.Max)
		}
		text += fmt.Sprintf(" %v\n", c.Levels)
	}
	const want = "x numeric 1 [-2.5, 7] []\ng categorical 1 [{b 2} {a 1}]\nb bool 0 [{true 3} {false 1}]\n"
	if len(d.Sources) != 1 || d.Sources[0].Rows != 4 || d.Sources[0].SHA256 == "" {
		t.Errorf("of %+v", d.Sources)
	}
	if d.Rows != 4 || len(d.Columns) != 4 || text[:len(want)] != want || d.Columns[3].Nulls != 4 ||
		d.Columns[3].Min != nil {
		t.Errorf("%d rows\n%s", d.Rows, text)
	}
}
