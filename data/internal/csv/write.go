package csv

import (
	"encoding/csv"
	"io"

	"github.com/drotrain/drotrain/data/table"
)

// A Writer writes columns as CSV with a header line, one block of rows after another. Nulls are empty fields.
type Writer struct {
	out    *csv.Writer
	record []string // nil until the header is written
}

// NewWriter returns a Writer with the given delimiter.
func NewWriter(w io.Writer, comma rune) *Writer {
	out := csv.NewWriter(w)
	out.Comma = comma
	return &Writer{out: out}
}

// Write writes the given number of rows of the columns.
func (w *Writer) Write(cols []table.Column, rows int) error {
	if w.record == nil {
		w.record = make([]string, len(cols))
		for i := range cols {
			w.record[i] = cols[i].Name
		}
		if err := w.out.Write(w.record); err != nil {
			return err
		}
	}
	for r := range rows {
		for i := range cols {
			w.record[i] = cols[i].Text(r) // "" for a null
		}
		if err := w.out.Write(w.record); err != nil {
			return err
		}
	}
	return nil
}

// Close flushes the output.
func (w *Writer) Close() error {
	w.out.Flush()
	return w.out.Error()
}
