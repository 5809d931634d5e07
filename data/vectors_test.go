package data

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// A file of vectors with any byte changed is read or refused, soon and with little memory.
func TestVectors_DamagedFiles(t *testing.T) {
	for _, ext := range []string{".arrows", ".parquet", ".v2.parquet"} {
		for _, typ := range []arrow.DataType{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32),
			arrow.ListOf(arrow.PrimitiveTypes.Float64)} {
			b := datatest.ReadFile(t, datatest.WriteLists(t, ext, typ, "[[1, 2], [3, 4], [5, 6], [7, 8]]"))
			for i := range b {
				for _, v := range []byte{b[i] ^ 1, 0xff} {
					was := b[i]
					b[i] = v
					f, err := ReadBytes(t.Context(), "x"+ext, b)
					if err == nil {
						for _, c := range f.Columns {
							if c.Kind != Other && c.Len() != f.Rows {
								t.Errorf("%s, byte %d: column %q has %d rows of %d", ext, i, c.Name, c.Len(), f.Rows)
							}
						}
						f.Close()
					}
					b[i] = was // nothing reads the bytes any more
				}
			}
		}
	}
}

// Files that are read together have one vector.
func TestVectors_SeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.parquet", "b.parquet"} {
		from := datatest.WriteLists(t, ".parquet", arrow.ListOf(arrow.PrimitiveTypes.Float32), "[[1, 2], [3, 4]]")
		if err := os.Rename(from, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := openFrame(t, dir)
	defer f.Close()
	if parts := f.PartsOf("e"); f.Rows != 4 || len(parts) != 2 {
		t.Errorf("%d rows, %d entries", f.Rows, len(parts))
	}
}
