package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// reads notes files that the command reads: none of them is ever written, whatever
// the options say, by whatever name.
func (a *app) reads(paths ...string) {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			a.inputs = append(a.inputs, input{p, info})
		}
	}
}

type input struct {
	path string
	info os.FileInfo
}

// mayWrite refuses a path that is an input: the same name, a link to it, or another
// name of the same file.
func (a *app) mayWrite(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is nothing to lose
	}
	for _, in := range a.inputs {
		if os.SameFile(info, in.info) {
			what := path
			if in.path != path {
				what = fmt.Sprintf("%s, which is %s,", path, in.path)
			}
			return withHint(fmt.Errorf("%s is an input of this command and is never overwritten", what), "choose another name with --out")
		}
	}
	return nil
}

// writeFile writes a file that is no input, whole or not at all.
func (a *app) writeFile(path string, force bool, content func(io.Writer) error) error {
	if err := a.mayWrite(path); err != nil {
		return err
	}
	return existsHint(atomicfile.AtomicWrite(path, force, content))
}

// canonical is the path without links, as far as it exists.
func canonical(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// within says whether a path lies in a directory, links followed.
func within(dir, path string) bool {
	rel, err := filepath.Rel(canonical(dir), canonical(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
