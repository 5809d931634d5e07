package parquet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A chunk is one column of one row group.
type chunk struct {
	leaf       *leaf
	from, size int64 // position and size in the file
	codec      codec.Codec
	values     int
	pages      []pageHeader
}

// A leaf is a readable column of a file.
type leaf struct {
	in     intake.Source
	index  int // index among the leaf columns of the file
	descr  *schema.Column
	how    converter
	chunks []*chunk // one chunk for each row group
	out    *table.Column
	lists  bool  // lists of floats, which may be vectors, or of the indices or values of entries
	values *leaf // for a leaf of indices, the leaf of the values
	second bool  // the leaf is the values of another leaf, with which it is read

	padding string // bytes that the writer appends to the plain values of a page; may be empty
}

// Open returns a table of a file with the named columns, in the order of the file, without reading their values,
// except those of vectors; nil names means all columns. If dates is set, dates and timestamps become Numeric, in days.
// If exact is set, columns that have a [table.ExactType] are read as bits or texts.
func Open(ctx context.Context, in intake.Source, names []string, dates, exact bool) (t *intake.Table, err error) {
	err = intake.Guard(func() (err error) { t, err = open(ctx, in, names, dates, exact); return err })
	return t, err
}

// open works like Open without recovering from panics.
func open(ctx context.Context, in intake.Source, names []string, dates, exact bool) (*intake.Table, error) {
	footer, err := parquetFooter(in)
	if err != nil {
		return nil, err
	}
	tree, n := parseThrift(footer)
	if n != len(footer) {
		return nil, table.Damaged("the size of the footer differs from the size that the file states")
	}
	checkSchemaTree(tree.fieldByID(2))
	meta, err := metadataOf(footer)
	if err != nil {
		return nil, err
	}
	f, leaves, err := columnsOf(in, meta, names, dates, exact)
	if err != nil {
		return nil, err
	}
	if err := locateChunks(f, in.Size()-8-int64(len(footer)), &tree, meta.Schema, leaves); err != nil {
		return nil, err
	}
	if stored := meta.KeyValueMetadata().FindValue(intake.PandasKey); stored != nil {
		intake.MarkIndexes(f.Columns, *stored)
	}
	// All page headers are read before memory is allocated according to the number of rows.
	for _, l := range leaves {
		if err := l.readPageHeaders(); err != nil {
			return nil, intake.InColumn(l.out.Name, err)
		}
	}
	for _, l := range leaves {
		if !l.lists || l.second {
			continue
		}
		var columns []*table.Column
		var err error
		if l.values != nil {
			columns, err = l.readEntries(ctx, f.Rows)
		} else {
			columns, err = l.readVectors(f.Rows)
		}
		if err != nil {
			return nil, intake.InColumn(l.out.Name, err)
		}
		at := slices.Index(f.Columns, l.out)
		f.Columns = slices.Replace(f.Columns, at, at+1, columns...)
	}
	return f, nil
}

// metadataOf parses a footer with Arrow's parser.
func metadataOf(footer []byte) (meta *metadata.FileMetaData, err error) {
	err = intake.GuardAs("the types in the footer", func() (err error) {
		if meta, err = metadata.NewFileMetaData(footer, nil); err != nil {
			err = table.Damaged("the footer cannot be read: %v", err)
		}
		return err
	})
	if err == nil && meta.IsSetEncryptionAlgorithm() {
		err = &table.Error{Msg: "encrypted Parquet files are not supported", Hint: "write the file again without " +
			"encryption"}
	}
	return meta, err
}

// columnsOf returns a table with the requested columns of a file, and the leaves of those columns that can be read.
func columnsOf(
	in intake.Source, meta *metadata.FileMetaData, names []string, dates, exact bool,
) (*intake.Table, []*leaf, error) {
	f := &intake.Table{}
	root := meta.Schema.Root()
	var tops []string
	for i := range root.NumFields() {
		tops = append(tops, root.Field(i).Name())
	}
	tops, f.Notes = intake.MakeUnique(tops)
	want, err := intake.CheckWanted(names, tops)
	if err != nil {
		return nil, nil, err
	}
	arrowTypes := readArrowTypes(meta)
	padding := ""
	if strings.HasPrefix(meta.GetCreatedBy(), "fastparquet") {
		padding = "\x00\x00\x00\x00\x00\x00\x00\x00"
	}
	var leaves []*leaf
	at := 0 // index of the leaf
	for i := range root.NumFields() {
		node := root.Field(i)
		first := at
		for at < meta.Schema.NumColumns() && meta.Schema.ColumnRoot(at) == node {
			at++
		}
		if want != nil && !want[tops[i]] {
			continue
		}
		col := &table.Column{Name: tops[i]}
		if !utf8.ValidString(col.Name) {
			return nil, nil, table.Damaged("a column name is not UTF-8 text: %q", col.Name)
		}
		f.Columns = append(f.Columns, col)
		l := &leaf{in: in, index: first, descr: meta.Schema.Column(first), padding: padding, out: col}
		if node.Type() == schema.Group || node.RepetitionType() == parquet.Repetitions.Repeated {
			col.Type = groupType(node)
			if l.lists = col.Type == "list" && at == first+1 && listsFloats(l.descr); l.lists {
				leaves = append(leaves, l)
			} else if values := l.entriesWith(meta.Schema, at); col.Type == "list" && values != nil {
				leaves = append(leaves, l, values)
			}
			continue
		}
		l.how = converterFor(l.descr, dates)
		e, ok := table.ParseExactType(arrowTypes[col.Name])
		if l.how.zoned {
			col.Zone = cmp.Or(e.Zone, intake.UTC)
		}
		if exact {
			l.how = withExactValues(l.descr, l.how, arrowTypes[col.Name])
		} else if ok && e.Form == table.DurationForm && l.how.name == "int64" {
			l.how = converter{name: intake.Duration, kind: table.Numeric, number: divideBy(float64(e.PerSecond))}
		}
		col.Type, col.Kind, col.Integer, col.Clock = l.how.name, l.how.kind, l.how.integer, l.how.clock
		if col.Kind != table.Other {
			leaves = append(leaves, l)
		}
	}
	return f, leaves, nil
}

// readPageHeaders reads the page headers of all chunks of a leaf and sets the chunks as the parts of its column.
func (l *leaf) readPageHeaders() error {
	parts := make([]table.Part, 0, len(l.chunks))
	for _, c := range l.chunks {
		if err := c.codec.Check(); err != nil {
			return err
		}
		if err := intake.Guard(func() error { c.pages = walkPages(c); return nil }); err != nil {
			return err
		}
		parts = append(parts, c)
	}
	if !l.lists {
		l.out.Parts = parts
	}
	return nil
}

// parquetFooter reads the footer of a file.
func parquetFooter(in intake.Source) ([]byte, error) {
	if in.Size() < 12 {
		return nil, table.Damaged("the file is too short to be Parquet; it may be truncated")
	}
	tail := make([]byte, 8)
	if err := table.ReadFull(in, tail, in.Size()-8); err != nil {
		return nil, err
	}
	if bytes.Equal(tail[4:], []byte("PARE")) {
		return nil, &table.Error{Msg: "encrypted Parquet files are not supported", Hint: "write the file again without " +
			"encryption"}
	}
	if !bytes.Equal(tail[4:], []byte("PAR1")) {
		return nil, table.Damaged("the file does not end with PAR1; it may be truncated")
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	if size > in.Size()-12 {
		return nil, table.Damaged("the footer is longer than the file, which may be truncated")
	}
	footer := make([]byte, size)
	return footer, table.ReadFull(in, footer, in.Size()-8-size)
}

// checkSchemaTree panics with an error unless the flat list of schema elements describes a tree and the old and new
// type annotations agree.
func checkSchemaTree(v *thriftValue) {
	if v == nil || len(v.list) == 0 {
		panic(table.Damaged("the footer has no schema"))
	}
	at := 0
	var walk func(depth int)
	walk = func(depth int) {
		if depth > 64 || at >= len(v.list) {
			panic(table.Damaged("the schema is not a tree"))
		}
		e := &v.list[at]
		at++
		children := e.intOr(5, 0)
		if children < 0 || children > int64(len(v.list)-at) {
			panic(table.Damaged("the schema is not a tree"))
		}
		if e.fieldByID(4) == nil {
			panic(table.Damaged("a column of the schema has no name"))
		}
		if depth > 0 && children == 0 && e.fieldByID(1) == nil {
			panic(table.Damaged("a column of the schema has no type"))
		}
		if r := e.fieldByID(3); depth > 0 && (r == nil || r.kind != thriftI32 || r.num < 0 || r.num > 2) {
			panic(table.Damaged("the schema does not state whether column %q may have nulls", e.fieldByID(4).bytes))
		}
		checkAnnotation(e)
		for i := int64(0); i < children; i++ {
			walk(depth + 1)
		}
	}
	walk(0)
	if at != len(v.list) {
		panic(table.Damaged("the schema is not a tree"))
	}
}

// annotations maps old type annotations to field numbers in the newer union of logical types; 0 means that there is
// none.
var annotations = [...]int16{1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 10, 10, 10, 10, 10, 10, 10, 10, 12, 13, 0}

// checkAnnotation panics with an error if the old and new annotations of a schema element contradict each other.
func checkAnnotation(e *thriftValue) {
	for _, f := range e.fields {
		if f.id < 1 || f.id > 10 { // an unknown annotation may change the meaning of the values
			panic(table.Damaged("column %q has the unknown property number %d", e.fieldByID(4).bytes, f.id))
		}
	}
	old, logical := e.fieldByID(6), e.fieldByID(10)
	if old == nil {
		return
	}
	ok := old.num >= 0 && int(old.num) < len(annotations)
	if ok && logical != nil {
		id := annotations[old.num]
		member := logical.fieldByID(id)
		ok = member != nil && len(logical.fields) == 1
		// width and sign of integers: the old annotations 11 to 14 are unsigned with 8 to 64 bits, 15 to 18
		// signed
		if ok && id == 10 {
			k := old.num - 11
			signed := member.fieldByID(2)
			ok = member.intOr(1, 0) == 8<<(k%4) && signed != nil && (signed.num == 1) == (k >= 4)
		}
		if ok && id == 5 {
			ok = member.intOr(1, 0) == e.intOr(7, 0) && member.intOr(2, 0) == e.intOr(8, 0)
		}
	}
	if !ok {
		panic(table.Damaged("the type of column %q is annotated in two ways that disagree", e.fieldByID(4).bytes))
	}
}

// locateChunks finds and checks the column chunks of the leaves, and sets the number of rows. body is the size in
// bytes of the file without its footer.
func locateChunks(f *intake.Table, body int64, tree *thriftValue, sc *schema.Schema, leaves []*leaf) error {
	groups := tree.fieldByID(4)
	total := tree.int(3)
	if total > intake.MaxCells(body)/int64(max(1, len(leaves))) {
		return table.Damaged("%d rows of %d columns do not fit in a file of this size", total, len(leaves))
	}
	if groups == nil {
		return table.Damaged("the footer has no list of row groups")
	}
	type span struct{ from, to int64 }
	var spans []span
	var sum int64
	for g := range groups.list {
		group := &groups.list[g]
		rows := group.int(3)
		if rows < 0 || rows > total-sum {
			return table.Damaged("row group %d has %d rows according to the footer, which is not possible", g, rows)
		}
		sum += rows
		cols := group.fieldByID(1)
		if cols == nil || len(cols.list) != sc.NumColumns() {
			return table.Damaged("row group %d has a different number of columns from the schema", g)
		}
		next := 0
		for i := range cols.list {
			md := cols.list[i].fieldByID(3)
			if md == nil {
				return table.Damaged("a column of row group %d lacks its metadata", g)
			}
			if p := cols.list[i].fieldByID(1); p != nil && len(p.bytes) > 0 {
				return &table.Error{Msg: "Parquet files whose column data are in other files are not supported",
					Hint: "write the table to one file"}
			}
			descr := sc.Column(i)
			if md.int(1) != int64(descr.PhysicalType()) || pathOf(md.fieldByID(3)) != descr.Path() {
				return table.Damaged("column %q of row group %d contradicts the schema", descr.Path(), g)
			}
			from, size := md.int(9), md.int(7)
			if d := md.intOr(11, 0); d > 0 && (d < from || from == 0) {
				// position of the dictionary; some writers set the other position to 0 if there are
				// no values
				from = d
			}
			if size < 0 || from < 0 || size > 0 && from < 4 || from > body || size > body-from {
				return table.Damaged("column %q of row group %d lies outside the file, which may be truncated", descr.Path(), g)
			}
			if size > 0 {
				spans = append(spans, span{from, from + size})
			}
			values := md.int(5)
			if descr.MaxRepetitionLevel() == 0 && values != rows {
				return table.Damaged("column %q of row group %d has %d values for %d rows", descr.Path(), g, values, rows)
			}
			if next < len(leaves) && leaves[next].index == i {
				l := leaves[next]
				l.chunks = append(l.chunks, &chunk{leaf: l, from: from, size: size, codec: codec.Codec(md.int(4)),
					values: int(values)})
				next++
			}
		}
	}
	if sum != total {
		return table.Damaged("the row groups have %d rows in all, but the footer states %d", sum, total)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return table.Damaged("column data overlap")
		}
	}
	f.Rows = int(total)
	return nil
}

// pathOf returns the path of a column in the schema, with points between its parts.
func pathOf(v *thriftValue) string {
	if v == nil {
		return ""
	}
	parts := make([]string, len(v.list))
	for i := range v.list {
		parts[i] = string(v.list[i].bytes)
	}
	return strings.Join(parts, ".")
}
