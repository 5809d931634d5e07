package paged

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// Name gives a file that Unnamed made a name, whose directory is made where there is none:
// with all that was written, flushed to the disk, or not at all. A name that is taken is an
// fs.ErrExist. The file goes on to be used; on a system, or a file system, that cannot name
// it a copy is.
func Name(f *os.File, path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	err := name(f, path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	} else if err != nil {
		return atomicfile.Write(path, false, func(w io.Writer) error {
			info, err := f.Stat()
			if err == nil {
				_, err = io.Copy(w, io.NewSectionReader(f, 0, info.Size()))
			}
			return err
		})
	}
	if d, err := os.Open(dir); err == nil { // the name too
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
