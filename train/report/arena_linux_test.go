package report

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// What is measured on disk is mapped: it is refused where ulimit -v leaves no address space for it,
// and the heap keeps its part.
func TestArenaFor_NoAddressSpace(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &was); err != nil {
		t.Fatal(err)
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(statm))[0])
	const left = 2 << 30
	small := was
	small.Cur = uint64(pages*os.Getpagesize()) + left
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &small); err != nil {
		t.Skip(err)
	}
	rows := left * 31 / 32 / (measuredRow + measuredModel)
	arena, err := Options{Cache: t.TempDir()}.arenaFor(&data.Frame{Rows: rows}, rows, 1)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &was); err != nil {
		t.Fatal(err)
	}
	arena.Close()
	if !errors.Is(err, data.ErrMemory) || !strings.Contains(err.Error(), "of address space") {
		t.Errorf("%d rows: %v", rows, err)
	}
}
