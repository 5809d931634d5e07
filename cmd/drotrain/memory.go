package main

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
)

// defineMemory adds where rows go that memory does not hold; otherwise is the directory without
// --cache.
func defineMemory(fs *pflag.FlagSet, memory *int64, cache *string, otherwise string) {
	fs.Var(options.Size(memory), "memory", "memory to use, as in 400MB or 12GB; rows beyond it are kept on disk (default: what the system leaves)")
	fs.StringVar(cache, "cache", "", "`directory` for rows kept on disk, in files without a name (default: "+otherwise+")")
}

// limitHeap keeps the heap within the memory that was asked for.
func limitHeap(memory int64) {
	if memory > 0 && memory < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(memory)
	}
}

// announcing tells that rows go to disk. The heap is then to leave room for what is held of them.
func announcing(a *app, memory int64, quiet bool) func(line string) {
	return func(line string) {
		if memory == 0 {
			memory = debug.SetMemoryLimit(-1)
		}
		if memory < math.MaxInt64 {
			debug.SetMemoryLimit(memory / 20 * 13)
		}
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(10) // what lives is a few large blocks: a collection costs nothing
		}
		if !quiet {
			a.note("%s", line)
		}
	}
}
