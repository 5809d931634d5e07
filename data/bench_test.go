package data

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkReadEncode reads 10⁵ rows of 20 numbers and one category and makes
// the matrix of them.
func BenchmarkReadEncode(b *testing.B) {
	const n, d = 100000, 20
	rng := rand.New(rand.NewPCG(1, 1))
	cols := make([]Column, d+1)
	for j := range cols[:d] {
		cols[j] = Column{Name: fmt.Sprintf("x%d", j), Kind: Numeric, Number: make([]float64, n)}
		for i := range cols[j].Number {
			cols[j].Number[i] = rng.NormFloat64()
		}
	}
	cols[d] = Column{Name: "g", Kind: Categorical, Code: make([]int32, n), Level: []string{"a", "b", "c"}}
	for i := range cols[d].Code {
		cols[d].Code[i] = rng.Int32N(3)
	}
	for _, ext := range []string{".parquet", ".csv"} {
		path := filepath.Join(b.TempDir(), "t"+ext)
		if err := WriteTable(path, cols, false); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		var f *Frame
		b.Run("read"+ext, func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				if f, err = Read(context.Background(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("encode"+ext, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				e, err := NewEncoder(f, nil, Spec{Target: "x0", Groups: []string{"g"}, Intercept: true})
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := e.Encode(f, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
