package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/table"
)

// listsFloats reports whether a leaf holds lists of floats, which may be vectors, and not lists of structs.
func listsFloats(descr *schema.Column) bool {
	t := descr.PhysicalType()
	return len(descr.ColumnPath()) <= 3 && (t == parquet.Types.Float || t == parquet.Types.Double) && descr.MaxRepetitionLevel() == 1 && (descr.LogicalType() == nil || descr.LogicalType().IsNone())
}

// readVectors returns the columns of the vectors of a leaf, decoded into memory or an unnamed file. If the
// lists are not vectors, it returns the column as it is.
func (l *leaf) readVectors(rows int) (columns []*table.Column, err error) {
	w := table.NewVectorBuilder(rows, valueWidth(l.descr))
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	values := 0
	for _, c := range l.chunks {
		if values += c.values; values > int(table.MaxCells(l.in.Size())) {
			return nil, table.Damaged("its lists are said to have more values than a file of this size holds")
		}
		if err := c.guardPanics(func() error { return c.addLists(w) }); err != nil {
			return nil, err
		}
	}
	return w.Columns(l.out)
}

// addLists adds the lists of a chunk to vectors.
func (c *chunk) addLists(w *table.VectorBuilder) error {
	size := valueWidth(c.leaf.descr)
	most := uint32(c.leaf.descr.MaxDefinitionLevel())
	feed := pageFeed{chunk: c, width: size, maxDef: int16(most), buffers: &table.Buffers{}, keep: 1}
	var dictionary []byte
	for i := range c.pages {
		p := &c.pages[i]
		switch {
		case w.HasFailed():
			return nil
		case p.kind == pageDictionary:
			dictionary = feed.dictionaryPage(p).Data()
			continue
		case p.values == 0:
			continue
		}
		reps, defs, values := feed.readListPage(p, dictionary)
		for k, d := range defs {
			if reps[k] == 0 {
				w.BeginRow()
			} else if !w.InRow() {
				panic(table.Damaged("a list begins within a row"))
			}
			switch {
			case w.HasFailed():
				return nil
			case d < most:
				w.AddNull()
			case size == 4:
				w.Add(uint64(binary.LittleEndian.Uint32(values)))
				values = values[4:]
			default:
				w.Add(binary.LittleEndian.Uint64(values))
				values = values[8:]
			}
		}
		if err := w.Spill(); err != nil {
			return err
		}
	}
	return nil
}

// readListPage returns the repetition levels, definition levels and present values of a page of lists, as plain
// bytes. It panics with an error if the page is invalid.
func (f *pageFeed) readListPage(p *pageHeader, dictionary []byte) (reps, defs []uint32, values []byte) {
	raw, how := f.read(p), f.chunk.codec
	var body []byte
	if p.kind == pageDataV2 {
		reps = decodeRuns(raw[:p.repLen], p.values, 1)
		defs = decodeRuns(raw[p.repLen:p.repLen+p.defLen], p.values, bits.Len16(uint16(f.maxDef)))
		if !p.compressed {
			how = codec.None
		}
		body = f.decompress(&f.held[0], nil, how, raw[p.repLen+p.defLen:], p.size-p.repLen-p.defLen)
	} else {
		if p.defEncoding != encRLE || p.repEncoding != encRLE {
			panic(table.Damaged("levels of encoding %d are not supported", p.defEncoding))
		}
		body = f.decompress(&f.held[0], nil, how, raw, p.size)
		levels := func(width int) []uint32 {
			if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
				panic(table.Damaged("the levels of a page are longer than the page"))
			}
			n := 4 + int(binary.LittleEndian.Uint32(body))
			out := decodeRuns(body[4:n], p.values, width)
			body = body[n:]
			return out
		}
		reps, defs = levels(1), levels(bits.Len16(uint16(f.maxDef)))
	}
	present := 0
	for _, d := range defs {
		if d > uint32(f.maxDef) {
			panic(table.Damaged("a level of a page is too large"))
		}
		if d == uint32(f.maxDef) {
			present++
		}
	}
	if present == 0 {
		return reps, defs, nil
	}
	return reps, defs, f.plainValues(p, body, present, dictionary)
}

// plainValues returns values of a fixed width as plain bytes.
func (f *pageFeed) plainValues(p *pageHeader, body []byte, present int, dictionary []byte) []byte {
	switch p.encoding {
	case encPlain, encByteStreamSplit:
		f.checkBody(body, p.encoding, present)
		return body
	case encPlainDictionary, encRLEDictionary:
	default:
		panic(table.Damaged("encoding %d of a page is unknown", p.encoding))
	}
	if len(body) == 0 || body[0] > 32 {
		panic(table.Damaged("a page ends early"))
	}
	out := make([]byte, 0, present*f.width)
	for _, k := range decodeRuns(body[1:], present, int(body[0])) {
		if int(k) >= len(dictionary)/f.width {
			panic(table.Damaged("an index of a dictionary is out of range"))
		}
		out = append(out, dictionary[int(k)*f.width:][:f.width]...)
	}
	return out
}
