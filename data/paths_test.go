package data

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

func TestPaths_FindsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ctx := context.Background()
	write("wages.csv", "a\n1\n")
	write("empty/notes.doc", "x")
	write("same/1.csv", "a,b,c\n1,x,\n2,y,\n")
	write("same/2.csv", "b,a,c\ny,2.5,4\nz,,5\n")
	write("same/_SUCCESS", "")
	write("same/.hidden.csv", "q\n1\n")
	write("columns/1.csv", "a,b\n1,2\n")
	write("columns/2.csv", "a,c\n1,2\n")
	write("columns/sub/3.csv", "z\n1\n")
	write("parts/region=a/1.csv", "z\n1\n")
	write("deep/year=1/month=2/1.parquet", "")
	for path, parts := range map[string][]string{
		"wages.cvs": {"no such file", "did you mean", "wages.csv"},
		"empty":     {"holds no table", ".parquet"},
		"parts":     {"holds no table", filepath.Join("parts", "*", "*.csv"), "as region=a"},
		"deep": {"holds no table", filepath.Join("deep", "*", "*", "*.parquet"),
			"as month=2"},
		"columns":                              {"2.csv", `the file lacks the column "b"`, "1.csv"},
		"no*.csv":                              {"no file matches"},
		"empty/notes.doc":                      {"format of the file is unknown", ".csv"},
		write("zero.parquet", "")[len(dir)+1:]: {"empty", "truncated"},
		write("zero.csv", "")[len(dir)+1:]:     {"empty"},
		write("magic.parquet", "hello, world!")[len(dir)+1:]: {"the file is not in the format Parquet", "PAR1"},
		write("magic.arrow", "hello, world!")[len(dir)+1:]: {"the file is not in the format Arrow IPC",
			"ARROW1"},
		write("pare.parquet", "PAREhello world!")[len(dir)+1:]:            {"encrypted"},
		write("tail.parquet", "PAR1hello world!")[len(dir)+1:]:            {"does not end with PAR1", "truncated"},
		write("eleven.parquet", "PAR1nothing")[len(dir)+1:]:               {"too short", "truncated"},
		write("twelve.parquet", "PAR1nothing.")[len(dir)+1:]:              {"does not end with PAR1", "truncated"},
		write("x.npy", "\x93NUMPY\x01")[len(dir)+1:]:                      {"the file ends within the header of the array"},
		write("x.npz", "PK\x03\x04")[len(dir)+1:]:                         {"the archive cannot be read"},
		write("fea.feather", "FEA1hello world!")[len(dir)+1:]:             {"Feather version 1"},
		write("old.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")[len(dir)+1:]: {"Excel", "CSV"},
		write("t.sqlite", "SQLite format 3\x00")[len(dir)+1:]:             {"SQLite", "sqlite3 -header -csv"},
		write("t.csv", "SQLite format 3\x00")[len(dir)+1:]:                {"SQLite"},
		write("t.h5", "\x89HDF\r\n\x1a\n")[len(dir)+1:]:                   {"HDF5"},
		write("t.avro", "Obj\x01\x00\x00\x00\x00")[len(dir)+1:]:           {"Avro"},
		write("plain.csv.gz", "a\n1\n")[len(dir)+1:]:                      {"not a gzip file"},
		write("short.csv", "a,b\n1,2\n3\n")[len(dir)+1:]:                  {"line 3", "fields", "header", "truncated"},
		write("quote.csv", "a,b\n1,\"2\n3,4\n")[len(dir)+1:]:              {"quote", "truncated"},
	} {
		full := filepath.Join(dir, path)
		_, err := Read(ctx, full)
		datatest.WantError(t, err, append(parts, dir)...)
	}
	if _, err := Read(ctx, filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is not fs.ErrNotExist: %v", err)
	}

	for _, path := range []string{filepath.Join(dir, "same"), filepath.Join(dir, "same", "*.csv")} {
		f := readFrame(t, path)
		want := map[string][]any{"a": {1.0, 2.0, 2.5, nil}, "b": {"x", "y", "y", "z"}, "c": {nil, nil, 4.0, 5.0}}
		if d := differs(f, want); d != "" {
			t.Error(d)
		}
		if len(f.Sources) != 2 || f.Sources[1].Rows != 2 {
			t.Errorf("sources %+v", f.Sources)
		}
		// A row is told within its file.
		err := f.FaultAt("c", 2, fix.Advice{}, "no")
		datatest.WantError(t, err, filepath.Join("same", "2.csv"), `column "c", row 1`)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Read(done, "testdata/pyarrow_zstd.parquet"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestIsTable_ByExtension(t *testing.T) {
	for name, want := range map[string]bool{"a.csv": true, "A.CSV.GZ": true, "a.parquet": true, "a.parquet.gz": false,
		"a.npz": true, "a.json": false, "csv": false} {
		if got := formatByName(name) != nil; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
