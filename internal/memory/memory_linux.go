package memory

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// systemLimits looks at the limits of the process (ulimit), its control groups and the
// machine.
func systemLimits(tighten func(n int64, name string)) {
	if n := AddressSpaceLimit(); n < math.MaxInt64 {
		tighten(n/4*3, Ulimit) // a quarter is for garbage, and for gaps between objects
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	controlGroupLimits(string(groups), "/sys/fs/cgroup", tighten)
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range bytes.Lines(info) {
		if rest, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
			if f := strings.Fields(string(rest)); len(f) > 0 {
				if kb, err := strconv.ParseInt(f[0], 10, 64); err == nil {
					tighten(kb<<10, "the memory of the machine")
				}
			}
		}
	}
}

// usesLibC reports whether threads are created by a C library, as with cgo or MPI.
var usesLibC = sync.OnceValue(func() bool {
	maps, _ := os.ReadFile("/proc/self/maps")
	return bytes.Contains(maps, []byte("/libc.so")) || bytes.Contains(maps, []byte("/ld-musl"))
})

// threads returns the number of threads of the process.
func threads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}

// spaceLeft returns the address space limit minus the address space in use.
func spaceLeft() int64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur >= math.MaxInt64 {
		return math.MaxInt64
	}
	statm, err := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(statm))
	if err != nil || len(f) == 0 {
		return math.MaxInt64
	}
	pages, _ := strconv.ParseInt(f[0], 10, 64)
	return int64(r.Cur) - pages*int64(os.Getpagesize())
}

// controlGroupLimits looks at the control groups of a process and at those they are in, of
// version 2 and, for the controller "memory", version 1. Under root a group may
// be found where its container has it.
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
				// A tenth stays for what is no heap, and for garbage.
				tighten(limit-limit/10-have+cachedBytes(path.Join(dir, at, "memory.stat")), groupLimit)
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
	return n, err == nil // "max" is no limit
}

// cachedBytes returns the size of a group's file cache, which can be reclaimed.
func cachedBytes(file string) int64 {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && (f[0] == "inactive_file" || f[0] == "total_inactive_file") {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
