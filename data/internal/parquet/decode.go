package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/drotrain/drotrain/data/table"
)

// A pageDecoder decodes pages of numbers of 4 or 8 bytes, and of texts, that are plain or indices into a dictionary.
// Arrow decodes pages of other types and pages with delta encodings.
type pageDecoder struct {
	feed    *pageFeed
	rows    int     // rows of the page that have not been decoded
	present int     // values of the page that have not been decoded
	defs    *hybrid // definition levels; nil if no value of the page is null
	plain   []byte  // remaining plain values
	indices *hybrid // remaining indices into the dictionary; nil if the values are plain

	dictionary []byte  // of numbers
	texts      []span  // of texts in the dictionary
	codes      []int32 // of these texts, or -1 if not known
	levels     *table.Levels

	numbers [batchRows]uint32 // scratch memory for levels and indices
	raw     []byte            // scratch memory for numbers from the dictionary
}

// A span is a range of bytes.
type span struct{ lo, hi int }

// decodesHere reports whether a pageDecoder supports the pages of a chunk.
func decodesHere(c *chunk) bool {
	switch c.leaf.descr.PhysicalType() {
	case parquet.Types.Float, parquet.Types.Double:
		return true
	case parquet.Types.Int32, parquet.Types.Int64:
	case parquet.Types.ByteArray:
		if c.leaf.how.kind != table.Categorical {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(c.pages, func(p pageHeader) bool {
		return p.encoding == encDelta || p.encoding == encDeltaLength || p.encoding == encDeltaByteArray
	})
}

// beginRows makes the next page current if all rows of the current one have been decoded, and stores the definition
// levels of the next n rows, which must be in one page, in defs unless none of them is null. It returns the number
// of these rows that are not null.
func (d *pageDecoder) beginRows(n int, defs []int16) (present int) {
	for d.rows == 0 {
		p := d.feed.nextHeader()
		if p == nil {
			panic(table.Damaged("a column ends early"))
		}
		if p.kind == pageDictionary {
			d.setDictionary(d.feed.loadDictionary(p), p.values)
			continue
		}
		d.setPage(d.feed.loadPage(p))
	}
	present = n
	if d.defs != nil {
		present = 0
		levels := d.numbers[:n]
		d.defs.next(levels)
		for i, v := range levels {
			defs[i] = int16(v)
			present += int(v)
		}
	}
	d.rows -= n
	if d.present -= present; d.present < 0 {
		panic(table.Damaged("a page has fewer values than its header states"))
	}
	return present
}

// setPage makes a page the current one.
func (d *pageDecoder) setPage(p rawPage) {
	d.rows, d.present, d.plain, d.defs, d.indices = p.values, p.present, p.body, nil, nil
	if p.present < p.values {
		d.defs = &hybrid{rest: p.defs, left: p.values, width: 1}
	}
	switch p.encoding {
	case encPlain:
	case encPlainDictionary, encRLEDictionary:
		if len(p.body) == 0 || p.body[0] > 32 {
			panic(table.Damaged("the indices of a page into its dictionary cannot be read"))
		}
		d.indices = &hybrid{rest: p.body[1:], left: p.present, width: int(p.body[0])}
	default:
		panic(table.Damaged("a page has the encoding %d, which is not one of its type", p.encoding))
	}
}

// setDictionary sets a dictionary of n values.
func (d *pageDecoder) setDictionary(b []byte, n int) {
	if d.feed.width > 0 {
		d.dictionary = b[:n*d.feed.width]
		return
	}
	d.texts, d.codes = make([]span, n), nil
	at := 0
	for k := range d.texts {
		size := textSize(b[at:])
		d.texts[k] = span{at + 4, at + 4 + size}
		at += 4 + size
	}
	d.dictionary = b
}

// textSize returns the size in bytes of the plain text that begins, with its size, at the start of b. It panics
// with an error if b is shorter.
func textSize(b []byte) int {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		panic(table.Damaged("a text is longer than its page"))
	}
	return int(binary.LittleEndian.Uint32(b))
}

// take returns the bytes of the next n numbers, which are valid until the next call.
func (d *pageDecoder) take(n int) (b []byte) {
	w := d.feed.width
	if d.indices == nil {
		b, d.plain = d.plain[:n*w], d.plain[n*w:]
		return b
	}
	if d.raw == nil {
		d.raw = make([]byte, min(batchRows, d.feed.chunk.values)*w)
	}
	index := d.numbers[:n]
	d.indices.next(index)
	b = d.raw[:n*w]
	from := d.dictionary
	size := uint32(len(from) / w)
	for i, k := range index {
		if k >= size {
			panic(table.Damaged("a page refers to a value that its dictionary does not have"))
		}
		if w == 8 {
			binary.LittleEndian.PutUint64(b[8*i:], binary.LittleEndian.Uint64(from[8*k:]))
		} else {
			binary.LittleEndian.PutUint32(b[4*i:], binary.LittleEndian.Uint32(from[4*k:]))
		}
	}
	return b
}

// takeCodes stores the codes of the next len(dst) texts in dst. look returns the code of a text in the levels to; it is
// called once for each text of a dictionary.
func (d *pageDecoder) takeCodes(dst []int32, to *table.Levels, look func(v []byte) int32) {
	if d.indices == nil {
		for i := range dst {
			size := textSize(d.plain)
			dst[i] = look(d.plain[4 : 4+size])
			d.plain = d.plain[4+size:]
		}
		return
	}
	if d.codes == nil || d.levels != to {
		d.codes, d.levels = make([]int32, len(d.texts)), to
		for k := range d.codes {
			d.codes[k] = -1
		}
	}
	index := d.numbers[:len(dst)]
	d.indices.next(index)
	for i, k := range index {
		if int(k) >= len(d.codes) {
			panic(table.Damaged("a page refers to a value that its dictionary does not have"))
		}
		if d.codes[k] < 0 {
			d.codes[k] = look(d.dictionary[d.texts[k].lo:d.texts[k].hi])
		}
		dst[i] = d.codes[k]
	}
}

// decodeHere makes r decode its pages with a pageDecoder.
func (r *chunkReader) decodeHere() {
	d := &pageDecoder{feed: &r.feed}
	how := r.chunk.leaf.how
	if how.kind == table.Categorical {
		r.codes = func(dst []int32, levels *table.Levels) (int64, int, error) {
			present := d.beginRows(len(dst), r.defs)
			d.takeCodes(dst[:present], levels, func(v []byte) int32 {
				if how.text == nil {
					return levels.CodeOfBytes(v)
				}
				return levels.Code(how.text(v))
			})
			return int64(len(dst)), present, nil
		}
		return
	}
	convert := r.converterOfBytes()
	r.fill = func(dst []float64) (int64, int, error) {
		present := d.beginRows(len(dst), r.defs)
		convert(dst[:present], d.take(present))
		return int64(len(dst)), present, nil
	}
}

// converterOfBytes returns the function that converts the little-endian bytes of numbers of the chunk.
func (r *chunkReader) converterOfBytes() func(dst []float64, b []byte) {
	number := r.chunk.leaf.how.number
	switch r.chunk.leaf.descr.PhysicalType() {
	case parquet.Types.Double:
		return func(dst []float64, b []byte) {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
	case parquet.Types.Float:
		return func(dst []float64, b []byte) {
			for i := range dst {
				dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
			}
		}
	case parquet.Types.Int32:
		return func(dst []float64, b []byte) {
			for i := range dst { // all values of this type are exact
				dst[i], _ = number(int64(int32(binary.LittleEndian.Uint32(b[4*i:]))))
			}
		}
	}
	return func(dst []float64, b []byte) {
		for i := range dst {
			var exact bool
			if dst[i], exact = number(int64(binary.LittleEndian.Uint64(b[8*i:]))); !exact && r.lost < 0 {
				r.lost = i
			}
		}
	}
}
