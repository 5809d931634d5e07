package parquet

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/table"
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

// A page is refused whose header contradicts itself, its bytes or its column chunk, by
// whichever of its numbers.
func TestWalkPages_Headers(t *testing.T) {
	body := make([]byte, 40)
	type numbers map[int16]int64
	// size, packed; then of the page's version: values, …
	head := func(kind, size, packed int64, of numbers) []byte {
		v := whole(numbers{1: kind, 2: size, 3: packed})
		at := map[int64]int16{pageData: 5, pageDictionary: 7, pageDataV2: 8}[kind]
		v.fields = append(v.fields, thriftField{at, whole(of)})
		return written(nil, &v)
	}
	v1 := func(values int64) numbers { return numbers{1: values, 2: encPlain, 3: encRLE, 4: encRLE} }
	v2 := func(values, nulls, rows, def, rep int64) numbers {
		return numbers{1: values, 2: nulls, 3: rows, 4: encPlain, 5: def, 6: rep}
	}
	for _, c := range []struct {
		what string
		head []byte
		ok   bool
	}{
		{"version 1", head(pageData, 40, 40, v1(5)), true},
		{"a size below zero", head(pageData, -1, 40, v1(5)), false},
		{"a size beyond what 40 bytes decompress to", head(pageData, 1<<30, 40, v1(5)), false},
		{"bytes below none", head(pageData, 40, -1, v1(5)), false},
		{"bytes beyond the chunk", head(pageData, 40, 41, v1(5)), false},
		{"values below none", head(pageData, 40, 40, v1(-1)), false},
		{"too many values", head(pageData, 40, 40, v1(6)), false},
		{"too few values", head(pageData, 40, 40, v1(4)), false},
		{"an unknown type", head(9, 40, 40, v1(5)), false},
		{"version 2", head(pageDataV2, 40, 40, v2(5, 1, 5, 2, 0)), true},
		{"levels that fill the page", head(pageDataV2, 40, 40, v2(5, 1, 5, 40, 0)), true},
		{"levels below none", head(pageDataV2, 40, 40, v2(5, 1, 5, -1, 0)), false},
		{"repetitions below none", head(pageDataV2, 40, 40, v2(5, 1, 5, 0, -1)), false},
		{"repetitions below none that levels make up for", head(pageDataV2, 40, 40, v2(5, 1, 5, 2, -1)), false},
		{"levels longer than the page", head(pageDataV2, 30, 40, v2(5, 1, 5, 20, 11)), false},
		{"levels longer than its bytes", head(pageDataV2, 50, 40, v2(5, 1, 5, 30, 11)), false},
		{"nulls that are not counted", head(pageDataV2, 40, 40, v2(5, -1, 5, 2, 0)), true},
		{"nulls below none", head(pageDataV2, 40, 40, v2(5, -2, 5, 2, 0)), false},
		{"more nulls than values", head(pageDataV2, 40, 40, v2(5, 6, 5, 2, 0)), false},
		{"rows that are not its values", head(pageDataV2, 40, 40, v2(5, 1, 4, 2, 0)), false},
	} {
		file := append(bytes.Clone(c.head), body...)
		k := &chunk{leaf: &leaf{in: source{bytes.NewReader(file)}}, size: int64(len(file)), codec: codec.Snappy, values: 5}
		var pages []pageHeader
		if no := refused(func() { pages = walkPages(k) }); no == c.ok {
			t.Errorf("%s: refused: %v", c.what, no)
		}
		if c.ok && (len(pages) != 1 || pages[0].values != 5 || pages[0].from != int64(len(c.head))) {
			t.Errorf("%s: %+v", c.what, pages)
		}
	}
}

// A page of nulls alone holds no values, whatever encoding its header names: none of its
// bytes is decoded.
func TestDataPage_NullsAlone(t *testing.T) {
	levels := []byte{6 << 1, 0} // a run of six zeros
	for _, enc := range []int64{encPlain, encRLEDictionary, encDelta, encByteStreamSplit} {
		v2 := pageHeader{kind: pageDataV2, encoding: enc, values: 6, nulls: 6, rows: 6, defLen: len(levels), size: len(levels), packed: len(levels)}
		v1 := pageHeader{kind: pageData, encoding: enc, defEncoding: encRLE, values: 6, size: 4 + len(levels), packed: 4 + len(levels)}
		for _, c := range []struct {
			h pageHeader
			b []byte
		}{{v2, levels}, {v1, append([]byte{byte(len(levels)), 0, 0, 0}, levels...)}} {
			f := &pageFeed{chunk: &chunk{leaf: &leaf{in: source{bytes.NewReader(c.b)}}, codec: codec.None}, width: 8, maxDef: 1, keep: 1, buffers: &table.Buffers{}}
			var page []byte
			size, is := 0, enc
			if refused(func() { page, size, is = f.decompressed(&c.h) }) || is != encPlain || len(page) != size {
				t.Errorf("encoding %d, kind %d: %d bytes, levels of %d, encoding %d", enc, c.h.kind, len(page), size, is)
			}
			for nulls, ok := range map[int]bool{5: false, 1: false, 0: true, -1: true} { // the last two are of writers that do not count
				if c.h.nulls = nulls; c.h.kind == pageDataV2 && refused(func() { f.decompressed(&c.h) }) == ok {
					t.Errorf("encoding %d: a page of six nulls says %d: read %v", enc, nulls, !ok)
				}
			}
		}
	}
}

// A column chunk lies in the file, behind its first mark and before the footer.
func TestOpen_ChunksInFile(t *testing.T) {
	const body = 100
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{schema.NewInt64Node("c", parquet.Repetitions.Required, -1)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, size int64
		ok         bool
	}{{4, 96, true}, {4, 97, false}, {50, 50, true}, {50, 51, false}, {99, 1, true}, {100, 1, false}, {3, 10, false}, {-1, 10, false}, {4, -1, false}, {1 << 62, 1 << 62, false}} {
		md := whole(map[int16]int64{1: int64(parquet.Types.Int64), 4: 0, 5: 2, 7: c.size, 9: c.from})
		path := thriftField{3, thriftValue{kind: thriftList, list: []thriftValue{{kind: thriftString, bytes: []byte("c")}}}}
		md.fields = append(md.fields[:1:1], append([]thriftField{path}, md.fields[1:]...)...)
		column := thriftValue{kind: thriftStruct, fields: []thriftField{{3, md}}}
		group := thriftValue{kind: thriftStruct, fields: []thriftField{{1, thriftValue{kind: thriftList, list: []thriftValue{column}}}, {3, thriftValue{kind: thriftI64, num: 2}}}}
		tree := thriftValue{kind: thriftStruct, fields: []thriftField{{3, thriftValue{kind: thriftI64, num: 2}}, {4, thriftValue{kind: thriftList, list: []thriftValue{group}}}}}
		l := &leaf{}
		var f table.Table
		err := locateChunks(&f, body, &tree, schema.NewSchema(root), []*leaf{l})
		if (err == nil) != c.ok || c.ok && (f.Rows != 2 || len(l.chunks) != 1 || l.chunks[0].from != c.from || l.chunks[0].size != c.size) {
			t.Errorf("%d bytes from %d: %d rows, %v", c.size, c.from, f.Rows, err)
		}
	}
}
