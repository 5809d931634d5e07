package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/limit"
)

// checkAddressSpace returns an error if ulimit -v leaves less address space than the runtime needs.
func checkAddressSpace(left, least int64) error {
	const mb = 1 << 20
	if left < least {
		return exit.WithHint(fmt.Errorf("%s leaves only %d MB of address space for data; at least %d MB are needed",
			limit.Ulimit, max(0, left)/mb, least/mb),
			"raise this limit, or limit memory with a control group or --memory instead; a binary built with CGO_ENABLED=0 "+
				"needs less")
	}
	return nil
}

// announceDisk returns a function that reports that rows are stored on disk, and lowers the limit of the heap to leave
// memory for their cache.
func (a *app) announceDisk() func(line string) {
	limit := debug.SetMemoryLimit(-1)
	return func(line string) {
		if limit < math.MaxInt64 {
			debug.SetMemoryLimit(limit / 20 * 13)
		}
		boundGarbage(1)
		a.info("%s", line)
	}
}

// maxGarbage is the maximum number of bytes of garbage that the heap may hold, unless a tenth of the live bytes is more.
const maxGarbage = 64 << 20

// boundGarbage bounds the garbage in the heap, unless the user has set GOGC.
func boundGarbage(bytes int64) {
	if os.Getenv("GOGC") == "" {
		limit.BoundGarbage(bytes)
	}
}
