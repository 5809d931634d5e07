package memory

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

const supported = true

// reserve allocates disk space for the first size bytes of a file.
func reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS {
		return err
	}
	zeros := make([]byte, 1<<20) // the file system does not support it
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return nil
}

// mapFile maps the first size bytes of a file.
func mapFile(f *os.File, size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, unix.ENOMEM
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// mapAnonymous maps zeros; a page becomes resident when it is written to.
func mapAnonymous(size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, unix.ENOMEM
	}
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// unmap ends a mapping.
func unmap(b []byte) { _ = unix.Munmap(b) }

// evict removes pages from memory; their contents remain in the file.
func evict(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }
