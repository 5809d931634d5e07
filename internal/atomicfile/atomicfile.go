// Package atomicfile writes a file completely or not at all. The best place to start reading is Write.
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

// Write creates a file at path with the content that write writes. The content is written to a temporary file in
// the same directory, which is flushed to disk and renamed, so that path has either its previous content or all of
// the new content. A missing directory is an error. Unless force is set, an existing file is not changed, and Write
// returns an error that satisfies errors.Is(err, fs.ErrExist). A directory or any other special file at path is
// never replaced. A replaced file keeps its mode; the mode of a new file is determined by the umask. Every error
// names path.
func Write(path string, force bool, write func(io.Writer) error) error {
	return addPath(path, replace(path, force, write))
}

// Check returns the error that Write would return for path before it calls write, and leaves no file behind.
func Check(path string, force bool) error {
	tmp, _, _, err := createTemporary(path, force)
	if err == nil {
		tmp.Close()
		os.Remove(tmp.Name())
	}
	return addPath(path, err)
}

// replace works like Write, but its errors do not name path.
func replace(path string, force bool, write func(io.Writer) error) error {
	tmp, target, mode, err := createTemporary(path, force)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // after an error, or while a panic in write propagates
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
	// on a best-effort basis, make the rename itself durable
	if d, err := os.Open(filepath.Dir(target)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// An existsError reports that a file exists.
type existsError struct{}

func (existsError) Error() string { return "the file exists already" }

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// addPath adds the path to an error, in place of the path of the temporary file.
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

// createTemporary creates the temporary file for path. It also returns the file to replace, and the mode of that
// file if it exists, or 0.
func createTemporary(path string, force bool) (tmp *os.File, target string, mode os.FileMode, err error) {
	if target, mode, err = findTarget(path, force); err != nil {
		return nil, "", 0, err
	}
	dir, base := filepath.Split(target)
	if base == "" {
		return nil, "", 0, errors.New("the path names no file")
	}
	tmp, err = createTemporaryIn(cmp.Or(dir, "."))
	return tmp, target, mode, err
}

// findTarget follows links and returns the file to write, and the mode of that file if it exists, or 0.
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
	if info.Mode()&fs.ModeSymlink != 0 { // write to the target of the link instead of replacing the link
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
	// A link fails if another process has created the file in the meantime; a rename would replace it.
	switch err := os.Link(tmp, target); {
	case err == nil:
		os.Remove(tmp)
		return nil
	case errors.Is(err, fs.ErrExist):
		return existsError{}
	}
	return os.Rename(tmp, target) // a file system without hard links
}

// createTemporaryIn creates a temporary file with a short name in dir. Its mode is 0666 minus the umask, as for any
// new file.
func createTemporaryIn(dir string) (*os.File, error) {
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

// lockTemporary locks a temporary file until it is closed, and reports whether it still exists, since RemoveStale
// may have removed it.
func lockTemporary(f *os.File) bool {
	if lock(f, true) != nil {
		return true // a file system without locks, on which RemoveStale removes nothing
	}
	now, err := os.Stat(f.Name())
	here, err2 := f.Stat()
	if err == nil && err2 == nil && os.SameFile(now, here) {
		return true
	}
	f.Close()
	return false
}

// IsTemporary reports whether name is one that Write may give to a temporary file.
func IsTemporary(name string) bool {
	is, _ := filepath.Match(".drotrain-????????????????.tmp", name)
	return is
}

// RemoveStale removes those temporary files in a directory that are not locked, since processes that were killed
// left them. It ignores errors.
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
