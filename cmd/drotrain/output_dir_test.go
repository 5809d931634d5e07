package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// A directory in which nothing was written is removed. A directory with files is refused without --force, and the hint
// names an unused one.
func TestOutputDirectory_NamesAFreeOne(t *testing.T) {
	t.Chdir(t.TempDir())
	var in inputFiles
	d, err := in.OpenDir(filepath.Join("a", "b"), false)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	if entries, _ := os.ReadDir("."); len(entries) != 0 {
		t.Errorf("%v is left where nothing was written", entries)
	}
	if d, err = in.OpenDir(filepath.Join("a", "b"), false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m.json", "x.svg", "y.svg", "p.csv"} {
		if err := d.Write(name, text(name)); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	d.List(&b)
	const want = `
wrote  a/b/m.json
wrote  a/b/p.csv
wrote  a/b/*.svg (2 plots)
`
	if got := filepath.ToSlash(b.String()); got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if _, err := in.OpenDir(filepath.Join("a", "b"), true); !errors.Is(err, errLocked) {
		t.Errorf("two runs write at once: %v", err)
	}
	d.Close()
	for _, free := range []string{"b-2", "b-3"} {
		_, err = in.OpenDir(filepath.Join("a", "b"), false)
		if err == nil {
			t.Fatal("files of another run are replaced")
		}
		if msg, hint := exit.Describe(err); !strings.Contains(msg, "exists and is not empty") ||
			!strings.HasSuffix(hint, "--out "+filepath.Join("a", free)) {
			t.Errorf("%s; %s", msg, hint)
		}
		if err := os.Mkdir(filepath.Join("a", free), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for path, force := range map[string]bool{filepath.Join("a", "b"): true, filepath.Join("a", "b-2"): false} {
		d, err := in.OpenDir(path, force)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		d.Close()
	}
	if entries, err := os.ReadDir(filepath.Join("a", "b")); err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A file, or a path below a file, cannot be an output directory, and an input is never overwritten under any name.
func TestOpenDir_Impossible(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "f", "rows")
	var in inputFiles
	in.Add("f", "nowhere")
	for _, path := range []string{"f", filepath.Join("f", "below")} {
		if _, err := in.OpenDir(path, true); err == nil || !strings.Contains(err.Error(), "cannot ") ||
			path == "f" && !strings.Contains(err.Error(), "f is a file, not a directory") {
			t.Errorf("%s: %v", path, err)
		}
	}
	d, err := in.OpenDir(".", true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.MayWrite("g", "f"); err == nil {
		t.Error("an input is not spared")
	}
	if err := d.MayWrite("g", "nowhere"); err != nil {
		t.Error(err)
	}
	if err := d.Write("f", text("x")); err == nil {
		t.Error("an input is written")
	}
	if b, err := os.ReadFile("f"); err != nil || string(b) != "rows" {
		t.Errorf("%q, %v", b, err)
	}
}

// A directory that cannot be written to is unlocked: a second attempt returns the same error, not that another run
// uses the directory.
func TestOpenDir_RefusedIsUnlocked(t *testing.T) {
	path := "/proc/nothing-is-made-here/out"
	if _, err := os.Stat("/proc"); err != nil {
		t.Skip("no /proc here")
	}
	var in inputFiles
	for range 2 {
		d, err := in.OpenDir(path, false)
		if err == nil {
			d.Close()
			t.Skip("/proc can be written to")
		}
		if !strings.Contains(err.Error(), "cannot create the output directory") {
			t.Error(err)
		}
	}
}

// The lock does not depend on the temporary directory of a run.
func TestOpenDir_LockedForAnyTemporaryDirectory(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	var in inputFiles
	t.Setenv("TMPDIR", t.TempDir())
	d, err := in.OpenDir(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := in.OpenDir(out, true); !errors.Is(err, errLocked) {
		t.Errorf("two runs write at once: %v", err)
	}
}

// Temporary files of a killed run are removed by the next run; those that are being written are kept.
func TestOpenDir_RemovesStaleFiles(t *testing.T) {
	out := t.TempDir()
	stale := filepath.Join(out, ".drotrain-0123456789abcdef.tmp")
	put(t, stale, "half")
	var in inputFiles
	d, err := in.OpenDir(out, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a temporary file of a run that was killed is still there")
	}
	err = atomicfile.Write(filepath.Join(out, "a"), false, func(w io.Writer) error {
		atomicfile.RemoveStale(out)
		return text("whole")(w)
	})
	if b, read := os.ReadFile(filepath.Join(out, "a")); err != nil || read != nil || string(b) != "whole" {
		t.Errorf("a file that is being written was removed: %v, %v", err, read)
	}
	d.Close()
	if entries, _ := os.ReadDir(out); len(entries) != 1 {
		t.Errorf("%v is left", entries)
	}
}
