package parquet

import (
	"fmt"
	"strings"
	"testing"

	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
)

// whole is a struct of these whole numbers, by the ids of their fields.
func whole(numbers map[int16]int64) thriftValue {
	v := thriftValue{kind: thriftStruct}
	for id := int16(1); id < 16; id++ {
		if n, ok := numbers[id]; ok {
			v.fields = append(v.fields, thriftField{id, thriftValue{kind: thriftI32, num: n}})
		}
	}
	return v
}

// listOf is a list in Thrift.
func listOf(v ...thriftValue) thriftValue { return thriftValue{kind: thriftList, list: v} }

// footerOf is a footer of one row group, whose chunks have the columns c0, c1, … of 32-bit
// integers and four bytes each, and its schema.
func footerOf(t *testing.T, rows int64, columns int) (tree thriftValue, sc *schema.Schema) {
	t.Helper()
	var fields schema.FieldList
	group := listOf()
	for k := range columns {
		name := fmt.Sprintf("c%d", k)
		fields = append(fields, schema.NewInt32Node(name, pq.Repetitions.Required, -1))
		md := whole(map[int16]int64{1: int64(pq.Types.Int32), 5: rows, 7: 4, 9: int64(4 + 4*k)})
		md.fields = append(md.fields, thriftField{3, listOf(thriftValue{kind: thriftString, bytes: []byte(name)})})
		group.list = append(group.list, thriftValue{kind: thriftStruct, fields: []thriftField{{3, md}}})
	}
	root, err := schema.NewGroupNode("schema", pq.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	g := whole(map[int16]int64{3: rows})
	g.fields = append(g.fields, thriftField{1, group})
	tree = whole(map[int16]int64{3: rows})
	tree.fields = append(tree.fields, thriftField{4, listOf(g)})
	return tree, schema.NewSchema(root)
}

// A file has as many rows as its bytes may hold of the columns that are read, and no more; and
// as many as its row groups.
func TestOpen_RowCounts(t *testing.T) {
	const body = 1000
	for columns := range 4 {
		most := intake.MaxCells(body) / int64(max(1, columns))
		for rows, says := range map[int64]string{0: "", most: "", most + 1: "rows of", -1: "row group 0 has -1 rows"} {
			tree, sc := footerOf(t, rows, 3)
			var leaves []*leaf
			for k := range columns {
				leaves = append(leaves, &leaf{index: k})
			}
			var f intake.Table
			err := locateChunks(&f, body, &tree, sc, leaves)
			if says == "" && (err != nil || int64(f.Rows) != rows) ||
				says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
				t.Errorf("%d rows, %d columns: %d rows, %v", rows, columns, f.Rows, err)
			}
		}
	}
	groups := func(all int64, rows ...int64) error {
		list := listOf()
		for _, n := range rows {
			one, _ := footerOf(t, n, 1)
			list.list = append(list.list, one.fieldByID(4).list[0])
		}
		_, sc := footerOf(t, 0, 1)
		for g := range list.list { // beside one another
			list.list[g].fieldByID(1).list[0].fieldByID(3).fieldByID(9).num += int64(4 * g)
		}
		tree := whole(map[int16]int64{3: all})
		tree.fields = append(tree.fields, thriftField{4, list})
		return locateChunks(&intake.Table{}, body, &tree, sc, nil)
	}
	for _, c := range []struct {
		all  int64
		rows []int64
		says string
	}{
		{7, []int64{3, 0, 4}, ""},
		{0, nil, ""},
		{7, []int64{3, 5}, "row group 1 has 5 rows according to the footer"},
		{7, []int64{3, 3}, "the row groups have 6 rows in all, but the footer states 7"},
		{-1, nil, "the row groups have 0 rows in all, but the footer states -1"},
	} {
		if err := groups(c.all, c.rows...); c.says == "" && err != nil ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d rows in groups of %d: %v", c.all, c.rows, err)
		}
	}
}

// A chunk of a column lies in its file, by the path and the type that the schema has, or is
// refused for what is wrong.
func TestOpen_ChunksDisagreeWithSchema(t *testing.T) {
	for says, change := range map[string]func(tree, group, column, md *thriftValue){
		"": func(_, _, column, _ *thriftValue) {
			// a file of no name is this one
			column.fields = append(column.fields, thriftField{1, thriftValue{kind: thriftString}})
		},
		"column data are in other files": func(_, _, column, _ *thriftValue) {
			column.fields = append(column.fields, thriftField{1, thriftValue{kind: thriftString, bytes: []byte("b")}})
		},
		"a column of row group 0 lacks its metadata": func(_, _, column, _ *thriftValue) { column.fields = nil },
		"no list of row groups":                      func(tree, _, _, _ *thriftValue) { tree.fields = tree.fields[:1] },
		"has a different number of columns": func(_, group, _,
			_ *thriftValue) {
			group.fieldByID(1).list = group.fieldByID(1).list[:1]
		},
		"has 6 values for 5 rows": func(_, _, _, md *thriftValue) { md.fieldByID(5).num = 6 },
		`column "c1" of row group 0 contradicts`: func(_, _, _,
			md *thriftValue) {
			md.fieldByID(1).num = int64(pq.Types.Float)
		},
		"contradicts the schema": func(_, _, _,
			md *thriftValue) {
			md.fieldByID(3).list[0].bytes = []byte("c0")
		},
		"group 0 contradicts the schema": func(_, _, _,
			md *thriftValue) {
			md.fieldByID(3).list = append(md.fieldByID(3).list, md.fieldByID(3).list[0])
		},
	} {
		tree, sc := footerOf(t, 5, 2)
		group := &tree.fieldByID(4).list[0]
		column := &group.fieldByID(1).list[1]
		change(&tree, group, column, column.fieldByID(3))
		err := locateChunks(&intake.Table{}, 100, &tree, sc, nil)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v, not %q", err, says)
		}
	}
}

// The elements of a schema are one tree, no deeper than is allowed; what is not one is refused
// as such, before anything is looked for that is not there.
func TestSchemaTree_DamageIsAnError(t *testing.T) {
	// Elements by how many children they say they have; −1 is a column.
	tree := func(children ...int) *thriftValue {
		v := listOf()
		for k, n := range children {
			e := whole(map[int16]int64{3: 0})
			if n < 0 {
				e.fields = append(e.fields, thriftField{1, thriftValue{kind: thriftI32, num: 1}})
			} else {
				e.fields = append(e.fields, thriftField{5, thriftValue{kind: thriftI32, num: int64(n)}})
			}
			e.fields = append(e.fields, thriftField{4, thriftValue{kind: thriftString, bytes: fmt.Append(nil, "e", k)}})
			v.list = append(v.list, e)
		}
		return &v
	}
	deep := func(groups int) (children []int) { // in one another, the innermost of one column
		for range groups {
			children = append(children, 1)
		}
		return append(children, -1)
	}
	says := func(v *thriftValue) error {
		return intake.Guard(func() error { checkSchemaTree(v); return nil })
	}
	for _, c := range []struct {
		children []int
		fault    string
	}{
		{[]int{0}, ""},
		{[]int{1, -1}, ""},
		{[]int{2, 1, -1, -1}, ""},
		{[]int{2, 2, -1, -1}, "not a tree"}, // the column of the root was taken by its sibling
		{[]int{2, -1}, "not a tree"},
		{[]int{1, -1, -1}, "not a tree"},
		{[]int{1, 0}, "has no type"},
		{deep(64), ""},
		{deep(65), "not a tree"},
		{deep(66), "not a tree"},
		{nil, "no schema"},
	} {
		if err := says(tree(c.children...)); c.fault == "" && err != nil ||
			c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%d: %v, not %q", c.children, err, c.fault)
		}
	}
	if err := says(nil); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Errorf("nothing: %v", err)
	}
	below := tree(1, -1)
	below.list[0].fieldByID(5).num = -1
	if err := says(below); err == nil || !strings.Contains(err.Error(), "not a tree") {
		t.Errorf("children below none: %v", err)
	}
}
