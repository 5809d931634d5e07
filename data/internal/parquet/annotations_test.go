package parquet

import "testing"

// The old annotations and the logical types that say the same, by the format's own list.
func TestCheckAnnotation_All(t *testing.T) {
	number := func(n int64) thriftValue { return thriftValue{kind: thriftI32, num: n} }
	for old, id := range map[int64]int16{
		0: 1 /* text */, 1: 2, 2: 2 /* map */, 3: 3 /* list */, 4: 4 /* enum */, 6: 6, /* date */
		7: 7, 8: 7 /* time */, 9: 8, 10: 8 /* timestamp */, 19: 12 /* JSON */, 20: 13, /* BSON */
	} {
		for other := int16(1); other <= 14; other++ {
			e := &thriftValue{fields: []thriftField{{4, thriftValue{kind: thriftString, bytes: []byte("c")}}, {6, number(old)},
				{10, thriftValue{kind: thriftStruct, fields: []thriftField{{other, thriftValue{kind: thriftStruct}}}}}}}
			if refused(func() { checkAnnotation(e) }) != (other != id) {
				t.Errorf("annotation %d beside logical type %d", old, other)
			}
		}
	}
}

// Every column but the root says whether it may have nulls, in a number of the format.
func TestCheckSchema_Repetition(t *testing.T) {
	name := thriftField{4, thriftValue{kind: thriftString, bytes: []byte("c")}}
	said := func(kind byte, n int64) thriftField { return thriftField{3, thriftValue{kind: kind, num: n}} }
	for _, c := range []struct {
		said []thriftField
		ok   bool
	}{
		{[]thriftField{said(thriftI32, 0)}, true}, {[]thriftField{said(thriftI32, 1)}, true}, {[]thriftField{said(thriftI32, 2)}, true},
		{[]thriftField{said(thriftI32, 3)}, false}, {[]thriftField{said(thriftI32, -1)}, false}, {nil, false},
		{[]thriftField{said(thriftTrue, 1)}, false}, // as fastparquet writes with has_nulls="infer"
	} {
		root := thriftValue{fields: []thriftField{name, {5, thriftValue{kind: thriftI32, num: 1}}}}
		column := thriftValue{fields: append([]thriftField{name, {1, thriftValue{kind: thriftI32, num: 6}}}, c.said...)}
		if refused(func() { checkSchemaTree(&thriftValue{list: []thriftValue{root, column}}) }) == c.ok {
			t.Errorf("%+v: want %v", c.said, c.ok)
		}
	}
}
