//go:build linux

package data

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// openFiles are the files that the process has open: what its descriptors lead to.
func openFiles(t *testing.T) (all []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			all = append(all, to)
		}
	}
	slices.Sort(all)
	return all
}

// Every file that is opened is closed again, without the collector's help, and every goroutine
// ends: by Close, where the values are in memory, and where anything fails.
func TestOpen_FilesAreClosed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes what nobody holds
	ctx := t.Context()
	over, cancel := context.WithCancel(ctx)
	cancel()
	dir := t.TempDir()
	for _, name := range []string{"pyarrow_snappy.parquet", "pyarrow.arrow", "pyarrow.arrows", "pyarrow.csv",
		"pyarrow.csv.gz"} {
		b := testdataFile(t, name)
		path := filepath.Join("testdata", name)
		put := func(folder, name string, b []byte) string {
			path := filepath.Join(dir, folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}
		half := bytes.Replace(b[:len(b)/2+1], []byte("\n"), []byte("\n\"x\"y,"), 1) // text that is cut may be shorter text
		short := put("short", name, half)
		put("one short "+name, "1-"+name, b)
		put("one short "+name, "2-"+name, half)
		put("one other "+name, "1-"+name, b)
		put("one other "+name, "2.csv", []byte("a\n1\n"))
		fifo := filepath.Join(dir, "pipe-"+name)
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		closed := func(f *Frame, err error) error {
			if err == nil {
				f.Close()
				f.Close() // which is no harm
			}
			return err
		}
		for what, c := range map[string]struct {
			use   func() error
			fails bool
		}{
			"read":                   {func() error { _, err := Read(ctx, path); return err }, false},
			"opened":                 {func() error { return closed(Open(ctx, path)) }, false},
			"over":                   {func() error { return closed(Open(over, path)) }, true},
			"short":                  {func() error { return closed(Open(ctx, short)) }, true},
			"a short one behind":     {func() error { return closed(Open(ctx, filepath.Join(dir, "one short "+name))) }, true},
			"another behind":         {func() error { return closed(Open(ctx, filepath.Join(dir, "one other "+name))) }, true},
			"a reading that is none": {func() error { return closed(Open(ctx, path, Reading{Dates: "no"})) }, true},
			"a stream": {func() error { return closed(OpenReader(ctx, name, bytes.NewReader(b), Reading{})) },
				false},
			"a short stream": {func() error {
				return closed(OpenReader(ctx, name, bytes.NewReader(b[:len(b)/2]), Reading{Dates: "no"}))
			}, true},
			"a stream that fails": {func() error {
				return closed(OpenReader(ctx, name, datatest.ReaderFunc(
					func([]byte) (int, error) { return 0, errors.New("no more") }), Reading{}))
			}, true},
			"a pipe": {func() error {
				go func() { os.WriteFile(fifo, b, 0) }()
				return closed(Open(ctx, fifo))
			}, false},
			"a pipe that nobody writes to": {func() error {
				short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				return closed(Open(short, fifo))
			}, true},
		} {
			before, running := openFiles(t), runtime.NumGoroutine()
			if err := c.use(); (err != nil) != c.fails {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			var after []string
			for range 2000 {
				if after = openFiles(t); len(after) == len(before) && runtime.NumGoroutine() <= running {
					break
				}
				time.Sleep(time.Millisecond) // what another goroutine closes
			}
			if len(after) != len(before) || runtime.NumGoroutine() > running {
				t.Errorf("%s, %s: %d files are open, %d before, and %d goroutines, %d before: %q", name, what, len(after),
					len(before), runtime.NumGoroutine(), running, after)
			}
		}
	}
}

// What cannot be opened is told with the reason of the system: a socket, a device.
func TestOpen_NotAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const path = "socket.csv" // names of sockets are short
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Open(t.Context(), path); !errors.Is(err, syscall.ENXIO) ||
		!strings.HasPrefix(err.Error(), path+": cannot read: ") {
		t.Errorf("a socket: %v", err)
	}
	if _, err := Open(t.Context(), os.DevNull); err == nil ||
		err.Error() != os.DevNull+": the path names a device, not a file" {
		t.Errorf("a device: %v", err)
	}
}
