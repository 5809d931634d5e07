package memory

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/shard"
)

// An Arena allocates slices whose entries are stored in unnamed memory-mapped files. It evicts them from memory
// whenever the process would exceed its memory limit; they are read again when they are used. A nil *Arena, and
// every arena on a system without mapped files, allocates on the heap.
//
// No other process can truncate an unnamed file, and no file is left behind when the process ends. All bytes of a
// file are allocated before it is mapped, so a full disk leads to an error in Make and not to a later failure.
type Arena struct {
	MinSize int64 // minimum size in bytes of a slice that is mapped; smaller ones are allocated on the heap

	dir    string
	limit  int64  // maximum number of resident bytes of the process
	parent *Arena // arena that allocates for this one

	mu   sync.Mutex
	maps map[uintptr][]byte // mapped slices, by address; nil if there are none
	err  error              // the first error
	stop chan struct{}

	check    func()  // function that keeps the process below its limit
	previous *func() // check of the arena that was created before this one

	checked  atomic.Int64 // time of the last check, in nanoseconds
	checking sync.Mutex
	last     int64 // resident bytes at the last check
	// number of bytes by which the process may grow until the next check, according to its past growth
	lookahead int64
}

// NewVirtual returns an arena of anonymous memory: a page becomes resident when it is written to, and is never
// evicted. The arena need not be closed.
func NewVirtual() *Arena { return &Arena{MinSize: 1 << 20} }

// NewChild returns an arena that allocates from a; closing it only releases its own slices. Its errors are reported
// by a. The child of a nil arena is nil.
func (a *Arena) NewChild() *Arena {
	if a == nil {
		return nil
	}
	return &Arena{MinSize: a.MinSize, parent: a}
}

// checkInterval is the time between two checks of the memory of the process, in which a processor can access some
// tens of megabytes.
const checkInterval = 4 * time.Millisecond

// NewArena returns an arena whose files are stored in dir. It evicts slices when the process would soon have more
// than most resident bytes. The caller must close it.
func NewArena(dir string, most int64) (*Arena, error) {
	a := &Arena{MinSize: 1 << 20, dir: dir, limit: most, stop: make(chan struct{})}
	if !supported {
		return a, nil
	}
	f, err := limit.NewUnnamedFile(dir)
	if err != nil {
		return nil, err
	}
	f.Close()
	a.check = a.Yield
	a.previous = shard.SetShardHook(&a.check)
	go a.watch(a.stop)
	return a, nil
}

// An Element is the type of the entries of a slice in an arena.
type Element interface {
	int | int32 | uint8 | float32 | float64 | struct {
		Key uint64
		At  int32
	}
}

// Make returns a slice of n zeros, allocated from an arena. If the disk is full, the slice is allocated on the
// heap, and Err returns the reason. It panics with a *SpaceError if the address space is too small.
func Make[T Element](a *Arena, n int) []T {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if a == nil || !supported || int64(n) < a.MinSize/size || n < 1 || int64(n) > math.MaxInt64/size {
		return makeOnHeap[T](n)
	}
	b, err := a.allocate(int64(n) * size)
	if err != nil {
		if e, ok := err.(*SpaceError); ok {
			panic(e)
		}
		a.fail(err)
		return makeOnHeap[T](n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// makeOnHeap returns a slice of n zeros on the heap, in large pages where the system has them: it then takes fewer page
// faults to fill a large slice, and fewer translations of addresses to read its columns.
func makeOnHeap[T Element](n int) []T {
	s := make([]T, n)
	preferLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(n)*unsafe.Sizeof(*new(T))))
	return s
}

// fail stores the first error.
func (a *Arena) fail(err error) {
	a = a.root()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// root returns the ancestor of a that allocates memory for it.
func (a *Arena) root() *Arena {
	for a.parent != nil {
		a = a.parent
	}
	return a
}

// Release returns slices allocated by Make to their arena; they must not be used afterwards. It ignores slices that
// do not belong to the arena.
func Release[T Element](a *Arena, slices ...[]T) {
	if a == nil {
		return
	}
	for _, s := range slices {
		a.release(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
	}
}

// release unmaps the slice that begins at an address, if it belongs to the arena.
func (a *Arena) release(address uintptr) {
	a.mu.Lock()
	b, ok := a.maps[address]
	delete(a.maps, address)
	a.mu.Unlock()
	if ok {
		a.free(address, b)
	}
}

// free unmaps a slice that this arena has allocated.
func (a *Arena) free(address uintptr, b []byte) {
	if a.parent != nil {
		a.parent.release(address)
	} else {
		unmap(b)
	}
}

// allocate maps a slice of size bytes and records it.
func (a *Arena) allocate(size int64) ([]byte, error) {
	from := a.mapBytes
	if a.parent != nil {
		from = a.parent.allocate
	}
	b, err := from(size)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.maps == nil {
		a.maps = map[uintptr][]byte{}
	}
	a.maps[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = b
	return b, nil
}

// mapBytes maps a new file of size bytes, or anonymous memory if the arena has no directory.
func (a *Arena) mapBytes(size int64) ([]byte, error) {
	if limit.AddressSpaceLeft()-size < limit.SpaceReserve/2 {
		return nil, &SpaceError{size}
	}
	if a.dir == "" {
		return mapAnonymous(size)
	}
	f, err := limit.NewUnnamedFile(a.dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := reserve(f, size); err != nil {
		return nil, fmt.Errorf("no space for %d MB on the disk of %s: %w", (size+1<<20-1)>>20, f.Name(), err)
	}
	b, err := mapFile(f, size)
	if err != nil {
		return nil, fmt.Errorf("cannot map a scratch file of %d bytes in %s: %w", size, a.dir, err)
	}
	return b, nil
}

// Err returns the first error that occurred in Make.
func (a *Arena) Err() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Close releases all slices, which must not be used afterwards.
func (a *Arena) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		if current := shard.SetShardHook(a.previous); current != &a.check {
			shard.SetShardHook(current)
		}
		close(a.stop)
		a.stop = nil
	}
	for address, b := range a.maps {
		a.free(address, b)
	}
	clear(a.maps)
}

// watch checks the memory of the process until stop is closed.
func (a *Arena) watch(stop chan struct{}) {
	t := time.NewTicker(checkInterval)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			a.keepBelowLimit()
		}
	}
}

// minInterval is the minimum time between two checks made by users of the slices.
const minInterval = 500 * time.Microsecond

// Yield lets the arena evict its slices. A loop that accesses many of their entries should call it about once every
// megabyte.
func (a *Arena) Yield() {
	if a == nil {
		return
	}
	a = a.root()
	if a.stop == nil { // the memory is anonymous
		return
	}
	now := time.Now().UnixNano()
	if last := a.checked.Load(); now-last >= int64(minInterval) && a.checked.CompareAndSwap(last, now) {
		a.keepBelowLimit()
		return
	}
	a.checking.Lock() // wait until the other goroutine has evicted
	defer a.checking.Unlock()
}

// keepBelowLimit evicts the slices if the process may exceed its limit before the next check. If there are more
// threads than processors, checks may be late, and pages of a file are read sixteen at a time; the largest recent
// growth therefore determines the safety margin.
func (a *Arena) keepBelowLimit() {
	if !a.checking.TryLock() {
		return // another goroutine evicts
	}
	defer a.checking.Unlock()
	now := limit.Resident()
	a.lookahead = max(now-a.last, a.lookahead-a.lookahead/forgettingChecks, a.limit/minLookahead)
	if now+a.lookahead > a.limit {
		a.Evict()
		now = limit.Resident()
	}
	a.last = now
}

const (
	forgettingChecks = 1 << 10 // number of checks after which the weight of a growth decreases by a factor e
	minLookahead     = 8       // lookahead is at least this fraction of the limit
)

// Evict removes the slices from memory; entries are read again when they are used.
func (a *Arena) Evict() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.maps {
		evict(b)
	}
}

// Slices returns the number of mapped slices that have not been released.
func (a *Arena) Slices() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.maps)
}
