package ipc

import (
	"encoding/binary"
	"io"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/table"
)

// Numbers that the format assigns to kinds of messages.
const (
	msgSchema     = 1
	msgDictionary = 2
	msgBatch      = 3
)

// A rawFile is a file in memory or on disk.
type rawFile interface {
	io.ReaderAt
	Size() int64
}

// A span is a range of bytes of a file.
type span struct{ from, size int64 }

// bytesAt returns the bytes of a span. For a file in memory it returns the bytes of the file, which must not be
// changed; otherwise it returns a copy, in buf if that is large enough. It panics with an error if the bytes cannot
// be read.
func bytesAt(src rawFile, s span, buf []byte) []byte {
	if s.size == 0 {
		return nil
	}
	if memory, ok := src.(interface{ Content() []byte }); ok {
		if b := memory.Content(); b != nil {
			return b[s.from : s.from+s.size : s.from+s.size]
		}
	}
	if int64(cap(buf)) < s.size {
		if err := table.Afford(s.size, "to hold a message of the file"); err != nil {
			panic(err)
		}
		buf = make([]byte, s.size)
	}
	if err := table.ReadFull(src, buf[:s.size], s.from); err != nil {
		panic(err)
	}
	return buf[:s.size]
}

// A message is a message of a stream or a file, with the position of its end.
type message struct {
	src  rawFile
	kind int
	meta []byte
	body span
	end  int64
}

// cutMessage returns the message at a position of a file that ends at limit, or nil at the end marker. It does not
// read the body of the message.
func cutMessage(src rawFile, at, limit int64) *message {
	truncated := func() { panic(table.Damaged("a message ends early; the file may be truncated")) }
	if limit-at < 4 {
		panic(table.Damaged("the end-of-stream marker is missing; the file may be truncated"))
	}
	head := bytesAt(src, span{at, min(8, limit-at)}, nil)
	size := binary.LittleEndian.Uint32(head)
	at += 4
	if size == 0xffffffff {
		if len(head) < 8 {
			truncated()
		}
		size = binary.LittleEndian.Uint32(head[4:])
		at += 4
	}
	if size == 0 {
		return nil
	}
	if int64(size) > limit-at {
		truncated()
	}
	m := &message{src: src, meta: bytesAt(src, span{at, int64(size)}, nil)}
	at += int64(size)
	root := fbRoot(m.meta)
	m.kind = root.int8(1)
	n := root.int64(3)
	if n < 0 || n > limit-at {
		truncated()
	}
	m.body = span{at, n}
	m.end = at + n
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
	src         rawFile
	rows        int64
	dictionary  int64 // number of the dictionary; −1 for a batch of rows
	delta       bool  // the values are appended to those of the same dictionary
	nodes       []node
	buffers     []span
	views       []int // number of variadic buffers, for each column of views
	compression int   // 0 for LZ4, 1 for zstd, −1 for no compression
}

// A node holds the number of values of a field in a batch and the number of nulls, which is −1 if unknown.
type node struct{ length, nulls int64 }

// batch returns the batch in the message after checking its lengths and positions. limit is the maximum length.
func (m *message) batch(limit int64) *batch {
	b := &batch{src: m.src, dictionary: -1, compression: -1}
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
		panic(table.Damaged("%d rows do not fit in a file of this size", b.rows))
	}
	at, n := t.vector(1, 16)
	for i := range n {
		k := node{t.i64(at + 16*i), t.i64(at + 16*i + 8)}
		if k.length < 0 || k.length > limit || k.nulls < -1 || k.nulls > k.length {
			panic(table.Damaged("a column of %d rows with %d nulls does not fit in this file", k.length, k.nulls))
		}
		b.nodes = append(b.nodes, k)
	}
	at, n = t.vector(2, 16)
	end := int64(0) // end of the buffers so far; an empty buffer may state any position
	for i := range n {
		from, size := t.i64(at+16*i), t.i64(at+16*i+8)
		if from < 0 || size < 0 || from > m.body.size || size > m.body.size-from {
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
		b.buffers = append(b.buffers, span{m.body.from + from, size})
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
			panic(table.Damaged("the compression method %d is unknown", b.compression))
		}
		for _, buffer := range b.buffers {
			b.unpackedSize(buffer)
		}
	}
	return b
}

// errParts returns the error of a batch that does not match its schema.
func errParts() error {
	return table.Damaged("a batch has a different number of buffers or columns from its schema")
}

// codec returns the compression of the buffers.
func (b *batch) codec() codec.Codec {
	if b.compression == 1 {
		return codec.Zstd
	}
	return codec.LZ4Frame
}

// unpackedSize returns the decompressed size of a buffer. A compressed buffer begins with this size, or with −1 if
// its bytes are not compressed.
func (b *batch) unpackedSize(buffer span) int64 {
	if b.compression < 0 || buffer.size == 0 {
		return buffer.size
	}
	if buffer.size < 8 {
		panic(table.Damaged("a compressed buffer is too short"))
	}
	head := bytesAt(b.src, span{buffer.from, 8}, nil)
	size, packed := int64(binary.LittleEndian.Uint64(head)), buffer.size-8
	if size == -1 {
		return packed
	}
	if size < 0 || size > packed*int64(b.codec().MaxRatio())+64 {
		panic(table.Damaged("a buffer of %d bytes cannot decompress to %d bytes", packed, size))
	}
	return size
}

// unpack returns the decompressed bytes of a buffer.
func (b *batch) unpack(buffer span) []byte {
	packed := bytesAt(b.src, buffer, nil)
	if b.compression < 0 || len(packed) == 0 {
		return packed
	}
	size := b.unpackedSize(buffer)
	if int64(binary.LittleEndian.Uint64(packed)) == -1 {
		return packed[8:]
	}
	if err := table.Afford(size, "to decompress a buffer"); err != nil {
		panic(err)
	}
	return codec.Decompress(nil, b.codec(), packed[8:], int(size))
}

// unseenRows is the maximum number of rows in a batch whose columns take no bytes, such as columns of nulls.
const unseenRows = 1 << 22

// check panics with an error if the nodes and buffers of the batch do not match the fields, or if it has more rows
// than its buffers can hold.
func (b *batch) check(fields []*field) {
	c := cursor{batch: b}
	held := false
	for _, f := range fields {
		from := c
		if c.skip(f); from.batch.nodes[from.node].length != b.rows {
			panic(table.Damaged("a batch of %d rows has a column with %d rows", b.rows, from.batch.nodes[from.node].length))
		}
		if bits := f.rowBits(); bits > 0 && f.bufferCount() > 1 {
			held = true
			if have := b.unpackedSize(b.buffers[from.buffer+1]); have < (b.rows*bits+7)/8 {
				panic(table.Damaged("%d values do not fit in a buffer of %d bytes", b.rows, have))
			}
		}
	}
	if c.node != len(b.nodes) || c.buffer != len(b.buffers) || c.view != len(b.views) {
		panic(errParts())
	}
	if !held && b.rows > unseenRows {
		panic(table.Damaged("columns without data cannot have %d rows", b.rows))
	}
}

// A cursor iterates over the nodes and buffers of a batch in the order of the fields.
type cursor struct {
	*batch
	node, buffer, view int
}

// nextNode returns the node and the buffers of a field, without those of its children.
func (c *cursor) nextNode(f *field) (n node, buffers []span) {
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
	c.nextNode(f)
	for _, child := range f.children() {
		c.skip(child)
	}
}
