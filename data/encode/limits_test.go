package encode

import (
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// A table that is larger than memory is refused with numbers.
func TestFit_MemoryIsAsked(t *testing.T) {
	was := debug.SetMemoryLimit(70 << 20)
	defer debug.SetMemoryLimit(was)
	const n = 400_000
	cols, same := datatest.Normals(1, 24, 1), make([]float64, n) // small in the file, 8 bytes per row in the matrix
	for i := range same {
		same[i] = float64(i % 7)
	}
	for j := range cols {
		cols[j].Number = same
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := data.WriteTable(path, cols, false); err != nil {
		t.Fatal(err)
	}
	f := openFrame(t, path)
	defer f.Close()
	cols = nil
	_, err := Fit(context.Background(), f, nil, nil, Spec{Target: "x0"}, Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "MB", "GOMEMLIMIT")
}

func TestEncode_EndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := newFrame(t, data.Column{Name: "x", Kind: data.Numeric, Number: make([]float64, 100000)})
	e := newEncoder(t, frameOf(t, "y,x\n1,1\n2,3\n"), nil, Spec{Target: "y"})
	if _, _, err := e.Encode(ctx, g, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
