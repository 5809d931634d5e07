package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
	"golang.org/x/text/encoding/charmap"
)

// Read reads text whose fields are separated by commas, semicolons, tabs, bars or spaces, with a header line unless
// o.NoHeader is set. It returns the columns named, in the order of the file; nil means all columns. The text may be
// compressed with gzip or bzip2, may be encoded in UTF-8, UTF-16 with a byte-order mark, or Windows-1252 (Latin-1),
// and may have any of the usual line endings.
//
// A column is Bool if every value is true or false (in lower, upper or title case), Numeric if every value is a
// number and none has leading zeros, or if o.Dates is set and every value is a date, and Categorical otherwise; o.Known
// and o.Numeric override these rules. Empty fields are nulls. In columns of numbers, bools and dates, NA, N/A, null,
// NULL and None are nulls too. In a table with a single column, blank lines between others are nulls.
//
// If verbatim is set, all columns are Categorical and keep every character of their texts; only empty fields are
// nulls.
func Read(ctx context.Context, src intake.Source, names []string, o Options, verbatim bool) (*intake.Table, error) {
	r, err := newReading(ctx, src, o, verbatim)
	if err != nil {
		return nil, err
	}
	t := r.text
	r.open = r.openRecords
	r.comma = detectDelimiter(t, o)
	if t.spaced = r.comma == ' '; t.spaced {
		r.comma = between
	}
	f, err := r.readTable(names)
	if errors.Is(err, errNotUTF8) {
		t.From = charmap.Windows1252 // a superset of Latin-1
		if f, err = r.readTable(names); err == nil {
			f.Notes = append(f.Notes, "the text is not UTF-8: read as Windows-1252 (Latin-1)")
		}
	}
	if err != nil {
		return nil, err
	}
	if t.spaced && o.Delimiter == "" {
		f.Notes = append(f.Notes, "the fields are separated by spaces")
	}
	if t.Mark == 2 {
		f.Notes = append(f.Notes, "the text is UTF-16")
	}
	return f, nil
}

// errNotUTF8 is the error of a text in an encoding that is not UTF-8.
var errNotUTF8 = errors.New("not UTF-8")

// A reading holds the state of reading a table.
type reading struct {
	ctx      context.Context
	text     *textFile
	options  Options
	verbatim bool
	comma    rune
	header   []string
	renamed  []string       // notes about names that occurred twice
	likeRow  []*table.Error // a remark that the header looks like a row, or nil
	columns  []*column
	spills   bool // the values are stored in a file, since memory would not hold them

	open func() (recordReader, error) // starts reading the rows
	// returns the kind of a column's value in the last row if the value is unquoted, and Other if it is quoted;
	// nil for CSV
	unquoted func(column int) table.Kind
}

// A recordReader reads the rows of a text. The values of a row, one for each column, are valid until the next call.
type recordReader interface{ Read() ([]string, error) }

// newReading returns a reading of a text.
func newReading(ctx context.Context, src intake.Source, o Options, verbatim bool) (*reading, error) {
	if err := o.Validate(); err != nil {
		return nil, &table.Error{Msg: err.Error()}
	}
	t, err := newTextFile(src)
	return &reading{ctx: ctx, text: t, options: o, verbatim: verbatim}, err
}

// openRecords starts reading the rows of CSV. The first call sets the names of the columns.
func (r *reading) openRecords() (recordReader, error) {
	in, err := r.text.Open()
	if err != nil {
		return nil, err
	}
	limited := &limit{r: in, separator: []byte(string(r.comma)), most: r.options.maxColumns()}
	c := csv.NewReader(limited)
	c.Comma = r.comma
	c.ReuseRecord = true
	all := &records{r: c, limit: limited}
	first, err := all.Read()
	switch {
	case err == io.EOF && r.options.NoHeader:
		return nil, &table.Error{Msg: "the file holds no rows"}
	case err == io.EOF:
		return nil, &table.Error{Msg: "the file holds no header line"}
	case err != nil:
		return nil, r.rowError(err, len(first))
	}
	if r.options.NoHeader {
		all.held = first
	}
	if r.header == nil {
		err = r.setNames(first)
	}
	return all, err
}

// setNames sets the names of the columns from the first record.
func (r *reading) setNames(first []string) error {
	if err := r.options.checkColumnCount(len(first)); err != nil {
		return err
	}
	r.header, r.likeRow = make([]string, len(first)), nil
	for i, h := range first {
		switch r.header[i] = strings.TrimSpace(h); {
		case r.options.NoHeader:
			r.header[i] = fmt.Sprintf("column_%d", i+1)
		case !utf8.ValidString(h) && isLatin(h) && r.text.From == nil:
			return errNotUTF8
		case !isText(h):
			return &table.Error{Msg: fmt.Sprintf("the header is not text: field %d is %q", i+1, h),
				Hint: "save the file as UTF-8"}
		}
		if _, _, ok := numeral.ParseNumber(r.header[i]); ok && r.likeRow == nil {
			r.likeRow = []*table.Error{{Msg: fmt.Sprintf(
				"the first line is used as column names, but looks like a row: field %d is %q", i+1, r.header[i]),
				Fixes: []fix.Fix{fix.SayNoHeader}}}
		}
	}
	r.header, r.renamed = intake.MakeUnique(r.header)
	return nil
}

// everyRows is the number of rows between two checks of the context and of memory.
const everyRows = 4096

// readTable reads the text twice: once to infer the types, and once for the values.
func (r *reading) readTable(names []string) (*intake.Table, error) {
	r.header, r.columns = nil, nil
	all, err := r.open()
	if err != nil {
		return nil, err
	}
	if err := r.selectColumns(names); err != nil {
		return nil, err
	}
	rows, err := r.inferTypes(all)
	if err != nil {
		return nil, err
	}
	return r.readColumns(rows)
}

// selectColumns marks the named columns, or all if names is nil, as used, and appends to r.columns any header columns
// that it lacks.
func (r *reading) selectColumns(names []string) error {
	want, err := intake.CheckWanted(names, r.header)
	for i, name := range r.header {
		if i == len(r.columns) {
			r.columns = append(r.columns, r.newColumn(name))
		}
		r.columns[i].used = want == nil || want[name]
	}
	return err
}

// inferTypes infers the type of every column and returns the number of rows. It adds columns of JSON Lines that occur
// for the first time.
func (r *reading) inferTypes(all recordReader) (rows int, err error) {
	for ; ; rows++ {
		if rows%everyRows == 0 {
			if err := r.checkMemory(rows); err != nil {
				return 0, err
			}
		}
		record, err := all.Read()
		if err == io.EOF {
			return rows, r.checkMemory(rows)
		}
		if err != nil {
			return 0, r.rowError(err, len(record))
		}
		for i, s := range record {
			if i == len(r.columns) {
				r.columns = append(r.columns, r.newColumn(r.header[i]))
				r.columns[i].nulls = rows
			}
			if c := r.columns[i]; c.used && !c.countValue(s, rows) {
				return 0, r.invalidTextError(s, i, rows)
			}
		}
	}
}

// invalidTextError returns an error about a value that is not valid text.
func (r *reading) invalidTextError(s string, column, row int) error {
	switch {
	case utf8.ValidString(s):
		return &table.Error{Column: r.header[column], Row: row + 1, Msg: "the value holds a NUL character"}
	case r.text.From == nil && isLatin(s):
		return errNotUTF8
	}
	return &table.Error{Column: r.header[column], Row: row + 1, Msg: "the value is not UTF-8 text",
		Hint: "save the file as UTF-8"}
}

// readColumns reads the text again and returns the used columns with their values.
func (r *reading) readColumns(rows int) (*intake.Table, error) {
	if rows > math.MaxInt32 {
		return nil, &table.Error{Msg: fmt.Sprintf("%d rows exceed the limit of %d for one file", rows, math.MaxInt32)}
	}
	f := &intake.Table{Rows: rows, Notes: r.renamed, Remarks: r.likeRow}
	style := chooseStyle(r.columns, r.header, r.comma == ';')
	style.decimalGiven = r.options.Decimal != ""
	for i, c := range r.columns {
		if !c.used {
			continue
		}
		if err := r.checkColumn(c, r.header[i]); err != nil {
			return nil, err
		}
		c.inferType(r.header[i])
		f.Columns = append(f.Columns, c.Column)
		if remark := c.styleRemark(rows, style); remark != nil {
			f.Remarks = append(f.Remarks, remark)
		}
	}
	block := rows
	var spill *intake.Spill
	if r.spills {
		var err error
		if spill, err = intake.NewSpill(); err != nil {
			return nil, err
		}
		block = min(rows, intake.SpillRows(len(f.Columns)))
	}
	for _, c := range r.columns {
		switch {
		case !c.used:
		case c.isSpilled():
			c.allocate(block)
		default:
			c.allocate(rows)
		}
	}
	all, err := r.open()
	if err != nil {
		return nil, err
	}
	for row := range rows {
		if row%everyRows == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		record, err := all.Read()
		if err != nil && err != io.EOF {
			return nil, r.rowError(err, len(record))
		}
		if len(record) != len(r.columns) { // at the end of the file, record is empty
			return nil, &table.Error{Class: table.ErrChanged, Msg: "the file was changed while it was being read"}
		}
		for i, s := range record {
			if c := r.columns[i]; c.used {
				c.store(s, row)
				if at := row - c.first; r.unquoted != nil && c.Kind == table.Categorical && c.Code[at] >= 0 {
					c.addUnquoted(c.Code[at], r.unquoted(i))
				}
			}
		}
		if spill != nil && ((row+1)%block == 0 || row+1 == rows) {
			if err := r.spill(spill, row%block+1); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range r.columns {
		switch {
		case c.parts != nil:
			c.Parts, c.Number, c.Code, c.Null = c.parts, nil, nil, nil
		case c.levels != nil:
			c.Level = c.levels.Text
		}
	}
	if spill != nil {
		if err := spill.Flush(); err != nil {
			return nil, err
		}
	}
	renamings := map[string]*intake.Renaming{}
	for _, c := range r.columns {
		if c.Column != nil {
			renamings[c.Name] = c.renaming
		}
	}
	f.UnusedMissing, f.UnusedRelabel = r.options.UnusedTexts(r.header, renamings)
	return f, nil
}

// spill moves the rows in memory to a file.
func (r *reading) spill(to *intake.Spill, rows int) error {
	for _, c := range r.columns {
		if c.isSpilled() {
			if err := c.spill(to, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkColumn returns an error if a column that the options name as numeric is not numeric, if an empty field has
// no meaning, or if the format of the numbers differs from that in the contract.
func (r *reading) checkColumn(c *column, name string) error {
	if !r.verbatim && c.isText() && c.known.Empty == table.EmptyUnknown && c.emptyRow > 0 {
		return &table.Error{Column: name, Row: c.emptyRow,
			Msg: "the field is empty, but the training table had both empty strings and missing values, which look the same " +
				"in a text file",
			Hint: "store the table as Parquet or Arrow"}
	}
	if c.known != nil && c.numbers > 0 && !r.options.TrustMarks {
		if why, example := c.count.marks().Contradicts(c.known); why != "" {
			e := &table.Error{Column: name, Class: table.ErrDottedThousands, Msg: fmt.Sprintf("the number %q %s", example, why),
				Fixes: []fix.Fix{fix.SayThousands, fix.SayDecimal}}
			if example == c.count.dottedExample {
				e.Row = c.count.dottedRow
			}
			return e
		}
	}
	if r.verbatim || !slices.Contains(r.options.Numeric, name) || c.words+c.bools == 0 {
		return nil
	}
	return &table.Error{Column: name, Row: c.unexpectedRow,
		Msg:   fmt.Sprintf("the column is declared numeric, but the value is %q", c.unexpected),
		Fixes: []fix.Fix{fix.NameMissing}, FixValues: map[fix.Fix]string{fix.NameMissing: c.unexpected}}
}

// checkMemory returns an error if the context has ended or the table is too large for its use. It decides whether the
// values are stored in a file, by a number of rows that is extrapolated from the part of the text read so far.
func (r *reading) checkMemory(rows int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	used, row := 0, int64(0)
	for _, c := range r.columns {
		if !c.used {
			continue
		}
		if used++; c.isText() {
			row += 4
		} else {
			row += 8
		}
	}
	const columnBytes = 1 << 10
	all := int64(rows)
	if rows >= everyRows { // a few rows are not representative
		all = r.text.Extrapolate(all)
	}
	use := fmt.Sprintf("for %d rows of %d columns", all, used)
	if !r.spills {
		if err := r.text.Source.Afford(columnBytes*int64(used), use); err != nil {
			return err
		}
		var err error
		if r.spills, err = intake.MustSpill(r.ctx, r.text.Source, row*all, 0, use); err != nil {
			return err
		}
	}
	least := table.Size{Rows: rows + int(all-int64(rows))/4*3, Columns: r.header} // later rows may be longer
	if !r.spills {
		inMemory := least
		inMemory.Bytes = row * int64(least.Rows)
		r.spills = intake.CheckSize(r.ctx, inMemory) != nil && intake.MaySpill(r.ctx, inMemory.Bytes)
	}
	return intake.CheckSize(r.ctx, least)
}

// records reads records of CSV. Blank lines are skipped, except in a table with one column, where they are nulls.
type records struct {
	r     *csv.Reader
	limit *limit
	line  int // line at which the next record starts if no blank line precedes it
	blank int // number of blank lines to return before the record
	held  []string
}

// longestRow is the maximum size of a row in bytes. Without a limit, an unclosed quote or a compressed file with a
// single line could exhaust the memory.
const longestRow = 32 << 20

// A limit reads text and returns an error for rows that are too long or have far more separators than the maximum
// number of columns allows.
type limit struct {
	r         io.Reader
	n         int // bytes since the last row
	separator []byte
	fields    int // separators since the last row
	most      int // maximum number of separators, including those within quotes
}

// separatorsPerColumn is the maximum number of separators in a row for each allowed column.
const separatorsPerColumn = 4

// Read implements io.Reader. It fails at a row that has too many separators or is too long.
func (l *limit) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.separator != nil {
		l.fields += bytes.Count(p[:n], l.separator)
	}
	if l.fields > separatorsPerColumn*l.most {
		return n, &table.Error{Msg: fmt.Sprintf("a row has more than %d fields, but a text file may have only %d columns",
			separatorsPerColumn*l.most, l.most),
			Hint: "the closing quote of a field may be missing", Fixes: []fix.Fix{fix.SayDelimiter, fix.RaiseMaxColumns}}
	}
	if l.n += n; l.n > longestRow {
		return n, &table.Error{Msg: fmt.Sprintf("a row is longer than %d MB", longestRow>>20),
			Hint: "the closing quote of a field may be missing, or the line endings may be unusual"}
	}
	return n, err
}

// blankRecord is the record of a blank line.
var blankRecord = []string{""}

// Read returns the next record, which may be a blank line.
func (c *records) Read() ([]string, error) {
	if c.blank > 0 {
		c.blank--
		return blankRecord, nil
	}
	if record := c.held; record != nil {
		c.held = nil
		return record, nil
	}
	c.limit.n, c.limit.fields = 0, 0
	record, err := c.r.Read()
	if err != nil || len(record) != 1 {
		return record, err
	}
	line, _ := c.r.FieldPos(0)
	blank := line - c.line
	first := c.line == 0
	c.line = line + 1 + strings.Count(record[0], "\n")
	if first || blank == 0 {
		return record, nil
	}
	c.held, c.blank = record, blank-1
	return blankRecord, nil
}

// rowError converts an error of the record reader to one that names the line. fields is the number of fields of the
// record, if it could be split.
func (r *reading) rowError(err error, fields int) error {
	var pe *csv.ParseError
	var own *table.Error
	if errors.As(err, &own) {
		return own
	}
	if !errors.As(err, &pe) {
		return r.text.DamagedError(err)
	}
	if errors.Is(pe.Err, csv.ErrFieldCount) {
		what := "the header"
		if r.options.NoHeader {
			what = "the first line"
		}
		hint := "complete or remove the line, at which the file may have been truncated"
		if fields > len(r.header) {
			hint = "put quotes around fields that contain the separator"
		}
		return &table.Error{Msg: fmt.Sprintf("line %d has %s, but %s has %d", pe.Line,
			printable.Plural(fields, "field", "fields"), what, len(r.header)),
			Hint: hint, Fixes: []fix.Fix{fix.SayDelimiter}}
	}
	record := ""
	if pe.StartLine != pe.Line {
		record = fmt.Sprintf(" (the row begins in line %d)", pe.StartLine)
	}
	return &table.Error{Msg: fmt.Sprintf("line %d%s: a quote is missing or misplaced", pe.Line, record),
		Hint: "the file may be truncated; a field that contains a quotation mark must be quoted, with the quotation mark " +
			"doubled"}
}
