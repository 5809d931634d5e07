//go:build !mpi || !(linux || darwin)

package mpi

import (
	"fmt"
	"os"

	"github.com/drotrain/drotrain/internal/ranks"
)

// Built reports whether this program can run as several ranks.
const Built = false

// Start returns a single rank, or an error if a launcher has started several. exit ends the process.
func Start(getenv func(string) string) (c ranks.Comm, exit func(code int), err error) {
	if l := LauncherOf(getenv); l.hasOtherProcesses() {
		return nil, nil, fmt.Errorf(
			"%s started this program as one of %s, but it was built without MPI: build it with go build -tags mpi -o "+
				"drotrain-mpi ./cmd/drotrain", l.Name, describeCount(l.Size))
	}
	return ranks.One{}, os.Exit, nil
}

// hasOtherProcesses reports whether the launcher has started, or may have started, other processes.
func (l Launcher) hasOtherProcesses() bool { return l.Size > 1 || l.Name != "" && l.Size == 0 }

// describeCount returns a number of processes in words; 0 means an unknown number of several.
func describeCount(n int) string {
	if n == 0 {
		return "several processes"
	}
	return fmt.Sprintf("%d processes", n)
}
