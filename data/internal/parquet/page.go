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
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// Numbers that Parquet assigns to page types, codecs and encodings.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3

	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaByteArray  = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// A pageHeader holds the header of a page and the position of its bytes.
type pageHeader struct {
	kind     int64
	from     int64 // position in the file at which its bytes begin
	packed   int   // number of these bytes
	size     int   // number of bytes after decompression
	values   int
	encoding int64

	// version 2
	nulls          int // −1 or 0 if the writer did not count nulls, since it wrote no statistics
	defLen, repLen int
	compressed     bool

	defEncoding int64 // encoding of definition levels, in version 1
	repEncoding int64
	checked     bool // whether there is a checksum
	crc         uint32
}

// headerWindow is the number of bytes that are first read to parse a page header. If the header is longer, more are
// read.
const headerWindow = int64(4 << 10)

// readHeader returns the page header at a position of a chunk, and the size of the header in bytes.
func (c *chunk) readHeader(at int64) (h thriftValue, n int) {
	left := c.from + c.size - at
	for size := min(headerWindow, left); ; size = min(4*size, left) {
		window := make([]byte, size)
		if err := table.ReadFull(c.leaf.in, window, at); err != nil {
			panic(err)
		}
		if size == left {
			return parseThrift(window) // this call panics with the reason
		}
		if intake.Guard(func() error { h, n = parseThrift(window); return nil }) == nil {
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
		return nil // the chunk has at most a dictionary
	}
	for at := c.from; at < end; {
		h, n := c.readHeader(at)
		at += int64(n)
		p := pageHeader{kind: h.int(1), compressed: true}
		if crc := h.fieldByID(4); crc != nil {
			if crc.kind != thriftI32 {
				panic(table.Damaged("the checksum of a page is not a 32-bit number"))
			}
			p.checked, p.crc = true, uint32(int32(crc.num))
		}
		size, packed := h.int(2), h.int(3)
		if packed < 0 || packed > end-at {
			panic(table.Damaged("a page is longer than its column chunk"))
		}
		if size < 0 || size > packed*int64(c.codec.MaxRatio())+64 {
			panic(table.Damaged("a page of %d bytes cannot decompress to %d bytes", packed, size))
		}
		p.size, p.packed, p.from = int(size), int(packed), at
		at += packed
		var d *thriftValue
		var rows int64
		switch p.kind {
		case pageData:
			d = h.fieldByID(5)
			p.defEncoding, p.repEncoding = d.int(3), d.intOr(4, encRLE)
			p.encoding = d.int(2)
		case pageDictionary:
			d = h.fieldByID(7)
			if len(pages) > 0 {
				panic(table.Damaged("a dictionary page does not come first"))
			}
			p.encoding = d.int(2)
		case pageDataV2:
			d = h.fieldByID(8)
			p.encoding = d.int(4)
			p.nulls, rows = int(d.int(2)), d.int(3)
			p.defLen, p.repLen = int(d.int(5)), int(d.int(6))
			if p.defLen < 0 || p.repLen < 0 || p.defLen+p.repLen > p.size || p.defLen+p.repLen > p.packed {
				panic(table.Damaged("the levels of a page are longer than the page"))
			}
			if packed := d.fieldByID(7); packed != nil {
				p.compressed = packed.num == 1
			}
		case pageIndex:
			continue
		default:
			panic(table.Damaged("a page has the unknown type %d", p.kind))
		}
		n64 := d.int(1) // −1 if the header has no details
		if n64 < 0 {
			panic(table.Damaged("a page header lacks its number of values"))
		}
		if p.kind == pageDictionary {
			if n64 > int64(p.size)*8 {
				panic(table.Damaged("a dictionary of %d bytes cannot hold %d values", p.size, n64))
			}
		} else {
			if sum += n64; sum > values {
				panic(table.Damaged("the pages of a column hold more values than its row group, which has %d", values))
			}
			if p.kind == pageDataV2 && (rows != n64 && !c.leaf.lists || p.nulls < -1 || p.nulls > int(n64)) {
				panic(table.Damaged("a page header states wrong numbers of rows and nulls"))
			}
		}
		p.values = int(n64)
		pages = append(pages, p)
	}
	if sum != values {
		panic(table.Damaged("the pages of a column hold %d values, but its row group has %d", sum, values))
	}
	return pages
}

// A pageFeed reads, checks and decompresses the pages of a chunk for a pageDecoder or Arrow's column reader. It holds
// the dictionary and, if values may point into their page, the last two pages, since Arrow requests the next page
// early.
type pageFeed struct {
	chunk *chunk
	first int // preceding pages are skipped, except the dictionary
	next  int
	width int // size in bytes of a fixed-width value; 0 for byte arrays; -1 for bools
	page  file.Page

	buffers    *table.Buffers
	dictionary []byte   // decompressed
	held       [][]byte // buffers of decompressed pages, used in turn
	turn       int
}

// newPageFeed returns a feed of all pages of a chunk, which are decompressed into the given buffers.
func newPageFeed(c *chunk, b *table.Buffers) pageFeed {
	f := pageFeed{chunk: c, width: valueWidth(c.leaf.descr), buffers: b, held: make([][]byte, 1)}
	if t := c.leaf.descr.PhysicalType(); t == parquet.Types.ByteArray || t == parquet.Types.FixedLenByteArray {
		f.held = make([][]byte, 2)
	}
	return f
}

func (f *pageFeed) SetMaxPageHeaderSize(int) {}
func (f *pageFeed) Page() file.Page          { return f.page }
func (f *pageFeed) Err() error               { return nil }
func (f *pageFeed) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
	panic("data: pageFeed cannot be reset")
}

// close returns the buffers.
func (f *pageFeed) close() {
	for _, b := range append(f.held, f.dictionary) {
		f.buffers.Put(b)
	}
	f.dictionary, f.held = nil, nil
}

// load reads a page, verifies its checksum and decompresses it into the memory of *dst if that is large enough.
func (f *pageFeed) load(dst *[]byte, p *pageHeader) []byte {
	raw := f.buffers.Get(p.packed)
	defer f.buffers.Put(raw)
	if err := table.ReadFull(f.chunk.leaf.in, raw, p.from); err != nil {
		panic(err)
	}
	if p.checked && crc32.ChecksumIEEE(raw) != p.crc {
		panic(table.Damaged("the checksum of a page does not match its bytes"))
	}
	how := f.chunk.codec
	if !p.compressed {
		how = codec.None
	}
	head := p.repLen + p.defLen // in version 2, levels are not compressed
	if cap(*dst) < p.size && (how == codec.None || p.size <= trustedSize+16*p.packed) {
		f.buffers.Put(*dst)
		*dst = f.buffers.Get(p.size)
	}
	out := append((*dst)[:0], raw[:head]...)
	body := codec.Decompress(out[head:], how, raw[head:], p.size-head)
	if head == 0 && how != codec.None {
		*dst = body
	} else {
		*dst = append(out, body...) // usually the bytes are already in place
	}
	return *dst
}

// trustedSize is the maximum size in bytes of a page for which memory is allocated before its bytes have been read.
const trustedSize = 64 << 10

// Next reads the next page for Arrow. It panics with an error if the page is damaged.
func (f *pageFeed) Next() bool {
	p := f.nextHeader()
	if p == nil {
		return false
	}
	if p.kind == pageDictionary {
		b := memory.NewBufferBytes(f.loadDictionary(p))
		f.page = file.NewDictionaryPage(b, int32(p.values), parquet.Encodings.Plain)
	} else {
		f.page = arrowPage(p, f.loadPage(p))
	}
	return true
}

// nextHeader returns the header of the next page that has to be decoded, or nil at the end. The dictionary is
// among these pages if a data page needs it.
func (f *pageFeed) nextHeader() *pageHeader {
	for f.next < len(f.chunk.pages) {
		p := &f.chunk.pages[f.next]
		f.next++
		if p.kind == pageDictionary {
			if f.usesDictionary() {
				return p
			}
			continue
		}
		if p.values > 0 && f.next > f.first {
			return p
		}
	}
	return nil
}

// usesDictionary reports whether a remaining page contains indices into the dictionary. Writers stop using a
// dictionary that has become too large.
func (f *pageFeed) usesDictionary() bool {
	return slices.ContainsFunc(f.chunk.pages[f.first:], func(p pageHeader) bool {
		return p.encoding == encPlainDictionary || p.encoding == encRLEDictionary
	})
}

// loadDictionary decompresses a dictionary and checks its size.
func (f *pageFeed) loadDictionary(p *pageHeader) []byte {
	b := f.load(&f.dictionary, p)
	if p.encoding != encPlain && p.encoding != encPlainDictionary {
		panic(table.Damaged("a dictionary has the unknown encoding %d", p.encoding))
	}
	f.checkPlain(b, p.values, "")
	return b
}

// A rawPage holds a decompressed data page: the encoded definition levels, and the encoded values that are not null.
type rawPage struct {
	bytes           []byte // all levels and values
	defs, body      []byte
	encoding        int64 // plain if no value is present
	values, present int   // numbers of values, with and without nulls
}

// loadPage decompresses a data page and checks its levels and its number of values. It converts byte-stream-split
// values to plain values.
func (f *pageFeed) loadPage(p *pageHeader) rawPage {
	f.turn = (f.turn + 1) % len(f.held)
	page := f.load(&f.held[f.turn], p)
	head := p.repLen + p.defLen
	reps, defs, body := page[:p.repLen], page[p.repLen:head], page[head:]
	maxRep, maxDef := int(f.chunk.leaf.descr.MaxRepetitionLevel()), int(f.chunk.leaf.descr.MaxDefinitionLevel())
	if p.kind == pageData {
		reps, body = cutLevels(body, maxRep, p.repEncoding)
		defs, body = cutLevels(body, maxDef, p.defEncoding)
	}
	countLevels(reps, p.values, maxRep)
	present := countLevels(defs, p.values, maxDef)
	if p.kind == pageDataV2 && maxRep == 0 && p.nulls > 0 && present != p.values-p.nulls {
		panic(table.Damaged("the number of nulls in a page differs from the number in its header"))
	}
	enc := int64(encPlain)
	if present > 0 {
		enc = f.checkBody(body, p.encoding, present)
	} else {
		page, body = page[:len(page)-len(body)], nil
	}
	return rawPage{page, defs, body, enc, p.values, present}
}

// arrowPage returns a page in Arrow's form.
func arrowPage(p *pageHeader, page rawPage) file.Page {
	b, rle := memory.NewBufferBytes(page.bytes), parquet.Encodings.RLE
	n, enc, size := int32(p.values), parquet.Encoding(page.encoding), int32(len(page.bytes))
	if p.kind == pageDataV2 {
		return file.NewDataPageV2(b, n, 0, n, enc, int32(p.defLen), int32(p.repLen), size, false)
	}
	return file.NewDataPageV1(b, n, enc, rle, rle, size)
}

// cutLevels splits the decompressed bytes b of a version-1 data page into its encoded levels and the remaining
// bytes. If the maximum level, most, is 0, the page contains no levels.
func cutLevels(b []byte, most int, enc int64) (levels, rest []byte) {
	if most == 0 {
		return nil, b
	}
	if enc != encRLE {
		panic(table.Damaged("the encoding %d of the levels of a page is not supported", enc))
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		panic(table.Damaged("the levels of a page are longer than the page"))
	}
	n := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:n], b[n:]
}

// checkBody makes those checks of the bytes of the present values that Arrow's decoders omit, and returns the
// encoding to state to Arrow.
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
	case encRLE: // encoding of bools; Arrow reads past the last run
		runs, _ := cutLevels(b, 1, encRLE)
		countLevels(runs, present, 1)
	case encPlainDictionary, encRLEDictionary:
	default:
		panic(table.Damaged("a page has the unknown encoding %d", enc))
	}
	return enc
}

// checkPlain panics with an error unless b has the size of n plain values, optionally followed by padding.
func (f *pageFeed) checkPlain(b []byte, n int, padding string) {
	size := 4 * n // the minimum size
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
