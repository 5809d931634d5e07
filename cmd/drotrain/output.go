package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// An outDir is where a command writes its files. It is made with the first of them,
// so that a run that is killed before leaves nothing behind.
type outDir struct {
	app   *app
	path  string
	force bool
	files []string // written, in order

	unlock func() // lets other runs use the directory
}

// openOut makes sure, before any work is done, that files can be written to
// the directory and that no other run writes there until close. One that holds
// files already is refused unless force is set; nothing in it is ever deleted.
func (a *app) openOut(path string, force bool) (*outDir, error) {
	o := &outDir{app: a, path: filepath.Clean(path), force: force, unlock: func() {}}
	fail := func(what string, err error) (*outDir, error) {
		o.close()
		return nil, withHint(fmt.Errorf("cannot %s the output directory: %w", what, err), "choose another one with --out")
	}
	entries, err := os.ReadDir(o.path)
	probe := o.path
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if probe, err = existing(o.path); err != nil {
			return fail("make", err)
		}
	case err != nil:
		if info, statErr := os.Stat(o.path); statErr == nil && !info.IsDir() {
			err = fmt.Errorf("%s is a file, not a directory", o.path)
		}
		return fail("use", err)
	case len(entries) > 0 && !force:
		return nil, withHint(fmt.Errorf("the output directory %s exists and is not empty", o.path),
			"--force replaces the files of an earlier run and leaves all others; or choose another --out")
	}
	if o.unlock, err = lockDir(o.path); err != nil {
		o.unlock = func() {}
		return nil, withHint(fmt.Errorf("the output directory %s: %w", o.path, err), "wait for the other run, or choose another --out")
	}
	f, err := os.CreateTemp(probe, ".drotrain-*")
	if err != nil {
		return fail("write to", err)
	}
	f.Close()
	os.Remove(f.Name())
	return o, nil
}

// existing is the nearest directory above path that is there.
func existing(path string) (string, error) {
	for {
		path = filepath.Dir(path)
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return "", fmt.Errorf("%s is a file, not a directory", path)
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path):
			return "", err
		}
	}
}

// file returns the path of a file of the directory.
func (o *outDir) file(name string) string { return filepath.Join(o.path, name) }

// spares refuses, before any work is done, a file name that is an input.
func (o *outDir) spares(names ...string) error {
	for _, name := range names {
		if err := o.app.mayWrite(o.file(name)); err != nil {
			return err
		}
	}
	return nil
}

// write writes one file, whole or not at all.
func (o *outDir) write(name string, content func(io.Writer) error) error {
	if err := o.app.mayWrite(o.file(name)); err != nil {
		return err
	}
	if err := os.MkdirAll(o.path, 0o777); err != nil {
		return withHint(fmt.Errorf("cannot make the output directory: %w", err), "choose another one with --out")
	}
	if err := atomicfile.AtomicWrite(o.file(name), o.force, content); err != nil {
		return existsHint(err)
	}
	o.files = append(o.files, name)
	return nil
}

// close lets other runs use the directory.
func (o *outDir) close() { o.unlock() }
