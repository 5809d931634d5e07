//go:build mpi && (linux || darwin)

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/ebitengine/purego"
)

// Built reports whether this program can run as several ranks.
const Built = true

// A comm implements ranks.Comm for an MPI job. All MPI calls are made by the system thread that has initialised the
// library.
type comm struct {
	abi
	library    string
	rank, size int
	calls      chan func()
	aborting   atomic.Int32  // exit code with which all ranks are to end, set while a call waits
	patience   time.Duration // time for which a call may wait for other ranks; 0 means forever

	allreduce  func(send uintptr, receive unsafe.Pointer, count int32, datatype, op, comm uintptr, r *request) int32
	allgatherv func(send uintptr, count int32, sendType uintptr, receive unsafe.Pointer, counts, places *int32,
		receiveType, comm uintptr, r *request) int32
	test     func(r *request, done *int32, s *status) int32
	abort    func(comm uintptr, code int32) int32
	finalize func() int32
	usleep   func(microseconds uint32) int32
}

var _ ranks.Comm = (*comm)(nil)

// Start initialises MPI if a launcher has started this process or a library is named, and returns its ranks;
// otherwise it returns a single rank. exit ends this process: with code 0, once all ranks have called it; with any
// other code, it ends all ranks at once.
func Start(getenv func(string) string) (c ranks.Comm, exit func(code int), err error) {
	l := LauncherOf(getenv)
	named := getenv(Variable)
	if l.Name == "" && named == "" {
		return ranks.One{}, os.Exit, nil
	}
	names := candidates(l)
	if named != "" {
		names = []string{named}
	}
	var handle uintptr
	var failed []string
	for _, name := range names {
		if handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
			break
		}
		failed = append(failed, name)
	}
	if handle == 0 {
		return nil, nil, fmt.Errorf("no MPI library was found (%s): install one, or set %s to its path",
			strings.Join(failed, ", "), Variable)
	}
	m := &comm{calls: make(chan func())}
	if m.patience, err = parsePatience(getenv); err != nil {
		return nil, nil, err
	}
	if m.abi, err = abiOf(handle); err != nil {
		return nil, nil, err
	}
	ready := make(chan error)
	go m.runCalls(handle, l, ready)
	if err := <-ready; err != nil {
		return nil, nil, err
	}
	if err := l.checkSize(m.size, m.library); err != nil {
		m.do(func() { m.finalize() })
		return nil, nil, err
	}
	return m, m.exit, nil
}

// forwarded is the time for which a rank waits before it ends all ranks, so that launchers can pass on its output;
// the launcher of MPICH discards output that it has not yet read.
const forwarded = 300 * time.Millisecond

// end ends all ranks. It must run on the thread that makes the calls.
func (m *comm) end(code int) {
	time.Sleep(forwarded)
	m.abort(m.world, int32(code))
}

// exit ends MPI and the process. MPI libraries register functions that the exit function of C calls, but Go's does
// not call them, so that MPICH would report success.
func (m *comm) exit(code int) {
	if code != 0 {
		m.Abort(code)
	}
	m.patience = 0
	// wait without using the processor: rank 0 may compute for long, and MPI_Finalize waits busily
	m.Sum([]float64{0})
	m.do(func() {
		m.finalize()
		if at, err := purego.Dlsym(purego.RTLD_DEFAULT, "exit"); err == nil {
			var end func(code int32)
			purego.RegisterFunc(&end, at)
			end(0)
		}
	})
	os.Exit(0)
}

// runCalls initialises the library and then makes all calls, on one thread.
func (m *comm) runCalls(handle uintptr, l Launcher, ready chan<- error) {
	runtime.LockOSThread()
	err := m.initialise(handle, l)
	ready <- err
	if err != nil {
		return
	}
	for f := range m.calls {
		f()
	}
}

// initialise loads the functions of the library and initialises it.
func (m *comm) initialise(handle uintptr, l Launcher) error {
	var initialise func(argc, argv uintptr, required int32, provided *int32) int32
	var number, count func(comm uintptr, out *int32) int32
	var version func(text *byte, length *int32) int32
	for name, f := range map[string]any{
		"MPI_Iallreduce": &m.allreduce, "MPI_Iallgatherv": &m.allgatherv, "MPI_Test": &m.test,
		"MPI_Abort": &m.abort, "MPI_Finalize": &m.finalize, "usleep": &m.usleep,
		"MPI_Init_thread": &initialise, "MPI_Comm_rank": &number, "MPI_Comm_size": &count,
		"MPI_Get_library_version": &version,
	} {
		if err := register(f, handle, name); err != nil {
			return err
		}
	}
	var provided, rank, size, length int32
	text := make([]byte, 8192+1)
	version(&text[0], &length)
	line, _, _ := strings.Cut(string(text[:max(0, min(int(length), len(text)))]), "\n")
	m.library = strings.Trim(strings.ReplaceAll(line, "\t", " "), " \x00") + ", " + m.abi.name
	if err := l.checkLibrary(m.library); err != nil {
		return err
	}
	if code := initialise(0, 0, m.funneled, &provided); code != 0 {
		return fmt.Errorf("MPI cannot be initialised: MPI_Init_thread returned %d", code)
	}
	number(m.world, &rank)
	count(m.world, &size)
	m.rank, m.size = int(rank), int(size)
	return nil
}

func register(f any, handle uintptr, name string) error {
	at, err := purego.Dlsym(handle, name)
	if err != nil { // error of the C library
		at, err = purego.Dlsym(purego.RTLD_DEFAULT, name)
	}
	if err != nil {
		return fmt.Errorf("the MPI library lacks %s", name)
	}
	purego.RegisterFunc(f, at)
	return nil
}

// do runs a call on the thread of the library.
func (m *comm) do(call func()) {
	done := make(chan struct{})
	m.calls <- func() {
		defer close(done)
		call()
	}
	<-done
}

// request and status are large enough for the types of every family.
type (
	request uint64
	status  [64]byte
)

// MPI libraries wait busily. If ranks share a processor, a waiting rank then takes processor time from the ranks for
// which it waits, and waiting looks like work. Here, a rank polls for a moment and then sleeps between polls. Each
// sleep lasts a quarter of the time already waited, so waiting takes at most a quarter longer.
const (
	moment  = 50 * time.Microsecond
	longest = 10 * time.Millisecond // maximum time between two polls
)

// call starts a collective call and waits until it has ended.
func (m *comm) call(what string, begin func(r *request) int32) {
	m.do(func() {
		r, s, done := new(request), new(status), new(int32)
		m.abortOnError(what, begin(r))
		for began := time.Now(); ; {
			m.abortOnError("MPI_Test", m.test(r, done, s))
			if *done != 0 {
				return
			}
			if code := m.aborting.Load(); code != 0 {
				m.end(int(code))
			}
			waited := time.Since(began)
			if m.patience > 0 && waited > m.patience {
				fmt.Fprintf(os.Stderr, "drotrain: rank %d received no message from the other ranks for %v (%s) and "+
					"ends all ranks\n",
					m.rank,
					m.patience, Patience)
				m.end(1)
			}
			if waited > moment {
				m.usleep(uint32(min(waited/4, longest).Microseconds()))
			}
		}
	})
}

// abortOnError aborts all ranks if an MPI call failed (code ≠ 0). By default, the MPI library itself aborts them.
func (m *comm) abortOnError(what string, code int32) {
	if code != 0 {
		fmt.Fprintf(os.Stderr, "drotrain: rank %d: %s returned %d (%s)\n", m.rank, what, code, m.library)
		m.end(1)
	}
}

// maxNumbers is the maximum length of a message: counts are of type int in C, and some libraries fail above 2 GiB.
const maxNumbers = 1 << 27

// pointer returns the address of the first entry of v.
func pointer(v []float64) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(v)) }

// String names the library.
func (m *comm) String() string { return m.library }

// Rank implements Comm.
func (m *comm) Rank() int { return m.rank }

// Size implements Comm.
func (m *comm) Size() int { return m.size }

func (m *comm) reduce(v []float64, op uintptr) {
	for part := range slices.Chunk(v, maxNumbers) {
		m.call("MPI_Iallreduce", func(r *request) int32 {
			return m.allreduce(m.inPlace, pointer(part), int32(len(part)), m.double, op, m.world, r)
		})
	}
}

// Sum implements Comm.
func (m *comm) Sum(v []float64) { m.reduce(v, m.sum) }

// Max implements Comm.
func (m *comm) Max(v []float64) { m.reduce(v, m.max) }

// Gather implements Comm.
func (m *comm) Gather(v []float64, ends []int) {
	for lo := 0; lo < len(v); lo += maxNumbers {
		hi := min(lo+maxNumbers, len(v))
		counts, places := make([]int32, m.size), make([]int32, m.size)
		from := 0
		for r, end := range ends {
			a, b := min(max(from, lo), hi), min(max(end, lo), hi)
			counts[r], places[r] = int32(b-a), int32(a-lo)
			from = end
		}
		m.call("MPI_Iallgatherv", func(r *request) int32 {
			return m.allgatherv(m.inPlace, 0, m.double, pointer(v[lo:hi]), &counts[0], &places[0], m.double, m.world, r)
		})
	}
}

// Abort implements Comm. It also ends a call that waits for other ranks.
func (m *comm) Abort(code int) {
	m.aborting.Store(int32(code))
	m.do(func() { m.end(code) })
}
