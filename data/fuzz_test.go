package data

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Whatever the bytes are, a reader gives a frame or an error. A frame is sound:
// its columns are as long as it says and its codes have levels.
func fuzzRead(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add(testdataFile(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := ReadBytes(context.Background(), name, b)
		if err != nil {
			return
		}
		for _, c := range frame.Columns {
			if c.Kind == Other {
				continue
			}
			if c.Len() != frame.Rows || c.Null != nil && len(c.Null) != frame.Rows {
				t.Fatalf("column %q has %d rows of %d", c.Name, c.Len(), frame.Rows)
			}
			for i := range c.Code {
				_ = c.Text(i)
			}
		}
	})
}

// vectorBytes returns a small file with vectors.
func vectorBytes(f *testing.F, ext string) []byte {
	f.Helper()
	path := datatest.WriteLists(f, ext, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), "[[1, 2], [3, 4], [5, 6]]")
	if ext == ".npy" {
		path = datatest.WriteArray(f, "x.npy", "<f4", "(3, 2)", []float32{1, 2, 3, 4, 5, 6})
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return b
}

func FuzzNumPy(f *testing.F) {
	b := vectorBytes(f, ".npy")
	f.Add(b)
	f.Add(bytes.Replace(b, []byte("'<f4'"), []byte("'|O4'"), 1))
	f.Add(bytes.Replace(b, []byte("(3, 2)"), []byte("(6, 1)"), 1))
	f.Add(bytes.Replace(b, []byte("False"), []byte("True "), 1))
	fuzzRead(f, "x.npy")
}

func FuzzParquet(f *testing.F) {
	f.Add(vectorBytes(f, ".parquet"))
	fuzzRead(f, "x.parquet", "pyarrow_required.parquet", "pyarrow_delta_v1.parquet", "duckdb_enum.parquet")
}

func FuzzIPC(f *testing.F) {
	claims := testdataFile(f, "pyarrow_dictionaries.arrows") // a batch that claims 2^33 rows
	for i := 0; i+8 <= len(claims); i += 4 {
		if binary.LittleEndian.Uint64(claims[i:]) == 3 {
			bad := append([]byte(nil), claims...)
			binary.LittleEndian.PutUint64(bad[i:], 1<<33)
			f.Add(bad)
		}
	}
	f.Add(vectorBytes(f, ".arrows"))
	fuzzRead(f, "x.arrow", "pyarrow_dictionaries.arrows", "pyarrow_zero_rows.arrow", "polars_zstd.arrow")
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,x\n,y\nNaN,\"z\nz\"\n"))
	f.Add([]byte("a;b\r\n1;true\r\n"))
	f.Add([]byte("a,b\r1,x\r2,y\r"))                                       // lines that end in CR alone
	f.Add([]byte("\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xfc\x00\n\x00")) // UTF-16
	f.Add([]byte("a,b\n1,Z\xfcrich\n"))                                    // Windows-1252
	f.Add([]byte("a\n\"1,234\"\n10%\n$3\n2024-02-30\n"))
	fuzzRead(f, "x.csv", "pyarrow.csv")
}
