package export

import (
	"errors"
	"fmt"
	"io"

	"github.com/drotrain/drotrain/train"
)

// A Format is an export format.
type Format string

// The formats.
const (
	ONNX Format = "onnx"
	SQL  Format = "sql"
	CSV  Format = "csv"
)

// Formats returns all formats.
func Formats() []Format { return []Format{ONNX, SQL, CSV} }

// Options holds options of the formats. The zero value selects the defaults.
type Options struct {
	Dialect string // SQL dialect, one of Dialects(); "" means duckdb
	Table   string // table or subquery from which SQL selects, in SQL syntax; "" means data

	Formulas bool // in CSV, do not put an apostrophe before text that a spreadsheet would evaluate, such as =1+1
}

// Write writes the robust model m. If the format cannot express the model, it returns an error and writes
// nothing.
func Write(w io.Writer, m *train.Model, f Format, o Options) error {
	if w == nil || m == nil {
		return errors.New("export: the writer or the model is nil")
	}
	formulas, err := formulasOf(m)
	if err != nil {
		return err
	}
	var out []byte
	if f == CSV {
		out, err = coefficientTable(m, o)
	} else if encoded, fault := newModel(formulas); fault != nil {
		err = fault
	} else {
		out, err = encoded.encode(f, o, m.Version)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// encode returns the model in a format.
func (m *model) encode(f Format, o Options, version string) (out []byte, err error) {
	switch f {
	case ONNX:
		out = m.encodeONNX(version)
	case SQL:
		out, err = m.encodeSQL(o)
	default:
		return nil, fmt.Errorf("unknown format %q: the formats are %v", f, Formats())
	}
	if err != nil {
		return nil, fmt.Errorf("the model cannot be written as %s: %w", f, err)
	}
	return out, nil
}
