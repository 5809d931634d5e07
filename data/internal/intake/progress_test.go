package intake

import (
	"bytes"
	"context"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

func TestWatch_CountsBytes(t *testing.T) {
	var last table.Progress
	calls := 0
	ctx := WithProgress(context.Background(), func(p table.Progress) {
		if p.Read < last.Read || p.Size < last.Size {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		calls++
	})
	w := WatchFrom(ctx)
	file := make([]byte, 2*readPiece+5)
	w.AddSize(int64(len(file)))
	got := make([]byte, len(file)+1)
	if n, err := w.ReadAt(bytes.NewReader(file), got, 0); n != len(file) || err == nil {
		t.Errorf("read %d, %v", n, err)
	}
	w.BeginSweep(10, 3)
	w.AddCells(10, 1)
	w.AddCells(10, 2)
	if want := (table.Progress{Read: int64(len(file)), Size: int64(len(file)), Rows: 10, Of: 10}); last != want ||
		calls < 6 {
		t.Errorf("%+v after %d calls", last, calls)
	}
	var nobody *Watch
	nobody.BeginSweep(1, 1)
	if n, err := WatchFrom(context.Background()).ReadAt(bytes.NewReader(file), got[:3], 0); n != 3 || err != nil {
		t.Error(n, err)
	}
}
