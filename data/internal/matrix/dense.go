package matrix

import (
	"unsafe"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// A dense is a sink that fills a dense matrix.
type dense[T float32 | float64] struct {
	*plan
	arena *memory.Arena
	rows  []int
	cells []T
}

func (b *dense[T]) reset(rows []int) { b.rows = rows }

// count implements sink.
func (b *dense[T]) count(piece) int { return 0 }

func (b *dense[T]) bytes(int) int64 {
	return int64(len(b.rows)) * int64(b.Width) * int64(unsafe.Sizeof(T(0)))
}

func (b *dense[T]) allocate(int) { b.cells = makeZeros(b.arena, b.cells, len(b.rows)*b.Width) }

// makeZeros returns n zeros, in the memory of s if they fit.
func makeZeros[T memory.Element](arena *memory.Arena, s []T, n int) []T {
	if cap(s) < n {
		return memory.Make[T](arena, n)
	}
	clear(s[:n])
	return s[:n]
}

// scatterRows is the number of rows of a tile written at a time, so that they stay in the cache from one group
// of columns to the next.
const scatterRows = 256

func (b *dense[T]) put(p piece) {
	rows, places := p.rows, p.places
	for len(rows) > 0 {
		n := min(scatterRows, len(rows))
		for j, column := range p.columns {
			x := b.cells[b.numbers[p.lo+j].First:]
			for k, i := range rows[:n] {
				x[places[k]*b.Width] = T(column[i])
			}
		}
		rows, places = rows[n:], places[n:]
	}
}

// finish sets the columns of categories and the intercept.
func (b *dense[T]) finish(lo, hi int) {
	x, d := b.cells, b.Width
	for _, o := range b.sources {
		if o.Vector != nil {
			for i := lo; i < hi; i++ {
				o.Vector.each(b.rows[i], func(column int, value float64) { x[i*d+column] = T(value) })
			}
		}
		k := o.Category
		if k == nil {
			continue
		}
		for i := lo; i < hi; i++ {
			if c := k.code(b.rows[i]); c >= 2 {
				x[i*d+k.First+c-2] = 1
			}
		}
	}
	if b.Intercept >= 0 {
		for i := lo; i < hi; i++ {
			x[i*d+b.Intercept] = 1
		}
	}
}

func (b *dense[T]) copyFrom(from sink, lo int) { copy(b.cells[lo*b.Width:], from.(*dense[T]).cells) }

func (b *dense[T]) matrix() (design.Matrix, error) {
	if x, narrow := any(b.cells).([]float32); narrow {
		return design.NewDense32(len(b.rows), b.Width, x)
	}
	return design.NewDense(len(b.rows), b.Width, any(b.cells).([]float64))
}

func (b *dense[T]) release() { memory.Release(b.arena, b.cells) }
