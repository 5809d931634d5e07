package csv

import (
	"encoding/csv"
	"io"

	"github.com/drotrain/drotrain/data/table"
)

// Write writes columns of that many rows with a header line. Nulls are empty fields.
func Write(w io.Writer, comma rune, cols []table.Column, rows int) error {
	out := csv.NewWriter(w)
	out.Comma = comma
	record := make([]string, len(cols))
	for i := range cols {
		record[i] = cols[i].Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for r := 0; r < rows; r++ {
		for i := range cols {
			c := &cols[i]
			switch {
			case c.IsNull(r):
				record[i] = ""
			default:
				record[i] = c.Text(r)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
