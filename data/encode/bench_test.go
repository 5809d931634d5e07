package encode

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// BenchmarkLoad makes the matrices of 10⁶ rows of 20 numbers, shuffled and
// split, of a file in the page cache. Bytes are those of the matrices.
func BenchmarkLoad(b *testing.B) {
	const n, d = 1_000_000, 20
	for _, storage := range []design.Storage{design.Float64Storage, design.Float32Storage} {
		b.Run(string(storage), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.parquet")
			if err := data.WriteTable(path, datatest.Normals(n, d, 0), false); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			b.SetBytes(n * d * 8)
			b.ReportAllocs()
			for range b.N {
				f, err := data.Open(context.Background(), path)
				if err != nil {
					b.Fatal(err)
				}
				train, holdout := shuffledRows(f.Rows)
				if _, err := Fit(context.Background(), f, train, holdout, Spec{Target: "x0", Intercept: true},
					Sink{Storage: storage}); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}
