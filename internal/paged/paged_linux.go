package paged

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const supported = true

// unnamed makes a file that never had a name, where the file system can.
func unnamed(dir string) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, 0o600)
}

func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS {
		return err
	}
	zeros := make([]byte, 1<<20) // a file system without it
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return nil
}

func mapFile(f *os.File, size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, unix.ENOMEM
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// mapSpace maps zeros that take memory where they are written to.
func mapSpace(size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, unix.ENOMEM
	}
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

func unmap(b []byte) { _ = unix.Munmap(b) }

// evict takes the pages out of the process; what was written stays in the file.
func evict(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

// Resident returns what the process has in memory, in bytes; 0 where it is not known.
func Resident() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(statm)
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// DiskFree returns the room that is free for this user on the disk of dir, in bytes.
func DiskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}
