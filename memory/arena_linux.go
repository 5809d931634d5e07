package memory

import (
	"math"
	"os"
	"unsafe"

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

// largePage is the size in bytes of a large page. Where it is larger, the system rounds.
const largePage = 2 << 20

// preferLargePages asks the system to store the whole large pages of b as such. Pages in use are not changed.
func preferLargePages(b []byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo, hi := (at+largePage-1)&^(largePage-1), (at+uintptr(len(b)))&^(largePage-1)
	if lo < hi {
		_ = unix.Madvise(b[lo-at:hi-at], unix.MADV_HUGEPAGE) // without large pages, nothing is lost
	}
}
