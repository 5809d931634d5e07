package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/atomicfile"
)

// inputFiles records the files that a command reads.
type inputFiles struct{ list []input }

// Add records files that the command reads and that must never be overwritten.
func (in *inputFiles) Add(paths ...string) {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			in.list = append(in.list, input{p, info})
		}
	}
}

type input struct {
	path string
	info os.FileInfo
}

// MayWrite returns an error if path is an input file, a link to one, or a different name of one.
func (in *inputFiles) MayWrite(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is no file to lose
	}
	for _, i := range in.list {
		if os.SameFile(info, i.info) {
			what := path
			if i.path != path {
				what = fmt.Sprintf("%s, which is %s,", path, i.path)
			}
			return exit.WithHint(fmt.Errorf("%s is an input of this command and is never overwritten", what),
				"choose another name for the output")
		}
	}
	return nil
}

// Check returns the errors that WriteFile would return for the paths, and an error if a path occurs twice.
func (in *inputFiles) Check(force bool, paths ...string) error {
	for k, path := range paths {
		if slices.Contains(paths[:k], path) {
			return exit.Usagef("", "two outputs would be written to %s: give them different names", path)
		}
		if err := in.MayWrite(path); err != nil {
			return err
		}
		if err := atomicfile.Check(path, force); err != nil {
			return exit.ReplaceHint(err)
		}
	}
	return nil
}

// WriteFile writes a file atomically. It returns an error if the file is an input.
func (in *inputFiles) WriteFile(path string, force bool, content func(io.Writer) error) error {
	if err := in.MayWrite(path); err != nil {
		return err
	}
	atomicfile.RemoveStale(filepath.Dir(path))
	return exit.ReplaceHint(atomicfile.Write(path, force, content))
}

// canonical resolves symbolic links in the existing part of a path.
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

// pathless returns the cause of an error about a file, without the operation and the path.
func pathless(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// isWithin reports whether a path is within a directory. It follows links.
func isWithin(dir, path string) bool {
	rel, err := filepath.Rel(canonical(dir), canonical(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
