package parquet

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/drotrain/drotrain/data/table"
)

// Plain and dictionary-encoded pages, which nearly all files consist of, are
// decoded here, straight from the bytes of the page: no copy of the dictionary,
// one look at the text of a level. Other encodings go through Arrow.

// A pageValues reads the values of such pages of a chunk.
type pageValues struct {
	feed    *pageFeed
	phys    parquet.Type
	how     *converter
	left    int // values left in the page
	levels  runReader
	index   runReader // of a dictionary-encoded page
	coded   bool      // the page is one
	plain   []byte    // else, what is left of its values
	dict    []byte
	inexact map[int32]bool // entries of the dictionary that lost digits
	text    []int32        // levels of the entries of a dictionary of texts
	codes   []int32        // batchRows
}

// readsHere says that the pages of the chunk from the given one on can be
// decoded by a pageValues.
func readsHere(c *chunk, first int) bool {
	switch c.leaf.descr.PhysicalType() {
	case parquet.Types.Boolean, parquet.Types.Int96:
		return false
	}
	for _, p := range c.pages[first:] {
		switch p.encoding {
		case encPlain, encPlainDictionary, encRLEDictionary:
		case encByteStreamSplit:
			if c.leaf.descr.PhysicalType() == parquet.Types.ByteArray {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// coded says that a page holds indices of a dictionary.
func (p *pageHeader) coded() bool {
	return p.encoding == encPlainDictionary || p.encoding == encRLEDictionary
}

// begin decompresses the next page, and the dictionary if it is needed.
func (v *pageValues) begin(levels *table.Levels) {
	f := v.feed
	for f.next = max(f.next, f.first); f.chunk.pages[f.next].values == 0; f.next++ {
	}
	p := &f.chunk.pages[f.next]
	f.next++
	if p.coded() && v.dict == nil {
		h := &f.chunk.pages[0]
		if h.kind != pageDictionary {
			panic(table.Damaged("a page refers to a dictionary that is not there"))
		}
		v.dict = f.dictionary(h)
		v.convertDictionary(levels)
	} else if v.dict != nil && !p.coded() {
		more := false
		for _, q := range f.chunk.pages[f.next:] {
			more = more || q.coded()
		}
		if !more { // the writer has given the dictionary up
			f.buffers.Put(f.dictAt)
			f.dictAt, v.dict = nil, nil
		}
	}
	lv, body, enc, _ := f.decompressed(p)
	v.left = p.values
	v.levels = runReader{b: lv, bits: 1}
	v.coded = enc == encPlainDictionary || enc == encRLEDictionary
	if v.coded {
		v.index = runReader{b: body[1:], bits: int(body[0])}
	} else {
		v.plain = body
	}
}

// convertDictionary makes doubles of a dictionary of 64-bit integers, in its
// place, and level codes of one of texts.
func (v *pageValues) convertDictionary(levels *table.Levels) {
	switch {
	case levels != nil:
		v.text = make([]int32, v.feed.dict)
		b := v.dict
		for i := range v.text {
			n := binary.LittleEndian.Uint32(b)
			v.text[i] = -1 - int32(len(v.dict)-len(b)) // where it is: levels are numbered as they occur
			b = b[4+n:]
		}
	case v.phys == parquet.Types.Int64:
		for i := range int32(v.feed.dict) {
			b := v.dict[8*i:]
			k := int64(binary.LittleEndian.Uint64(b))
			if !v.how.exact(k) {
				if v.inexact == nil {
					v.inexact = make(map[int32]bool)
				}
				v.inexact[i] = true
			}
			binary.LittleEndian.PutUint64(b, math.Float64bits(v.how.i64(k)))
		}
	}
}

// defined reads the definition levels of n values and counts those present.
func (v *pageValues) defined(defs []int16, n int) (present int) {
	if defs == nil {
		return n
	}
	c := v.codes[:n]
	v.levels.read(c)
	for i, k := range c {
		defs[i] = int16(k)
		present += int(k)
	}
	return present
}

// numbers reads n = len(dst) values of one page, those present without gaps.
func (v *pageValues) numbers(r *chunkReader, dst []float64) (int64, int, error) {
	if v.left == 0 {
		v.begin(nil)
	}
	n := len(dst)
	v.left -= n
	present := v.defined(r.defs, n)
	dst = dst[:present]
	if !v.coded {
		v.plain = v.plain[v.convert(r, dst, v.plain):]
		return int64(n), present, nil
	}
	index := v.codes[:present]
	v.index.read(index)
	dict := v.dict
	if v.phys == parquet.Types.Double || v.phys == parquet.Types.Int64 {
		for i, k := range index {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(dict[8*int(k):]))
		}
		if v.inexact != nil {
			for i, k := range index {
				if v.inexact[k] && r.lost < 0 {
					r.lost = i
				}
			}
		}
		return int64(n), present, nil
	}
	for i, k := range index {
		before := r.lost
		v.convert(r, dst[i:i+1], dict[v.feed.width*int(k):])
		if before < 0 && r.lost == 0 { // convert counts from its own first value
			r.lost = i
		}
	}
	return int64(n), present, nil
}

// convert reads len(dst) plain values and tells how many bytes they take.
func (v *pageValues) convert(r *chunkReader, dst []float64, b []byte) int {
	width := v.feed.width
	switch v.phys {
	case parquet.Types.Double:
		b := b[:8*len(dst)]
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case parquet.Types.Float:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case parquet.Types.Int32:
		to := v.how.i32
		for i := range dst {
			dst[i] = to(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case parquet.Types.Int64:
		to, exact := v.how.i64, v.how.exact
		for i := range dst {
			k := int64(binary.LittleEndian.Uint64(b[8*i:]))
			dst[i] = to(k)
			if !exact(k) && r.lost < 0 {
				r.lost = i
			}
		}
	case parquet.Types.FixedLenByteArray:
		for i := range dst {
			r.decimal(dst, i, b[width*i:width*(i+1)])
		}
	}
	return width * len(dst)
}

// texts reads len(dst) values of one page as codes of levels, those present
// without gaps.
func (v *pageValues) texts(r *chunkReader, dst []int32, levels *table.Levels) (present int) {
	if v.left == 0 {
		v.begin(levels)
	}
	v.left -= len(dst)
	present = v.defined(r.defs, len(dst))
	dst = dst[:present]
	if v.coded {
		v.index.read(dst)
		for i, k := range dst {
			c := v.text[k]
			if c < 0 {
				b := v.dict[-1-c:]
				n := binary.LittleEndian.Uint32(b)
				c = levels.CodeOfBytes(b[4 : 4+n])
				v.text[k] = c
			}
			dst[i] = c
		}
		return present
	}
	for i := range dst {
		n := binary.LittleEndian.Uint32(v.plain)
		dst[i] = levels.CodeOfBytes(v.plain[4 : 4+n])
		v.plain = v.plain[4+n:]
	}
	return present
}
