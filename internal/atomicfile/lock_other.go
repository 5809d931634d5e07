//go:build !unix || solaris || aix

package atomicfile

import (
	"errors"
	"os"
)

func lock(*os.File, bool) error { return errors.ErrUnsupported }
