package parquet

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/table"
)

// Parquet's numbers for page types, codecs and encodings.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3

	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaByteArray  = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// A pageHeader is the header of a page and where its bytes lie.
type pageHeader struct {
	kind     int64
	from     int64 // where its bytes begin in the file
	packed   int   // how many there are
	size     int   // decompressed
	values   int
	encoding int64

	// version 2
	nulls, rows    int // nulls −1 or 0 where its writer, without statistics, did not count them
	defLen, repLen int
	compressed     bool

	defEncoding int64
	checked     bool // there is a checksum
	crc         uint32
}

// headerWindow is how many bytes are read to find a page header in; one that is
// longer, for the statistics in it, is read again with a window twice as long.
const headerWindow = 4 << 10

// A headerReader reads page headers of a chunk one after the other.
type headerReader struct {
	chunk  *chunk
	buf    []byte
	window []byte // bytes of the file …
	at     int64  // … from here on
}

// read gives the header at that place and its length. What it gives is valid
// until the next call.
func (r *headerReader) read(at int64) (h thriftValue, n int) {
	end := r.chunk.from + r.chunk.size
	parse := func() bool { return table.Guard(func() error { h, n = parseThrift(r.window); return nil }) == nil }
	have := 0
	if at >= r.at && at < r.at+int64(len(r.window)) {
		r.window, r.at = r.window[at-r.at:], at
		if parse() {
			return h, n
		}
		have = len(r.window)
	}
	for size := int64(max(headerWindow, 2*have)); ; size *= 2 {
		size = min(size, end-at)
		if int64(cap(r.buf)) < size {
			r.buf = make([]byte, size)
		}
		r.window, r.at = r.buf[:size], at
		if err := table.ReadFull(r.chunk.leaf.in, r.window, at); err != nil {
			panic(err)
		}
		if size == end-at {
			return parseThrift(r.window) // the last chance: it panics with the reason
		}
		if parse() {
			return h, n
		}
	}
}

// walkPages reads the page headers of a column chunk and checks them against
// each other: the pages fill the chunk and hold as many values as it says.
func walkPages(c *chunk) []pageHeader {
	var pages []pageHeader
	var sum int64
	values, end := int64(c.values), c.from+c.size
	if values == 0 {
		return nil // a dictionary at most
	}
	headers := headerReader{chunk: c}
	for at := c.from; at < end; {
		h, n := headers.read(at)
		at += int64(n)
		p := pageHeader{kind: h.int(1), compressed: true}
		if crc := h.get(4); crc != nil {
			if crc.kind != thriftI32 {
				panic(table.Damaged("the checksum of a page does not match its bytes"))
			}
			p.checked, p.crc = true, uint32(int32(crc.num))
		}
		size, packed := h.int(2), h.int(3)
		if packed < 0 || packed > end-at {
			panic(table.Damaged("a page is longer than its column chunk"))
		}
		if size < 0 || size > packed*int64(c.codec.MaxRatio())+64 {
			panic(table.Damaged("a page of %d bytes cannot decompress to %d", packed, size))
		}
		p.size, p.packed, p.from = int(size), int(packed), at
		at += packed
		var d *thriftValue
		switch p.kind {
		case pageData:
			d = h.get(5)
			p.defEncoding = d.int(3)
			p.encoding = d.int(2)
		case pageDictionary:
			d = h.get(7)
			if len(pages) > 0 {
				panic(table.Damaged("a dictionary page does not come first"))
			}
			p.encoding = d.int(2)
		case pageDataV2:
			d = h.get(8)
			p.encoding = d.int(4)
			p.nulls, p.rows = int(d.int(2)), int(d.int(3))
			p.defLen, p.repLen = int(d.int(5)), int(d.int(6))
			if p.defLen < 0 || p.repLen < 0 || p.defLen+p.repLen > p.size || p.defLen+p.repLen > p.packed {
				panic(table.Damaged("the levels of a page are longer than the page"))
			}
			if packed := d.get(7); packed != nil {
				p.compressed = packed.num == 1
			}
		case pageIndex:
			continue
		default:
			panic(table.Damaged("there is a page of unknown type %d", p.kind))
		}
		if d == nil {
			panic(table.Damaged("a page header lacks its details"))
		}
		n64 := d.int(1)
		if n64 < 0 {
			panic(table.Damaged("a page header lacks its number of values"))
		}
		if p.kind == pageDictionary {
			if n64 > int64(p.size)*8 {
				panic(table.Damaged("a dictionary of %d bytes cannot hold %d values", p.size, n64))
			}
		} else {
			if sum += n64; sum > values {
				panic(table.Damaged("the pages of a column hold more than the %d values of its row group", values))
			}
			if p.kind == pageDataV2 && (p.rows != int(n64) || p.nulls < -1 || p.nulls > int(n64)) {
				panic(table.Damaged("a page header counts rows and nulls wrongly"))
			}
		}
		p.values = int(n64)
		pages = append(pages, p)
	}
	if sum != values {
		panic(table.Damaged("the pages of a column hold %d values, not the %d of its row group", sum, values))
	}
	return pages
}

// A pageFeed reads, checks and decompresses the pages of a chunk, for Arrow's column
// reader. It holds the dictionary and, of the pages, the last two: values of
// texts lie in the page they were read from.
type pageFeed struct {
	chunk  *chunk
	first  int // pages before it are passed over, but for the dictionary
	next   int
	width  int // bytes of a fixed-width value; 0 for byte arrays; -1 for bools
	maxDef int16
	page   file.Page
	dict   int // values in the dictionary

	buffers *table.Buffers
	folded  []byte    // a page as it is in the file
	dictAt  []byte    // the dictionary's bytes
	held    [2][]byte // decompressed pages, in turn
	turn    int
	keep    int // how many of held are in use: 1, or 2 for texts
}

func (f *pageFeed) SetMaxPageHeaderSize(int) {}
func (f *pageFeed) Page() file.Page          { return f.page }
func (f *pageFeed) Err() error               { return nil }
func (f *pageFeed) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
	panic("data: pageFeed cannot be reset")
}

// close gives the buffers back.
func (f *pageFeed) close() {
	f.buffers.Put(f.folded)
	f.buffers.Put(f.dictAt)
	f.buffers.Put(f.held[0])
	f.buffers.Put(f.held[1])
	f.folded, f.dictAt, f.held = nil, nil, [2][]byte{}
}

// room returns *b with n bytes, and no promise on what they are.
func (f *pageFeed) room(b *[]byte, n int) []byte {
	if cap(*b) < n {
		f.buffers.Put(*b)
		*b = f.buffers.Get(n)
	}
	*b = (*b)[:n]
	return *b
}

// read brings in the bytes of a page and checks their sum.
func (f *pageFeed) read(p *pageHeader) []byte {
	b := f.room(&f.folded, p.packed)
	if err := table.ReadFull(f.chunk.leaf.in, b, p.from); err != nil {
		panic(err)
	}
	if p.checked && crc32.ChecksumIEEE(b) != p.crc {
		panic(table.Damaged("the checksum of a page does not match its bytes"))
	}
	return b
}

// done gives back the bytes of a page that is decompressed.
func (f *pageFeed) done() {
	f.buffers.Put(f.folded)
	f.folded = nil
}

// decompressInto decompresses b into *dst.
func (f *pageFeed) decompressInto(dst *[]byte, b []byte, size int) []byte {
	if f.chunk.codec == codec.None && len(b) == size {
		copy(f.room(dst, size), b)
		return *dst
	}
	if cap(*dst) < size && size <= trustedSize+16*len(b) {
		f.room(dst, size)
	}
	*dst = codec.Decompress((*dst)[:0], f.chunk.codec, b, size)
	return *dst
}

// trustedSize is how large a page may say it is before there are bytes to show
// for it: a damaged header must not make us allocate much.
const trustedSize = 64 << 10

// Next prepares the next page; it panics with an error if the page is damaged.
func (f *pageFeed) Next() bool {
	for f.next < len(f.chunk.pages) {
		p := &f.chunk.pages[f.next]
		f.next++
		if p.kind == pageDictionary {
			f.page = file.NewDictionaryPage(memory.NewBufferBytes(f.dictionary(p)), int32(p.values), parquet.Encodings.Plain)
			return true
		}
		if p.values == 0 || f.next <= f.first {
			continue
		}
		f.page = f.dataPage(p)
		return true
	}
	return false
}

// dictionary decompresses and checks a dictionary page.
func (f *pageFeed) dictionary(p *pageHeader) []byte {
	b := f.decompressInto(&f.dictAt, f.read(p), p.size)
	f.done()
	if p.encoding != encPlain && p.encoding != encPlainDictionary {
		panic(table.Damaged("a dictionary has encoding %d", p.encoding))
	}
	f.checkPlain(b, p.values, "")
	f.dict = p.values
	return b
}

// dataPage makes a version 1 page of a data page.
func (f *pageFeed) dataPage(p *pageHeader) file.Page {
	levels, body, enc, _ := f.decompressed(p)
	if f.maxDef > 0 {
		body = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels, body)
	}
	rle := parquet.Encodings.RLE
	return file.NewDataPageV1(memory.NewBufferBytes(body), int32(p.values), parquet.Encoding(enc), rle, rle, int32(len(body)))
}

// decompressed decompresses a data page and checks that its levels and values are all
// there: present of them.
func (f *pageFeed) decompressed(p *pageHeader) (levels, body []byte, enc int64, present int) {
	f.turn = (f.turn + 1) % f.keep
	held := &f.held[f.turn]
	raw := f.read(p)
	defer f.done()
	if p.kind == pageDataV2 {
		levels = append([]byte(nil), raw[p.repLen:p.repLen+p.defLen]...)
		body = raw[p.repLen+p.defLen:]
		if size := p.size - p.repLen - p.defLen; p.compressed {
			body = f.decompressInto(held, body, size)
		} else if len(body) != size {
			panic(table.Damaged("a page has another size than its header says"))
		} else {
			body = append((*held)[:0], body...)
			*held = body
		}
	} else {
		body = f.decompressInto(held, raw, p.size)
		if f.maxDef > 0 {
			if p.defEncoding != encRLE {
				panic(table.Damaged("levels of encoding %d are not supported", p.defEncoding))
			}
			if len(body) < 4 {
				panic(table.Damaged("a page ends early"))
			}
			n := binary.LittleEndian.Uint32(body)
			if uint64(n) > uint64(len(body)-4) {
				panic(table.Damaged("the levels of a page are longer than the page"))
			}
			levels, body = body[4:4+n], body[4+n:]
		}
	}
	present = p.values
	if f.maxDef > 0 {
		present = countRuns(levels, 1, p.values, 2)
	}
	if p.kind == pageDataV2 && p.nulls > 0 && present != p.values-p.nulls {
		panic(table.Damaged("a page has another number of nulls than its header says"))
	}
	enc = p.encoding
	if present == 0 {
		body, enc = nil, encPlain
	}
	switch enc {
	case encPlain:
		f.checkPlain(body, present, f.chunk.leaf.padding)
	case encByteStreamSplit:
		if f.width <= 0 || len(body) != present*f.width {
			panic(table.Damaged("a byte-stream-split page has the wrong size"))
		}
		body, enc = unsplit(body, f.width), encPlain
	case encPlainDictionary, encRLEDictionary:
		if len(body) < 1 || body[0] > 32 {
			panic(table.Damaged("the indices of a page cannot be read"))
		}
		countRuns(body[1:], int(body[0]), present, uint64(f.dict))
	case encRLE:
		if f.width != -1 || len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			panic(table.Damaged("a page of runs has the wrong size"))
		}
		countRuns(body[4:4+binary.LittleEndian.Uint32(body)], 1, present, 2)
	case encDelta, encDeltaLength:
		checkDelta(body, present)
	case encDeltaByteArray:
		checkDelta(body[checkDelta(body, present):], present)
	default:
		panic(table.Damaged("encoding %d of a page is unknown", enc))
	}
	return levels, body, enc, present
}

// standsAlone says that a page can be read without the one before. Of values that are
// written by what they share with the one before, some writers share those of two pages.
func (f *pageFeed) standsAlone(p *pageHeader) bool {
	if p.encoding != encDeltaByteArray {
		return true
	}
	_, b, enc, _ := f.decompressed(p)
	if enc != p.encoding { // of nulls alone
		return false
	}
	var shared uint64
	for range 4 { // behind three sizes, how much is shared by the first value
		v, used := binary.Uvarint(b)
		shared, b = v, b[used:]
	}
	return shared == 0
}

// checkPlain checks that b is exactly n plain values, and that padding or nothing is behind
// them.
func (f *pageFeed) checkPlain(b []byte, n int, padding string) {
	ok := true
	cut := func(size int) {
		if ok = size <= len(b); ok {
			b = b[size:]
		}
	}
	switch {
	case f.width > 0:
		cut(n * f.width)
	case f.width < 0:
		cut((n + 7) / 8)
	default:
		for i := 0; i < n && ok; i++ {
			if ok = len(b) >= 4; ok {
				size := uint64(binary.LittleEndian.Uint32(b))
				if ok = size <= uint64(len(b)-4); ok {
					b = b[4+size:]
				}
			}
		}
	}
	if !ok || len(b) > 0 && string(b) != padding {
		panic(table.Damaged("a page of %d plain values has the wrong size", n))
	}
}

// unsplit undoes byte-stream-split.
func unsplit(b []byte, width int) []byte {
	n := len(b) / width
	out := make([]byte, len(b))
	for k := 0; k < width; k++ {
		for i, v := range b[k*n : (k+1)*n] {
			out[i*width+k] = v
		}
	}
	return out
}
