package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// FromArrow makes a table of Arrow records of one schema. Values are copied; types are taken
// as in an Arrow IPC file.
func FromArrow(ctx context.Context, records ...arrow.Record) (*Frame, error) {
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
	f, err := ReadBytes(ctx, "records.arrows", b.Bytes())
	if err != nil {
		return nil, err
	}
	f.Sources = []Source{{Path: "memory", Rows: f.Rows}} // the bytes are not a file of the user
	return f, nil
}
