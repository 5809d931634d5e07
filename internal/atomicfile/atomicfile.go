// Package atomicfile writes whole files or nothing.
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

// AtomicWrite writes a file at path through write: into a temporary file of
// the same directory, flushed to the disk and renamed, so that path holds
// either what it held before or all of the new content. A missing directory is
// an error. Unless force is set, a file that exists already is left alone and
// is an error that satisfies errors.Is(err, fs.ErrExist). A directory or any
// other special file at path is never replaced. A file that is replaced keeps its
// mode; a new one has that of the umask. Every error names path.
func AtomicWrite(path string, force bool, write func(io.Writer) error) (err error) {
	var mode os.FileMode // of the file that is replaced
	target := path
	switch info, statErr := os.Lstat(path); {
	case statErr == nil && !force:
		return fmt.Errorf("%s: the file exists already and is left alone; choose another name or ask to overwrite it: %w", path, fs.ErrExist)
	case statErr == nil:
		if info.Mode()&fs.ModeSymlink != 0 { // write through the link, do not replace it
			if target, err = filepath.EvalSymlinks(path); err != nil {
				return fmt.Errorf("%s: cannot write: %w", path, cause(err))
			}
			if info, err = os.Stat(target); err != nil {
				return fmt.Errorf("%s: cannot write: %w", path, cause(err))
			}
		}
		if info.IsDir() {
			return fmt.Errorf("%s: cannot write: it is a directory", path)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: cannot write: it is not a regular file", path)
		}
		mode = info.Mode().Perm()
	case !errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s: cannot write: %w", path, cause(statErr))
	}

	dir, base := filepath.Split(target)
	if base == "" {
		return fmt.Errorf("%s: cannot write: it names no file", path)
	}
	if dir == "" {
		dir = "."
	}
	tmp, err := create(dir)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
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
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if mode != 0 {
		if err := tmp.Chmod(mode); err != nil {
			return fmt.Errorf("%s: cannot write: %w", path, cause(err))
		}
	}
	if err := tmp.Sync(); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if force {
		err = os.Rename(tmp.Name(), target)
	} else if err = os.Link(tmp.Name(), target); err == nil {
		// A link fails if somebody else made the file meanwhile; a rename would not.
		os.Remove(tmp.Name())
	} else if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: the file exists already and is left alone; choose another name or ask to overwrite it: %w", path, fs.ErrExist)
	} else { // a file system without hard links
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	done = true
	if d, err := os.Open(dir); err == nil { // best effort: make the rename itself durable
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// create makes a temporary file whose name does not grow with that of the file it
// will become. Its mode is what the umask leaves of 0666, as of any new file.
func create(dir string) (*os.File, error) {
	for range 1000 {
		name := filepath.Join(dir, fmt.Sprintf(".drotrain-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("no free name for a temporary file in %s", dir)
}

// cause drops the name of the temporary file from an error of package os.
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
