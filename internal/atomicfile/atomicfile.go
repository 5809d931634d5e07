// Package atomicfile writes whole files or nothing. Start at Write.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes a file at path through write: into a temporary file of the same directory, flushed to the disk and
// renamed, so that path holds either what it held before or all of the new content. A missing directory is an error.
// Unless force is set, a file that exists already is left alone and is an error that satisfies errors.Is(err,
// fs.ErrExist). A directory or any other special file at path is never replaced. A file that is replaced keeps its
// mode; the mode of a new file follows the umask. Every error names path.
func Write(path string, force bool, write func(io.Writer) error) error {
	return addPath(path, replace(path, force, write))
}

// Check returns the error that Write would return for path, without writing.
func Check(path string, force bool) error {
	tmp, _, _, err := createTemporary(path, force)
	if err == nil {
		tmp.Close()
		os.Remove(tmp.Name())
	}
	return addPath(path, err)
}

// replace works like Write; its errors do not name path.
func replace(path string, force bool, write func(io.Writer) error) error {
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
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	if mode != 0 {
		if err := tmp.Chmod(mode); err != nil {
			return err
		}
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := moveIntoPlace(tmp.Name(), target, force); err != nil {
		return err
	}
	done = true
	if d, err := os.Open(filepath.Dir(target)); err == nil { // best effort: make the rename itself durable
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// An existsError reports that a file exists.
type existsError struct{}

func (existsError) Error() string {
	return "the file exists already; choose another name, or allow overwriting"
}

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// addPath adds the path to an error, in place of the name of the temporary file.
func addPath(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case err == existsError{}:
		return fmt.Errorf("%s: %w", path, err)
	case errors.As(err, &link):
		err = link.Err
	case errors.As(err, &file) && (file.Path == path || IsTemporary(filepath.Base(file.Path))):
		err = file.Err
	}
	return fmt.Errorf("%s: cannot write: %w", path, err)
}

// createTemporary creates the temporary file for path. It returns the file to replace, and the mode of an
// existing file, else 0.
func createTemporary(path string, force bool) (tmp *os.File, target string, mode os.FileMode, err error) {
	if target, mode, err = findTarget(path, force); err != nil {
		return nil, "", 0, err
	}
	dir, base := filepath.Split(target)
	if base == "" {
		return nil, "", 0, errors.New("the path names no file")
	}
	tmp, err = create(cmp.Or(dir, "."))
	return tmp, target, mode, err
}

// findTarget returns the file to write, following links, and the mode of an existing file, else 0.
func findTarget(path string, force bool) (target string, mode os.FileMode, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, err
	case !force:
		return "", 0, existsError{}
	}
	target = path
	if info.Mode()&fs.ModeSymlink != 0 { // write through the link, do not replace it
		if target, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Stat(target)
		}
	}
	switch {
	case err != nil:
		return "", 0, err
	case info.IsDir():
		return "", 0, errors.New("the path is a directory")
	case !info.Mode().IsRegular():
		return "", 0, errors.New("the path is not a regular file")
	}
	return target, info.Mode().Perm(), nil
}

// moveIntoPlace renames the temporary file to target.
func moveIntoPlace(tmp, target string, force bool) error {
	if force {
		return os.Rename(tmp, target)
	}
	// A link fails if somebody else made the file meanwhile; a rename would not.
	switch err := os.Link(tmp, target); {
	case err == nil:
		os.Remove(tmp)
		return nil
	case errors.Is(err, fs.ErrExist):
		return existsError{}
	}
	return os.Rename(tmp, target) // a file system without hard links
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
	return nil, fmt.Errorf("cannot find a free name for a temporary file in %s", dir)
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

// IsTemporary reports whether Write gives such a name to a temporary file.
func IsTemporary(name string) bool {
	is, _ := filepath.Match(".drotrain-????????????????.tmp", name)
	return is
}

// RemoveStale removes temporary files left in a directory by processes that were killed: those that are not
// locked. It ignores errors.
func RemoveStale(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !IsTemporary(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if f, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			if lock(f, false) == nil {
				os.Remove(name)
			}
			f.Close()
		}
	}
}
