package data

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// BenchmarkReadCSV reads 10⁵ rows of 20 numbers.
func BenchmarkReadCSV(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.csv")
	if err := WriteTable(path, datatest.Normals(100_000, 20, 0), false); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for range b.N {
		if _, err := Read(context.Background(), path); err != nil {
			b.Fatal(err)
		}
	}
}
