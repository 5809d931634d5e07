package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/limit"
)

// A fleet holds the processes that work on one design.
type fleet struct {
	o     *options
	t     *table
	turns bool // no two processes fit in memory, so one at a time is started anew for each run
	alive map[string]*peer

	checked []checked // results for the cell measured last
}

// A checked is a point whose bounds are known. It need not be checked again, since our solver returns the same
// point for any number of threads.
type checked struct {
	x []float64
	Bounds
}

// check returns the bounds that the checker proves from x. It runs the checker once for each point.
func (f *fleet) check(c *cell, x []float64) (Bounds, error) {
	for _, p := range f.checked {
		if slices.Equal(p.x, x) {
			return p.Bounds, nil
		}
	}
	b, err := check(c, f.t, x, relativeGap)
	f.checked = append(f.checked, checked{x, b})
	return b, err
}

// peerFor returns the process for the spec. Our process works with any number of threads. Processes that take seconds
// to start serve all small designs.
func (f *fleet) peerFor(spec peerSpec) (*peer, error) {
	alive, key := f.alive, fmt.Sprint(spec.module, spec.threads)
	if spec.module == "ours" {
		key = "ours"
	} else if slices.Contains(others, spec.module) {
		alive = f.o.standing
	}
	if p := alive[key]; p != nil {
		return p, nil
	}
	if f.turns {
		f.stop()
	}
	p, err := startPeer(f.o, spec, f.files())
	if err == nil {
		alive[key] = p
	}
	return p, err
}

func (f *fleet) files() files { return files{f.t.path, f.t.n, f.t.d} }

func (f *fleet) stop() { stopAll(f.alive) }

func stopAll(alive map[string]*peer) {
	for key, p := range alive {
		p.stop()
		delete(alive, key)
	}
}

// Memory of a solver in addition to the design: a generous number of vectors with one entry for each row.
const vectorsAside = 16

// newFleet decides whether all processes fit in memory together. It returns an error if not even one does.
func newFleet(o *options, c *cell, t *table) (*fleet, error) {
	f := &fleet{o: o, t: t, alive: map[string]*peer{}}
	one, free := c.bytes()+8*vectorsAside*float64(c.N), freeMemory()
	if free > 0 && one > 0.9*free {
		return nil, fmt.Errorf("one solver needs %.0f GB of memory, but only %.0f GB are free", one/1e9, free/1e9)
	}
	f.turns = free > 0 && 3*one > 0.8*free
	return f, nil
}

// freeMemory returns the number of bytes of free memory, or 0 if it is unknown.
func freeMemory() float64 {
	free, _ := limit.Available()
	if free == math.MaxInt64 {
		return 0
	}
	return float64(free)
}
