package limit

import (
	"fmt"
	"os"
	"path/filepath"
)

// LeastOnDisk is the minimum memory limit, in bytes, of a process that stores rows on disk.
const LeastOnDisk = 160 << 20

// ResidentLimit returns the limit of resident bytes for an arena in a process that may use memory bytes.
func ResidentLimit(memory int64) int64 { return int64(0.85 * float64(memory)) }

// NearestExistingDir returns dir, or its nearest ancestor that exists.
func NearestExistingDir(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}

// NewUnnamedFile returns a new file in dir that has no name: it is removed when it is closed or the process ends.
func NewUnnamedFile(dir string) (*os.File, error) {
	f, err := openUnnamed(dir)
	if err != nil {
		f, err = os.CreateTemp(dir, ".drotrain-*.tmp")
		if err == nil {
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create a temporary file in %s: %w", dir, unwrapPathError(err))
	}
	return f, nil
}

// unwrapPathError returns the error wrapped by a path error.
func unwrapPathError(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
