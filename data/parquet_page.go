package data

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// Parquet's numbers for page types, codecs and encodings.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3

	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecZstd   = 6
	codecLZ4Raw = 7

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

var codecNames = map[int64]string{codecNone: "none", codecSnappy: "snappy", codecGzip: "gzip", 3: "lzo",
	codecBrotli: "brotli", 5: "lz4 (Hadoop framing)", codecZstd: "zstd", codecLZ4Raw: "lz4_raw"}

// maxRatio bounds by codec how far a page can unfold, in bytes out per byte in.
var maxRatio = map[int64]int{codecNone: 1, codecSnappy: 64, codecGzip: 1100, codecBrotli: 1 << 17, codecZstd: 1 << 17, codecLZ4Raw: 256}

// A pageHeader is the header of a page and where its bytes lie.
type pageHeader struct {
	kind     int64
	size     int // unfolded
	body     []byte
	values   int
	encoding int64

	// version 2
	nulls, rows    int
	defLen, repLen int
	compressed     bool

	defEncoding int64
	crc         *thriftValue
}

// walkPages reads the page headers of a column chunk and checks them against
// each other: the pages fill the chunk and hold as many values as it says.
func walkPages(chunk []byte, values int64, codec int64) []pageHeader {
	var pages []pageHeader
	var sum int64
	for at := 0; at < len(chunk); {
		h, n := parseThrift(chunk[at:])
		at += n
		p := pageHeader{kind: h.int(1, -1), crc: h.get(4), compressed: true}
		size, packed := h.int(2, -1), h.int(3, -1)
		if packed < 0 || packed > int64(len(chunk)-at) {
			panic(errDamaged("a page is longer than its column chunk"))
		}
		if size < 0 || size > packed*int64(maxRatio[codec])+64 {
			panic(errDamaged("a page of %d bytes cannot unfold to %d", packed, size))
		}
		p.size = int(size)
		p.body = chunk[at : at+int(packed)]
		at += int(packed)
		var d *thriftValue
		switch p.kind {
		case pageData:
			d = h.get(5)
			p.defEncoding = d.int(3, -1)
			p.encoding = d.int(2, -1)
		case pageDictionary:
			d = h.get(7)
			if len(pages) > 0 {
				panic(errDamaged("a dictionary page does not come first"))
			}
			p.encoding = d.int(2, -1)
		case pageDataV2:
			d = h.get(8)
			p.encoding = d.int(4, -1)
			p.nulls, p.rows = int(d.int(2, -1)), int(d.int(3, -1))
			p.defLen, p.repLen = int(d.int(5, -1)), int(d.int(6, -1))
			if p.defLen < 0 || p.repLen < 0 || p.defLen+p.repLen > p.size || p.defLen+p.repLen > len(p.body) {
				panic(errDamaged("the levels of a page are longer than the page"))
			}
			if c := d.get(7); c != nil {
				p.compressed = c.num == 1
			}
		case pageIndex:
			continue
		default:
			panic(errDamaged("there is a page of unknown type %d", p.kind))
		}
		if d == nil {
			panic(errDamaged("a page header lacks its details"))
		}
		n64 := d.int(1, -1)
		if n64 < 0 {
			panic(errDamaged("a page header lacks its number of values"))
		}
		if p.kind == pageDictionary {
			if n64 > int64(p.size)*8 {
				panic(errDamaged("a dictionary of %d bytes cannot hold %d values", p.size, n64))
			}
		} else {
			if sum += n64; sum > values {
				panic(errDamaged("the pages of a column hold more than the %d values of its row group", values))
			}
			if p.kind == pageDataV2 && (p.rows != int(n64) || p.nulls < 0 || p.nulls > int(n64)) {
				panic(errDamaged("a page header counts rows and nulls wrongly"))
			}
		}
		p.values = int(n64)
		pages = append(pages, p)
	}
	if sum != values {
		panic(errDamaged("the pages of a column hold %d values, not the %d of its row group", sum, values))
	}
	return pages
}

// A pageFeed hands checked, decompressed pages to Arrow's column reader.
type pageFeed struct {
	pages  []pageHeader
	codec  int64
	width  int // bytes of a fixed-width value; 0 for byte arrays; -1 for bools
	maxDef int16
	page   file.Page
	next   int
	dict   int // values in the dictionary
}

func (f *pageFeed) SetMaxPageHeaderSize(int) {}
func (f *pageFeed) Page() file.Page          { return f.page }
func (f *pageFeed) Err() error               { return nil }
func (f *pageFeed) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
	panic("data: pageFeed cannot be reset")
}

// Next prepares the next page; it panics with an error if the page is damaged.
func (f *pageFeed) Next() bool {
	for f.next < len(f.pages) {
		p := f.pages[f.next]
		f.next++
		if p.crc != nil {
			if p.crc.kind != thriftI32 || crc32.ChecksumIEEE(p.body) != uint32(int32(p.crc.num)) {
				panic(errDamaged("the checksum of a page does not match its bytes"))
			}
		}
		if p.kind == pageDictionary {
			b := unfold(f.codec, p.body, p.size)
			if p.encoding != encPlain && p.encoding != encPlainDictionary {
				panic(errDamaged("a dictionary has encoding %d", p.encoding))
			}
			f.checkPlain(b, p.values)
			f.dict = p.values
			f.page = file.NewDictionaryPage(memory.NewBufferBytes(b), int32(p.values), parquet.Encodings.Plain)
			return true
		}
		if p.values == 0 {
			continue
		}
		f.page = f.dataPage(p)
		return true
	}
	f.page = nil
	return false
}

// dataPage unfolds a data page, checks that its levels and values are all
// there, and makes a version 1 page of it.
func (f *pageFeed) dataPage(p pageHeader) file.Page {
	var levels, body []byte
	if p.kind == pageDataV2 {
		levels = p.body[p.repLen : p.repLen+p.defLen]
		body = p.body[p.repLen+p.defLen:]
		if p.compressed {
			body = unfold(f.codec, body, p.size-p.repLen-p.defLen)
		} else if len(body) != p.size-p.repLen-p.defLen {
			panic(errDamaged("a page has another size than its header says"))
		}
	} else {
		body = unfold(f.codec, p.body, p.size)
		if f.maxDef > 0 {
			if p.defEncoding != encRLE {
				panic(errDamaged("levels of encoding %d are not supported", p.defEncoding))
			}
			if len(body) < 4 {
				panic(errDamaged("a page ends early"))
			}
			n := binary.LittleEndian.Uint32(body)
			if uint64(n) > uint64(len(body)-4) {
				panic(errDamaged("the levels of a page are longer than the page"))
			}
			levels, body = body[4:4+n], body[4+n:]
		}
	}
	present := p.values
	if f.maxDef > 0 {
		present = countRuns(levels, 1, p.values, 2)
	}
	if p.kind == pageDataV2 && present != p.values-p.nulls {
		panic(errDamaged("a page has another number of nulls than its header says"))
	}
	enc := p.encoding
	if present == 0 {
		body, enc = nil, encPlain
	}
	switch enc {
	case encPlain:
		f.checkPlain(body, present)
	case encByteStreamSplit:
		if f.width <= 0 || len(body) != present*f.width {
			panic(errDamaged("a byte-stream-split page has the wrong size"))
		}
		body, enc = unsplit(body, f.width), encPlain
	case encPlainDictionary, encRLEDictionary:
		if len(body) < 1 || body[0] > 32 {
			panic(errDamaged("the indices of a page cannot be read"))
		}
		countRuns(body[1:], int(body[0]), present, uint64(f.dict))
	case encRLE:
		if f.width != -1 || len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			panic(errDamaged("a page of runs has the wrong size"))
		}
		countRuns(body[4:4+binary.LittleEndian.Uint32(body)], 1, present, 2)
	case encDelta, encDeltaLength:
		checkDelta(body, present)
	case encDeltaByteArray:
		checkDelta(body[checkDelta(body, present):], present)
	default:
		panic(errDamaged("encoding %d of a page is unknown", enc))
	}
	if f.maxDef > 0 {
		joined := make([]byte, 4, 4+len(levels)+len(body))
		binary.LittleEndian.PutUint32(joined, uint32(len(levels)))
		joined = append(joined, levels...)
		body = append(joined, body...)
	}
	rle := parquet.Encodings.RLE
	return file.NewDataPageV1(memory.NewBufferBytes(body), int32(p.values), parquet.Encoding(enc), rle, rle, int32(len(body)))
}

// checkPlain checks that b is exactly n plain values.
func (f *pageFeed) checkPlain(b []byte, n int) {
	ok := true
	switch {
	case f.width > 0:
		ok = len(b)%f.width == 0 && len(b)/f.width == n
	case f.width < 0:
		ok = len(b) == (n+7)/8
	default:
		for i := 0; i < n && ok; i++ {
			if ok = len(b) >= 4; ok {
				size := uint64(binary.LittleEndian.Uint32(b))
				if ok = size <= uint64(len(b)-4); ok {
					b = b[4+size:]
				}
			}
		}
		ok = ok && len(b) == 0
	}
	if !ok {
		panic(errDamaged("a page of %d plain values has the wrong size", n))
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
