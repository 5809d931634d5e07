//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// A stream is read only once; a file is read again with the suggested options.
func TestStream_IsReadOnce(t *testing.T) {
	const table = "y,d\n1,2024-01-02\n2,2024-03-04\n3,2024-05-06\n"
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe.csv"), filepath.Join(dir, "t.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, file, table)
	go os.WriteFile(pipe, []byte(table), 0)
	for path, dates := range map[string]string{pipe: "", file: "parts"} {
		a := &app{stdout: io.Discard, stderr: io.Discard}
		f, how, err := a.openSuggested(t.Context(), path, data.Reading{})
		if err != nil || f.Rows != 3 || how.Dates != dates {
			t.Errorf("%s: dates as %q, %v", filepath.Base(path), how.Dates, err)
		}
		f.Close()
	}
}
