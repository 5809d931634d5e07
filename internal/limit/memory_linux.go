package limit

import (
	"bytes"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// systemLimits calls tighten with the numbers of bytes that may still be allocated within the limits of the process
// (ulimit), its control groups and the machine.
func systemLimits(tighten func(n int64, name string)) {
	if n := AddressSpaceLimit(); n < math.MaxInt64 {
		tighten(n/4*3, Ulimit) // a quarter is reserved for garbage and for gaps between objects
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	controlGroupLimits(string(groups), "/sys/fs/cgroup", tighten)
	if kb, ok := readField("/proc/meminfo", "MemAvailable:"); ok {
		tighten(kb<<10, "the memory of the machine")
	}
}

// readField returns the number that follows one of the given names at the start of a line of a file.
func readField(file string, names ...string) (int64, bool) {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && slices.Contains(names, f[0]) {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// statmBytes returns the size of the process that is at the given index in /proc/self/statm, in bytes.
func statmBytes(index int) (bytes int64, ok bool) {
	b, _ := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	if len(f) <= index {
		return 0, false
	}
	pages, err := strconv.ParseInt(f[index], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

// Resident returns the resident memory of the process in bytes, or 0 if it is unknown.
func Resident() int64 {
	bytes, _ := statmBytes(1)
	return bytes
}

// usesLibC reports whether a C library creates threads, as with cgo or MPI.
var usesLibC = sync.OnceValue(func() bool {
	maps, _ := os.ReadFile("/proc/self/maps")
	return bytes.Contains(maps, []byte("/libc.so")) || bytes.Contains(maps, []byte("/ld-musl"))
})

// threads returns the number of threads of the process.
func threads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}

// AddressSpaceLeft returns the address space in bytes that ulimit -v leaves; math.MaxInt64 means no limit.
func AddressSpaceLeft() int64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur >= math.MaxInt64 {
		return math.MaxInt64
	}
	used, ok := statmBytes(0)
	if !ok {
		return math.MaxInt64
	}
	return int64(r.Cur) - used
}

// controlGroupLimits calls tighten with the numbers of bytes that may still be allocated within the limits of the
// control groups of a process and of their ancestors, for version 2 and, for the controller "memory", version 1. root
// is the directory in which the groups are found; in a container, a group may appear at the root.
func controlGroupLimits(list, root string, tighten func(n int64, name string)) {
	for line := range strings.Lines(list) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		dir, most, used := root, "memory.max", "memory.current"
		if part[1] != "" {
			if !strings.Contains(","+part[1]+",", ",memory,") {
				continue
			}
			dir, most, used = path.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"
		}
		for at := path.Clean("/" + part[2]); ; at = path.Dir(at) {
			limit, ok := readNumber(path.Join(dir, at, most))
			have, ok2 := readNumber(path.Join(dir, at, used))
			if ok && ok2 && limit < 1<<60 {
				// a tenth is reserved for garbage and for memory outside of the heap; inactive file pages can be
				// reclaimed
				cached, _ := readField(path.Join(dir, at, "memory.stat"), "inactive_file", "total_inactive_file")
				tighten(limit-limit/10-have+cached, groupLimit)
			}
			if at == "/" {
				break
			}
		}
	}
}

func readNumber(file string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil // "max" means that there is no limit
}
