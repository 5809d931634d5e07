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

// An outDir is where a command writes its files.
type outDir struct {
	path    string
	force   bool
	created bool     // by us: taken away again if nothing is written
	files   []string // written, in order
}

// openOut makes sure, before any work is done, that files can be written to
// the directory. One that holds files already is refused unless force is set;
// nothing in it is ever deleted.
func openOut(path string, force bool) (*outDir, error) {
	o := &outDir{path: filepath.Clean(path), force: force}
	entries, err := os.ReadDir(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(o.path, 0o777); err != nil {
			return nil, withHint(fmt.Errorf("cannot make the output directory: %w", err), "choose another one with --out")
		}
		o.created = true
	case err != nil:
		if info, statErr := os.Stat(o.path); statErr == nil && !info.IsDir() {
			err = fmt.Errorf("%s is a file, not a directory", o.path)
		}
		return nil, withHint(fmt.Errorf("cannot use the output directory: %w", err), "choose another one with --out")
	case len(entries) > 0 && !force:
		return nil, withHint(fmt.Errorf("the output directory %s exists and is not empty", o.path),
			"--force replaces the files of an earlier run and leaves all others; or choose another --out")
	}
	probe, err := os.CreateTemp(o.path, ".drotrain-*")
	if err != nil {
		o.close()
		return nil, withHint(fmt.Errorf("cannot write to the output directory: %w", err), "choose another one with --out")
	}
	probe.Close()
	os.Remove(probe.Name())
	return o, nil
}

// file returns the path of a file of the directory.
func (o *outDir) file(name string) string { return filepath.Join(o.path, name) }

// wrote records a file that somebody else has written.
func (o *outDir) wrote(name string) { o.files = append(o.files, name) }

// write writes one file, whole or not at all.
func (o *outDir) write(name string, content func(io.Writer) error) error {
	if err := atomicfile.AtomicWrite(o.file(name), o.force, content); err != nil {
		return err
	}
	o.wrote(name)
	return nil
}

// close takes the directory away again if we made it and left it empty.
func (o *outDir) close() {
	if o.created && len(o.files) == 0 {
		os.Remove(o.path)
	}
}
