package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

// refused reports whether f panics, as readers do.
func refused(f func()) bool {
	return table.Guard(func() error { f(); return nil }) != nil
}

// Definition levels of drawn runs and groups are counted; what is cut short or longer than the
// page is refused.
func TestCountPresent(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	for range 300 {
		var b []byte
		n, want := 0, 0
		for range 1 + rng.IntN(4) {
			if rng.IntN(2) == 0 { // a run
				count, v := 1+rng.IntN(40), rng.IntN(2)
				b = append(binary.AppendUvarint(b, uint64(count)<<1), byte(v))
				n, want = n+count, want+count*v
				continue
			}
			groups := 1 + rng.IntN(5)
			b = binary.AppendUvarint(b, uint64(groups)<<1|1)
			for range groups {
				v := byte(rng.Uint32())
				b, n, want = append(b, v), n+8, want+bits.OnesCount8(v)
			}
		}
		if got := countPresent(b, n); got != want {
			t.Fatalf("%d values are present, want %d", got, want)
		}
		if !refused(func() { countPresent(b, n+1) }) {
			t.Errorf("%d levels of %d", n+1, n)
		}
		for cut := range b {
			if !refused(func() { countPresent(b[:cut], n) }) {
				t.Errorf("%d levels in %d of %d bytes", n, cut, len(b))
				break
			}
		}
	}
	if got := countPresent([]byte{2<<1 | 1, 0xff, 0xff}, 13); got != 13 { // the bits behind the last level do not count
		t.Errorf("%d of 13 values are present", got)
	}
	for name, b := range map[string][]byte{
		"a run of nothing": {0, 1}, "a group of nothing": {1}, "a run longer than the page": {6 << 1, 1}, "no head": {}, "an endless head": {0x80, 0x80},
		"a level of 2": {5 << 1, 2},
	} {
		if !refused(func() { countPresent(b, 5) }) {
			t.Errorf("%s is read", name)
		}
	}
}

// written is a value in Thrift's compact protocol.
func written(b []byte, v *thriftValue) []byte {
	zigzag := func(n int64) []byte { return binary.AppendUvarint(nil, uint64(n<<1)^uint64(n>>63)) }
	switch v.kind {
	case thriftTrue, thriftFalse:
		return append(b, byte(v.num))
	case thriftByte:
		return append(b, byte(v.num))
	case thriftI16, thriftI32, thriftI64:
		return append(b, zigzag(v.num)...)
	case thriftDouble:
		return append(b, 1, 2, 3, 4, 5, 6, 7, 8)
	case thriftString:
		return append(binary.AppendUvarint(b, uint64(len(v.bytes))), v.bytes...)
	case thriftList, thriftSet:
		kind := byte(thriftI32)
		if len(v.list) > 0 {
			kind = v.list[0].kind
		}
		if len(v.list) < 15 {
			b = append(b, byte(len(v.list))<<4|kind)
		} else {
			b = binary.AppendUvarint(append(b, 15<<4|kind), uint64(len(v.list)))
		}
		for i := range v.list {
			b = written(b, &v.list[i])
		}
		return b
	case thriftMap:
		if b = binary.AppendUvarint(b, uint64(len(v.list)/2)); len(v.list) == 0 {
			return b
		}
		b = append(b, v.list[0].kind<<4|v.list[1].kind)
		for i := range v.list {
			b = written(b, &v.list[i])
		}
		return b
	}
	last := int16(0)
	for _, f := range v.fields {
		kind := f.value.kind
		if kind == thriftTrue && f.value.num == 0 {
			kind = thriftFalse
		}
		if delta := f.id - last; delta > 0 && delta < 16 {
			b = append(b, byte(delta)<<4|kind)
		} else {
			b = append(append(b, kind), zigzag(int64(f.id))...)
		}
		if last = f.id; kind != thriftTrue && kind != thriftFalse {
			b = written(b, &f.value)
		}
	}
	return append(b, 0)
}

// drawn is a random value of a kind.
func drawn(rng *rand.Rand, kind byte, depth int) thriftValue {
	v := thriftValue{kind: kind}
	many := func(n int, kinds ...byte) {
		v.list = []thriftValue{}
		for range n {
			for _, k := range kinds {
				v.list = append(v.list, drawn(rng, k, depth+1))
			}
		}
	}
	simple := []byte{thriftByte, thriftI16, thriftI32, thriftI64, thriftString, thriftTrue}
	switch kind {
	case thriftTrue, thriftFalse:
		v.num = int64(rng.IntN(2))
	case thriftByte:
		v.num = int64(int8(rng.Int32()))
	case thriftI16:
		v.num = []int64{math.MinInt16, math.MaxInt16, 0, -1}[rng.IntN(4)]
	case thriftI32:
		v.num = []int64{math.MinInt32, math.MaxInt32, 7, -300}[rng.IntN(4)]
	case thriftI64:
		v.num = []int64{math.MinInt64, math.MaxInt64, 1 << 40, -1}[rng.IntN(4)]
	case thriftString:
		v.bytes = []byte("some text that is not long")[:rng.IntN(27)]
	case thriftList, thriftSet:
		many([]int{0, 3, 14, 15, 16}[rng.IntN(5)], simple[rng.IntN(6)])
	case thriftMap:
		if many(rng.IntN(4), simple[rng.IntN(5)], simple[rng.IntN(5)]); len(v.list) == 0 {
			v.list = nil
		}
	case thriftStruct:
		id := int16(0)
		for range rng.IntN(6) {
			id += int16(1 + rng.IntN(20))
			kinds := append(slices.Clone(simple), thriftList, thriftSet, thriftMap, thriftDouble)
			if depth < 4 {
				kinds = append(kinds, thriftStruct)
			}
			v.fields = append(v.fields, thriftField{id, drawn(rng, kinds[rng.IntN(len(kinds))], depth+1)})
		}
	}
	return v
}

// Metadata reads as it was written, to the last byte, and no part of it does.
func TestParseThrift_WhatWasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	for range 200 {
		want := drawn(rng, thriftStruct, 0)
		b := written(nil, &want)
		got, n := parseThrift(append(slices.Clone(b), 1, 2, 3))
		if fmt.Sprint(got) != fmt.Sprint(want) || n != len(b) {
			t.Fatalf("%v, %d bytes, want %v, %d", got, n, want, len(b))
		}
		for cut := range b {
			if !refused(func() { parseThrift(b[:cut]) }) {
				t.Fatalf("%d of %d bytes read", cut, len(b))
			}
		}
	}
	nested := func(depth int) []byte {
		b := bytes.Repeat([]byte{1<<4 | thriftStruct}, depth)
		return append(b, make([]byte, depth+1)...)
	}
	if refused(func() { parseThrift(nested(thriftDepth)) }) || !refused(func() { parseThrift(nested(thriftDepth + 1)) }) {
		t.Error("the depth of metadata")
	}
	for name, b := range map[string][]byte{
		"a field twice":            {1<<4 | thriftTrue, thriftTrue, 2, 0},
		"a number beyond 16 bits":  append(append([]byte{1<<4 | thriftI16}, binary.AppendUvarint(nil, 1<<17)...), 0),
		"a number beyond 32 bits":  append(append([]byte{1<<4 | thriftI32}, binary.AppendUvarint(nil, 1<<33)...), 0),
		"an id beyond 16 bits":     append(append([]byte{thriftI16}, binary.AppendUvarint(nil, 1<<17)...), 0, 0),
		"an unknown kind":          {1<<4 | 13, 0},
		"a list longer than all":   {1<<4 | thriftList, 14<<4 | thriftByte, 1, 2, 0},
		"a string longer than all": {1<<4 | thriftString, 200, 0},
		"a map longer than all":    {1<<4 | thriftMap, 2, thriftByte<<4 | thriftByte, 1, 0},
	} {
		if !refused(func() { parseThrift(b) }) {
			t.Errorf("%s is read", name)
		}
	}
	v := thriftValue{fields: []thriftField{{3, thriftValue{kind: thriftI32, num: 9}}, {4, thriftValue{kind: thriftString}}}}
	if v.intOr(3, 1) != 9 || v.intOr(5, 1) != 1 || v.get(5) != nil || (*thriftValue)(nil).get(1) != nil || !refused(func() { v.intOr(4, 0) }) {
		t.Error("fields of a struct")
	}
}

// Plain values fill a page exactly, but for the padding that a writer is known for.
func TestCheckPlain(t *testing.T) {
	text := []byte{2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0}
	for _, c := range []struct {
		width, n int
		b        []byte
		ok       bool
	}{
		{8, 3, make([]byte, 24), true}, {8, 3, make([]byte, 25), false}, {8, 3, make([]byte, 16), false}, {8, 3, make([]byte, 23), false},
		{1, 3, make([]byte, 3), true}, {1, 3, make([]byte, 4), false}, {8, 0, nil, true},
		{-1, 8, make([]byte, 1), true}, {-1, 9, make([]byte, 2), true}, {-1, 9, make([]byte, 1), false}, {-1, 8, make([]byte, 2), false}, {-1, 0, nil, true},
		{0, 2, text, true}, {0, 3, text, false}, {0, 0, nil, true},
	} {
		f := &pageFeed{width: c.width}
		if refused(func() { f.checkPlain(c.b, c.n, "") }) == c.ok {
			t.Errorf("%d values of width %d in %d bytes: want %v", c.n, c.width, len(c.b), c.ok)
		}
		if !c.ok || c.width == 0 { // Arrow finds the end of texts
			continue
		}
		const padding = "\x00\x00\x00"
		for behind, ok := range map[string]bool{"": true, padding: true, padding[1:]: false, padding + "\x00": false, "\x00\x01\x00": false} {
			if refused(func() { f.checkPlain(append(slices.Clone(c.b), behind...), c.n, padding) }) == ok {
				t.Errorf("%d values of width %d with %q behind them: want %v", c.n, c.width, behind, ok)
			}
		}
	}
	values := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	split := make([]byte, 12)
	for i, v := range values {
		split[i%4*3+i/4] = v
	}
	if got := unsplit(split, 4); !slices.Equal(got, values) {
		t.Errorf("%v", got)
	}
}

// Delta-encoded numbers take the bytes that they were written to, no fewer.
func TestCheckDelta(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	for _, n := range []int{1, 2, 32, 33, 128, 129, 130, 257, 1000} {
		const block, minis = 128, 4
		b := binary.AppendUvarint(nil, block)
		b = binary.AppendUvarint(b, minis)
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, 17)
		for left := n - 1; left > 0; left -= block {
			b = binary.AppendUvarint(b, 3)
			widths := make([]byte, minis)
			for i := range widths {
				widths[i] = byte(rng.IntN(65))
			}
			b = append(b, widths...)
			for i, w := range widths {
				if i*block/minis < left {
					b = append(b, make([]byte, block/minis/8*int(w))...)
				}
			}
		}
		if got := checkDelta(append(slices.Clone(b), 9, 9), n); got != len(b) {
			t.Errorf("%d numbers take %d bytes, want %d", n, got, len(b))
		}
		for _, other := range []int{n - 1, n + 1} {
			if !refused(func() { checkDelta(b, other) }) {
				t.Errorf("%d numbers of %d", other, n)
			}
		}
		for cut := range b {
			if whole := len(b) - cut; !refused(func() { checkDelta(b[:cut], n) }) {
				t.Errorf("%d numbers without the last %d bytes", n, whole)
				break
			}
		}
	}
	for _, head := range [][2]uint64{{0, 1}, {64, 1}, {128, 0}, {128, 3}, {128, 8}, {1<<20 + 128, 1}, {128, 256}} {
		b := binary.AppendUvarint(binary.AppendUvarint(nil, head[0]), head[1])
		if !refused(func() { checkDelta(append(b, 1, 0), 1) }) {
			t.Errorf("blocks of %d in %d", head[0], head[1])
		}
	}
	largest := append(binary.AppendUvarint(nil, 1<<20), 1, 1, 0) // a block, and one number without any
	if got := checkDelta(largest, 1); got != len(largest) {
		t.Errorf("blocks of 2²⁰ take %d bytes of %d", got, len(largest))
	}
}

// Two annotations of a column say the same.
func TestCheckAnnotation_Disagreement(t *testing.T) {
	number := func(n int64) thriftValue { return thriftValue{kind: thriftI32, num: n} }
	element := func(old int64, logical ...thriftField) *thriftValue {
		e := &thriftValue{fields: []thriftField{{4, thriftValue{kind: thriftString, bytes: []byte("c")}}, {6, number(old)}, {7, number(2)}, {8, number(9)}}}
		if logical != nil {
			e.fields = append(e.fields, thriftField{10, thriftValue{kind: thriftStruct, fields: logical}})
		}
		return e
	}
	integer := func(bits, signed int64) thriftField {
		return thriftField{10, thriftValue{fields: []thriftField{{1, number(bits)}, {2, thriftValue{kind: thriftTrue, num: signed}}}}}
	}
	decimal := func(scale, precision int64) thriftField {
		return thriftField{5, thriftValue{fields: []thriftField{{1, number(scale)}, {2, number(precision)}}}}
	}
	bare := func(logical thriftField) *thriftValue { // what is not said is 0
		return &thriftValue{fields: []thriftField{{4, thriftValue{kind: thriftString, bytes: []byte("c")}}, {6, number(5)}, {10, thriftValue{kind: thriftStruct, fields: []thriftField{logical}}}}}
	}
	text := thriftField{1, thriftValue{}}
	for k, c := range []struct {
		e  *thriftValue
		ok bool
	}{
		{element(0), true}, {element(21), true}, {element(22), false}, {element(-1), false},
		{element(0, text), true}, {element(4, text), false}, {element(0, text, decimal(1, 1)), false}, {element(0, thriftField{2, thriftValue{}}), false},
		{element(11, integer(8, 0)), true}, {element(14, integer(64, 0)), true}, {element(15, integer(8, 1)), true}, {element(18, integer(64, 1)), true},
		{element(11, integer(16, 0)), false}, {element(11, integer(8, 1)), false}, {element(15, integer(8, 0)), false}, {element(17, integer(16, 1)), false},
		{element(11, thriftField{10, thriftValue{fields: []thriftField{{1, number(8)}}}}), false},
		{bare(decimal(0, 0)), true}, {bare(decimal(1, 0)), false}, {bare(decimal(0, 1)), false},
		{element(5, decimal(2, 9)), true}, {element(5, decimal(3, 9)), false}, {element(5, decimal(2, 8)), false},
	} {
		if refused(func() { checkAnnotation(c.e) }) == c.ok {
			t.Errorf("element %d: %v", k, c.e)
		}
	}
	for _, id := range []int16{0, 11} {
		if !refused(func() {
			checkAnnotation(&thriftValue{fields: []thriftField{{4, thriftValue{bytes: []byte("c")}}, {id, number(1)}}})
		}) {
			t.Errorf("property %d is taken", id)
		}
	}
}

// Values nest as deep as is allowed and no deeper, whatever they nest in.
func TestParseThrift_Depth(t *testing.T) {
	for name, kind := range map[string]byte{"list": thriftList, "set": thriftSet, "map": thriftMap, "struct": thriftStruct} {
		deep := func(levels int) []byte {
			var b, end []byte
			for k := range levels {
				inner := kind
				if k == levels-1 {
					inner = thriftByte
				}
				switch kind {
				case thriftMap: // of one pair, its value the next
					b = append(b, 1, thriftByte<<4|inner, 0)
				case thriftStruct: // of one field
					b = append(b, 1<<4|inner)
					end = append(end, 0)
				default:
					b = append(b, 1<<4|inner)
				}
			}
			return append(append(b, 7), end...)
		}
		for levels := 1; levels <= thriftDepth+3; levels++ {
			r := &thriftReader{b: deep(levels)}
			if got := refused(func() { r.value(kind, 0) }); got != (levels > thriftDepth) {
				t.Errorf("%d of %s in each other: refused %v", levels, name, got)
			} else if !got && r.i != len(r.b) {
				t.Errorf("%d of %s in each other: %d of %d bytes read", levels, name, r.i, len(r.b))
			}
		}
	}
}

// The chunks of columns lie behind the magic number, before the footer and beside one another;
// those of no bytes may be said to be anywhere in the file.
func TestOpen_OverlappingChunks(t *testing.T) {
	const body = 1000
	number := func(n int64) thriftValue { return thriftValue{kind: thriftI64, num: n} }
	root, err := schema.NewGroupNode("schema", pq.Repetitions.Required, schema.FieldList{schema.NewInt32Node("a", pq.Repetitions.Required, -1), schema.NewInt32Node("b", pq.Repetitions.Required, -1)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	sc := schema.NewSchema(root)
	type chunk struct{ from, size, dictionary int64 }
	located := func(rows int64, chunks ...chunk) error {
		group := thriftValue{kind: thriftList}
		for k, c := range chunks {
			md := thriftValue{kind: thriftStruct, fields: []thriftField{
				{1, number(int64(pq.Types.Int32))},
				{3, thriftValue{kind: thriftList, list: []thriftValue{{kind: thriftString, bytes: []byte("ab")[k%2 : k%2+1]}}}},
				{5, number(rows)}, {7, number(c.size)}, {9, number(c.from)}}}
			if c.dictionary != 0 {
				md.fields = append(md.fields, thriftField{11, number(c.dictionary)})
			}
			group.list = append(group.list, thriftValue{kind: thriftStruct, fields: []thriftField{{3, md}}})
		}
		tree := thriftValue{kind: thriftStruct, fields: []thriftField{{3, number(rows)}, {4, thriftValue{kind: thriftList, list: []thriftValue{
			{kind: thriftStruct, fields: []thriftField{{1, group}, {3, number(rows)}}}}}}}}
		var f table.Table
		err := locateChunks(&f, body, &tree, sc, nil)
		if err == nil && int64(f.Rows) != rows {
			t.Errorf("%d rows, not %d", f.Rows, rows)
		}
		return err
	}
	for _, c := range []struct {
		a, b chunk
		says string // empty: they are read
	}{
		{chunk{4, 96, 0}, chunk{100, 900, 0}, ""},
		{chunk{100, 900, 0}, chunk{4, 96, 0}, ""},
		{chunk{4, 97, 0}, chunk{100, 900, 0}, "overlap"},
		{chunk{100, 900, 0}, chunk{4, 97, 0}, "overlap"},
		{chunk{4, 996, 0}, chunk{500, 10, 0}, "overlap"},
		{chunk{4, 50, 0}, chunk{4, 50, 0}, "overlap"},
		{chunk{60, 90, 10}, chunk{100, 9, 0}, ""}, // from the dictionary on
		{chunk{60, 91, 10}, chunk{100, 9, 0}, "overlap"},
		{chunk{0, 90, 10}, chunk{100, 9, 0}, ""},  // the other offset is left at 0
		{chunk{10, 90, 60}, chunk{100, 9, 0}, ""}, // a dictionary behind the values is none
		{chunk{3, 9, 0}, chunk{100, 9, 0}, "not within"},
		{chunk{10, 9, 1}, chunk{100, 9, 0}, "not within"},
		{chunk{100, 9, 0}, chunk{991, 10, 0}, "not within"},
		{chunk{100, 9, 0}, chunk{1001, 0, 0}, "not within"},
		{chunk{100, 9, 0}, chunk{-1, 9, 0}, "not within"},
		{chunk{100, 9, 0}, chunk{50, -1, 0}, "not within"},
		{chunk{4, 996, 0}, chunk{0, 0, 0}, ""},
		{chunk{4, 996, 0}, chunk{500, 0, 0}, ""},
		{chunk{4, 996, 0}, chunk{1000, 0, 0}, ""},
	} {
		err := located(20, c.a, c.b)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("chunks %+v and %+v: %v, not %q", c.a, c.b, err, c.says)
		}
	}
}
