package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, ",") != strings.Join(names, ",") {
		t.Errorf("directory holds %q, want %q", got, names)
	}
}

func TestWrite_IsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := Write(path, false, text("one")); err != nil {
		t.Fatal(err)
	}
	err := Write(path, false, text("two"))
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("second write without force: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("content %q, want it untouched", b)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, true, text("three")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "three" {
		t.Errorf("content %q, want three", b)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600 kept", info.Mode())
	}
	only(t, dir, "a.txt")
}

func TestWrite_Failures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := Write(path, false, text("old")); err != nil {
		t.Fatal(err)
	}
	sick := errors.New("sick")
	fails := func(w io.Writer) error { io.WriteString(w, "half"); return sick }
	if err := Write(path, true, fails); !errors.Is(err, sick) || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("got %v, want the cause and the path", err)
	}
	full := func(w io.Writer) error { // a disk, as the file tells of it whose name nobody knows
		temporary, _ := filepath.Glob(filepath.Join(dir, ".drotrain-*"))
		return fmt.Errorf("row 7: %w", &fs.PathError{Op: "write", Path: temporary[0], Err: sick})
	}
	if err := Write(path, true, full); !errors.Is(err, sick) || err.Error() != path+": cannot write: sick" {
		t.Errorf("got %v, want the path alone", err)
	}
	func() {
		defer func() { recover() }()
		Write(path, true, func(io.Writer) error { panic("p") })
	}()
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("content %q after failures, want old", b)
	}
	only(t, dir, "a.txt")

	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{sub, filepath.Join(dir, "no", "such", "x"), filepath.Join(path, "x"), dir + "/new/"} {
		if err := Write(p, true, text("x")); err == nil || !strings.HasPrefix(err.Error(), p) ||
			strings.Contains(err.Error(), "tmp-") {
			t.Errorf("%s: got %v, want an error that names the path", p, err)
		} else if early := Check(p, true); early == nil || early.Error() != err.Error() {
			t.Errorf("%s: before any work %v, then %v", p, early, err)
		}
	}
	loose := filepath.Join(dir, "loose")
	if err := os.Symlink("nowhere", loose); err == nil {
		if err := Check(loose, true); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), loose) {
			t.Errorf("a link to nothing: %v", err)
		}
		os.Remove(loose)
	}
	if err := Check(os.DevNull, true); os.DevNull == "/dev/null" &&
		(err == nil || !strings.Contains(err.Error(), "not a regular file")) {
		t.Errorf("a device: %v", err)
	}
	if err := Check(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := errors.Join(Check(path, true), Check(filepath.Join(sub, "new"), false)); err != nil {
		t.Errorf("files that can be written: %v", err)
	}
	only(t, sub)
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("content %q after a check, want old", b)
	}
}

func TestWrite_ThroughLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, true, text("new")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(real); string(b) != "new" {
		t.Errorf("target of the link holds %q", b)
	}
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}
