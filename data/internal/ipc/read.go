package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"reflect"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

var ipcMagic = []byte("ARROW1")

// Read returns a table with the named columns of an Arrow IPC file or stream, in the order of the file; nil names
// means all columns. A stream is recognised by the absence of the magic number. The values of columns other than
// vectors stay in the file. If dates is set, dates and timestamps become Numeric, in days. If exact is set, columns
// that have a [table.ExactType] are read as bits or texts. It panics with an error if the file is damaged; the caller must recover.
func Read(ctx context.Context, src intake.Source, names []string, exact, dates bool) (*intake.Table, error) {
	cut := cutStream
	if bytes.Equal(bytesAt(src, span{0, min(src.Size(), int64(len(ipcMagic)))}, nil), ipcMagic) {
		cut = cutFile
	}
	s, messages, err := cut(src)
	if err != nil {
		return nil, err
	}
	d := &decoder{src: src, schema: s, dictionaries: map[int64]*table.Column{}}
	for _, f := range s.Fields {
		d.addDictionaries(f)
	}
	if err := d.check(messages); err != nil {
		return nil, err
	}
	return d.table(ctx, names, exact, dates)
}

// cutStream returns the schema and the other messages of an Arrow IPC stream. The stream must end with its end
// marker, followed only by zeros.
func cutStream(src rawFile) (*schema, []*message, error) {
	var messages []*message
	at := int64(0)
	for {
		m := cutMessage(src, at, src.Size())
		if m == nil {
			break
		}
		messages = append(messages, m)
		at = m.end
	}
	mark := bytesAt(src, span{at, 4}, nil)
	if bytes.Equal(mark, []byte{0xff, 0xff, 0xff, 0xff}) {
		at += 4
	}
	const piece = 1 << 20
	for buf := []byte(nil); at < src.Size(); at += piece {
		buf = bytesAt(src, span{at, min(piece, src.Size()-at)}, buf)
		if len(bytes.Trim(buf, "\x00")) > 0 {
			return nil, nil, &table.Error{Msg: "the file continues after the end of the Arrow stream",
				Hint: "write every table to its own file"}
		}
	}
	if len(messages) == 0 {
		return nil, nil, table.Damaged("the file does not start with a schema")
	}
	return messages[0].schema(), messages[1:], nil
}

// cutFile returns the schema of an Arrow IPC file and the messages that its footer lists.
func cutFile(src rawFile) (*schema, []*message, error) {
	end := src.Size() - int64(len(ipcMagic)) - 4 // offset of the end of the footer
	var tail []byte
	if src.Size() >= 24 {
		tail = bytesAt(src, span{end, int64(len(ipcMagic)) + 4}, nil)
	}
	if !bytes.HasSuffix(tail, ipcMagic) {
		return nil, nil, table.Damaged("the file does not end with ARROW1; it may be truncated")
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	if size > end-8 {
		return nil, nil, table.Damaged("the footer is longer than the file, which may be truncated")
	}
	start := end - size
	footer := fbRoot(bytesAt(src, span{start, size}, nil))
	t, ok := footer.child(1)
	if !ok {
		return nil, nil, table.Damaged("the footer has no schema")
	}
	s := readSchema(t)
	leading, head := leadingSchema(src, start, 2*size+1<<16)
	if !reflect.DeepEqual(leading, s) {
		return nil, nil, table.Damaged("the schema at the start of the file differs from the schema in its footer")
	}
	var messages []*message
	covered, lowest := int64(0), start
	for _, part := range []struct{ slot, kind int }{{2, msgDictionary}, {3, msgBatch}} {
		at, n := footer.vector(part.slot, 24)
		for i := range n {
			from, meta, length := footer.i64(at+24*i), footer.i32(at+24*i+8), footer.i64(at+24*i+16)
			if from < 8 || from >= start || meta < 8 {
				return nil, nil, table.Damaged("a block lies outside the file, which may be truncated")
			}
			m := cutMessage(src, from, start)
			if m == nil || m.kind != part.kind || m.body.size != length || m.end-from != int64(meta)+length {
				return nil, nil, table.Damaged("a block in the footer is not a message")
			}
			covered += int64(meta) + length
			lowest = min(lowest, from)
			messages = append(messages, m)
		}
	}
	// Only an end marker and padding may lie between the blocks and the footer.
	if head == 0 { // the length of the schema is unknown
		head = lowest
	}
	if gap := start - head - covered; gap < 0 || gap > 64+8*int64(len(messages)+1) {
		return nil, nil, table.Damaged("the footer does not list all blocks")
	}
	return s, messages, nil
}

// leadingSchema returns the schema at the start of a file, whose footer begins at limit, and the position at which
// the schema ends. Polars writes the schema without its length; the schema is then taken from at most the given
// number of bytes, and the position is 0.
func leadingSchema(src rawFile, limit, most int64) (s *schema, end int64) {
	begin := bytesAt(src, span{8, max(0, min(4, limit-8))}, nil)
	if !bytes.Equal(begin, []byte{0xff, 0xff, 0xff, 0xff}) {
		meta := bytesAt(src, span{8, max(0, min(most, limit-8))}, nil)
		return (&message{kind: fbRoot(meta).int8(1), meta: meta}).schema(), 0
	}
	first := cutMessage(src, 8, limit)
	if first == nil {
		panic(table.Damaged("the file does not start with a schema"))
	}
	return first.schema(), first.end
}

// A decoder decodes the dictionaries and batches of a schema.
type decoder struct {
	src          intake.Source
	schema       *schema
	values       map[int64]*field // types of the values of dictionaries, by number
	batches      []*batch
	rows         int64
	dictionaries map[int64]*table.Column // dictionaries as defined by the batches decoded so far
}

// addDictionaries adds the dictionaries of a field and of its children.
func (d *decoder) addDictionaries(f *field) {
	if f.Dictionary >= 0 {
		value := *f
		value.Dictionary, value.Name = -1, "value"
		if d.values == nil {
			d.values = map[int64]*field{}
		}
		if _, have := d.values[f.Dictionary]; !have {
			d.values[f.Dictionary] = &value
		}
	}
	for _, child := range f.Children {
		d.addDictionaries(child)
	}
}

// fieldsOf returns the fields whose values b holds: all fields, or the one field of a dictionary batch.
func (d *decoder) fieldsOf(b *batch) []*field {
	if b.dictionary < 0 {
		return d.schema.Fields
	}
	f := d.values[b.dictionary]
	if f == nil {
		panic(table.Damaged("a dictionary belongs to no column"))
	}
	return []*field{f}
}

// check checks the lengths in all dictionaries and batches before any of them is decoded.
func (d *decoder) check(messages []*message) error {
	limit, cells := intake.MaxCells(d.src.Size()), int64(0)
	for _, m := range messages {
		if m.kind != msgDictionary && m.kind != msgBatch {
			return table.Damaged("a message has the unexpected kind %d", m.kind)
		}
		b := m.batch(limit)
		b.check(d.fieldsOf(b))
		d.batches = append(d.batches, b)
		if b.dictionary < 0 {
			d.rows += b.rows
			cells += b.rows * int64(1+len(b.nodes))
			if cells > 4*limit {
				return table.Damaged("%d rows do not fit in a file of this size", d.rows)
			}
		}
	}
	return nil
}

// table decodes the batches.
func (d *decoder) table(ctx context.Context, names []string, exact, dates bool) (t *intake.Table, err error) {
	t = &intake.Table{Rows: int(d.rows)}
	all := make([]string, len(d.schema.Fields))
	for i, f := range d.schema.Fields {
		all[i] = f.Name
	}
	all, t.Notes = intake.MakeUnique(all)
	want, err := intake.CheckWanted(names, all)
	if err != nil {
		return nil, err
	}
	builders := make([]*builder, len(all))
	for i, f := range d.schema.Fields {
		if want == nil || want[all[i]] {
			b := newBuilder(f, all[i], t.Rows, exact, dates)
			b.limit = func() error { return b.sparse.Limit(ctx, d.src) }
			builders[i] = b
		}
	}
	defer func() {
		for _, b := range builders {
			if err != nil && b != nil && b.vector != nil {
				b.vector.Close()
			}
		}
	}()
	start := 0
	for _, b := range d.batches {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if b.dictionary >= 0 {
			if err := d.addValues(b); err != nil {
				return nil, err
			}
			continue
		}
		c := &cursor{batch: b}
		for i, f := range d.schema.Fields {
			if builders[i] == nil {
				c.skip(f)
				continue
			}
			err := intake.GuardAs("the lengths and values of a batch", func() error {
				if how := (storing{d.src, all[i], exact, dates}); f.canStayInFile(builders[i].out.Kind) {
					builders[i].out.Parts = append(builders[i].out.Parts, how.cutParts(c, f, d.dictionaries[f.Dictionary])...)
				} else {
					builders[i].addValues(c, start, d.dictionaries)
				}
				return nil
			})
			if err != nil {
				return nil, intake.InColumn(all[i], err)
			}
		}
		start += int(b.rows)
	}
	for i, b := range builders {
		if b == nil {
			continue
		}
		if b.out.Parts == nil && d.schema.Fields[i].canStayInFile(b.out.Kind) {
			b.out.Parts = []table.Part{} // there are no rows
		}
		columns, err := b.columns()
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, columns...)
	}
	for i := 0; i+1 < len(d.schema.Metadata); i += 2 {
		if d.schema.Metadata[i] == intake.PandasKey {
			intake.MarkIndexes(t.Columns, d.schema.Metadata[i+1])
		}
	}
	return t, nil
}

// addValues decodes a dictionary, or values appended to it.
func (d *decoder) addValues(b *batch) error {
	f, before := d.values[b.dictionary], d.dictionaries[b.dictionary]
	if !b.delta || before == nil {
		before = &table.Column{}
	}
	return intake.GuardAs("the values of a dictionary", func() error {
		rows := before.Len() + int(b.rows)
		if err := table.Afford(8*int64(rows), "to hold a dictionary"); err != nil {
			return err
		}
		w := newBuilder(f, f.Name, rows, true, true)
		w.vector, w.sparse = nil, nil
		w.allocate(rows)
		copy(w.out.Number, before.Number)
		copy(w.out.Code, before.Code)
		w.out.InexactRow = before.InexactRow
		for _, text := range before.Level {
			w.levels.Code(text)
		}
		for i := range before.Null {
			if before.Null[i] {
				w.setNull(i)
			}
		}
		w.addValues(&cursor{batch: b}, before.Len(), nil)
		if w.out.Kind == table.Categorical {
			w.out.Level = w.levels.Text
		}
		d.dictionaries[b.dictionary] = w.out
		return nil
	})
}
