package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget asks the system to let go of what it keeps of a file in memory.
func forget(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
