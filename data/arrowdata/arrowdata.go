// Package arrowdata makes tables of Arrow records in memory, for programs that
// hold their rows so. It is a package of its own so that importers of data need not
// know Arrow's types; it may import data, and nothing here imports it.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package arrowdata

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/drotrain/drotrain/data"
)

// Frame makes a table of records of one schema. Values are copied; types are taken
// as those of an Arrow IPC file are.
func Frame(ctx context.Context, records ...arrow.Record) (*data.Frame, error) {
	if len(records) == 0 {
		return nil, errors.New("no records")
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(records[0].Schema()))
	for i, r := range records {
		if err := w.Write(r); err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	f, err := data.ReadBytes(ctx, "records.arrows", b.Bytes())
	if err != nil {
		return nil, err
	}
	f.Sources = []data.Source{{Path: "memory", Rows: f.Rows}} // the bytes are ours, not the user's
	return f, nil
}
