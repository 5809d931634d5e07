package table

import (
	"fmt"
	"runtime"

	"github.com/drotrain/drotrain/internal/limit"
)

// Afford returns an error if the process cannot allocate the given number of bytes. use states the purpose, such as
// "to hold the file".
func Afford(bytes int64, use string) error {
	const little = 16 << 20 // too little to query the system
	if bytes < little {
		return nil
	}
	if free, _ := limit.Available(); bytes <= free {
		return nil
	}
	runtime.GC() // memory that is no longer needed was counted
	free, limit := limit.Available()
	if bytes <= free {
		return nil
	}
	return &Error{Class: ErrMemory, Msg: fmt.Sprintf("%s of memory are needed %s, but only %s are free (limit: %s)",
		megabytes(bytes), use, megabytes(free), limit),
		Hint: "allow more memory, store the table as Parquet instead of text, use fewer columns or rows, or keep the " +
			"rows as float32 or sparse"}
}

// megabytes formats a number of bytes in MB, rounded up, or from 10 GB on in GB, rounded down.
func megabytes(n int64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%d GB", n>>30)
	}
	return fmt.Sprintf("%d MB", (n+1<<20-1)>>20)
}
