package frame

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/drotrain/drotrain/data/parquet"
)

// normals are d columns of n numbers, rounded to the given step, or not for 0.
func normals(n, d int, step float64) []Column {
	rng := rand.New(rand.NewPCG(1, 1))
	cols := make([]Column, d)
	for j := range cols {
		cols[j] = Column{Name: fmt.Sprintf("x%d", j), Kind: Numeric, Number: make([]float64, n)}
		for i := range cols[j].Number {
			v := rng.NormFloat64()
			if step > 0 {
				v = math.Round(v/step) * step
			}
			cols[j].Number[i] = v
		}
	}
	return cols
}

func benchFile(b *testing.B, name string, cols []Column, codec compress.Compression, dictionary bool) string {
	path := filepath.Join(b.TempDir(), name+".parquet")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if err := parquet.WriteAs(w, cols, cols[0].Len(), codec, dictionary); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
