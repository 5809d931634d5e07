package ipc

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A builder copies the values of a field into a column.
type builder struct {
	field  *field
	out    *table.Column
	levels *table.Levels
	exact  bool                  // the values are read as the exact type of the field
	vector *intake.VectorBuilder // not nil for lists of floats
	sparse *intake.SparseBuilder // set for lists of entries of sparse vectors
	limit  func() error          // bounds the memory that sparse takes

	from  *table.Column // dictionary in which codes were last looked up
	codes []int32       // code plus one for each index into the dictionary; 0 means not looked up
}

// newBuilder returns a builder of a column with the given number of rows. It does not allocate values. If dates is
// set, dates and timestamps become Numeric. If exact is set, columns that have a [table.ExactType] are read as bits
// or texts.
func newBuilder(f *field, name string, rows int, exact, dates bool) *builder {
	if !utf8.ValidString(f.Name) {
		panic(table.Damaged("a column name is not UTF-8 text: %q", f.Name))
	}
	b := &builder{field: f, out: &table.Column{Name: name, Type: f.Label, Kind: f.Kind, Integer: f.Integer,
		Clock: f.Clock}, levels: table.NewLevels()}
	out := b.out
	if f.Clock {
		out.Zone = f.Exact.Zone
	}
	if e := f.floatElement(); e.Size > 0 {
		b.vector = intake.NewVectorBuilder(rows, e.Size)
	}
	if f.isSparse() {
		b.sparse = &intake.SparseBuilder{}
		return b
	}
	if exact && f.Exact.Form != 0 {
		b.exact, out.Type = true, f.Exact.AsBits()
		if f.Exact.HasTexts() {
			out.Kind = table.Categorical
		}
	} else if exact && f.Type == typeFloat {
		out.Type = numeral.BitsType(f.Element.String())
	} else if (f.Type == typeDate || f.Type == typeTimestamp) && !(f.Clock && dates) {
		out.Kind = table.Other
	}
	return b
}

// allocate allocates memory for the values of the given number of rows. The column must not be a vector.
func (b *builder) allocate(rows int) {
	switch b.out.Kind {
	case table.Numeric, table.Bool:
		b.out.Number = make([]float64, rows)
	case table.Categorical:
		b.out.Code = make([]int32, rows)
	}
}

// addValues copies the values of a field in a batch to the rows from start on. It panics with an error if a
// dictionary is missing.
func (b *builder) addValues(c *cursor, start int, dictionaries map[int64]*table.Column) {
	f, out := b.field, b.out
	if b.sparse != nil {
		b.addEntries(c, start)
		return
	}
	if b.vector != nil {
		b.addLists(c)
		return
	}
	if out.Kind == table.Other {
		c.checkAll(f)
		return
	}
	n, buffers := c.takeDecompressed(f)
	rows := int(n.length)
	valid := validityBitmap(buffers, n)
	n.countNulls(valid)
	b.addRows(dictionaries[f.Dictionary], piece{rows: rows, valid: valid, buffers: buffers}, start)
}

// countNulls returns the number of nulls according to the validity bitmap of a field; a nil bitmap means no nulls.
// It panics with an error if the header of the batch states a different number.
func (n node) countNulls(valid []byte) (nulls int) {
	for i := 0; valid != nil && i < int(n.length); i++ {
		if i%8 == 0 && valid[i/8] == 0xff {
			i += 7
		} else if !bit(valid, i) {
			nulls++
		}
	}
	if n.nulls >= 0 && n.nulls != int64(nulls) {
		panic(table.Damaged("a batch has %d nulls, but its header states %d", nulls, n.nulls))
	}
	return nulls
}

// A piece is a range of rows of a field that is not a list, with its decompressed buffers.
type piece struct {
	rows    int
	valid   []byte // nil if there are no nulls
	buffers [][]byte
	base    uint64 // offset at which buffers[2] begins, for texts with offsets
}

// addRows copies the values of a piece to the rows from start on. If the field holds indices, dictionary holds the
// values.
func (b *builder) addRows(dictionary *table.Column, p piece, start int) {
	f, out, valid, rows, buffers := b.field, b.out, p.valid, p.rows, p.buffers
	if f.Type == typeNull && f.Dictionary < 0 {
		for i := range rows {
			b.setNull(start + i)
		}
		return
	}
	for i := 0; valid != nil && i < rows; i++ {
		if !bit(valid, i) {
			b.setNull(start + i)
		}
	}
	switch {
	case f.Dictionary >= 0:
		b.addIndices(dictionary, valid, buffers[1], rows, start)
	case out.Kind == table.Categorical && b.exact:
		valueBytes(buffers[1], rows, f.Bits)
		text := f.decimalReader(buffers[1])
		for i := range rows {
			if valid == nil || bit(valid, i) {
				out.Code[start+i] = b.levels.Code(f.Exact.DecimalText(text(i)))
			}
		}
	case out.Kind == table.Categorical:
		text := textsOf(f, p)
		for i := range rows {
			if valid == nil || bit(valid, i) {
				out.Code[start+i] = b.levels.CodeOfBytes(text(i))
			}
		}
	default:
		b.addNumbers(valid, buffers[1], rows, start)
	}
}

// validityBitmap returns the validity bitmap of a field, or nil if it has no nulls.
func validityBitmap(buffers [][]byte, n node) []byte {
	switch {
	case len(buffers) == 0:
		return nil
	case len(buffers[0]) == 0 && n.nulls > 0:
		panic(errUnmarked(n))
	case len(buffers[0]) == 0:
		return nil
	}
	return valueBytes(buffers[0], int(n.length), 1)
}

// errUnmarked returns the error of a field whose header states nulls although it has no validity bitmap.
func errUnmarked(n node) error {
	return table.Damaged("a batch states %d nulls, but does not mark which values are null", n.nulls)
}

// bit reports whether bit i is set.
func bit(b []byte, i int) bool { return b[uint(i)/8]>>(uint(i)%8)&1 == 1 }

// takeDecompressed works like nextNode, but returns the decompressed bytes of the buffers.
func (c *cursor) takeDecompressed(f *field) (n node, buffers [][]byte) {
	n, packed := c.nextNode(f)
	for _, b := range packed {
		buffers = append(buffers, c.unpack(b))
	}
	return n, buffers
}

// setNull makes the value of a row null.
func (b *builder) setNull(row int) {
	if b.out.Null == nil {
		b.out.Null = make([]bool, max(len(b.out.Number), len(b.out.Code)))
	}
	b.out.Null[row] = true
	if b.out.Kind == table.Categorical {
		b.out.Code[row] = -1
	}
}

// valueBytes returns the part of buffer b that holds values of the given number of rows and bits. It panics with an
// error if the buffer is too short.
func valueBytes(b []byte, rows, bits int) []byte {
	if len(b) < (rows*bits+7)/8 {
		panic(table.Damaged("%d values do not fit in a buffer of %d bytes", rows, len(b)))
	}
	return b
}

// addNumbers copies numbers, or bools as 0 and 1.
func (b *builder) addNumbers(valid, data []byte, rows, start int) {
	f, out := b.field, b.out
	valueBytes(data, rows, f.Bits)
	if e := f.Element; e.Float && e.Size == 8 && valid == nil {
		for i := range out.Number[start : start+rows] {
			out.Number[start+i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		return
	}
	if e := f.Element; e.Float && e.Size == 4 && valid == nil && !b.exact && !out.HoldsBits() {
		for i := range out.Number[start : start+rows] {
			out.Number[start+i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return
	}
	number := f.numberReader(data)
	if b.exact {
		number = f.exactBits(data)
	}
	for i := range rows {
		if valid != nil && !bit(valid, i) {
			continue
		}
		v, exact := number(i)
		if out.Number[start+i] = v; !exact && out.InexactRow == 0 {
			out.InexactRow = start + i + 1
		}
	}
}

// numberReader returns a function that returns entry i of a buffer; exact reports whether a float64 represents it
// exactly.
func (f *field) numberReader(data []byte) func(i int) (v float64, exact bool) {
	switch {
	case f.Type == typeBool:
		return func(i int) (float64, bool) {
			if bit(data, i) {
				return 1, true
			}
			return 0, true
		}
	case f.Type == typeDecimal:
		digits := f.decimalReader(data)
		return func(i int) (float64, bool) { return numeral.BigDecimal(digits(i), f.Scale) }
	case f.Divisor != 0:
		return func(i int) (float64, bool) {
			v, _ := f.Element.Number(data[i*f.Element.Size:])
			return v / f.Divisor, true
		}
	}
	return func(i int) (float64, bool) { return f.Element.Number(data[i*f.Element.Size:]) }
}

// exactBits returns a function that returns the bits of an exact value in a buffer.
func (f *field) exactBits(data []byte) func(i int) (bits float64, exact bool) {
	if f.Type == typeDecimal {
		digits := f.decimalReader(data)
		return func(i int) (float64, bool) {
			return math.Float64frombits(uint64(f.Exact.DecimalInt(digits(i)))), true
		}
	}
	e, signed := f.Element, uint(64-8*f.Element.Size)
	return func(i int) (float64, bool) {
		v := int64(e.Bits(data[i*e.Size:])<<signed) >> signed // 32-bit integers with their sign
		return math.Float64frombits(uint64(v)), true
	}
}

// decimalReader returns a function that returns a decimal in a buffer as a big-endian number. The returned slice is
// overwritten by the next call.
func (f *field) decimalReader(data []byte) func(i int) []byte {
	size := f.Bits / 8
	digits := make([]byte, size)
	return func(i int) []byte {
		copy(digits, data[i*size:])
		slices.Reverse(digits)
		return digits
	}
}

// textsOf returns a function that returns a text in a piece of a field.
func textsOf(f *field, p piece) func(i int) []byte {
	rows, buffers := p.rows, p.buffers
	outside := func() { panic(table.Damaged("a text lies outside its buffer")) }
	if f.Type == typeTextView {
		views := valueBytes(buffers[1], rows, f.Bits)
		return func(i int) []byte {
			view := views[16*i : 16*i+16]
			n := binary.LittleEndian.Uint32(view)
			if n <= 12 {
				return view[4 : 4+n]
			}
			k, from := binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
			if uint64(k) >= uint64(len(buffers)-2) || uint64(from)+uint64(n) > uint64(len(buffers[2+k])) {
				outside()
			}
			return buffers[2+k][from : from+n]
		}
	}
	offset := offsetReader(buffers[1], f.Bits, rows)
	data := buffers[2]
	return func(i int) []byte {
		from, to := offset(i), offset(i+1)
		if from > to || from < p.base || to-p.base > uint64(len(data)) {
			outside()
		}
		return data[from-p.base : to-p.base]
	}
}

// offsetReader returns a function that returns the offset at which a row begins; there is one more offset than rows.
func offsetReader(b []byte, bits, rows int) func(i int) uint64 {
	if rows > 0 {
		valueBytes(b, rows+1, bits)
	}
	if bits == 32 {
		return func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*i:])) }
	}
	return func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
}

// addIndices adds values of a dictionary, given by their indices. Both indices and dictionary values may be null.
func (b *builder) addIndices(from *table.Column, valid, indices []byte, rows, start int) {
	out, e := b.out, b.field.Index
	valueBytes(indices, rows, 8*e.Size)
	if from == nil && rows > 0 {
		panic(table.Damaged("a dictionary is missing"))
	}
	if b.from != from {
		b.from, b.codes = from, nil
	}
	n, unused := uint64(from.Len()), 64-8*e.Size
	for i := range rows {
		if valid != nil && !bit(valid, i) {
			continue
		}
		var at uint64
		if e.Size == 4 {
			at = uint64(binary.LittleEndian.Uint32(indices[4*i:]))
		} else {
			at = e.Bits(indices[i*e.Size:])
		}
		if at >= n || e.Signed && at>>(63-unused) != 0 { // the index is negative or beyond the end
			panic(table.Damaged("an index into a dictionary is out of range"))
		}
		k, row := int(at), start+i
		switch {
		case from.IsNull(k):
			b.setNull(row)
		case out.Kind == table.Categorical:
			if b.codes == nil {
				b.codes = make([]int32, from.Len())
			}
			if b.codes[k] == 0 {
				b.codes[k] = b.levels.Code(from.Level[from.Code[k]]) + 1
			}
			out.Code[row] = b.codes[k] - 1
		case b.exact || b.field.Exact.Form == 0:
			out.Number[row] = from.Number[k]
		default:
			exact := true
			if out.Number[row], exact = b.dictionaryNumber(from, k); !exact && out.InexactRow == 0 {
				out.InexactRow = row + 1
			}
		}
	}
}

// dictionaryNumber returns the number of the exact value at index k of a dictionary.
func (b *builder) dictionaryNumber(from *table.Column, k int) (v float64, exact bool) {
	e := b.field.Exact
	if e.HasTexts() {
		return numeral.BigScaled(numeral.Unscaled(from.Level[from.Code[k]], e.Scale), e.Scale)
	}
	return e.Float(int64(math.Float64bits(from.Number[k])))
}

// addLists adds lists of floats to the vectors of the column.
func (b *builder) addLists(c *cursor) {
	f, child := b.field, b.field.Children[0]
	n, outer := c.readers(f)
	inner, buffers := c.readers(child)
	if b.vector.HasFailed() {
		return
	}
	lists, data, size := f.lists(n, outer, int(inner.length)), buffers[1], child.Element.Size
	data.require(lists.length, child.Bits)
	valid, present := n.validity(outer), inner.validity(buffers)
	unstored := 0
	for i := range int(n.length) {
		b.vector.BeginRow()
		if valid.isNull(i) {
			b.vector.AddNullRow()
		}
		from, to := lists.bounds(i)
		to = min(to, from+intake.MostWidth+1) // one more is an error
		number := data.bytes(from*size, to*size)
		for k := from; k < to && !b.vector.HasFailed(); k++ {
			if present.isNull(k) {
				b.vector.AddNull()
			} else {
				b.vector.Add(child.Element.Bits(number[(k-from)*size:]))
			}
		}
		if b.vector.HasFailed() {
			return
		}
		if unstored += len(number); unstored >= aheadBytes || i+1 == int(n.length) {
			unstored = 0
			if err := b.vector.Spill(); err != nil {
				panic(err)
			}
		}
	}
}

// addEntries adds lists of entries to the sparse vectors of the column. The first list belongs to row start.
func (b *builder) addEntries(c *cursor, start int) {
	f := b.field
	entry := f.Children[0]
	of := [2]*field{entry.Children[0], entry.Children[1]}
	n, outer := c.readers(f)
	inner, structs := c.readers(entry)
	rows, length := int(n.length), int(inner.length)
	valid, present := n.validity(outer), [3]bitmap{inner.validity(structs)}
	var values [2]*bufferReader
	for k, child := range of {
		n, buffers := c.readers(child)
		if int(n.length) != length {
			panic(table.Damaged("a struct column of %d rows has %d values", length, n.length))
		}
		buffers[1].require(length, child.Bits)
		present[k+1], values[k] = n.validity(buffers), buffers[1]
	}
	lists := f.lists(n, outer, length)
	for i := range rows {
		row := start + i + 1
		check := func(fault string) {
			if fault != "" {
				panic(&table.Error{Column: b.out.Name, Row: row, Msg: fault})
			}
		}
		if valid.isNull(i) {
			check(intake.NullVector)
		}
		from, to := lists.bounds(i)
		for k := from; k < to; k++ {
			for _, p := range present {
				if p.isNull(k) {
					check(intake.NullEntry)
				}
			}
			var number [2]float64
			for j, child := range of {
				size := child.Element.Size
				number[j], _ = child.Element.Number(values[j].bytes(k*size, (k+1)*size))
			}
			check(b.sparse.AddEntry(number[0], number[1]))
		}
		check(b.sparse.EndRow())
		if (i+1)%intake.RowsBetweenLimits == 0 || i+1 == rows {
			if err := b.limit(); err != nil {
				panic(err)
			}
		}
	}
}

// columns returns the finished columns of the field.
func (b *builder) columns() ([]*table.Column, error) {
	if b.sparse != nil {
		c, err := b.sparse.Column(b.out.Name)
		return []*table.Column{c}, err
	}
	if b.vector != nil {
		columns, err := b.vector.Columns(b.out)
		return columns, intake.InColumn(b.out.Name, err)
	}
	if b.out.Kind == table.Categorical {
		b.out.Level = b.levels.Text
	}
	return []*table.Column{b.out}, nil
}
