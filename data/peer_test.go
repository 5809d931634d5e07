package data

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// readByArrow reads all values of a file by Arrow's own page reader, and sums them
// up; a panic in this goroutine is an error.
func readByArrow(b []byte) (sum uint64, panicked bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked, err = true, fmt.Errorf("%v", r)
		}
	}()
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return 0, false, err
	}
	h := fnv.New64a()
	const n = 2048
	defs := make([]int16, n)
	for g := range f.NumRowGroups() {
		for c := range f.MetaData().Schema.NumColumns() {
			col, err := f.RowGroup(g).Column(c)
			if err != nil {
				return 0, false, err
			}
			for col.HasNext() {
				var total int64
				var err error
				switch r := col.(type) {
				case *file.Float64ColumnChunkReader:
					total, err = arrowBatch(r.ReadBatch, make([]float64, n), defs, h)
				case *file.Int32ColumnChunkReader:
					total, err = arrowBatch(r.ReadBatch, make([]int32, n), defs, h)
				case *file.Int64ColumnChunkReader:
					total, err = arrowBatch(r.ReadBatch, make([]int64, n), defs, h)
				case *file.BooleanColumnChunkReader:
					total, err = arrowBatch(r.ReadBatch, make([]bool, n), defs, h)
				case *file.ByteArrayColumnChunkReader:
					total, err = arrowBatch(r.ReadBatch, make([]parquet.ByteArray, n), defs, h)
				default:
					return 0, false, fmt.Errorf("no values of %T", col)
				}
				if err != nil {
					return 0, false, err
				}
				if total == 0 {
					return 0, false, fmt.Errorf("a column ends early")
				}
			}
			if err := col.Err(); err != nil {
				return 0, false, err
			}
		}
	}
	return h.Sum64(), false, nil
}

func arrowBatch[T any](read func(int64, []T, []int16, []int16) (int64, int, error), v []T, defs []int16, h interface{ Write([]byte) (int, error) }) (int64, error) {
	total, present, err := read(int64(len(v)), v, defs, nil)
	if err == nil {
		fmt.Fprint(h, total, v[:present])
	}
	return total, err
}

// What Arrow's page reader, in a goroutine of ours, makes of the damaged files that
// TestDamage reads by our own: it looks at no checksum.
func TestDamageByArrow(t *testing.T) {
	if os.Getenv("DROTRAIN_LONG") == "" {
		t.Skip("a measurement of a peer; DROTRAIN_LONG=1 runs it")
	}
	b := ownParquet(t)
	good, _, err := readByArrow(b)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(20, uint64(len(b))))
	var refused, panics, same, other int
	var most uint64
	for range *damageRounds {
		bad, _ := mutate(rng, b, 4, len(b))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, panicked, err := readByArrow(bad)
		runtime.ReadMemStats(&after)
		most = max(most, after.TotalAlloc-before.TotalAlloc)
		switch {
		case panicked:
			panics++
		case err != nil:
			refused++
		case sum == good:
			same++
		default:
			other++
		}
	}
	t.Logf("%d damaged files of %d bytes: %d refused, %d panics, %d as before, %d another table; at most %d MB allocated",
		*damageRounds, len(b), refused, panics, same, other, most>>20)
}

// BenchmarkPages reads 10⁶ rows of 5 numbers, by our page reader and by Arrow's.
func BenchmarkPages(b *testing.B) {
	path := datatest.Parquet(b, "pages", datatest.Normals(1_000_000, 5, 0), compress.Codecs.Snappy, false)
	raw, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := ReadBytes(context.Background(), "t.parquet", raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("arrow", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			f, err := file.NewParquetReader(bytes.NewReader(raw))
			if err != nil {
				b.Fatal(err)
			}
			for g := range f.NumRowGroups() {
				for c := range f.MetaData().Schema.NumColumns() {
					col, err := f.RowGroup(g).Column(c)
					if err != nil {
						b.Fatal(err)
					}
					n := f.RowGroup(g).NumRows()
					if _, _, err := col.(*file.Float64ColumnChunkReader).ReadBatch(n, make([]float64, n), nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
}
