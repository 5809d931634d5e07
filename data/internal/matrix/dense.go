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

// countEntries implements sink. Allocating a dense matrix does not require the number of entries.
func (b *dense[T]) countEntries(piece) (toAllocate int) { return 0 }

func (b *dense[T]) bytes(int) int64 {
	return int64(len(b.rows)) * int64(b.Width) * int64(unsafe.Sizeof(T(0)))
}

func (b *dense[T]) allocate(int) { b.cells = makeZeros(b.arena, b.cells, len(b.rows)*b.Width) }

// makeZeros returns n zeros. It uses the memory of s if that suffices.
func makeZeros[T memory.Element](arena *memory.Arena, s []T, n int) []T {
	if cap(s) < n {
		return memory.Make[T](arena, n)
	}
	clear(s[:n])
	return s[:n]
}

// scatterRows is the number of rows of a tile that are written at a time, so that they stay in the cache from one
// group of columns to the next.
const scatterRows = 256

func (b *dense[T]) put(p piece) {
	rows, places := p.rows, p.places
	for len(rows) > 0 {
		n := min(scatterRows, len(rows))
		for j := 0; j < len(p.columns); {
			first := b.numbers[p.lo+j].First
			if j+4 <= len(p.columns) && areAdjacent(b.numbers[p.lo+j:p.lo+j+4]) {
				b.putFour(first, [4][]float64(p.columns[j:j+4]), rows[:n], places)
				j += 4
				continue
			}
			x, column := b.cells[first:], p.columns[j]
			for k, i := range rows[:n] {
				x[places[k]*b.Width] = T(column[i])
			}
			j++
		}
		rows, places = rows[n:], places[n:]
	}
}

// areAdjacent reports whether the columns of numbers are consecutive in the matrix.
func areAdjacent(numbers []*Number) bool {
	for j, x := range numbers {
		if x.First != numbers[0].First+j {
			return false
		}
	}
	return true
}

// putFour stores rows of four consecutive columns of the matrix.
func (b *dense[T]) putFour(first int, columns [4][]float64, rows []int32, places []int) {
	c0, c1, c2, c3 := columns[0], columns[1], columns[2], columns[3]
	c1, c2, c3 = c1[:len(c0)], c2[:len(c0)], c3[:len(c0)]
	cells, d := b.cells[first:], b.Width
	for k, i := range rows {
		x := cells[places[k]*d:][:4]
		x[0], x[1], x[2], x[3] = T(c0[i]), T(c1[i]), T(c2[i]), T(c3[i])
	}
}

// addCategories sets the columns of categories and the intercept in the rows [lo, hi).
func (b *dense[T]) addCategories(lo, hi int) {
	x, d := b.cells, b.Width
	for _, o := range b.sources {
		if o.Vector != nil {
			from := o.Vector.Sparse.Reader()
			for i := lo; i < hi; i++ {
				o.Vector.each(from, b.rows[i], func(column int, value float64) { x[i*d+column] = T(value) })
			}
		}
		k := o.Category
		if k == nil {
			continue
		}
		for i := lo; i < hi; i++ {
			if c := k.Get(b.rows[i]); c >= 2 {
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
