// Package atomicfile writes whole files or nothing. Start at Write.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes a file at path through write: into a temporary file of the same
// directory, flushed to the disk and renamed, so that path holds either what it held
// before or all of the new content. A missing directory is an error. Unless force is
// set, a file that exists already is left alone and is an error that satisfies
// errors.Is(err, fs.ErrExist). A directory or any other special file at path is never
// replaced. A file that is replaced keeps its mode; a new one has that of the umask.
// Every error names path.
func Write(path string, force bool, write func(io.Writer) error) error {
	tmp, target, mode, err := createTemporary(path, force)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // an error, or a panic of write on its way up
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	buf := bufio.NewWriterSize(tmp, 1<<16)
	if err := write(buf); err != nil {
		if full := new(fs.PathError); errors.As(err, &full) && full.Path == tmp.Name() {
			err = full.Err
		}
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	if err := buf.Flush(); err != nil {
		return wrapError(path, err)
	}
	if mode != 0 {
		if err := tmp.Chmod(mode); err != nil {
			return wrapError(path, err)
		}
	}
	if err := tmp.Sync(); err != nil {
		return wrapError(path, err)
	}
	if err := tmp.Close(); err != nil {
		return wrapError(path, err)
	}
	if err := moveIntoPlace(tmp.Name(), target, path, force); err != nil {
		return err
	}
	done = true
	if d, err := os.Open(filepath.Dir(target)); err == nil { // best effort: make the rename itself durable
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// Check returns the error that Write would return for path, without writing.
func Check(path string, force bool) error {
	tmp, _, _, err := createTemporary(path, force)
	if err == nil {
		tmp.Close()
		os.Remove(tmp.Name())
	}
	return err
}

// createTemporary creates the temporary file for path. It returns the file to replace, and the mode of an
// existing file, else 0.
func createTemporary(path string, force bool) (tmp *os.File, target string, mode os.FileMode, err error) {
	if target, mode, err = findTarget(path, force); err != nil {
		return nil, "", 0, err
	}
	dir, base := filepath.Split(target)
	if base == "" {
		return nil, "", 0, fmt.Errorf("%s: cannot write: it names no file", path)
	}
	if dir == "" {
		dir = "."
	}
	tmp, err = create(dir)
	return tmp, target, mode, wrapError(path, err)
}

// findTarget returns the file to write, following links, and the mode of an existing file, else 0.
func findTarget(path string, force bool) (target string, mode os.FileMode, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, wrapError(path, err)
	case !force:
		return "", 0, errorExists(path)
	}
	target = path
	if info.Mode()&fs.ModeSymlink != 0 { // write through the link, do not replace it
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", 0, wrapError(path, err)
		}
		if info, err = os.Stat(target); err != nil {
			return "", 0, wrapError(path, err)
		}
	}
	if info.IsDir() {
		return "", 0, fmt.Errorf("%s: cannot write: it is a directory", path)
	}
	if !info.Mode().IsRegular() {
		return "", 0, fmt.Errorf("%s: cannot write: it is not a regular file", path)
	}
	return target, info.Mode().Perm(), nil
}

// moveIntoPlace renames the temporary file to target.
func moveIntoPlace(tmp, target, path string, force bool) error {
	if force {
		return wrapError(path, os.Rename(tmp, target))
	}
	// A link fails if somebody else made the file meanwhile; a rename would not.
	switch err := os.Link(tmp, target); {
	case err == nil:
		os.Remove(tmp)
		return nil
	case errors.Is(err, fs.ErrExist):
		return errorExists(path)
	}
	return wrapError(path, os.Rename(tmp, target)) // a file system without hard links
}

// An existsError reports that a file exists.
type existsError string

func errorExists(path string) error { return existsError(path) }

func (e existsError) Error() string {
	return string(e) + ": the file exists already and is left alone; choose another name or ask to overwrite it"
}

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// wrapError adds path to an error of the operating system.
func wrapError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: cannot write: %w", path, cause(err))
}

// create creates a temporary file with a short name. Its mode is 0666 less the umask, as for any new file.
func create(dir string) (*os.File, error) {
	for range 1000 {
		name := filepath.Join(dir, fmt.Sprintf(".drotrain-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err == nil && lockTemporary(f) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("no free name for a temporary file in %s", dir)
}

// lockTemporary locks a temporary file while it is open, and reports whether it still exists, since RemoveStale
// may have removed it.
func lockTemporary(f *os.File) bool {
	if lock(f, true) != nil {
		return true // a file system without locks, where RemoveStale removes nothing
	}
	now, err := os.Stat(f.Name())
	here, err2 := f.Stat()
	if err == nil && err2 == nil && os.SameFile(now, here) {
		return true
	}
	f.Close()
	return false
}

// IsTemporary reports whether a name is that of a temporary file of Write.
func IsTemporary(name string) bool {
	is, _ := filepath.Match(pattern, name)
	return is
}

const pattern = ".drotrain-????????????????.tmp"

// RemoveStale removes temporary files left in a directory by processes that were killed: those that are not
// locked. It ignores errors.
func RemoveStale(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(f, false) == nil {
			os.Remove(name)
		}
		f.Close()
	}
}

// cause removes the name of the temporary file from an error of package os.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
