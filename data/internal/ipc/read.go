package ipc

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/drotrain/drotrain/data/internal/table"
)

var ipcMagic = []byte("ARROW1")

// Read makes a table of an Arrow IPC file, or of a stream, which has no magic
// word at its start: of the named columns, nil meaning all, in the order of the
// file. With dates those of dates and timestamps are Numeric, as days. What is
// damaged is a panic with an error, for the caller to guard.
func Read(ctx context.Context, src table.Source, names []string, dates bool) (*table.Table, error) {
	return read(ctx, src, names, false, dates)
}

// ReadExact works like Read with 64-bit integers digit for digit, in [table.Column.Int].
func ReadExact(ctx context.Context, src table.Source, names []string) (*table.Table, error) {
	return read(ctx, src, names, true, false)
}

// read reads as Read does, or as ReadExact.
func read(ctx context.Context, src table.Source, names []string, exact, dates bool) (*table.Table, error) {
	var b []byte
	if memory, ok := src.(interface{ Content() []byte }); ok {
		b = memory.Content()
	}
	if b == nil {
		if err := src.Afford(src.Size(), "to hold the file"); err != nil {
			return nil, err
		}
		b = make([]byte, src.Size())
		if err := table.ReadFull(src, b, 0); err != nil {
			return nil, err
		}
	}
	if bytes.HasPrefix(b, ipcMagic) {
		return readFile(ctx, src, b, names, exact, dates)
	}
	return readStream(ctx, src, b, names, exact, dates)
}

// readStream reads an Arrow IPC stream, which must end with its end mark. Behind it there may
// be zeros alone: what else is there would be passed over.
func readStream(ctx context.Context, src table.Source, b []byte, names []string, exact, dates bool) (*table.Table, error) {
	var messages []*ipcMessage
	at := 0
	for {
		m := cutMessage(b, at)
		if m == nil {
			break
		}
		messages = append(messages, m)
		at = m.end
	}
	if rest := bytes.Trim(bytes.TrimPrefix(b[at:], []byte{0xff, 0xff, 0xff, 0xff}), "\x00"); len(rest) > 0 {
		return nil, &table.Error{Msg: "more comes after the end of the stream", Hint: "give every table a file of its own"}
	}
	if len(messages) == 0 {
		return nil, table.Damaged("it does not start with a schema")
	}
	return readMessages(ctx, src, messages, digestOf(messages[0]), names, exact, dates)
}

// digestOf checks the message of a schema. It panics with an error if the message is another.
func digestOf(m *ipcMessage) schemaDigest {
	if m.kind != msgSchema {
		panic(table.Damaged("it does not start with a schema"))
	}
	t, ok := fbRoot(m.meta).child(2)
	if !ok {
		panic(table.Damaged("it has no schema"))
	}
	return checkSchema(t)
}

// ReadSchema returns the fields of the schema at the start of a stream, as Arrow stores it beside the columns of
// a Parquet file.
func ReadSchema(stream []byte) (fields []arrow.Field, err error) {
	err = table.GuardAs("the fields of the schema", func() error {
		m := cutMessage(stream, 0)
		if m == nil {
			return table.Damaged("it does not start with a schema")
		}
		digestOf(m)
		r, err := newReader(&messageFeed{messages: []*ipcMessage{m}}, newAllocator())
		if err == nil {
			fields = r.Schema().Fields()
		}
		return err
	})
	return fields, err
}

// readFile reads an Arrow IPC file by the blocks its footer lists.
func readFile(ctx context.Context, src table.Source, b []byte, names []string, exact, dates bool) (*table.Table, error) {
	if len(b) < 24 || !bytes.HasSuffix(b, ipcMagic) {
		return nil, table.Damaged("it does not end with ARROW1; it may be truncated")
	}
	tail := len(b) - len(ipcMagic) - 4
	size := binary.LittleEndian.Uint32(b[tail:])
	if uint64(size) > uint64(tail-8) {
		return nil, table.Damaged("its footer is said to be longer than the file; it may be truncated")
	}
	start := tail - int(size)
	footer := fbRoot(b[start:tail])
	schema, ok := footer.child(1)
	if !ok {
		return nil, table.Damaged("its footer has no schema")
	}
	digest := checkSchema(schema)
	body := b[:start]
	head, err := leadingSchema(body, digest.signature)
	if err != nil {
		return nil, err
	}
	messages := []*ipcMessage{schemaMessage(footer.b, schema.at)}
	covered, lowest := int64(0), int64(len(body))
	for _, part := range []struct{ slot, kind int }{{2, msgDictionary}, {3, msgBatch}} {
		at, n := footer.vector(part.slot, 24)
		for i := 0; i < n; i++ {
			from, meta, length := footer.i64(at+24*i), footer.i32(at+24*i+8), footer.i64(at+24*i+16)
			if from < 8 || from >= int64(len(body)) || meta < 8 {
				return nil, table.Damaged("a block is not within the file; it may be truncated")
			}
			m := cutMessage(body, int(from))
			if m == nil || m.kind != part.kind || int64(len(m.body)) != length || int64(m.end)-from != int64(meta)+length {
				return nil, table.Damaged("a block of its footer is not a message of the file")
			}
			covered += int64(meta) + length
			lowest = min(lowest, from)
			messages = append(messages, m)
		}
	}
	// Between the blocks and the footer there may be an end mark and padding only.
	if head == 0 { // the length of the schema is not known
		head = lowest
	}
	if gap := int64(len(body)) - head - covered; gap < 0 || gap > 64+8*int64(len(messages)) {
		return nil, table.Damaged("its footer does not list all of its blocks")
	}
	return readMessages(ctx, src, messages, digest, names, exact, dates)
}

// leadingSchema checks that the schema at the start of a file is that of its
// footer, and returns where it ends: a message, or one without its length, as
// Polars writes it; then the result is 0.
func leadingSchema(body []byte, want string) (end int64, err error) {
	var t fbTable
	if bytes.HasPrefix(body[8:], []byte{0xff, 0xff, 0xff, 0xff}) {
		first := cutMessage(body, 8)
		if first == nil || first.kind != msgSchema {
			return 0, table.Damaged("it does not start with a schema")
		}
		var ok bool
		if t, ok = fbRoot(first.meta).child(2); !ok {
			return 0, table.Damaged("it does not start with a schema")
		}
		end = int64(first.end)
	} else {
		m := fbRoot(body[8:])
		var ok bool
		if t, ok = m.child(2); !ok || m.int8(1) != msgSchema {
			return 0, table.Damaged("it does not start with a schema")
		}
	}
	if checkSchema(t).signature != want {
		return 0, table.Damaged("the schema at its start is not that of its footer")
	}
	return end, nil
}

// schemaMessage wraps the schema at a position of a footer in a message.
func schemaMessage(footer []byte, at int) *ipcMessage {
	const size = 32
	meta := make([]byte, size, size+len(footer))
	le := binary.LittleEndian
	le.PutUint32(meta[0:], 16)                  // the message table
	le.PutUint16(meta[4:], 12)                  // its directory: size,
	le.PutUint16(meta[6:], 12)                  // size of the table,
	le.PutUint16(meta[8:], 8)                   // version,
	le.PutUint16(meta[10:], 10)                 // kind of header,
	le.PutUint16(meta[12:], 4)                  // header; no body
	le.PutUint32(meta[16:], 12)                 // the table: back to its directory
	le.PutUint32(meta[20:], uint32(size+at-20)) // header
	le.PutUint16(meta[24:], 4)                  // version 5
	meta[26] = msgSchema
	return &ipcMessage{kind: msgSchema, meta: append(meta, footer...)}
}

// A decoder makes a table of checked messages: a schema, dictionaries and batches.
type decoder struct {
	src      table.Source
	schema   *arrow.Schema
	digest   schemaDigest
	layouts  map[int64]layout // of the dictionaries, by number
	batches  []batchInfo
	rows     int64
	builders []*arrowBuilder // of the columns that are wanted; nil for others
}

// newReader returns Arrow's reader of messages, which has read their schema.
func newReader(feed *messageFeed, alloc *boundedAllocator) (*ipc.Reader, error) {
	r, err := ipc.NewReaderFromMessageReader(feed, ipc.WithAllocator(alloc))
	if err != nil {
		return nil, table.Damaged("%v", err)
	}
	if r.Schema() == nil {
		return nil, table.Damaged("its schema cannot be read")
	}
	return r, nil
}

// readMessages decodes messages, of which the first is the schema.
func readMessages(ctx context.Context, src table.Source, messages []*ipcMessage, digest schemaDigest, names []string, exact, dates bool) (*table.Table, error) {
	feed := &messageFeed{messages: messages[:1:1]}
	alloc := newAllocator()
	r, err := newReader(feed, alloc)
	if err != nil {
		return nil, err
	}
	d := &decoder{src: src, schema: r.Schema(), digest: digest, layouts: make(map[int64]layout)}
	dictionaries := dictionaryTypes(d.schema.Fields())
	if len(dictionaries) != len(digest.dictionaries) {
		return nil, table.Damaged("its schema lists dictionaries in an unusual way")
	}
	for i, id := range digest.dictionaries {
		if _, have := d.layouts[id]; !have {
			var l layout
			l.add(dictionaries[i])
			d.layouts[id] = l
		}
	}
	if err := d.check(messages[1:], feed, alloc); err != nil {
		return nil, err
	}
	t, err := d.columns(names, exact, dates)
	if err != nil {
		return nil, err
	}
	if err = d.fill(ctx, r); err == nil {
		err = d.finish(t)
	}
	if err != nil {
		for _, b := range d.builders {
			if b != nil && b.vector != nil {
				b.vector.Close()
			}
		}
	}
	return t, err
}

// layout returns how the buffers lie of a batch, or of the dictionary of a number.
func (d *decoder) layout(dictionary int64) (l layout) {
	if dictionary < 0 {
		for _, field := range d.schema.Fields() {
			l.field(field.Type)
		}
		return l
	}
	l, ok := d.layouts[dictionary]
	if !ok {
		panic(table.Damaged("there is a dictionary that no column has"))
	}
	return l
}

// check looks at the lengths in all dictionaries and batches before any is decoded, and hands
// them to the feed of Arrow's reader, which may allocate as much as they hold.
func (d *decoder) check(messages []*ipcMessage, feed *messageFeed, alloc *boundedAllocator) error {
	limit, cells := table.MaxCells(d.src.Size()), int64(0)
	for _, m := range messages {
		if m.kind != msgDictionary && m.kind != msgBatch {
			return table.Damaged("there is a message of unexpected kind %d", m.kind)
		}
		info, m := checkBatch(m, d.digest.flat, limit, d.layout)
		feed.messages = append(feed.messages, m)
		alloc.limit += 2*len(m.body) + int(info.rows) // a buffer is no larger than the bodies, with memory for masks
		if m.kind == msgBatch {
			d.batches = append(d.batches, info)
			d.rows += info.rows
			cells += info.rows * int64(1+len(info.nodes))
			if cells > 4*limit {
				return table.Damaged("%d rows cannot be in a file of this size", d.rows)
			}
		}
	}
	return nil
}

// columns makes the table, without values, and a builder for each of its columns.
func (d *decoder) columns(names []string, exact, dates bool) (*table.Table, error) {
	t := &table.Table{Rows: int(d.rows)}
	var all []string
	for _, field := range d.schema.Fields() {
		all = append(all, field.Name)
	}
	all, t.Notes = table.Distinct(all)
	want, err := table.Wanted(names, all)
	if err != nil {
		return nil, err
	}
	if err := d.src.Afford(8*d.rows*int64(len(all)), "to hold the columns"); err != nil {
		return nil, err
	}
	d.builders = make([]*arrowBuilder, len(all))
	for i, field := range d.schema.Fields() {
		if want == nil || want[all[i]] {
			d.builders[i] = newArrowBuilder(field, t.Rows, exact, dates)
			d.builders[i].out.Name = all[i]
		}
	}
	return t, nil
}

// finish adds the columns to the table.
func (d *decoder) finish(t *table.Table) error {
	for _, b := range d.builders {
		if b == nil {
			continue
		}
		columns, err := b.columns()
		if err != nil {
			return err
		}
		t.Columns = append(t.Columns, columns...)
	}
	return nil
}

// fill decodes the batches.
func (d *decoder) fill(ctx context.Context, r *ipc.Reader) error {
	batch, start := 0, 0
	for r.Next() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rec := r.Record()
		if batch == len(d.batches) || rec.NumRows() != d.batches[batch].rows {
			return table.Damaged("a batch has another number of rows than it says")
		}
		for i, b := range d.builders {
			if b == nil {
				continue
			}
			nulls, err := b.add(rec.Column(i), start)
			if err != nil {
				return table.InColumn(b.out.Name, err)
			}
			if said := d.nulls(batch, i); said >= 0 && said != int64(nulls) && b.out.Kind != table.Other {
				return table.InColumn(b.out.Name, table.Damaged("a batch has %d nulls, not the %d it says", nulls, said))
			}
		}
		start += int(rec.NumRows())
		batch++
	}
	if err := r.Err(); err != nil {
		return table.Damaged("%v", err)
	}
	if batch != len(d.batches) {
		return table.Damaged("%d of %d batches could be read", batch, len(d.batches))
	}
	return nil
}

// nulls returns how many a batch says a column has; −1 where it does not say: a column of nothing
// but nulls has no mask, and those below a column with children are listed between.
func (d *decoder) nulls(batch, column int) int64 {
	if !d.digest.flat || d.schema.Field(column).Type.ID() == arrow.NULL {
		return -1
	}
	return d.batches[batch].nodes[column].nulls
}
