package ipc

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/table"
)

const (
	// wholeBytes is the maximum size of a compressed buffer that is decompressed as a whole.
	wholeBytes = 1 << 20

	// aheadBytes is the number of bytes of a buffer of lists or their entries that are read at a time.
	aheadBytes = 1 << 17
)

// A bufferReader reads the decompressed bytes of a buffer from its beginning to its end. It holds only those that it
// was last asked for, unless the buffer is small.
type bufferReader struct {
	batch  *batch
	at     int64     // offset in the file of bytes that are not compressed
	size   int       // number of decompressed bytes
	ahead  int       // minimum number of bytes that are read at a time
	stream io.Reader // decompresses the following bytes; nil if the bytes are in the file, or held as a whole
	held   []byte    // bytes of the buffer from first on
	first  int
}

// isCompressed reports whether the bytes of a buffer are compressed.
func (b *batch) isCompressed(buffer span) bool {
	return b.compression >= 0 && buffer.size > 0 &&
		int64(binary.LittleEndian.Uint64(bytesAt(b.src, span{buffer.from, 8}, nil))) != -1
}

// reader returns a reader of a buffer, which reads at least the given number of bytes at a time.
func (b *batch) reader(buffer span, ahead int) *bufferReader {
	r := &bufferReader{batch: b, at: buffer.from, size: int(b.unpackedSize(buffer)), ahead: ahead}
	switch {
	case !b.isCompressed(buffer):
		if b.compression >= 0 {
			r.at += 8
		}
	case b.streamSize(buffer) == r.size:
		r.held = b.unpack(buffer)
	default:
		packed := bufio.NewReaderSize(io.NewSectionReader(b.src, buffer.from+8, buffer.size-8), 1<<16)
		r.stream = codec.NewReader(b.codec(), packed, r.size)
	}
	return r
}

// streamSize returns the number of bytes that are in memory while a compressed buffer is decompressed: all of them, or
// those to which the following ones may refer.
func (b *batch) streamSize(buffer span) int {
	size := int(b.unpackedSize(buffer))
	if size <= wholeBytes || !b.isCompressed(buffer) {
		return size
	}
	head := bytesAt(b.src, span{buffer.from + 8, min(buffer.size-8, codec.HeaderBytes)}, nil)
	return min(size, codec.WindowOf(b.codec(), head))
}

// bytes returns the bytes [from, to) of the buffer, which are valid until the next call. It panics with an error if
// they lie outside the buffer, cannot be read, or precede those of an earlier call.
func (r *bufferReader) bytes(from, to int) []byte {
	if from < 0 || to < from || to > r.size {
		panic(table.Damaged("bytes %d to %d lie outside a buffer of %d bytes", from, to, r.size))
	}
	end := r.first + len(r.held)
	switch {
	case from == to:
		return nil
	case from >= r.first && to <= end:
		return r.held[from-r.first : to-r.first]
	case r.stream == nil:
		n := min(max(to-from, r.ahead), r.size-from)
		r.held = bytesAt(r.batch.src, span{r.at + int64(from), int64(n)}, r.held[:0])
		r.first = from
		return r.held[:to-from]
	case from < r.first:
		panic(table.Damaged("the values of a column are not in the order of its rows"))
	}
	n := 0 // bytes that are held already
	if from < end {
		n = copy(r.held, r.held[from-r.first:])
	} else if _, err := io.CopyN(io.Discard, r.stream, int64(from-end)); err != nil {
		panic(err)
	}
	all := min(max(to-from, r.ahead), r.size-from)
	if cap(r.held) < all {
		if err := table.Afford(int64(all), "to decompress a buffer"); err != nil {
			panic(err)
		}
		r.held = append(make([]byte, 0, all), r.held[:n]...)
	}
	r.held, r.first = r.held[:all], from
	if _, err := io.ReadFull(r.stream, r.held[n:]); err != nil {
		panic(err)
	}
	return r.held[:to-from]
}

// require panics with an error unless the buffer has values of the given number of rows and bits.
func (r *bufferReader) require(rows, bits int) {
	if r.size < (rows*bits+7)/8 {
		panic(table.Damaged("%d values do not fit in a buffer of %d bytes", rows, r.size))
	}
}

// readers works like nextNode, but returns readers of the buffers.
func (c *cursor) readers(f *field) (n node, readers []*bufferReader) {
	n, buffers := c.nextNode(f)
	for _, b := range buffers {
		readers = append(readers, c.reader(b, aheadBytes))
	}
	return n, readers
}

// checkAll skips a field and its children after checking that their buffers can be decompressed.
func (c *cursor) checkAll(f *field) {
	_, buffers := c.nextNode(f)
	for _, b := range buffers {
		if c.isCompressed(b) {
			r := c.reader(b, aheadBytes)
			for at := 0; at < r.size; at += aheadBytes {
				r.bytes(at, min(at+aheadBytes, r.size))
			}
		}
	}
	for _, child := range f.children() {
		c.checkAll(child)
	}
}

// A bitmap reads the validity bitmap of a field. Without a reader, no value is null.
type bitmap struct{ r *bufferReader }

// validity returns the validity bitmap of a field with the given buffers.
func (n node) validity(buffers []*bufferReader) bitmap {
	switch {
	case len(buffers) == 0:
		return bitmap{}
	case buffers[0].size == 0 && n.nulls > 0:
		panic(errUnmarked(n))
	case buffers[0].size == 0:
		return bitmap{}
	}
	buffers[0].require(int(n.length), 1)
	return bitmap{buffers[0]}
}

// isNull reports whether value i is null. i must not be less than in earlier calls.
func (m bitmap) isNull(i int) bool { return m.r != nil && !bit(m.r.bytes(i/8, i/8+1), i%8) }

// A listReader reads the ranges of the values that the lists of a field hold.
type listReader struct {
	offsets *bufferReader // nil for lists of a fixed size
	size    int           // size in bytes of an offset, or number of values in a list of a fixed size
	length  int           // number of values
}

// lists returns a reader of the lists of a field with n lists in the given buffers, which hold length values.
func (f *field) lists(n node, buffers []*bufferReader, length int) listReader {
	if f.Type == typeFixedList {
		return listReader{size: f.Size, length: length}
	}
	if n.length > 0 {
		buffers[1].require(int(n.length)+1, f.Bits)
	}
	return listReader{buffers[1], f.Bits / 8, length}
}

// bounds returns the range of the values of list i. It panics with an error if they do not exist.
func (l listReader) bounds(i int) (from, to int) {
	lo, hi := uint64(i*l.size), uint64((i+1)*l.size)
	if l.offsets != nil {
		b := l.offsets.bytes(i*l.size, (i+2)*l.size)
		if l.size == 4 {
			lo, hi = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
		} else {
			lo, hi = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		}
	}
	if lo > hi || hi > uint64(l.length) {
		panic(table.Damaged("a list refers to values that do not exist"))
	}
	return int(lo), int(hi)
}
