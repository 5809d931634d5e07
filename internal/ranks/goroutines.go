package ranks

import (
	"errors"
	"fmt"
	"sync"
)

// ErrAborted reports that some other rank has ended all ranks.
var ErrAborted = errors.New("another rank has ended the job")

// Run calls f for size ranks, which are goroutines of this process, and returns the first error after all of them
// have returned. If a rank returns an error, panics or aborts, the others end at their next collective call.
func Run(size int, f func(c Comm) error) error {
	w := &world{given: make([][]float64, size)}
	w.turn.L = &w.mu
	var wg sync.WaitGroup
	for r := range size {
		wg.Go(func() {
			defer func() {
				switch p := recover().(type) {
				case nil:
				case aborted:
					w.end(p.err)
				default:
					w.end(fmt.Errorf("rank %d: panic: %v", r, p))
				}
			}()
			if err := f(&goroutine{w, r}); err != nil {
				w.end(err)
			}
		})
	}
	wg.Wait()
	return w.first
}

// A world is the state shared by ranks that are goroutines. A collective call has two phases: first all ranks
// provide their values, and then all of them read the result.
type world struct {
	mu      sync.Mutex
	turn    sync.Cond
	given   [][]float64 // vectors given by the ranks
	waiting int
	round   int
	first   error // the first error, which has ended all ranks
}

// An aborted is the panic value of a rank that was ended by another rank.
type aborted struct{ err error }

// end records err, unless an error has already been recorded, and wakes all waiting ranks.
func (w *world) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		w.first = err
	}
	w.turn.Broadcast()
}

// synchronise blocks until all ranks have called it.
func (w *world) synchronise() {
	if w.waiting++; w.waiting == len(w.given) {
		w.waiting = 0
		w.round++
		w.turn.Broadcast()
		return
	}
	for round := w.round; w.round == round; w.turn.Wait() {
		if w.first != nil {
			panic(aborted{ErrAborted})
		}
	}
}

type goroutine struct {
	w    *world
	rank int
}

var _ Comm = (*goroutine)(nil)

// exchange replaces v by the vector that combine computes from the values of all ranks; the vector is initially
// zero.
func (g *goroutine) exchange(v []float64, combine func(out []float64, all [][]float64)) {
	w := g.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first != nil {
		panic(aborted{ErrAborted})
	}
	w.given[g.rank] = v
	w.synchronise()
	for r, given := range w.given {
		if len(given) != len(v) {
			panic(fmt.Sprintf("ranks: one rank passes %d numbers to a collective call, but rank %d passes %d", len(v), r,
				len(given)))
		}
	}
	result := make([]float64, len(v))
	combine(result, w.given)
	w.synchronise()
	copy(v, result)
}

// Rank implements Comm.
func (g *goroutine) Rank() int { return g.rank }

// Size implements Comm.
func (g *goroutine) Size() int { return len(g.w.given) }

// Sum implements Comm.
func (g *goroutine) Sum(v []float64) {
	g.exchange(v, func(out []float64, all [][]float64) {
		for _, a := range all {
			for i, x := range a {
				out[i] += x
			}
		}
	})
}

// Max implements Comm.
func (g *goroutine) Max(v []float64) {
	g.exchange(v, func(out []float64, all [][]float64) {
		copy(out, all[0])
		for _, a := range all {
			for i, x := range a {
				out[i] = max(out[i], x)
			}
		}
	})
}

// Gather implements Comm.
func (g *goroutine) Gather(v []float64, ends []int) {
	g.exchange(v, func(out []float64, all [][]float64) {
		from := 0
		for r, end := range ends {
			copy(out[from:end], all[r][from:end])
			from = end
		}
	})
}

// Abort implements Comm.
func (g *goroutine) Abort(code int) {
	panic(aborted{fmt.Errorf("rank %d has ended the job with code %d", g.rank, code)})
}
