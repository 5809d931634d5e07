package parquet

import (
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

// bufferPool provides buffers for Arrow's readers.
var bufferPool = sync.Pool{New: func() any { return memory.NewResizableBuffer(memory.NewGoAllocator()) }}

// batchRows is the number of values requested from Arrow at a time.
const batchRows = 2048

// A chunkReader reads the values of a column chunk sequentially.
type chunkReader struct {
	before  int // rows of a categorical column that must be skipped before the next value
	chunk   *chunk
	feed    pageFeed
	arrow   file.ColumnChunkReader
	fill    func(dst []float64) (total int64, present int, err error) // reads the values that are not null, without gaps
	texts   *file.ByteArrayColumnChunkReader                          // of a categorical column
	text    []parquet.ByteArray
	defs    []int16 // nil for a required column
	row     int     // of the chunk
	page    int     // the next one to begin
	left    int     // values left in the current one
	lost    int     // index in the last batch of the first value that lost digits, or -1
	inexact int     // first row (1-based, in the chunk) that lost digits, or 0
}

// Rows, Nullable, Open and Pages implement [table.Part].
func (c *chunk) Rows() int      { return c.values }
func (c *chunk) Nullable() bool { return c.leaf.descr.MaxDefinitionLevel() > 0 }

func (c *chunk) Open(row int, b *table.Buffers) (v table.Values, err error) {
	err = c.guardPanics(func() error {
		r, err := openChunk(c, row, b)
		v = r
		return err
	})
	return v, err
}

// Pages returns the data pages.
func (c *chunk) Pages() []table.Page {
	out := make([]table.Page, 0, len(c.pages))
	row := 0
	for i := range c.pages {
		h := &c.pages[i]
		if h.kind == pageDictionary {
			continue
		}
		p := table.Page{Row: row, Rows: h.values, Bytes: h.size}
		if h.encoding == encPlainDictionary || h.encoding == encRLEDictionary {
			p.Dictionary = c.pages[0].size
		}
		out = append(out, p)
		row += h.values
	}
	return out
}

// guardPanics calls do and converts a panic of a decoder into an error that names file and column.
func (c *chunk) guardPanics(do func() error) error {
	if err := table.GuardAs("the values of a page", do); err != nil {
		return table.InFile(c.leaf.in.Name(), table.InColumn(c.leaf.name, err))
	}
	return nil
}

// Numbers and Codes implement [table.Values].
func (r *chunkReader) Numbers(dst []float64, null []bool) (nulls int, err error) {
	err = r.chunk.guardPanics(func() (err error) { nulls, err = r.numbers(dst, null); return err })
	return nulls, err
}

func (r *chunkReader) Codes(dst []int32, null []bool, levels *table.Levels) (nulls int, err error) {
	err = r.chunk.guardPanics(func() (err error) { nulls, err = r.codes(dst, null, levels); return err })
	return nulls, err
}

// Inexact returns the first row of the chunk, counted from 1, whose number lost digits, or 0.
func (r *chunkReader) Inexact() int { return r.inexact }

// Close frees the buffers of the chunk.
func (r *chunkReader) Close() { r.feed.close() }

// openChunk returns a reader that begins at a row of a chunk.
func openChunk(c *chunk, skip int, b *table.Buffers) (*chunkReader, error) {
	l := c.leaf
	r := &chunkReader{chunk: c, lost: -1}
	r.feed = pageFeed{chunk: c, width: valueWidth(l.descr), maxDef: l.descr.MaxDefinitionLevel(), buffers: b, keep: 1}
	if r.feed.maxDef > 0 {
		r.defs = make([]int16, min(batchRows, c.values))
	}
	// Pages before the row are passed over, but for the dictionary.
	first := 0
	for first < len(c.pages) && c.pages[first].kind == pageDictionary {
		first++
	}
	begin := first
	for first < len(c.pages) && r.row+c.pages[first].values <= skip {
		r.row += c.pages[first].values
		first++
	}
	if first < len(c.pages) && c.pages[first].encoding == encDeltaByteArray { // some writers share prefixes across pages
		first, r.row = begin, 0
	}
	r.page = first
	r.feed.first = first
	descr, err := arrowDescr(c)
	if err != nil {
		return nil, err
	}
	r.arrow = file.NewColumnReader(descr, &r.feed, memory.NewGoAllocator(), &bufferPool)
	switch a := r.arrow.(type) {
	case *file.BooleanColumnChunkReader:
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []bool) {
			for i, b := range v {
				dst[i] = 0
				if b {
					dst[i] = 1
				}
			}
		})
	case *file.Int32ColumnChunkReader:
		to := l.how.i32
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []int32) {
			for i, k := range v {
				dst[i] = to(k)
			}
		})
	case *file.Int64ColumnChunkReader:
		to, exact := l.how.i64, l.how.exact
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []int64) {
			for i, k := range v {
				dst[i] = to(k)
				if !exact(k) && r.lost < 0 {
					r.lost = i
				}
			}
		})
	case *file.Float64ColumnChunkReader:
		r.fill = func(dst []float64) (int64, int, error) { return a.ReadBatch(int64(len(dst)), dst, r.defs, nil) }
	case *file.Float32ColumnChunkReader:
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []float32) {
			for i, k := range v {
				dst[i] = float64(k)
			}
		})
	case *file.FixedLenByteArrayColumnChunkReader:
		r.feed.keep = 2
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []parquet.FixedLenByteArray) {
			for i, b := range v {
				r.decimal(dst, i, b)
			}
		})
	case *file.ByteArrayColumnChunkReader:
		r.feed.keep = 2
		if l.how.kind == table.Categorical {
			r.texts, r.text = a, make([]parquet.ByteArray, min(batchRows, c.values))
		}
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []parquet.ByteArray) {
			for i, b := range v {
				r.decimal(dst, i, b)
			}
		})
	case *file.Int96ColumnChunkReader:
		r.fill = newFiller(r, a.ReadBatch, func(dst []float64, v []parquet.Int96) {
			for i := range v {
				r.decimal(dst, i, v[i][:])
			}
		})
	default: // there are no other encodings of the rest
		return nil, table.Damaged("values of type %s cannot be read", l.how.name)
	}
	return r, r.skip(skip)
}

// arrowDescr returns the description of the column for Arrow's reader. Arrow knows values that
// are written by what they share with the one before as texts alone; those of a fixed
// length, as decimals have, are read as such.
func arrowDescr(c *chunk) (*schema.Column, error) {
	l := c.leaf
	if l.descr.PhysicalType() != parquet.Types.FixedLenByteArray {
		return l.descr, nil
	}
	delta, other := false, false
	for _, p := range c.pages {
		if p.kind != pageDictionary {
			delta = delta || p.encoding == encDeltaByteArray
			other = other || p.encoding != encDeltaByteArray
		}
	}
	if !delta {
		return l.descr, nil
	}
	if other || c.pages[0].kind == pageDictionary {
		return nil, &table.Error{Msg: "values of a fixed length that are encoded in several ways, one of them DELTA_BYTE_ARRAY, cannot be read",
			Hint: "write the file again with one encoding for this column"}
	}
	node := schema.NewByteArrayNode(l.name, parquet.Repetitions.Required, -1)
	return schema.NewColumn(node, l.descr.MaxDefinitionLevel(), 0), nil
}

// newFiller returns a function that reads a batch of values of type T and converts them.
func newFiller[T any](r *chunkReader, read func(int64, []T, []int16, []int16) (int64, int, error), convert func(dst []float64, v []T)) func([]float64) (int64, int, error) {
	values := make([]T, min(batchRows, r.chunk.values))
	return func(dst []float64) (int64, int, error) {
		total, present, err := read(int64(len(dst)), values[:len(dst)], r.defs, nil)
		if err == nil && present <= len(dst) {
			convert(dst[:present], values[:present])
		}
		return total, present, err
	}
}

func (r *chunkReader) decimal(dst []float64, i int, b []byte) {
	if w := r.feed.width; w > 0 && len(b) != w {
		panic(table.Damaged("a value has %d bytes, not %d", len(b), w))
	}
	v, exact := r.chunk.leaf.how.bytes(b)
	dst[i] = v
	if !exact && r.lost < 0 {
		r.lost = i
	}
}

// skip skips rows of the same page up to the given one.
func (r *chunkReader) skip(row int) error {
	if row == r.row {
		return nil
	}
	if r.chunk.leaf.how.kind == table.Categorical { // with the levels of who reads on
		r.before = row - r.row
		return nil
	}
	number := make([]float64, min(batchRows, row-r.row))
	for r.row < row {
		if _, err := r.numbers(number[:min(row-r.row, len(number))], nil); err != nil {
			return err
		}
	}
	r.inexact = 0 // the reader of those rows reports it
	return nil
}

// readBatch returns how many of the next n values are in the current page.
func (r *chunkReader) readBatch(n int) (int, error) {
	for r.left == 0 {
		if r.page >= len(r.chunk.pages) {
			return 0, table.Damaged("a column ends early")
		}
		r.left = r.chunk.pages[r.page].values
		r.page++
	}
	return min(n, r.left, batchRows), nil
}

// checkBatch returns an error unless Arrow has read a batch of n values correctly.
func (r *chunkReader) checkBatch(n int, total int64, present int, err error) error {
	if err != nil {
		return table.Damaged("%v", err)
	}
	if total != int64(n) || present > n || r.defs == nil && present != n {
		return table.Damaged("a page has other values than it says")
	}
	r.row += n
	r.left -= n
	return nil
}

// numbers reads the next len(dst) values of a numeric or bool column, with 0 for nulls, and returns the number
// of nulls. If null is not nil, it marks them there.
func (r *chunkReader) numbers(dst []float64, null []bool) (nulls int, err error) {
	for len(dst) > 0 {
		n, err := r.readBatch(len(dst))
		if err != nil {
			return nulls, err
		}
		start := r.row
		total, present, err := r.fill(dst[:n])
		if err := r.checkBatch(n, total, present, err); err != nil {
			return nulls, err
		}
		lost := r.lost
		if r.defs != nil && present < n {
			lost, err = spreadPresent(dst[:n], null, r.defs[:n], 0, present, lost)
			if err != nil {
				return nulls, err
			}
			nulls += n - present
		}
		if lost >= 0 && r.inexact == 0 {
			r.inexact = start + lost + 1
		}
		r.lost = -1
		dst = dst[n:]
		if null != nil {
			null = null[n:]
		}
	}
	return nulls, nil
}

// spreadPresent moves the present values of a batch to their rows and sets the others to absent. It returns the
// row of the value with index lost, which may be −1.
func spreadPresent[T float64 | int32](dst []T, null []bool, defs []int16, absent T, present, lost int) (int, error) {
	k := present
	row := lost
	for i := len(dst) - 1; i >= 0; i-- {
		if defs[i] > 0 {
			if k--; k < 0 {
				return 0, table.Damaged("a page has fewer values than it says")
			}
			dst[i] = dst[k]
			if k == lost {
				row = i
			}
			continue
		}
		if null != nil {
			null[i] = true
		}
	}
	if k != 0 {
		return 0, table.Damaged("a page has more values than it says")
	}
	for i := range dst {
		if defs[i] <= 0 {
			dst[i] = absent
		}
	}
	return row, nil
}

// codes reads the next len(dst) values of a text column, with −1 for nulls, and returns the number of nulls. If
// null is not nil, it marks them there.
func (r *chunkReader) codes(dst []int32, null []bool, levels *table.Levels) (nulls int, err error) {
	left := r.before
	r.before = 0
	for passed := make([]int32, min(batchRows, left)); left > 0; left -= len(passed) {
		passed = passed[:min(left, len(passed))]
		if _, err := r.codes(passed, nil, levels); err != nil {
			return nulls, err
		}
	}
	for len(dst) > 0 {
		n, err := r.readBatch(len(dst))
		if err != nil {
			return nulls, err
		}
		total, present, err := r.texts.ReadBatch(int64(n), r.text[:n], r.defs, nil)
		if err := r.checkBatch(n, total, present, err); err != nil {
			return nulls, err
		}
		for i, b := range r.text[:present] {
			dst[i] = levels.CodeOfBytes(b)
		}
		if r.defs != nil && present < n {
			if _, err := spreadPresent(dst[:n], null, r.defs[:n], -1, present, -1); err != nil {
				return nulls, err
			}
			nulls += n - present
		}
		dst = dst[n:]
		if null != nil {
			null = null[n:]
		}
	}
	return nulls, nil
}
