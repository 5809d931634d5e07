package ipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/table"
)

// Arrow's IPC reader trusts lengths, so messages are taken apart and checked
// here before it sees them, and compressed bodies are decompressed here.

// Numbers of the format: kinds of messages and types.
const (
	msgSchema     = 1
	msgDictionary = 2
	msgBatch      = 3

	fbTypeInt     = 2
	fbTypeDecimal = 7
	fbTypeUnion   = 14
)

// An ipcMessage is a message and where it ends.
type ipcMessage struct {
	kind       int
	meta, body []byte
	end        int
}

// cutMessage takes the message at a position of b. It is nil at an end mark.
func cutMessage(b []byte, at int) *ipcMessage {
	truncated := func() { panic(table.Damaged("a message ends early; it may be truncated")) }
	if len(b)-at < 4 {
		panic(table.Damaged("it ends without its end mark; it may be truncated"))
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
	m := &ipcMessage{meta: b[at : at+int(size)]}
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

// A schemaDigest is what the checks need of a schema.
type schemaDigest struct {
	signature    string  // the same for equal schemas
	flat         bool    // no field has children
	dictionaries []int64 // their numbers, in the order of the fields
}

// checkSchema checks a schema's lengths.
func checkSchema(t fbTable) (d schemaDigest) {
	var s strings.Builder
	d.flat = true
	left := len(t.b) / 4 // no more fields than that can be there
	metadata := func(t fbTable, slot int) {
		at, n := t.vector(slot, 4)
		for i := 0; i < n; i++ {
			kv := t.table(at + 4*i)
			fmt.Fprintf(&s, " %q=%q", kv.text(0), kv.text(1))
		}
	}
	var field func(t fbTable, depth int)
	field = func(t fbTable, depth int) {
		if left--; depth > 32 || left < 0 {
			fbFail()
		}
		kind := t.int8(2)
		fmt.Fprintf(&s, "%q %d %d", t.text(0), t.int8(1), kind)
		if typ, ok := t.child(3); ok {
			if kind == fbTypeInt {
				checkBool(typ, 1)
			}
			if bits := typ.int32(2, 128); kind == fbTypeDecimal && (bits == 32 || bits == 64) {
				panic(&table.Error{Column: t.text(0), Msg: fmt.Sprintf("decimals of %d bits are not supported", bits),
					Hint: "store the column as decimals of 128 bits or as doubles"})
			}
			if kind == fbTypeUnion {
				typ.vector(1, 4)
			}
			for slot := 0; slot < 4; slot++ {
				if f := typ.field(slot); f >= 0 {
					end := min(f+4, len(typ.b))
					fmt.Fprintf(&s, " %d", typ.b[f])
					if kind == 7 || kind == 15 || kind == 16 { // decimal, fixed-size binary, fixed-size list: 32-bit numbers
						fmt.Fprintf(&s, " %x", typ.b[f:end])
					}
				}
			}
		}
		if dict, ok := t.child(4); ok {
			d.dictionaries = append(d.dictionaries, dict.int64(0))
			fmt.Fprintf(&s, " dict %d", dict.int64(0))
			if index, ok := dict.child(1); ok {
				checkBool(index, 1)
				fmt.Fprintf(&s, " %d %d", index.int32(0, 0), index.int8(1))
			}
		}
		at, n := t.vector(5, 4)
		if n > 0 {
			d.flat = false
		}
		s.WriteString("{")
		for i := 0; i < n; i++ {
			field(t.table(at+4*i), depth+1)
		}
		s.WriteString("}")
		metadata(t, 6)
	}
	fmt.Fprintf(&s, "%d ", t.int8(0))
	at, n := t.vector(1, 4)
	for i := 0; i < n; i++ {
		field(t.table(at+4*i), 0)
	}
	s.WriteString(";") // behind what the last field has
	metadata(t, 2)
	d.signature = s.String()
	return d
}

// checkBool refuses a bool that is neither 0 nor 1, which readers take differently.
func checkBool(t fbTable, slot int) {
	if b := t.int8(slot); b != 0 && b != 1 {
		panic(table.Damaged("a bool of its schema has the value %d", b))
	}
}

// A batchInfo is what a record batch declares.
type batchInfo struct {
	rows  int64
	nodes []batchNode
}

type batchNode struct{ length, nulls int64 }

// checkBatch checks the lengths and places of a record batch or dictionary and
// returns the message as Arrow should see it: with its buffers decompressed and,
// for a flat schema, with all null masks looked at. limit bounds lengths, and
// expected gives the layout, for a dictionary by its number.
func checkBatch(m *ipcMessage, flat bool, limit int64, expected func(dictionary int64) layout) (batchInfo, *ipcMessage) {
	meta := bytes.Clone(m.meta)
	root := fbRoot(meta)
	t, ok := root.child(2)
	id := int64(-1)
	if ok && m.kind == msgDictionary {
		id = t.int64(0)
		t, ok = t.child(1)
	}
	if !ok {
		panic(table.Damaged("a message lacks its header"))
	}
	want := expected(id)
	info := batchInfo{rows: t.int64(0)}
	if info.rows < 0 || info.rows > limit {
		panic(table.Damaged("%d rows cannot be in a file of this size", info.rows))
	}
	wrong := func() { panic(table.Damaged("a batch lists another number of parts than its schema asks for")) }
	vat, vn := t.vector(4, 8)
	if vn != want.views {
		wrong()
	}
	extra := make([]int, vn)
	for i := 0; i < vn; i++ {
		c := t.i64(vat + 8*i)
		if c < 0 || c > int64(len(meta)) {
			wrong()
		}
		want.buffers += int(c)
		extra[i] = int(c)
	}
	at, n := t.vector(1, 16)
	if n != want.nodes {
		wrong()
	}
	for i := 0; i < n; i++ {
		node := batchNode{t.i64(at + 16*i), t.i64(at + 16*i + 8)}
		if node.length < 0 || node.length > limit || node.nulls < -1 || node.nulls > node.length {
			panic(table.Damaged("a column of %d rows with %d nulls cannot be in this file", node.length, node.nulls))
		}
		info.nodes = append(info.nodes, node)
		if flat && node.nulls == 0 { // so that the mask is read all the same
			binary.LittleEndian.PutUint64(meta[at+16*i+8:], ^uint64(0))
		}
	}
	at, n = t.vector(2, 16)
	if n != want.buffers {
		wrong()
	}
	type place struct{ from, size int64 }
	places := make([]place, n)
	end := int64(0) // of the buffers so far; those of no bytes may be said to be anywhere
	for i := range places {
		p := place{t.i64(at + 16*i), t.i64(at + 16*i + 8)}
		if p.from < 0 || p.size < 0 || p.from > int64(len(m.body)) || p.size > int64(len(m.body))-p.from {
			panic(table.Damaged("a buffer is not within its message"))
		}
		if p.size > 0 {
			if p.from%8 != 0 {
				panic(table.Damaged("a buffer begins between words"))
			}
			if p.from < end {
				panic(table.Damaged("buffers overlap"))
			}
			end = p.from + p.size
		}
		places[i] = p
	}
	out := &ipcMessage{kind: m.kind, meta: meta, body: m.body}
	c, compressed := t.child(3)
	if !compressed {
		want.check(info.rows, info.nodes, extra, func(i int) int64 { return places[i].size })
		return info, out
	}
	compression := c.int8(0)
	if compression != 0 && compression != 1 || c.int8(1) != 0 {
		panic(table.Damaged("compression %d is unknown", compression))
	}
	var body []byte
	sizes := make([]int64, len(places))
	for i, p := range places {
		b := decompressBuffer(compression, m.body[p.from:p.from+p.size])
		binary.LittleEndian.PutUint64(meta[at+16*i:], uint64(len(body)))
		binary.LittleEndian.PutUint64(meta[at+16*i+8:], uint64(len(b)))
		sizes[i] = int64(len(b))
		body = append(body, b...)
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
	}
	// Take the compression out: clear its entry in the table's directory.
	binary.LittleEndian.PutUint16(meta[t.entry(3):], 0)
	if root.int64(3) != int64(len(m.body)) || root.int8(1) != m.kind || t.int64(0) != info.rows {
		panic(table.Damaged("its metadata share parts in an unusual way"))
	}
	want.check(info.rows, info.nodes, extra, func(i int) int64 { return sizes[i] })
	out.body = body
	return info, out
}

// decompressBuffer decompresses a compressed buffer: its size, then LZ4 or zstd frames,
// or plain bytes if the size is −1.
func decompressBuffer(compression int, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) < 8 {
		panic(table.Damaged("a compressed buffer is too short"))
	}
	size := int64(binary.LittleEndian.Uint64(b))
	b = b[8:]
	if size == -1 {
		return b
	}
	how := codec.LZ4Frame
	if compression == 1 {
		how = codec.Zstd
	}
	if size < 0 || size > int64(len(b))*int64(how.MaxRatio())+64 {
		panic(table.Damaged("a buffer of %d bytes cannot decompress to %d", len(b), size))
	}
	if err := table.Afford(size, "to decompress a buffer"); err != nil {
		panic(err)
	}
	return codec.Decompress(nil, how, b, int(size))
}

// messageFeed hands messages to Arrow's reader.
type messageFeed struct {
	messages []*ipcMessage
	next     int
}

func (f *messageFeed) Retain()  {}
func (f *messageFeed) Release() {}
func (f *messageFeed) Message() (*ipc.Message, error) {
	if f.next == len(f.messages) {
		return nil, io.EOF
	}
	m := f.messages[f.next]
	f.next++
	return ipc.NewMessage(memory.NewBufferBytes(m.meta), memory.NewBufferBytes(m.body)), nil
}

// A boundedAllocator refuses allocations that nothing in the file can need.
type boundedAllocator struct {
	memory.Allocator
	limit int
}

// newAllocator returns an allocator for a schema alone.
func newAllocator() *boundedAllocator {
	return &boundedAllocator{Allocator: memory.NewGoAllocator(), limit: 1 << 16}
}

func (a *boundedAllocator) check(size int) {
	if size < 0 || size > a.limit {
		panic(table.Damaged("a length in it is out of bounds"))
	}
}

func (a *boundedAllocator) Allocate(size int) []byte {
	a.check(size)
	return a.Allocator.Allocate(size)
}

func (a *boundedAllocator) Reallocate(size int, b []byte) []byte {
	a.check(size)
	return a.Allocator.Reallocate(size, b)
}
