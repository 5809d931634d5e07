package data

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// A file that is written to in place is changed, whatever its times are set to afterwards; one that
// gets another link, or loses its name, is not.
func TestUnchanged_TimesThatAreSetBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *Frame {
		f := openFrame(t, path)
		t.Cleanup(f.Close)
		return f
	}
	f := open()
	if err := os.Link(path, path+".link"); err == nil {
		if err := f.CheckUnchanged(); err != nil {
			t.Errorf("a link: %v", err)
		}
	}
	f = open()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the clock of the file system
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteAt([]byte("9"), 4); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	datatest.WantError(t, f.CheckUnchanged(), "t.csv", "changed while it was being read")
}
