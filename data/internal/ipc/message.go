package ipc

import (
	"encoding/binary"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/table"
)

// Numbers of the format: kinds of messages.
const (
	msgSchema     = 1
	msgDictionary = 2
	msgBatch      = 3
)

// A message is a message of a stream or a file, with its end.
type message struct {
	kind       int
	meta, body []byte
	end        int
}

// cutMessage returns the message at a position of b, or nil at the end marker.
func cutMessage(b []byte, at int) *message {
	truncated := func() { panic(table.Damaged("a message ends early; the file may be truncated")) }
	if len(b)-at < 4 {
		panic(table.Damaged("the end mark is missing; the file may be truncated"))
	}
	size := binary.LittleEndian.Uint32(b[at:])
	at += 4
	if size == 0xffffffff {
		if len(b)-at < 4 {
			truncated()
		}
		size = binary.LittleEndian.Uint32(b[at:])
		at += 4
	}
	if size == 0 {
		return nil
	}
	if uint64(size) > uint64(len(b)-at) {
		truncated()
	}
	m := &message{meta: b[at : at+int(size)]}
	at += int(size)
	root := fbRoot(m.meta)
	m.kind = root.int8(1)
	n := root.int64(3)
	if n < 0 || n > int64(len(b)-at) {
		truncated()
	}
	m.body = b[at : at+int(n)]
	m.end = at + int(n)
	return m
}

// schema returns the schema in the message. It panics with an error if the message is of another type.
func (m *message) schema() *schema {
	t, ok := fbRoot(m.meta).child(2)
	if m.kind != msgSchema || !ok {
		panic(table.Damaged("the file does not start with a schema"))
	}
	return readSchema(t)
}

// A batch is a record batch, or the values of a dictionary, before decoding.
type batch struct {
	rows        int64
	dictionary  int64 // the number of a dictionary; −1 for rows
	delta       bool  // the values of a dictionary follow those before
	nodes       []node
	buffers     [][]byte
	views       []int // by column of views, how many buffers it has beyond the two of its own
	compression int   // 0 for LZ4, 1 for zstd; −1 for none
}

// A node gives the number of values of a field in a batch and the number of nulls, −1 if unknown.
type node struct{ length, nulls int64 }

// batch returns the batch in the message after checking lengths and positions. limit is the largest length.
func (m *message) batch(limit int64) *batch {
	b := &batch{dictionary: -1, compression: -1}
	t, ok := fbRoot(m.meta).child(2)
	if ok && m.kind == msgDictionary {
		if b.dictionary, b.delta = t.int64(0), t.int8(2) != 0; b.dictionary < 0 {
			panic(table.Damaged("a dictionary belongs to no column"))
		}
		t, ok = t.child(1)
	}
	if !ok {
		panic(table.Damaged("a message lacks its header"))
	}
	if b.rows = t.int64(0); b.rows < 0 || b.rows > limit {
		panic(table.Damaged("%d rows cannot be in a file of this size", b.rows))
	}
	at, n := t.vector(1, 16)
	for i := range n {
		k := node{t.i64(at + 16*i), t.i64(at + 16*i + 8)}
		if k.length < 0 || k.length > limit || k.nulls < -1 || k.nulls > k.length {
			panic(table.Damaged("a column of %d rows with %d nulls cannot be in this file", k.length, k.nulls))
		}
		b.nodes = append(b.nodes, k)
	}
	at, n = t.vector(2, 16)
	end := int64(0) // of the buffers so far; those of no bytes may be said to be anywhere
	for i := range n {
		from, size := t.i64(at+16*i), t.i64(at+16*i+8)
		if from < 0 || size < 0 || from > int64(len(m.body)) || size > int64(len(m.body))-from {
			panic(table.Damaged("a buffer lies outside its message"))
		}
		if size > 0 {
			if from%8 != 0 {
				panic(table.Damaged("a buffer is not aligned to 8 bytes"))
			}
			if from < end {
				panic(table.Damaged("buffers overlap"))
			}
			end = from + size
		}
		b.buffers = append(b.buffers, m.body[from:from+size])
	}
	at, n = t.vector(4, 8)
	for i := range n {
		views := t.i64(at + 8*i)
		if views < 0 || views > int64(len(b.buffers)) {
			panic(errParts())
		}
		b.views = append(b.views, int(views))
	}
	if c, compressed := t.child(3); compressed {
		if b.compression = c.int8(0); b.compression != 0 && b.compression != 1 || c.int8(1) != 0 {
			panic(table.Damaged("compression %d is unknown", b.compression))
		}
		for _, buffer := range b.buffers {
			b.unpackedSize(buffer)
		}
	}
	return b
}

func errParts() error {
	return table.Damaged("the number of parts of a batch differs from its schema")
}

// codec returns the compression of the buffers.
func (b *batch) codec() codec.Codec {
	if b.compression == 1 {
		return codec.Zstd
	}
	return codec.LZ4Frame
}

// unpackedSize returns the decompressed size of a buffer, which a compressed buffer stores first; −1 there
// means that it is not compressed.
func (b *batch) unpackedSize(buffer []byte) int64 {
	if b.compression < 0 || len(buffer) == 0 {
		return int64(len(buffer))
	}
	if len(buffer) < 8 {
		panic(table.Damaged("a compressed buffer is too short"))
	}
	size, packed := int64(binary.LittleEndian.Uint64(buffer)), int64(len(buffer)-8)
	if size == -1 {
		return packed
	}
	if size < 0 || size > packed*int64(b.codec().MaxRatio())+64 {
		panic(table.Damaged("a buffer of %d bytes cannot decompress to %d", packed, size))
	}
	return size
}

// unpack returns the decompressed bytes of a buffer.
func (b *batch) unpack(buffer []byte) []byte {
	if b.compression < 0 || len(buffer) == 0 {
		return buffer
	}
	size := b.unpackedSize(buffer)
	if int64(binary.LittleEndian.Uint64(buffer)) == -1 {
		return buffer[8:]
	}
	if err := table.Afford(size, "to decompress a buffer"); err != nil {
		panic(err)
	}
	return codec.Decompress(nil, b.codec(), buffer[8:], int(size))
}

// unseenRows is the largest number of rows of a batch whose columns take no bytes, such as columns of nulls.
const unseenRows = 1 << 22

// check panics with an error if the batch does not list the parts of these fields, or has more rows than its
// buffers can hold.
func (b *batch) check(fields []*field) {
	c := cursor{batch: b}
	held := false
	for _, f := range fields {
		from := c
		if c.skip(f); from.batch.nodes[from.node].length != b.rows {
			panic(table.Damaged("a batch of %d rows has a column with %d", b.rows, from.batch.nodes[from.node].length))
		}
		if bits := f.rowBits(); bits > 0 && f.bufferCount() > 1 {
			held = true
			if have := b.unpackedSize(b.buffers[from.buffer+1]); have < (b.rows*bits+7)/8 {
				panic(table.Damaged("%d values cannot be in a buffer of %d bytes", b.rows, have))
			}
		}
	}
	if c.node != len(b.nodes) || c.buffer != len(b.buffers) || c.view != len(b.views) {
		panic(errParts())
	}
	if !held && b.rows > unseenRows {
		panic(table.Damaged("%d rows cannot be in columns without data", b.rows))
	}
}

// A cursor iterates over the nodes and buffers of a batch in the order of the fields.
type cursor struct {
	*batch
	node, buffer, view int
}

// take returns the node and the buffers of a field, without those of its children.
func (c *cursor) take(f *field) (n node, buffers [][]byte) {
	count := f.bufferCount()
	if f.Dictionary < 0 && (f.Type == typeTextView || f.Type == typeView) {
		if c.view >= len(c.views) {
			panic(errParts())
		}
		count += c.views[c.view]
		c.view++
	}
	if c.node >= len(c.nodes) || count > len(c.buffers)-c.buffer {
		panic(errParts())
	}
	n, buffers = c.nodes[c.node], c.buffers[c.buffer:c.buffer+count]
	c.node++
	c.buffer += count
	return n, buffers
}

// skip skips a field and its children.
func (c *cursor) skip(f *field) {
	c.take(f)
	for _, child := range f.children() {
		c.skip(child)
	}
}
