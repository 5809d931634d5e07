package csv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// ReadLines reads JSON Lines: one flat JSON object per row. The columns are the keys in the order of their first
// occurrence. A key that a row lacks, null and "" are nulls. Types are inferred as by Read for the same texts in
// CSV. The text may be compressed with gzip or bzip2.
//
// If verbatim is set, the values are the texts of the file; only absent keys, null and "" are nulls.
func ReadLines(ctx context.Context, src intake.Source, names []string, o Options,
	verbatim bool) (*intake.Table, error) {
	r, err := newReading(ctx, src, o, verbatim)
	if err != nil {
		return nil, err
	}
	l := &lines{reading: r, index: map[string]int{}}
	r.open, r.unquoted = l.openLines, func(i int) table.Kind { return l.kinds[i] }
	all, err := r.open()
	if err != nil {
		return nil, err
	}
	rows, err := r.inferTypes(all)
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, &table.Error{Msg: "the file holds no rows"}
	}
	r.header, r.renamed = intake.MakeUnique(l.keys)
	if err := r.selectColumns(names); err != nil {
		return nil, err
	}
	return r.readColumns(rows)
}

// lines reads the records of JSON Lines.
type lines struct {
	*reading
	decoder *json.Decoder
	limit   *limit
	keys    []string
	index   map[string]int
	last    []int // last row, counted from 1, that had the key, for each key
	row     int
	object  json.RawMessage // the row, as a JSON object
	record  []string
	kinds   []table.Kind // kind of the current row's value if it is unquoted, for each key
}

// openLines starts reading records; keys found in a previous reading are kept.
func (l *lines) openLines() (recordReader, error) {
	in, err := l.text.Open()
	if err != nil {
		return nil, err
	}
	l.limit = &limit{r: transform.NewReader(in, encoding.UTF8Validator)}
	l.decoder = json.NewDecoder(l.limit)
	l.decoder.UseNumber()
	l.row = 0
	clear(l.last)
	return l, nil
}

// Read returns the values of the next row, one for each column, with "" for nulls.
func (l *lines) Read() ([]string, error) {
	l.limit.n, l.row = 0, l.row+1
	if err := l.decoder.Decode(&l.object); err == io.EOF {
		return nil, io.EOF
	} else if err != nil && !l.isArrayNext() {
		return nil, l.rowError(err)
	} else if err != nil || l.object[0] != '{' {
		e := &table.Error{Row: l.row, Msg: "every line of JSON Lines must be an object, but this row is not"}
		if err != nil || l.object[0] == '[' {
			e.Hint = "write one object of the array per line, as jq -c '.[]' does"
		}
		return nil, e
	}
	clear(l.record)
	clear(l.kinds)
	for rest := skipSpaces(l.object[1:]); rest[0] != '}'; {
		var key, value []byte
		key, rest = cutScalar(rest)
		rest = skipSpaces(rest)[1:] // skip the colon
		i, err := l.column(key)
		if err != nil {
			return nil, err
		}
		if value, rest = cutScalar(skipSpaces(rest)); value == nil {
			return nil, &table.Error{Column: l.keys[i], Row: l.row, Msg: "the value is an array or an object",
				Hint: "write nested values to separate columns"}
		}
		if err := l.setValue(i, value); err != nil {
			return nil, err
		}
		if rest = skipSpaces(rest); rest[0] == ',' {
			rest = skipSpaces(rest[1:])
		}
	}
	return l.record, nil
}

// isArrayNext reports whether the value that could not be read is an array.
func (l *lines) isArrayNext() bool {
	next, _ := io.ReadAll(io.LimitReader(l.decoder.Buffered(), 64))
	next = bytes.TrimSpace(next)
	return len(next) > 0 && next[0] == '['
}

// column returns the index of the column for a key, given in quotes. It adds a column if no preceding row had the
// key, and returns an error if the key occurs twice in the row.
func (l *lines) column(quoted []byte) (int, error) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(quoted))
	}
	i, known := l.index[string(name)]
	if !known {
		i = len(l.keys)
		l.index[string(name)] = i
		l.keys, l.last = append(l.keys, string(name)), append(l.last, 0)
		l.record, l.kinds = append(l.record, ""), append(l.kinds, table.Other)
		l.header = l.keys
		if err := l.options.checkColumnCount(len(l.keys)); err != nil {
			return 0, err
		}
	}
	if l.last[i] == l.row {
		return 0, &table.Error{Column: l.keys[i], Row: l.row, Msg: "the key occurs twice in the object of this row"}
	}
	l.last[i] = l.row
	return i, nil
}

// setValue stores the value of column i, given as JSON, in the row.
func (l *lines) setValue(i int, value []byte) error {
	switch value[0] {
	case 'n':
	case '"':
		v := string(value[1 : len(value)-1])
		if strings.IndexByte(v, '\\') >= 0 {
			v = unquote(value)
		}
		if l.record[i] = v; strings.IndexByte(v, 0) >= 0 {
			return &table.Error{Column: l.keys[i], Row: l.row, Msg: "the value holds a NUL character"}
		}
	case 't', 'f':
		l.record[i], l.kinds[i] = string(value), table.Bool
	default:
		l.kinds[i] = table.Numeric
		if l.record[i] = string(value); !l.verbatim { // as column.countValue expects it
			l.record[i] = strings.Replace(l.record[i], ".", l.options.numberFormat().decimal, 1)
		}
	}
	return nil
}

// unquote returns the text of a valid JSON string, given with its quotes.
func unquote(quoted []byte) (text string) {
	_ = json.Unmarshal(quoted, &text) // the decoder has checked the text
	return text
}

// skipSpaces returns valid JSON without leading white space.
func skipSpaces(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// cutScalar splits valid JSON after its first value; a string keeps its quotes. value is nil if the first value is
// an array or an object.
func cutScalar(b []byte) (value, rest []byte) {
	end := 0
	switch b[0] {
	case '[', '{':
		return nil, b
	case '"':
		for end = 1; b[end] != '"'; end++ {
			if b[end] == '\\' {
				end++
			}
		}
		end++
	default:
		end = bytes.IndexAny(b, ",} \n\t\r")
	}
	return b[:end], b[end:]
}

// rowError returns an error about the current row.
func (l *lines) rowError(err error) error {
	var own *table.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, encoding.ErrInvalidUTF8):
		return &table.Error{Row: l.row, Msg: "the text is not UTF-8 in this row or shortly after it",
			Hint: "save the file as UTF-8"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &table.Error{Class: table.ErrDamaged, Row: l.row, Msg: "the file ends within this row; it may be truncated"}
	case errors.As(err, &syntax):
		return &table.Error{Row: l.row, Msg: "this row is not valid JSON", Hint: "write one JSON object per line"}
	}
	return table.Damaged("row %d: %v", l.row, err)
}
