package matrix

import (
	"unsafe"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
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
	at := make([]int, len(p.columns))
	for j := range at {
		at[j] = b.numbers[p.lo+j].First
	}
	scatter(b.cells, b.Width, p, at)
}

// scatter stores column j of a piece in column at[j] of d.
func scatter[T float32 | float64](x []T, d int, p piece, at []int) {
	rows, place, columns := p.rows, p.places, p.columns
	for len(rows) > 0 {
		n := min(scatterRows, len(rows))
		j := 0
		for ; j+4 <= len(columns); j += 4 {
			a, b, c, e := columns[j], columns[j+1], columns[j+2], columns[j+3]
			p, q, r, u := at[j], at[j+1], at[j+2], at[j+3]
			for k, i := range rows[:n] {
				row := x[place[k]*d : place[k]*d+d]
				row[p], row[q], row[r], row[u] = T(a[i]), T(b[i]), T(c[i]), T(e[i])
			}
		}
		for ; j < len(columns); j++ {
			a, p := columns[j], at[j]
			for k, i := range rows[:n] {
				x[place[k]*d+p] = T(a[i])
			}
		}
		rows, place = rows[n:], place[n:]
	}
}

// finish sets the columns of categories and the intercept.
func (b *dense[T]) finish(lo, hi int) {
	x, d := b.cells, b.Width
	for _, o := range b.sources {
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
