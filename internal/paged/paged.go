// Package paged gives slices that need not stay in memory: their entries lie in files
// without a name, mapped, and a Room takes them out of memory, into the file system's
// care, whenever the process would exceed what it may have. Who uses the slices sees no
// difference but the time. It imports internal/atomicfile and internal/shard. Start reading
// at Room.
//
// The rows of a design matrix are not kept so but read by pread, because their file may
// belong to others, and a mapped file that is cut short kills the process. The files here
// have no name from the beginning, and all their bytes are allocated before they are
// mapped: nobody can shorten them, nothing is left behind however the process ends, and a
// full disk is an error of Make.
package paged

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/drotrain/drotrain/internal/shard"
)

// A Room is where paged slices lie. A nil *Room, or one of a system without the means
// for it, gives slices of the heap.
type Room struct {
	Least int64 // size in bytes from which a slice is paged; smaller ones are of the heap

	dir      string
	resident int64 // bytes of the process in memory, at most
	of       *Room // that it is a part of

	mu   sync.Mutex
	maps map[uintptr][]byte // by address
	err  error              // the first
	stop chan struct{}

	look   func()  // keeps the process below its limit
	before *func() // the look of the room before

	looked  atomic.Int64 // when somebody looked last, in nanoseconds
	looking sync.Mutex
	last    int64 // bytes in memory when it was looked last
	ahead   int64 // that the process may take until the next look, by what it took before others
}

// Virtual returns a room whose slices are of the address space alone: they take memory where
// they are written to, and have no file. It need not be closed.
func Virtual() *Room { return &Room{Least: 1 << 20, maps: map[uintptr][]byte{}} }

// Part returns a room whose slices lie in r until the part is closed. Errors are r's. It is
// nil for a nil r.
func (r *Room) Part() *Room {
	if r == nil {
		return nil
	}
	return &Room{Least: r.Least, of: r, maps: map[uintptr][]byte{}}
}

// tick is how often a Room looks at the memory of the process: in this time a processor
// touches some ten megabytes.
const tick = 4 * time.Millisecond

// New returns a room whose files lie in dir. The slices leave memory whenever the process would
// soon have more than resident bytes there. Close ends it.
func New(dir string, resident int64) (*Room, error) {
	r := &Room{Least: 1 << 20, dir: dir, resident: resident, maps: map[uintptr][]byte{}, stop: make(chan struct{})}
	if !supported {
		return r, nil
	}
	f, err := Unnamed(dir)
	if err != nil {
		return nil, err
	}
	f.Close()
	r.look = r.Yield
	r.before = shard.Between(&r.look) // the last room's: others have their tick
	go r.keep(r.stop)
	return r, nil
}

// LeastMemory is that of a process that keeps on disk what memory does not hold.
const LeastMemory = 160 << 20

// Share returns what of the memory that a process may have its slices may use with all else: beyond,
// they leave it.
func Share(memory int64) int64 { return int64(0.85 * float64(memory)) }

// Existing returns the nearest directory above a path, or it, that is there.
func Existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}

// Unnamed returns a new file in dir that no name leads to: it is gone when it is closed,
// or the process ends in whatever way.
func Unnamed(dir string) (*os.File, error) {
	f, err := unnamed(dir)
	if err != nil {
		f, err = os.CreateTemp(dir, ".drotrain-*.tmp")
		if err == nil {
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("no temporary file can be made in %s: %w", dir, cause(err))
	}
	return f, nil
}

// An Entry is what slices are of: numbers, and numbers with their places, to be sorted.
type Entry interface {
	int | int32 | uint8 | float32 | float64 | struct {
		Key uint64
		At  int32
	}
}

// Make returns n zeros. Where there is no room for them on disk they are of the heap, and
// Err says why.
func Make[T Entry](r *Room, n int) []T {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if r == nil || !supported || int64(n) < r.Least/size || n < 1 || int64(n) > math.MaxInt64/size {
		return make([]T, n)
	}
	b, err := r.mapped(int64(n) * size)
	if err != nil {
		r.fail(err)
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// fail keeps the first error.
func (r *Room) fail(err error) {
	for ; r.of != nil; r = r.of {
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// Free gives slices back that Make has given, which must not be used any more. Others
// are left alone.
func Free[T Entry](r *Room, slices ...[]T) {
	if r == nil {
		return
	}
	for _, s := range slices {
		r.drop(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
	}
}

// drop gives back what lies at an address, if that is the room's.
func (r *Room) drop(at uintptr) {
	r.mu.Lock()
	b, ok := r.maps[at]
	delete(r.maps, at)
	r.mu.Unlock()
	switch {
	case !ok:
	case r.of != nil:
		r.of.drop(at)
	default:
		unmap(b)
	}
}

// mapped maps a new file of so many bytes.
func (r *Room) mapped(size int64) ([]byte, error) {
	var b []byte
	var err error
	if r.of != nil {
		b, err = r.of.mapped(size)
	} else {
		b, err = r.file(size)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.maps[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = b
	return b, nil
}

// file maps a new file of so many bytes, or address space where there are no files.
func (r *Room) file(size int64) ([]byte, error) {
	if r.dir == "" {
		return mapSpace(size)
	}
	f, err := Unnamed(r.dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := Allocate(f, size); err != nil {
		return nil, err
	}
	b, err := mapFile(f, size)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of %s cannot be mapped: %w", size, r.dir, err)
	}
	return b, nil
}

// Allocate takes room on disk for the first size bytes of a file.
func Allocate(f *os.File, size int64) error {
	if err := allocate(f, size); err != nil {
		return fmt.Errorf("no room for %d MB on the disk of %s: %w", (size+1<<20-1)>>20, f.Name(), cause(err))
	}
	return nil
}

// Err returns why a slice could not be paged, if one could not.
func (r *Room) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close gives all slices back, which must not be used any more.
func (r *Room) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		if was := shard.Between(r.before); was != &r.look {
			shard.Between(was)
		}
		close(r.stop)
		r.stop = nil
	}
	for at, b := range r.maps {
		if r.of != nil {
			r.of.drop(at)
		} else {
			unmap(b)
		}
		delete(r.maps, at)
	}
}

// keep holds the process below its limit.
func (r *Room) keep(stop chan struct{}) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		r.keepBelow()
	}
}

// apart is the least time between two looks by those who use the slices.
const apart = 500 * time.Microsecond

// Yield gives the room a chance to take its slices out of memory: who touches many of their entries
// calls it after every megabyte or so.
func (r *Room) Yield() {
	if r == nil {
		return
	}
	for ; r.of != nil; r = r.of {
	}
	if r.stop == nil { // of the address space alone
		return
	}
	now := time.Now().UnixNano()
	if last := r.looked.Load(); now-last >= int64(apart) && r.looked.CompareAndSwap(last, now) {
		r.keepBelow()
		return
	}
	r.looking.Lock() // nobody takes more while somebody makes room
	defer r.looking.Unlock()
}

// keepBelow takes the slices out of memory where the process has, with what it may take until the
// next look, more than it may have. Looks come late where there are more threads than processors,
// and pages of a file come in by sixteen: the largest step of late says how far ahead to look.
func (r *Room) keepBelow() {
	if !r.looking.TryLock() {
		return // another is at it
	}
	defer r.looking.Unlock()
	now := Resident()
	r.ahead = max(now-r.last, r.ahead-r.ahead/forget, r.resident/leastAhead)
	if now+r.ahead > r.resident {
		r.Evict()
		now = Resident()
	}
	r.last = now
}

const (
	forget     = 1 << 10 // looks until a step counts e times less
	leastAhead = 8       // of what the process may have
)

// Evict takes the slices out of memory; what is used of them comes back.
func (r *Room) Evict() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.maps {
		evict(b)
	}
}

func cause(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// Slices returns the number of paged slices that were not given back.
func (r *Room) Slices() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.maps)
}
