package data

import (
	"context"
	"encoding/binary"
	"testing"
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

func FuzzParquet(f *testing.F) {
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
