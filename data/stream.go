package data

import (
	"fmt"
	"io"
	"strings"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/ipc"
	"github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/atomicfile"
)

// A TableWriter takes the rows of a table block by block: columns of the same names and
// kinds at every call, with marks for nulls always or never.
type TableWriter func(cols []Column) error

// WriteBlocks works like [WriteTable] for rows that come in blocks: rows calls put with each of
// them, and at least once. The file appears whole, or not at all where rows fails.
func WriteBlocks(path string, force bool, rows func(put TableWriter) error) error {
	if _, err := blockFormat(path); err != nil {
		return err
	}
	return atomicfile.Write(path, force, func(w io.Writer) error { return WriteBlocksTo(w, path, rows) })
}

// WriteBlocksTo writes to w the table that WriteBlocks writes to a file of that name.
func WriteBlocksTo(w io.Writer, name string, rows func(put TableWriter) error) (err error) {
	begin, err := blockFormat(name)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	put, end := begin(w)
	if err := rows(func(cols []Column) error {
		if err := checkColumns(cols); err != nil {
			return err
		}
		return put(cols, cols[0].Len())
	}); err != nil {
		return err
	}
	return end()
}

// blockFormat returns what writes blocks to a file of that name.
func blockFormat(path string) (func(io.Writer) (put func([]table.Column, int) error, end func() error), error) {
	text := func(comma rune) func(io.Writer) (func([]table.Column, int) error, func() error) {
		return func(out io.Writer) (func([]table.Column, int) error, func() error) {
			w := csv.NewWriter(out, comma)
			return w.Write, w.Close
		}
	}
	lower := strings.ToLower(path)
	switch {
	case strings.HasSuffix(lower, ".parquet"), strings.HasSuffix(lower, ".pq"):
		return func(out io.Writer) (func([]table.Column, int) error, func() error) {
			w := parquet.NewWriter(out)
			return w.Write, w.Close
		}, nil
	case strings.HasSuffix(lower, ".arrows"):
		return func(out io.Writer) (func([]table.Column, int) error, func() error) {
			w := ipc.NewWriter(out)
			return w.Write, w.Close
		}, nil
	case strings.HasSuffix(lower, ".csv"):
		return text(','), nil
	case strings.HasSuffix(lower, ".tsv"):
		return text('\t'), nil
	}
	return nil, &Error{Path: path, Msg: "the format to write is unknown", Hint: "end the name in .parquet, .csv, .tsv, or .arrows for an Arrow stream"}
}
