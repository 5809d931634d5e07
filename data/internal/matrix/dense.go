package matrix

import (
	"fmt"
	"unsafe"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
)

// A dense is a sink that fills dense matrices.
type dense[T float32 | float64] struct {
	*plan
	cells [2][]T
}

// maxCells is the largest number of cells of a matrix in memory.
const maxCells = 1 << 38

func (b *dense[T]) prepare(func([]*Number, tileUse) error) error {
	if b.onDisk {
		return nil
	}
	n := b.rows.Set(0).Len() + b.rows.Set(1).Len()
	if b.Width > 0 && n > maxCells/b.Width {
		return &table.Error{Msg: fmt.Sprintf("a matrix of %d × %d numbers is too large", n, b.Width), Hint: "use fewer columns or rows"}
	}
	return table.Afford(int64(n*b.Width)*int64(unsafe.Sizeof(T(0))), fmt.Sprintf("for a matrix of %d × %d", n, b.Width))
}

func (b *dense[T]) allocate(s int) { b.cells[s] = memory.Make[T](b.arena, b.rows.Set(s).Len()*b.Width) }

func (b *dense[T]) release(s int) { memory.Release(b.arena, b.cells[s]) }

// scatterRows is the number of rows of a tile written at a time, so that they stay in the cache from one group
// of columns to the next.
const scatterRows = 256

func (b *dense[T]) put(t *Tile, columns [][]float64) error {
	at := make([]int, len(columns))
	for j := range at {
		at[j] = b.numbers[t.Lo+j].First
	}
	for s := range b.cells {
		scatter(b.cells[s], b.Width, t.RowsOf[s], t.PlaceOf[s], columns, at)
	}
	return nil
}

// scatter stores the value of column j in row rows[k] at x[place[k]·d + at[j]].
func scatter[T float32 | float64](x []T, d int, rows []int32, place []int, columns [][]float64, at []int) {
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

func (b *dense[T]) matrix(s int) (design.Matrix, error) {
	n := b.rows.Set(s).Len()
	if x, narrow := any(b.cells[s]).([]float32); narrow {
		return design.NewDense32(n, b.Width, x)
	}
	return design.NewDense(n, b.Width, any(b.cells[s]).([]float64))
}

// finish sets the columns of categories and the intercept in the rows [lo, hi) of a set.
func (b *dense[T]) finish(s, lo, hi int) {
	x, d := b.cells[s], b.Width
	for _, o := range b.sources {
		k := o.Category
		if k == nil {
			continue
		}
		for i := lo; i < hi; i++ {
			if c := k.code(b.rows.Sets[s][i]); c >= 2 {
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
