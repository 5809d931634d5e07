package ipc

import (
	"slices"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

const (
	// partRows is the number of rows in a part of an uncompressed column.
	partRows = 1 << 16

	// pieceRows is the number of rows decoded at a time. It is a multiple of 8, so that bitmaps begin at a
	// byte.
	pieceRows = 2048
)

// canStayInFile reports whether the values of the field, read as kind k, can stay in the file. Numbers, bools and texts
// can.
func (f *field) canStayInFile(k table.Kind) bool {
	return k != table.Other && !f.isSparse() && f.floatElement().Size == 0
}

// storing holds the parameters for reading the values of a column later.
type storing struct {
	src          intake.Source
	name         string
	exact, dates bool
}

// A part holds rows of a batch in one column, whose values are stored in the file.
type part struct {
	storing
	field      *field
	batch      *batch
	buffers    []span
	dictionary *table.Column
	from, rows int // rows of the batch
	nullable   bool
	marked     bool // whether a validity bitmap marks nulls
}

// cutParts divides a field in a batch into parts, after checking its nulls. A field with compressed buffers or
// views is one part, since its buffers must be read from their beginning.
func (s storing) cutParts(c *cursor, f *field, dictionary *table.Column) (out []table.Part) {
	n, buffers := c.nextNode(f)
	p := part{storing: s, field: f, batch: c.batch, buffers: buffers, dictionary: dictionary}
	if len(buffers) > 0 {
		p.marked = n.countNulls(validityBitmap([][]byte{c.unpack(buffers[0])}, n)) > 0
	}
	p.nullable = p.marked || f.Type == typeNull && f.Dictionary < 0 || dictionary != nil && dictionary.Null != nil
	if f.Dictionary >= 0 && dictionary == nil && n.length > 0 {
		panic(table.Damaged("a dictionary is missing"))
	}
	step := partRows
	if p.isWhole() {
		step = int(n.length)
	}
	for ; p.from < int(n.length); p.from += step {
		next := p
		next.rows = min(step, int(n.length)-p.from)
		out = append(out, &next)
	}
	return out
}

// isWhole reports whether buffers must be read from their beginning to read any rows.
func (p *part) isWhole() bool {
	return p.batch.compression >= 0 || p.field.Type == typeTextView && p.field.Dictionary < 0
}

// Rows, Nullable, Pages and Open implement [table.Part].
func (p *part) Rows() int      { return p.rows }
func (p *part) Nullable() bool { return p.nullable }

func (p *part) Pages() []table.Page {
	if !p.isWhole() {
		return nil
	}
	page := table.Page{Rows: p.rows}
	err := p.guard(func() error {
		for _, b := range p.buffers {
			if p.field.Type == typeTextView { // views refer to any byte
				page.Bytes += int(p.batch.unpackedSize(b))
			} else {
				page.Bytes += p.batch.streamSize(b)
			}
		}
		return nil
	})
	if err != nil { // the error is reported when the values are read
		return nil
	}
	return []table.Page{page}
}

// isPlain reports whether the part consists of float64 numbers without nulls, which can be read without conversion.
func (p *part) isPlain() bool {
	e := p.field.Element
	return e.Float && e.Size == 8 && p.field.Kind == table.Numeric && p.field.Dictionary < 0 && !p.marked && !p.isWhole()
}

func (p *part) Open(row int, _ *table.Buffers) (table.Values, error) {
	if p.isPlain() {
		return &plainValues{part: p, next: row}, nil
	}
	v := &values{part: p, next: row &^ 7, builder: newBuilder(p.field, p.name, min(pieceRows, p.rows), p.exact, p.dates),
		readers: make([]*bufferReader, len(p.buffers))}
	v.builder.allocate(min(pieceRows, p.rows))
	v.at = v.next - row // number of rows to skip, as a negative number
	return v, p.guard(func() error {
		for k, b := range p.buffers {
			v.readers[k] = p.batch.reader(b, 0)
		}
		return nil
	})
}

// guard calls do and converts a panic of a decoder into an error that names file and column.
func (p *part) guard(do func() error) error {
	if err := intake.GuardAs("the values of a batch", do); err != nil {
		return intake.InFile(p.src.Name(), intake.InColumn(p.name, err))
	}
	return nil
}

// plainValues reads the values of a plain part.
type plainValues struct {
	*part
	next int // row of the part to be read next
}

// Inexact, Close and Codes implement [table.Values].
func (v *plainValues) Inexact() int { return 0 }
func (v *plainValues) Close()       {}

func (v *plainValues) Codes([]int32, []bool, *table.Levels) (int, error) {
	return 0, v.guard(func() error { return table.Damaged("the column holds numbers, but is read as text") })
}

// Numbers implements [table.Values].
func (v *plainValues) Numbers(dst []float64, _ []bool) (nulls int, err error) {
	from, size := 8*int64(v.from+v.next), 8*int64(len(dst))
	if len(dst) > v.rows-v.next || from+size > v.buffers[1].size {
		return 0, v.guard(func() error { return table.Damaged("a column ends early") })
	}
	v.next += len(dst)
	return 0, v.guard(func() error { return table.ReadDoubles(v.batch.src, dst, v.buffers[1].from+from) })
}

// values reads the values of a part.
type values struct {
	*part
	builder *builder
	readers []*bufferReader
	next    int     // first row of the part that has not been decoded
	at      int     // first of the decoded rows that has not been returned
	have    int     // number of decoded values
	code    []int32 // code in the levels of the reader, for each code of the builder; −1 means not looked up
	inexact int
}

// Inexact and Close implement [table.Values].
func (v *values) Inexact() int { return v.inexact }
func (v *values) Close()       {}

// decode decodes the next piece.
func (v *values) decode() {
	f, b := v.field, v.builder
	n := min(pieceRows, v.rows-v.next)
	row := v.from + v.next
	p := piece{rows: n, buffers: make([][]byte, len(v.buffers))}
	if v.marked {
		p.valid = v.readers[0].bytes(row/8, (row+n+7)/8)
	}
	if bits := int(f.rowBits()); len(v.buffers) > 1 {
		extra := 0
		if f.Dictionary < 0 && (f.Type == typeText || f.Type == typeLargeText) {
			extra = 1 // offsets have one more element
		}
		p.buffers[1] = v.readers[1].bytes(row*bits/8, ((row+n+extra)*bits+7)/8)
		if extra > 0 {
			offset := offsetReader(p.buffers[1], bits, n)
			p.base = offset(0)
			p.buffers[2] = v.readers[2].bytes(int(p.base), int(offset(n)))
		}
	}
	for k := 2; k < len(v.buffers) && p.buffers[k] == nil; k++ {
		p.buffers[k] = v.readers[k].bytes(0, v.readers[k].size)
	}
	b.out.InexactRow = 0
	clear(b.out.Null)
	b.addRows(v.dictionary, p, 0)
	if lost := b.out.InexactRow; lost > 0 && v.inexact == 0 && lost > -v.at {
		v.inexact = v.next + lost
	}
	v.next += n
	v.at, v.have = max(0, -v.at), n
}

// readRanges calls take with ranges of the rows held by the builder, which together are the next count rows. It marks
// the nulls in null and returns their number.
func (v *values) readRanges(count int, null []bool, take func(to, from, n int)) (nulls int, err error) {
	return nulls, v.guard(func() error {
		for done := 0; done < count; {
			if v.at < 0 || v.at == v.have {
				if v.next == v.rows {
					return table.Damaged("a column ends early")
				}
				v.decode()
			}
			n := min(count-done, v.have-v.at)
			take(done, v.at, n)
			if marks := v.builder.out.Null; marks != nil {
				for i, is := range marks[v.at : v.at+n] {
					if is {
						nulls++
						if null != nil {
							null[done+i] = true
						}
					}
				}
			}
			done, v.at = done+n, v.at+n
		}
		return nil
	})
}

// Numbers and Codes implement [table.Values].
func (v *values) Numbers(dst []float64, null []bool) (nulls int, err error) {
	out := v.builder.out
	if out.Number == nil {
		return 0, v.guard(func() error { return table.Damaged("the column holds text, but is read as numbers") })
	}
	return v.readRanges(len(dst), null, func(to, from, n int) {
		copy(dst[to:], out.Number[from:from+n])
		for i := 0; out.Null != nil && i < n; i++ {
			if out.Null[from+i] {
				dst[to+i] = 0
			}
		}
	})
}

func (v *values) Codes(dst []int32, null []bool, levels *table.Levels) (nulls int, err error) {
	out := v.builder.out
	if out.Code == nil {
		return 0, v.guard(func() error { return table.Damaged("the column holds numbers, but is read as text") })
	}
	return v.readRanges(len(dst), null, func(to, from, n int) {
		if more := len(v.builder.levels.Text) - len(v.code); more > 0 {
			v.code = append(v.code, slices.Repeat([]int32{-1}, more)...)
		}
		for i := range n {
			k := out.Code[from+i]
			if dst[to+i] = -1; k < 0 || out.Null != nil && out.Null[from+i] {
				continue
			}
			if v.code[k] < 0 {
				v.code[k] = levels.Code(v.builder.levels.Text[k])
			}
			dst[to+i] = v.code[k]
		}
	})
}
