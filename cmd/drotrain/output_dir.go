package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/internal/printable"
)

// errLocked reports that another run has locked a directory.
var errLocked = errors.New("another run is writing to this directory")

// lockName is the name of the lock file in an output directory.
const lockName = ".drotrain.lock"

// An outputDir is the directory to which a command writes its files. It is created at the beginning, for its
// lock, and removed by Close if nothing was written.
type outputDir struct {
	inputs *inputFiles
	path   string
	force  bool
	files  []string // names of the files, in the order in which they were written

	made   []string // directories that were created, the deepest first
	unlock func()   // allows other runs to use the directory
}

// OpenDir creates a directory and locks it until Close, so that this run can write files there and no other run
// does. It returns an error if the directory already contains files, unless force is set. It never deletes files in
// the directory.
func (in *inputFiles) OpenDir(path string, force bool) (*outputDir, error) {
	o := &outputDir{inputs: in, path: filepath.Clean(path), force: force, unlock: func() {}}
	fail := func(what string, err error) (*outputDir, error) {
		o.Close()
		return nil, exit.WithHint(fmt.Errorf("cannot %s the output directory: %w", what, err),
			"choose another directory with --out")
	}
	var err error
	if o.made, err = missingDirs(o.path); err == nil {
		err = os.MkdirAll(o.path, 0o777)
	}
	if err != nil {
		return fail("create", err)
	}
	entries, err := os.ReadDir(o.path)
	if err != nil {
		return fail("use", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == lockName || atomicfile.IsTemporary(e.Name())
	})
	if len(entries) > 0 && !force {
		return nil, exit.WithHint(fmt.Errorf("the output directory %s exists and is not empty", o.path),
			"pass --force to overwrite the files of the earlier run (other files are kept), or write to a new directory "+
				"with --out "+printable.QuoteShell(unusedSibling(o.path)))
	}
	if o.unlock, err = lockDir(o.path); err != nil {
		o.unlock = func() {}
		o.Close()
		return nil, exit.WithHint(fmt.Errorf("cannot use the output directory %s: %w", o.path, err),
			"wait for the other run to end, or choose another directory with --out")
	}
	atomicfile.RemoveStale(o.path)
	f, err := os.CreateTemp(o.path, ".drotrain-*")
	if err != nil {
		return fail("write to", err)
	}
	f.Close()
	os.Remove(f.Name())
	return o, nil
}

// unusedSibling returns the first of path-2, path-3, … that does not exist.
func unusedSibling(path string) string {
	for n := 2; ; n++ {
		name := fmt.Sprintf("%s-%d", filepath.Clean(path), n)
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}

// missingDirs returns the directories of path that do not exist, the deepest first.
func missingDirs(path string) (dirs []string, err error) {
	for ; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return nil, fmt.Errorf("%s is a file, not a directory", path)
		case err == nil:
			return dirs, nil
		case !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path):
			return nil, err
		}
		dirs = append(dirs, path)
	}
}

// File returns the path of the named file in the directory.
func (o *outputDir) File(name string) string { return filepath.Join(o.path, name) }

// MayWrite returns an error if a file with one of the names in the directory is an input of the command.
func (o *outputDir) MayWrite(names ...string) error {
	for _, name := range names {
		if err := o.inputs.MayWrite(o.File(name)); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a file atomically. It may replace a file written by this run.
func (o *outputDir) Write(name string, content func(io.Writer) error) error {
	again := slices.Contains(o.files, name)
	err := o.inputs.WriteFile(o.File(name), o.force || again, content)
	if err == nil && !again {
		o.files = append(o.files, name)
	}
	return err
}

// Close unlocks the directory and removes directories created by OpenDir that are empty.
func (o *outputDir) Close() {
	o.unlock()
	for _, dir := range o.made {
		if os.Remove(dir) != nil {
			break
		}
	}
	o.made, o.unlock = nil, func() {}
}

// List prints the files written, with one line for all figures.
func (o *outputDir) List(w io.Writer) {
	plots := 0
	fmt.Fprintln(w)
	for _, f := range o.files {
		if filepath.Ext(f) == ".svg" {
			plots++
			continue
		}
		fmt.Fprintf(w, "wrote  %s\n", o.File(f))
	}
	if plots > 0 {
		fmt.Fprintf(w, "wrote  %s (%s)\n", o.File("*.svg"), show.Plural(plots, "plot", "plots"))
	}
}
