package data

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// A file that is written to, in its place, is refused at the next reading; so is
// one that another takes the place of.
func TestOpen_ChangedInput(t *testing.T) {
	for _, name := range []string{"pyarrow_snappy.parquet", "pyarrow.csv"} {
		for how, change := range map[string]func(path string, b []byte) error{
			"in place": func(path string, b []byte) error {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = f.WriteAt(b[100:101], 100)
				os.Chtimes(path, time.Now(), time.Now().Add(time.Second)) // clocks of files are coarse
				return err
			},
			"replaced": func(path string, b []byte) error {
				info, err := os.Stat(path)
				if err != nil {
					return err
				}
				if err := os.WriteFile(path+".new", b, 0o644); err != nil {
					return err
				}
				os.Chtimes(path+".new", time.Now(), info.ModTime())
				return os.Rename(path+".new", path)
			},
			"shorter": func(path string, b []byte) error { return os.Truncate(path, int64(len(b)-1)) },
		} {
			b := testdataFile(t, name)
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			f := openFrame(t, path)
			if _, err := f.Column(t.Context(), "i32"); err != nil {
				t.Fatal(err)
			}
			if err := change(path, b); err != nil {
				t.Fatal(err)
			}
			for what, read := range map[string]func() error{
				"column": func() error { _, err := f.Column(t.Context(), "i32"); return err },
				"sum":    f.Fingerprint,
			} {
				err := read()
				if err == nil || !strings.HasPrefix(err.Error(), path+": ") {
					t.Errorf("%s, %s, %s: %v", name, how, what, err)
				}
			}
			f.Close()
		}
	}
}

// A stream is read once, to its end, and its table is that of the file.
func TestOpenReader_EqualsTheFile(t *testing.T) {
	for _, name := range []string{"pyarrow_snappy.parquet", "pyarrow.arrow", "pyarrow.csv"} {
		b := testdataFile(t, name)
		good := readBytes(t, name, b)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() { w.Write(b); w.Close() }()
		f, err := OpenReader(context.Background(), "standard input", r, Reading{})
		if err != nil {
			t.Fatal(err)
		}
		if f, err = f.loadAndClose(context.Background()); err != nil {
			t.Fatal(err)
		}
		if d := sameFrame(f, good); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A stream of less than the limit is kept in memory, without a file; a longer one is stored in a file.
func TestSpool_Limit(t *testing.T) {
	text := "x,y\n1,2\n3,4\n"
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		limit  int64
		inFile bool
	}{{int64(len(text)) + 1, false}, {int64(len(text)), true}, {3, true}} {
		in, err := spoolReader(t.Context(), "t.csv", strings.NewReader(text), c.limit)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, in.size)
		if err := in.read(b, 0); err != nil || string(b) != text || (in.held == nil) != c.inFile {
			t.Errorf("limit %d: %q, %v, in a file: %v", c.limit, b, err, in.held == nil)
		}
		in.close()
	}
	t.Setenv("TMPDIR", none)
	f, err := OpenReader(t.Context(), "t.csv", strings.NewReader(text), Reading{})
	if err != nil || f.Rows != 2 {
		t.Errorf("without a directory for files: %v", err)
	}
}

// A stream whose name says nothing is text from its first byte on.
func TestOpenReader_ShortStreams(t *testing.T) {
	for text, columns := range map[string]int{"x": 1, "x\n": 1, "x,y": 2, "": -1} {
		f, err := OpenReader(t.Context(), "standard input", strings.NewReader(text), Reading{})
		if columns >= 0 && (err != nil || len(f.Columns) != columns || f.Rows != 0) ||
			columns < 0 && (err == nil || !strings.Contains(err.Error(), "empty")) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

// The rows that a batch of IPC claims are those of its columns: eight bytes of a
// file must not ask for gigabytes.
func TestRead_IPCRowsAreBound(t *testing.T) {
	for _, name := range []string{"pyarrow.arrow", "pyarrow.arrows", "pyarrow_zstd.feather", "polars_zstd.arrow"} {
		b := testdataFile(t, name)
		found := 0
		for i := 0; i+8 <= len(b); i += 4 {
			if binary.LittleEndian.Uint64(b[i:]) != 40 { // rows of the table
				continue
			}
			for _, rows := range []uint64{1 << 21, 1 << 33, 39, 41} {
				bad := append([]byte(nil), b...)
				binary.LittleEndian.PutUint64(bad[i:], rows)
				if f, _ := readBounded(t, name, bad, "rows changed"); f == nil {
					found++
				}
			}
		}
		if found < 4 {
			t.Errorf("%s: %d changes found", name, found)
		}
	}
}

// A reader that is cancelled is not read any further, once what it waits for has come.
func TestReaderOf_EndsWithContext(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	more := make(chan struct{})
	r := cancellableReader(ctx, datatest.ReaderFunc(func(p []byte) (int, error) {
		<-more
		return len(p), nil
	}))
	cancel()
	if _, err := r.Read(make([]byte, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("read, %v", err)
	}
	close(more) // from here on it could be read for ever
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// A reader that is nil, or panics, is an error of the call, since its panic in another goroutine would end the process.
func TestOpenReader_BrokenReaders(t *testing.T) {
	for want, r := range map[string]io.Reader{"nil": nil,
		"the reader panicked: a bug": datatest.ReaderFunc(func([]byte) (int, error) { panic("a bug") })} {
		if f, err := OpenReader(t.Context(), "x.csv", r, Reading{}); err == nil || f != nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
