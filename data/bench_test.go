package data

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// BenchmarkLoad makes the matrices of 10⁶ rows of 20 numbers, shuffled and
// split, of a file in the page cache. Bytes are those of the matrices.
func BenchmarkLoad(b *testing.B) {
	const n, d = 1_000_000, 20
	for _, c := range []struct {
		name       string
		codec      compress.Compression
		dictionary bool
		step       float64
		storage    Storage
	}{
		{"snappy", compress.Codecs.Snappy, false, 0, Float64},
		{"zstd", compress.Codecs.Zstd, false, 0, Float64},
		{"dictionary", compress.Codecs.Snappy, true, 0.05, Float64},
		{"float32", compress.Codecs.Snappy, false, 0, Float32},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := datatest.Parquet(b, c.name, datatest.Normals(n, d, c.step), c.codec, c.dictionary)
			b.ResetTimer()
			b.SetBytes(n * d * 8)
			b.ReportAllocs()
			for range b.N {
				f, err := Open(context.Background(), path)
				if err != nil {
					b.Fatal(err)
				}
				train, holdout := shuffledRows(f.Rows)
				if _, err := Fit(context.Background(), f, train, holdout, Spec{Target: "x0", Intercept: true}, c.storage); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

// BenchmarkCategories makes the matrices of 10⁵ rows of 16 columns of text.
func BenchmarkCategories(b *testing.B) {
	const n = 100_000
	cols := datatest.Normals(n, 1, 0)
	rng := rand.New(rand.NewPCG(2, 2))
	for j := range 16 {
		c := Column{Name: fmt.Sprintf("c%d", j), Kind: Categorical, Code: make([]int32, n)}
		for k := range []int{2, 5, 12, 40}[j%4] {
			c.Level = append(c.Level, fmt.Sprintf("level %d", k))
		}
		for i := range c.Code {
			c.Code[i] = rng.Int32N(int32(len(c.Level)))
		}
		cols = append(cols, c)
	}
	path := datatest.Parquet(b, "categories", cols, compress.Codecs.Zstd, true)
	for _, storage := range []Storage{Float64, Sparse} {
		b.Run(string(storage), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				f, err := Open(context.Background(), path)
				if err != nil {
					b.Fatal(err)
				}
				fitted, err := Fit(context.Background(), f, nil, nil, Spec{Target: "x0", Intercept: true}, storage)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(fitted.Train.X.Bytes())
				f.Close()
			}
		})
	}
}

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
