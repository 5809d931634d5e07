package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/limit"
)

// A fleet is the processes on one design.
type fleet struct {
	o     *options
	t     *table
	turns bool // no two of them fit in memory: one at a time, started anew for each run
	alive map[string]*peer

	checked []checked // on the cell measured last
}

// A checked point need not be checked again: ours is the same on any number of threads.
type checked struct {
	x []float64
	Bounds
}

// check returns the bounds that the checker proves from x; it is asked once for a point.
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

// get returns the process for the spec. Ours serves any number of threads; those
// that take seconds to start serve all small designs.
func (f *fleet) get(spec peerSpec) (*peer, error) {
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

// Memory of a solver beside the design: vectors of as many rows, generously.
const vectorsAside = 16

// newFleet decides whether the processes fit in memory together. It returns an
// error if not even one does.
func newFleet(o *options, c *cell, t *table) (*fleet, error) {
	f := &fleet{o: o, t: t, alive: map[string]*peer{}}
	one, free := c.bytes()+8*vectorsAside*float64(c.N), freeMemory()
	if free > 0 && one > 0.9*free {
		return nil, fmt.Errorf("one solver takes %.0f GB, %.0f are free", one/1e9, free/1e9)
	}
	f.turns = free > 0 && 3*one > 0.8*free
	return f, nil
}

// freeMemory returns the bytes of free memory, 0 if they are unknown.
func freeMemory() float64 {
	free, _ := limit.Available()
	if free == math.MaxInt64 {
		return 0
	}
	return float64(free)
}
