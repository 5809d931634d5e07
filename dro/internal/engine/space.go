package engine

import (
	"unsafe"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/memory"
)

// A space allocates the vectors of a solve that have one entry per sample, in the arena of the oracle, and frees them
// all at once.
type space struct {
	arena *memory.Arena
	given [][]float64
}

func newSpace(o saddle.Oracle) *space {
	s := &space{}
	if a, ok := o.(Model); ok {
		s.arena = a.Arena()
	}
	return s
}

// Vector returns a vector of n zeros that is valid until the end of the solve.
func (s *space) Vector(n int) []float64 {
	v := memory.Make[float64](s.arena, n)
	if s.arena != nil {
		s.given = append(s.given, v)
	}
	return v
}

// exclude removes v from the vectors that Free releases.
func (s *space) exclude(v []float64) {
	for i, g := range s.given {
		if unsafe.SliceData(g) == unsafe.SliceData(v) {
			s.given = append(s.given[:i], s.given[i+1:]...)
			return
		}
	}
}

// Free releases all vectors, which must not be used any more.
func (s *space) Free() {
	memory.Release(s.arena, s.given...)
	s.given = nil
}

// Release frees one vector before the end of the solve.
func (s *space) Release(v []float64) {
	s.exclude(v)
	memory.Release(s.arena, v)
}
