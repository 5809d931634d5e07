package parquet

import (
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// bufferPool provides buffers to Arrow's column readers.
var bufferPool = sync.Pool{New: func() any { return memory.NewResizableBuffer(memory.NewGoAllocator()) }}

// batchRows is the number of values requested from Arrow at a time.
const batchRows = 2048

// A chunkReader reads the values of a column chunk sequentially.
type chunkReader struct {
	chunk *chunk
	feed  pageFeed
	// first row to return; the first call skips the preceding rows
	begin int
	// reads values without the nulls between them
	fill    func(dst []float64) (total int64, present int, err error)
	codes   func(dst []int32, levels *table.Levels) (total int64, present int, err error)
	defs    []int16 // nil for a required column
	row     int     // row of the chunk
	page    int     // index of the next page
	left    int     // number of values left in the current page
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
	if err := intake.GuardAs("the values of a page", do); err != nil {
		return intake.InFile(c.leaf.in.Name(), intake.InColumn(c.leaf.out.Name, err))
	}
	return nil
}

// Numbers and Codes implement [table.Values].
func (r *chunkReader) Numbers(dst []float64, null []bool) (nulls int, err error) {
	return readValues(r, dst, null, 0, r.fill)
}

func (r *chunkReader) Codes(dst []int32, null []bool, levels *table.Levels) (nulls int, err error) {
	return readValues(r, dst, null, -1, func(dst []int32) (int64, int, error) { return r.codes(dst, levels) })
}

// Inexact returns the first row of the chunk, counted from 1, whose number lost digits, or 0.
func (r *chunkReader) Inexact() int { return r.inexact }

// Close frees the buffers of the chunk.
func (r *chunkReader) Close() { r.feed.close() }

// openChunk returns a reader of the values of a chunk that begins at a row.
func openChunk(c *chunk, row int, b *table.Buffers) (*chunkReader, error) {
	how := c.leaf.how
	r := &chunkReader{chunk: c, feed: newPageFeed(c, b), begin: row, lost: -1}
	if c.Nullable() {
		r.defs = make([]int16, min(batchRows, c.values))
	}
	// Pages before the row are skipped, except the dictionary.
	first := 0
	for first < len(c.pages) && c.pages[first].kind == pageDictionary {
		first++
	}
	begin := first
	for first < len(c.pages) && r.row+c.pages[first].values <= row {
		r.row += c.pages[first].values
		first++
	}
	// some writers share prefixes of texts across pages
	if first < len(c.pages) && c.pages[first].encoding == encDeltaByteArray {
		first, r.row = begin, 0
	}
	r.page, r.feed.first = first, first
	if decodesHere(c) {
		r.decodeHere()
		return r, nil
	}
	descr, err := arrowDescr(c)
	if err != nil {
		return nil, err
	}
	switch a := file.NewColumnReader(descr, &r.feed, memory.NewGoAllocator(), &bufferPool).(type) {
	case *file.BooleanColumnChunkReader:
		fillWith(r, a.ReadBatch, convertEach(r, func(v bool) (float64, bool) {
			if v {
				return 1, true
			}
			return 0, true
		}))
	case *file.Int32ColumnChunkReader:
		fillWith(r, a.ReadBatch, func(dst []float64, v []int32) {
			for i, k := range v {
				dst[i], _ = how.number(int64(k)) // all values of this type are exact
			}
		})
	case *file.Int64ColumnChunkReader:
		fillWith(r, a.ReadBatch, convertEach(r, how.number))
	case *file.FixedLenByteArrayColumnChunkReader:
		if how.kind == table.Categorical {
			codesWith(r, a.ReadBatch, func(v parquet.FixedLenByteArray, to *table.Levels) int32 { return to.Code(how.text(v)) })
			break
		}
		fillWith(r, a.ReadBatch, convertEach(r, func(v parquet.FixedLenByteArray) (float64, bool) { return how.bytes(v) }))
	case *file.ByteArrayColumnChunkReader:
		if how.kind == table.Categorical {
			codesWith(r, a.ReadBatch, func(v parquet.ByteArray, to *table.Levels) int32 {
				if how.text == nil {
					return to.CodeOfBytes(v)
				}
				return to.Code(how.text(v))
			})
			break
		}
		fillWith(r, a.ReadBatch, convertEach(r, func(v parquet.ByteArray) (float64, bool) {
			if w := r.feed.width; w > 0 && len(v) != w {
				panic(table.Damaged("a value has %d bytes, not %d", len(v), w))
			}
			return how.bytes(v)
		}))
	case *file.Int96ColumnChunkReader:
		fillWith(r, a.ReadBatch, convertEach(r, func(v parquet.Int96) (float64, bool) { return how.bytes(v[:]) }))
	default: // the remaining pages have no other encodings
		return nil, table.Damaged("values of type %s cannot be read", how.name)
	}
	return r, nil
}

// arrowDescr returns the description of the column for Arrow's reader. Since Arrow supports the encoding
// DELTA_BYTE_ARRAY only for texts, values of a fixed length, such as decimals, are described as texts.
func arrowDescr(c *chunk) (*schema.Column, error) {
	l := c.leaf
	if l.descr.PhysicalType() != parquet.Types.FixedLenByteArray {
		return l.descr, nil
	}
	delta := 0
	for _, p := range c.pages {
		if p.encoding == encDeltaByteArray {
			delta++
		}
	}
	if delta == 0 {
		return l.descr, nil
	}
	if delta < len(c.pages) {
		return nil, &table.Error{Msg: "fixed-length values in several encodings, one of them DELTA_BYTE_ARRAY, are not " +
			"supported",
			Hint: "write the file again with one encoding for this column"}
	}
	node := schema.NewByteArrayNode(l.out.Name, parquet.Repetitions.Required, -1)
	return schema.NewColumn(node, l.descr.MaxDefinitionLevel(), 0), nil
}

// fillWith makes r fill batches by reading values of type T and converting them.
func fillWith[T any](
	r *chunkReader, read func(int64, []T, []int16, []int16) (int64, int, error), convert func(dst []float64, v []T),
) {
	values := make([]T, min(batchRows, r.chunk.values))
	r.fill = func(dst []float64) (int64, int, error) {
		total, present, err := read(int64(len(dst)), values[:len(dst)], r.defs, nil)
		if err == nil && present <= len(dst) {
			convert(dst, values[:present])
		}
		return total, present, err
	}
}

// codesWith makes r fill batches of codes by reading values of type T and looking them up.
func codesWith[T any](
	r *chunkReader, read func(int64, []T, []int16, []int16) (int64, int, error), look func(v T, to *table.Levels) int32,
) {
	values := make([]T, min(batchRows, r.chunk.values))
	r.codes = func(dst []int32, levels *table.Levels) (int64, int, error) {
		total, present, err := read(int64(len(dst)), values[:len(dst)], r.defs, nil)
		if err == nil && present <= len(dst) {
			for i, v := range values[:present] {
				dst[i] = look(v, levels)
			}
		}
		return total, present, err
	}
}

// convertEach returns a function that converts values one by one and records the first value that loses digits.
func convertEach[T any](r *chunkReader, convert func(v T) (x float64, exact bool)) func(dst []float64, v []T) {
	return func(dst []float64, v []T) {
		for i, k := range v {
			var exact bool
			if dst[i], exact = convert(k); !exact && r.lost < 0 {
				r.lost = i
			}
		}
	}
}

// readValues reads the next len(dst) values with fill, stores absent for nulls, and returns the number of nulls. If
// null is not nil, it marks the nulls there.
func readValues[T float64 | int32](
	r *chunkReader, dst []T, null []bool, absent T, fill func([]T) (int64, int, error),
) (nulls int, err error) {
	err = r.chunk.guardPanics(func() error {
		if r.row < r.begin {
			skipped := make([]T, min(batchRows, r.begin-r.row))
			for r.row < r.begin {
				if _, _, err := readBatch(r, skipped[:min(r.begin-r.row, len(skipped))], nil, absent, fill); err != nil {
					return err
				}
			}
			r.inexact = 0 // the reader of the preceding rows reports it
		}
		for at := 0; at < len(dst); {
			var marks []bool
			if null != nil {
				marks = null[at:]
			}
			n, more, err := readBatch(r, dst[at:], marks, absent, fill)
			if err != nil {
				return err
			}
			at, nulls = at+n, nulls+more
		}
		return nil
	})
	return nulls, err
}

// readBatch reads at most len(dst) values of the current page. It returns the number of values and the number of nulls
// among them.
func readBatch[T float64 | int32](
	r *chunkReader, dst []T, null []bool, absent T, fill func([]T) (int64, int, error),
) (n, nulls int, err error) {
	for r.left == 0 {
		if r.page >= len(r.chunk.pages) {
			return 0, 0, table.Damaged("a column ends early")
		}
		r.left = r.chunk.pages[r.page].values
		r.page++
	}
	n = min(len(dst), r.left, batchRows)
	total, present, err := fill(dst[:n])
	if err != nil {
		return 0, 0, table.Damaged("%v", err)
	}
	if total != int64(n) || present > n || r.defs == nil && present != n {
		return 0, 0, table.Damaged("the number of values in a page differs from the number in its header")
	}
	lost := r.lost
	if present < n {
		if lost, err = spreadPresent(dst[:n], null, r.defs[:n], absent, present, lost); err != nil {
			return 0, 0, err
		}
	}
	if lost >= 0 && r.inexact == 0 {
		r.inexact = r.row + lost + 1
	}
	r.lost = -1
	r.row += n
	r.left -= n
	return n, n - present, nil
}

// spreadPresent moves the present values of a batch to their rows and sets all other rows to absent. It returns the row
// of the value with index lost, which may be −1.
func spreadPresent[T float64 | int32](dst []T, null []bool, defs []int16, absent T, present, lost int) (int, error) {
	k := present
	row := lost
	for i := len(dst) - 1; i >= 0; i-- {
		if defs[i] <= 0 {
			if dst[i] = absent; null != nil {
				null[i] = true
			}
			continue
		}
		if k--; k < 0 {
			return 0, table.Damaged("a page has fewer values than its header states")
		}
		dst[i] = dst[k]
		if k == lost {
			row = i
		}
	}
	if k != 0 {
		return 0, table.Damaged("a page has more values than its header states")
	}
	return row, nil
}
