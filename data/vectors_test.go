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

// Files without rows are part of a table of vectors, although the length of their lists is unknown.
func TestVectors_FilesWithoutRows(t *testing.T) {
	for _, ext := range []string{".parquet", ".arrows"} {
		for order, names := range map[string][2]string{"first": {"a", "b"}, "last": {"b", "a"}} {
			dir := t.TempDir()
			for i, rows := range []string{"[]", "[[1, 2], [3, 4]]"} {
				from := datatest.WriteLists(t, ext, arrow.ListOf(arrow.PrimitiveTypes.Float32), rows)
				if err := os.Rename(from, filepath.Join(dir, names[i]+ext)); err != nil {
					t.Fatal(err)
				}
			}
			f := openFrame(t, dir)
			if parts := f.PartsOf("e"); f.Rows != 2 || len(parts) != 2 || len(f.Columns) != 3 {
				t.Errorf("%s, empty %s: %d rows, %d entries", ext, order, f.Rows, len(parts))
			}
			f.Close()
			alone := openFrame(t, filepath.Join(dir, names[0]+ext))
			if c, err := alone.Lookup("e[1]"); err != nil || c.Vector != "e" || c.Len() != 0 {
				t.Errorf("%s alone: %v, %v", ext, c, err)
			}
			alone.Close()
		}
	}
}

// Vectors of different precision in several files are one vector of the table.
func TestVectors_FilesOfDifferentTypes(t *testing.T) {
	dir := t.TempDir()
	for name, typ := range map[string]arrow.DataType{"a.arrows": arrow.PrimitiveTypes.Float32,
		"b.arrows": arrow.PrimitiveTypes.Float64} {
		if err := os.Rename(datatest.WriteLists(t, ".arrows", arrow.ListOf(typ), "[[1, 2], [3, -4.5]]"),
			filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := openFrame(t, dir)
	defer f.Close()
	d, err := f.Describe(t.Context())
	if err != nil || len(d.Columns) != 2 {
		t.Fatalf("%d columns: %v", len(d.Columns), err)
	}
	if e := d.Columns[1]; e.Name != "e" || e.Kind != Vector || e.Width != 2 || *e.Min != -4.5 || *e.Max != 3 {
		t.Errorf("%+v", e)
	}
}
