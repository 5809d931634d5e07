package csv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/drotrain/drotrain/data/internal/table"
)

// ReadLines reads JSON Lines: one flat JSON object per row. Columns are the keys in the
// order of their first occurrence; a key that a row lacks, null and "" are nulls. Values
// have the types that Read gives to the same texts in CSV. The text may be compressed by
// gzip or bzip2.
//
// Verbatim values are the texts that they are written in; only absent keys, null and "" are nulls.
func ReadLines(ctx context.Context, src table.Source, names []string, o Options, verbatim bool) (*table.Table, error) {
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
	rows, err := r.scan(all)
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, &table.Error{Msg: "the file holds no rows"}
	}
	r.header, r.renamed = table.MakeUnique(l.keys)
	if err := r.selectColumns(names); err != nil {
		return nil, err
	}
	return r.fill(rows)
}

// lines reads the records of JSON Lines.
type lines struct {
	*reading
	decoder *json.Decoder
	limit   *limit
	keys    []string
	index   map[string]int
	last    []int // by key: the row that had it last, counted from 1
	row     int
	record  []string
	kinds   []table.Kind // by key: of the value in the row, if it stands without quotes
}

// openLines starts reading records; keys found by an earlier reading are kept.
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

// Read returns the values of the next row by column, with "" for nulls.
func (l *lines) Read() ([]string, error) {
	l.limit.n, l.row = 0, l.row+1
	token, err := l.decoder.Token()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, l.rowError(err)
	}
	if token != json.Delim('{') {
		e := &table.Error{Row: l.row, Msg: "every line of JSON Lines must be an object, but this row is not"}
		if token == json.Delim('[') {
			e.Hint = "write one object of the array per line, as jq -c '.[]' does"
		}
		return nil, e
	}
	clear(l.record)
	clear(l.kinds)
	for l.decoder.More() {
		key, err := l.decoder.Token()
		if err != nil {
			return nil, l.rowError(err)
		}
		name := key.(string) // the decoder accepts no other key
		i, known := l.index[name]
		if !known {
			i = len(l.keys)
			l.index[name] = i
			l.header = append(l.header, name)
			l.keys, l.last = append(l.keys, name), append(l.last, 0)
			l.record, l.kinds = append(l.record, ""), append(l.kinds, table.Other)
			l.header = l.keys
			if err := l.options.checkColumnCount(len(l.keys)); err != nil {
				return nil, err
			}
		}
		if l.last[i] == l.row {
			return nil, &table.Error{Column: l.keys[i], Row: l.row, Msg: "the key occurs twice in the object of this row"}
		}
		l.last[i] = l.row
		value, err := l.decoder.Token()
		if err != nil {
			return nil, l.rowError(err)
		}
		switch v := value.(type) {
		case nil:
		case string:
			if l.record[i] = v; strings.IndexByte(v, 0) >= 0 {
				return nil, &table.Error{Column: l.keys[i], Row: l.row, Msg: "the value holds a NUL character"}
			}
		case bool:
			l.record[i], l.kinds[i] = fmt.Sprint(v), table.Bool
		case json.Number:
			l.kinds[i] = table.Numeric
			if l.record[i] = v.String(); !l.verbatim { // as column.countValue expects it
				l.record[i] = strings.Replace(l.record[i], ".", l.options.numberFormat().decimal, 1)
			}
		default:
			return nil, &table.Error{Column: l.keys[i], Row: l.row, Msg: "the value is an array or an object",
				Hint: "write nested values to separate columns"}
		}
	}
	if _, err := l.decoder.Token(); err != nil { // the closing brace
		return nil, l.rowError(err)
	}
	return l.record, nil
}

// rowError returns an error about the current row.
func (l *lines) rowError(err error) error {
	var own *table.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, encoding.ErrInvalidUTF8):
		return &table.Error{Row: l.row, Msg: "the text is not UTF-8, in this row or soon after it",
			Hint: "save the file as UTF-8"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &table.Error{Class: table.ErrDamaged, Row: l.row, Msg: "the file ends within this row; it may be truncated"}
	case errors.As(err, &syntax):
		return &table.Error{Row: l.row, Msg: "this row is not valid JSON", Hint: "write one JSON object per line"}
	}
	return table.Damaged("row %d: %v", l.row, err)
}
