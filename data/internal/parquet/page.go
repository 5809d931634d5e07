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
	"github.com/drotrain/drotrain/data/internal/table"
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

// A pageHeader is the header of a page with the position of its bytes.
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

	defEncoding int64 // of version 1
	repEncoding int64
	checked     bool // there is a checksum
	crc         uint32
}

// headerWindow is the number of bytes read to find a page header; for a longer one it is doubled.
const headerWindow = 4 << 10

// A headerReader reads the page headers of a chunk sequentially.
type headerReader struct {
	chunk  *chunk
	buf    []byte
	window []byte // bytes of the file …
	at     int64  // … from here on
}

// read returns the header at a position and its length. The result is valid until the next call.
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

// walkPages reads the page headers of a column chunk and checks that the pages fill the chunk and hold the
// stated number of values.
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
			p.defEncoding, p.repEncoding = d.int(3), d.intOr(4, encRLE)
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
			if p.kind == pageDataV2 && (p.rows != int(n64) && !c.leaf.lists || p.nulls < -1 || p.nulls > int(n64)) {
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

// A pageFeed reads, checks and decompresses the pages of a chunk for Arrow's column reader. It holds the
// dictionary and the last two pages, since Arrow's texts point into the page they were read from and Arrow
// requests the next page early.
type pageFeed struct {
	chunk  *chunk
	first  int // pages before it are skipped, except the dictionary
	next   int
	width  int // bytes of a fixed-width value; 0 for byte arrays; -1 for bools
	maxDef int16
	page   file.Page

	buffers    *table.Buffers
	compressed []byte    // a page as it is in the file
	dictionary []byte    // decompressed
	held       [2][]byte // decompressed pages, in turn
	turn       int
	keep       int // how many of held are in use: 1, or 2 for texts
}

func (f *pageFeed) SetMaxPageHeaderSize(int) {}
func (f *pageFeed) Page() file.Page          { return f.page }
func (f *pageFeed) Err() error               { return nil }
func (f *pageFeed) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
	panic("data: pageFeed cannot be reset")
}

// close returns the buffers.
func (f *pageFeed) close() {
	f.buffers.Put(f.compressed)
	f.buffers.Put(f.dictionary)
	f.buffers.Put(f.held[0])
	f.buffers.Put(f.held[1])
	f.compressed, f.dictionary, f.held = nil, nil, [2][]byte{}
}

// resize returns *b resized to n bytes with arbitrary content.
func (f *pageFeed) resize(b *[]byte, n int) []byte {
	if cap(*b) < n {
		f.buffers.Put(*b)
		*b = f.buffers.Get(n)
	}
	*b = (*b)[:n]
	return *b
}

// read reads the bytes of a page and verifies their checksum.
func (f *pageFeed) read(p *pageHeader) []byte {
	b := f.resize(&f.compressed, p.packed)
	if err := table.ReadFull(f.chunk.leaf.in, b, p.from); err != nil {
		panic(err)
	}
	if p.checked && crc32.ChecksumIEEE(b) != p.crc {
		panic(table.Damaged("the checksum of a page does not match its bytes"))
	}
	return b
}

// decompress stores head and the decompressed bytes of b, which must be size bytes, in *dst, and releases the
// compressed page.
func (f *pageFeed) decompress(dst *[]byte, head []byte, how codec.Codec, b []byte, size int) []byte {
	if total := len(head) + size; cap(*dst) < total && (how == codec.None || size <= trustedSize+16*len(b)) {
		f.resize(dst, total)
	}
	out := append((*dst)[:0], head...)
	body := codec.Decompress(out[len(head):], how, b, size)
	if len(head) == 0 && how != codec.None {
		*dst = body
	} else {
		*dst = append(out, body...) // most often it is there already
	}
	f.buffers.Put(f.compressed)
	f.compressed = nil
	return *dst
}

// trustedSize is the largest size of a page for which memory is allocated before its bytes have been read.
const trustedSize = 64 << 10

// Next reads the next page. It panics with an error if the page is damaged.
func (f *pageFeed) Next() bool {
	for f.next < len(f.chunk.pages) {
		p := &f.chunk.pages[f.next]
		f.next++
		if p.kind == pageDictionary {
			if !f.usesDictionary() {
				continue
			}
			f.page = f.dictionaryPage(p)
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

// usesDictionary reports whether a remaining page has indices of the dictionary. Writers stop using a
// dictionary that has become too large.
func (f *pageFeed) usesDictionary() bool {
	return slices.ContainsFunc(f.chunk.pages[f.first:], func(p pageHeader) bool {
		return p.encoding == encPlainDictionary || p.encoding == encRLEDictionary
	})
}

// dictionaryPage decompresses a dictionary.
func (f *pageFeed) dictionaryPage(p *pageHeader) file.Page {
	b := f.decompress(&f.dictionary, nil, f.chunk.codec, f.read(p), p.size)
	if p.encoding != encPlain && p.encoding != encPlainDictionary {
		panic(table.Damaged("a dictionary has encoding %d", p.encoding))
	}
	f.checkPlain(b, p.values, "")
	return file.NewDictionaryPage(memory.NewBufferBytes(b), int32(p.values), parquet.Encodings.Plain)
}

// dataPage decompresses a data page.
func (f *pageFeed) dataPage(p *pageHeader) file.Page {
	page, levels, enc := f.decompressPage(p)
	b, rle := memory.NewBufferBytes(page), parquet.Encodings.RLE
	if p.kind == pageDataV2 {
		return file.NewDataPageV2(b, int32(p.values), 0, int32(p.values), parquet.Encoding(enc), int32(levels), 0, int32(len(page)), false)
	}
	return file.NewDataPageV1(b, int32(p.values), parquet.Encoding(enc), rle, rle, int32(len(page)))
}

// decompressPage decompresses a data page, checks its number of values and returns it without repetition
// levels; its first levels bytes hold the definition levels. It converts byte-stream-split values, which Arrow
// does not read, to plain values.
func (f *pageFeed) decompressPage(p *pageHeader) (page []byte, levels int, enc int64) {
	f.turn = (f.turn + 1) % f.keep
	held := &f.held[f.turn]
	raw, how, size := f.read(p), f.chunk.codec, p.size
	var head, defs []byte
	if p.kind == pageDataV2 {
		head, raw, size = raw[p.repLen:p.repLen+p.defLen], raw[p.repLen+p.defLen:], size-p.repLen-p.defLen
		if !p.compressed {
			how = codec.None
		}
	}
	page = f.decompress(held, head, how, raw, size)
	if levels = len(head); levels > 0 || p.kind == pageDataV2 {
		defs = page[:levels]
	} else if f.maxDef > 0 {
		if p.defEncoding != encRLE {
			panic(table.Damaged("levels of encoding %d are not supported", p.defEncoding))
		}
		if len(page) < 4 {
			panic(table.Damaged("a page ends early"))
		}
		n := binary.LittleEndian.Uint32(page)
		if uint64(n) > uint64(len(page)-4) {
			panic(table.Damaged("the levels of a page are longer than the page"))
		}
		levels = 4 + int(n)
		defs = page[4:levels]
	}
	present := p.values
	if f.maxDef > 0 {
		present = countPresent(defs, p.values)
	}
	if p.kind == pageDataV2 && p.nulls > 0 && present != p.values-p.nulls {
		panic(table.Damaged("a page has another number of nulls than its header says"))
	}
	if present == 0 {
		return page[:levels], levels, encPlain
	}
	return page, levels, f.checkBody(page[levels:], p.encoding, present)
}

// checkBody checks the bytes of the present values as far as Arrow's decoders do not, and returns the encoding
// for Arrow.
func (f *pageFeed) checkBody(b []byte, enc int64, present int) int64 {
	switch enc {
	case encPlain:
		f.checkPlain(b, present, f.chunk.leaf.padding)
	case encByteStreamSplit:
		if f.width <= 0 || len(b) != present*f.width {
			panic(table.Damaged("a byte-stream-split page has the wrong size"))
		}
		copy(b, joinByteStreams(b, f.width))
		return encPlain
	case encDelta, encDeltaLength:
		checkDelta(b, present)
	case encDeltaByteArray:
		checkDelta(b[checkDelta(b, present):], present)
	case encRLE: // of bools; Arrow reads on behind the last run
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			panic(table.Damaged("a page of runs has the wrong size"))
		}
		countPresent(b[4:4+binary.LittleEndian.Uint32(b)], present)
	case encPlainDictionary, encRLEDictionary:
	default:
		panic(table.Damaged("encoding %d of a page is unknown", enc))
	}
	return enc
}

// checkPlain panics with an error unless b has the size of n plain values, optionally followed by padding.
func (f *pageFeed) checkPlain(b []byte, n int, padding string) {
	size := 4 * n // at least
	switch {
	case f.width > 0:
		size = n * f.width
	case f.width < 0:
		size = (n + 7) / 8
	}
	if size > len(b) || f.width != 0 && size < len(b) && string(b[size:]) != padding {
		panic(table.Damaged("a page of %d plain values has the wrong size", n))
	}
}

// joinByteStreams decodes the byte-stream-split encoding.
func joinByteStreams(b []byte, width int) []byte {
	n := len(b) / width
	out := make([]byte, len(b))
	for k := 0; k < width; k++ {
		for i, v := range b[k*n : (k+1)*n] {
			out[i*width+k] = v
		}
	}
	return out
}
