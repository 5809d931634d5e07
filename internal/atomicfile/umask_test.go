//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// New files have the mode that the umask leaves, as those of any program.
func TestWrite_ObeysTheUmask(t *testing.T) {
	dir := t.TempDir()
	for umask, want := range map[int]os.FileMode{0o077: 0o600, 0o022: 0o644, 0o002: 0o664, 0: 0o666} {
		path := filepath.Join(dir, want.String())
		old := syscall.Umask(umask)
		err := Write(path, false, text("x"))
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("umask %o: mode %v, want %v", umask, info.Mode(), want)
		}
	}
}

// A name may be as long as the file system allows.
func TestWrite_LongName(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("n", 250) + ".json"
	for range 2 {
		if err := Write(filepath.Join(dir, name), true, text("x")); err != nil {
			t.Fatal(err)
		}
	}
	only(t, dir, name)
}
