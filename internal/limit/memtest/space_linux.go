// Package memtest limits the memory of tests.
package memtest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// LimitSpace limits the address space that the process may still allocate to the given number of bytes, as ulimit
// -v does, until the test ends or restore is called. It skips the test if the limit of the shell is lower.
func LimitSpace(t *testing.T, bytes int64) (restore func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &was); err != nil {
		t.Fatal(err)
	}
	limit := was
	limit.Cur = uint64(addressSpaceTaken(t) + bytes)
	if limit.Cur > was.Cur {
		t.Skip("ulimit -v leaves less address space than the test limits it to")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	restore = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &was); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(restore)
	return restore
}

// addressSpaceTaken returns the size in bytes of the process's address space.
func addressSpaceTaken(t *testing.T) int64 {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
