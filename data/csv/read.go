package csv

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/table"
)

// csvMaxBytes bounds what a compressed CSV file may unfold to.
const csvMaxBytes = 64 << 30

// gzipRatio is what deflate can reach at best, rounded up.
const gzipRatio = 1100

// Read reads comma-, semicolon- or tab-separated text with a header line.
//
// A column is Bool when every value is true or false (in lower, upper or title
// case), Numeric when every value is a number, Categorical otherwise. Empty
// fields are nulls, and so, in a table of one column, are blank lines between
// others; so are NA, N/A, null, NULL and None, but in columns of
// numbers and bools only.
//
// The columns are those named, nil meaning all, in the order of the file. The
// name of the file tells the separator where the first line does not.
func Read(ctx context.Context, name string, b []byte, names []string) (*table.Table, error) {
	lower := strings.ToLower(name)
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		var err error
		if b, err = gunzip(b); err != nil {
			return nil, err
		}
	} else if strings.HasSuffix(lower, ".gz") {
		return nil, &table.Error{Msg: "not a gzip file", Hint: "rename it without .gz if it is plain text"}
	}
	lower = strings.TrimSuffix(lower, ".gz")
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
		return nil, &table.Error{Msg: "the text is UTF-16", Hint: "save it as UTF-8"}
	}
	comma := ','
	line, _, _ := bytes.Cut(b, []byte("\n"))
	switch {
	case strings.HasSuffix(lower, ".tsv"):
		comma = '\t'
	case bytes.IndexByte(line, ',') >= 0:
	case bytes.IndexByte(line, ';') >= 0:
		comma = ';'
	case bytes.IndexByte(line, '\t') >= 0:
		comma = '\t'
	}
	open := func() *csvRows {
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma = comma
		r.ReuseRecord = true
		return &csvRows{r: r}
	}

	r := open()
	header, err := r.Read()
	if err == io.EOF {
		return nil, &table.Error{Msg: "the file holds no header line"}
	}
	if err != nil {
		return nil, csvError(err, nil)
	}
	header = append([]string(nil), header...)
	for i, h := range header {
		header[i] = strings.TrimSpace(h)
		if !utf8.ValidString(h) || strings.ContainsRune(h, 0) {
			return nil, &table.Error{Msg: fmt.Sprintf("the header is not text: field %d is %q", i+1, h), Hint: "a CSV file is UTF-8 text"}
		}
		if header[i] == "" {
			header[i] = fmt.Sprintf("column_%d", i+1) // as pandas writes its index
		}
	}
	want, err := table.Wanted(names, header)
	if err != nil {
		return nil, err
	}

	// First pass: the types.
	cols := make([]csvColumn, len(header))
	rows := 0
	for ; ; rows++ {
		if rows%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err, header)
		}
		for i, s := range rec {
			if want == nil || want[header[i]] {
				if !cols[i].observe(s, rows) {
					return nil, &table.Error{Column: header[i], Row: rows + 1, Msg: "the value is not UTF-8 text", Hint: "save the file as UTF-8"}
				}
			}
		}
	}
	if rows > math.MaxInt32 {
		return nil, &table.Error{Msg: fmt.Sprintf("%d rows are more than the %d one file may have", rows, math.MaxInt32)}
	}

	// Second pass: the values.
	f := &table.Table{Rows: rows}
	builders := make([]*csvBuilder, len(header))
	for i := range cols {
		if want != nil && !want[header[i]] {
			continue
		}
		c := cols[i].column(header[i], rows)
		builders[i] = &csvBuilder{Column: c, index: make(map[string]int32)}
		f.Columns = append(f.Columns, c)
		if c.StrayRow > 0 && cols[i].numbers >= rows/2 {
			f.Notes = append(f.Notes, fmt.Sprintf("column %q is read as text: row %d holds %q, though %d of %d rows are numbers",
				c.Name, c.StrayRow, c.Stray, cols[i].numbers, rows))
		}
	}
	r = open()
	if _, err := r.Read(); err != nil {
		return nil, csvError(err, header)
	}
	for row := 0; row < rows; row++ {
		if row%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, err := r.Read()
		if err != nil {
			return nil, csvError(err, header)
		}
		for i, s := range rec {
			if builders[i] != nil {
				builders[i].add(s, row)
			}
		}
	}
	return f, nil
}

// csvRows reads records. Blank lines are passed over, as everywhere, but in a
// table of one column those between records are nulls.
type csvRows struct {
	r     *csv.Reader
	line  int // where the next record starts if no blank line comes before it
	blank int // lines to tell of before the record
	held  []string
}

var blankRecord = []string{""}

func (c *csvRows) Read() ([]string, error) {
	if c.held == nil {
		rec, err := c.r.Read()
		if err != nil || len(rec) != 1 {
			return rec, err
		}
		line, _ := c.r.FieldPos(0)
		if c.line > 0 {
			c.blank = line - c.line
		}
		c.line = line + 1 + strings.Count(rec[0], "\n")
		c.held = rec
	}
	if c.blank > 0 {
		c.blank--
		return blankRecord, nil
	}
	rec := c.held
	c.held = nil
	return rec, nil
}

func gunzip(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, table.Damaged("gzip: %v", err)
	}
	limit := int64(len(b))*gzipRatio + 1<<16
	if limit > csvMaxBytes {
		limit = csvMaxBytes
	}
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(z, limit+1))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, table.Damaged("the gzip data ends early; the file may be truncated")
	}
	if err != nil {
		return nil, table.Damaged("gzip: %v", err)
	}
	if n > limit {
		return nil, &table.Error{Msg: "the file unfolds to more bytes than this program reads"}
	}
	return buf.Bytes(), nil
}

func csvError(err error, header []string) error {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return err
	}
	switch {
	case errors.Is(pe.Err, csv.ErrFieldCount):
		return &table.Error{Msg: fmt.Sprintf("line %d has another number of fields than the header, which has %d", pe.Line, len(header)),
			Hint: "the file may be truncated there, or a field holds the separator without quotes"}
	case errors.Is(pe.Err, csv.ErrQuote):
		return &table.Error{Msg: fmt.Sprintf("line %d (record from line %d): a quote is missing or misplaced", pe.Line, pe.StartLine),
			Hint: "the file may be truncated, or a quote inside a field is not doubled"}
	case errors.Is(pe.Err, csv.ErrBareQuote):
		return &table.Error{Msg: fmt.Sprintf("line %d: a quote inside a field without quotes", pe.Line), Hint: "quote the field and double the quote"}
	}
	return &table.Error{Msg: fmt.Sprintf("line %d: %v", pe.Line, pe.Err)}
}
