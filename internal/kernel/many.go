package kernel

import "sync"

const (
	manyRows    = 64  // rows taken at once: of some hundred columns they stay in the second cache
	manyColumns = 256 // columns of the vectors of a tile that stay in the first cache
	manyWide    = 24  // vectors, or columns, of a tile, at most
	manyDeep    = 4   // rows, or weights, of a tile
)

// manyTile returns the number of vectors, or columns, of a tile.
func manyTile[T float32 | float64]() int {
	var entry T
	if _, ok := any(entry).(float32); ok {
		return manyWide
	}
	return manyWide / 2
}

// manyTo calls the tile kernel of the type of the rows.
func manyTo[T float32 | float64](a *T, step, next int, b *T, row, n int, c *float64, stride int) {
	switch a := any(a).(type) {
	case *float64:
		manyAVX2(a, step, next, any(b).(*float64), row, n, c, stride)
	case *float32:
		many32AVX2(a, step, next, any(b).(*float32), row, n, c, stride)
	}
}

const manyNarrow = 8 // rows and vectors of the narrow tile

// manyFew returns the tile of few vectors, of single precision: it takes a third of the time. It
// returns the number of rows that it has done.
func manyFew[T float32 | float64](X []T, rows, vectors, d int, b *T, row, n int, c []float64) (done int) {
	first, single := any(b).(*float32)
	if !single || vectors > manyNarrow {
		return 0
	}
	for ; done+manyNarrow <= rows; done += manyNarrow {
		manyNarrow32AVX2(any(&X[done*d]).(*float32), d, first, row, n, &c[done*row], row)
	}
	return done
}

// manyBuffer is the memory of a call: vectors or weights by tiles, blocks of columns and of
// margins, and sums.
type manyBuffer[T float32 | float64] struct {
	packed  []T
	sums    []float64
	columns [manyRows * manyWide]T
	margins [manyRows * manyWide]float64
}

var (
	manyPool   = sync.Pool{New: func() any { return new(manyBuffer[float64]) }}
	many32Pool = sync.Pool{New: func() any { return new(manyBuffer[float32]) }}
)

// resizeZeroed returns n zeros in the place of v, or a larger one.
func resizeZeroed[T float32 | float64](v *[]T, n int) []T {
	if cap(*v) < n {
		*v = make([]T, n)
		return *v
	}
	r := (*v)[:n]
	clear(r)
	return r
}

// ManyMarginsTo stores X[i]·x[k] in dst[k][i], for every k, for the rows i in [lo, hi) of the
// row-major matrix X with d columns: [MarginsTo] of several vectors in one reading of the rows,
// each with the bits that it has alone here.
func ManyMarginsTo(dst [][]float64, X []float64, d int, x [][]float64, lo, hi int) {
	manyMargins(&manyPool, dst, X, d, x, lo, hi)
}

// ManyMargins32To works like [ManyMarginsTo] over rows stored in single precision. Where the processor
// has AVX2, vectors and products are single, and the sums of 256 of these: it takes half the
// time, and six digits of the largest terms are right.
func ManyMargins32To(dst [][]float64, X []float32, d int, x [][]float64, lo, hi int) {
	manyMargins(&many32Pool, dst, X, d, x, lo, hi)
}

// manyMargins implements ManyMarginsTo for rows of either type, with buffers from the pool.
func manyMargins[T float32 | float64](pool *sync.Pool, dst [][]float64, X []T, d int, x [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	if !avx2 || d == 0 {
		for k := range x {
			margins(dst[k][:hi], X, x[k][:d], lo, hi)
		}
		return
	}
	buffer := pool.Get().(*manyBuffer[T])
	defer pool.Put(buffer)
	wide := manyTile[T]()
	tiles := (len(x) + wide - 1) / wide
	packed := resizeZeroed(&buffer.packed, tiles*d*wide)
	for k, v := range x {
		at := packed[k/wide*d*wide+k%wide:]
		for j, v := range v[:d] {
			at[j*wide] = T(v)
		}
	}
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for t := range tiles {
			sums := buffer.margins[:rows*wide]
			clear(sums)
			for from := 0; from < d; from += manyColumns {
				b, n := &packed[(t*d+from)*wide], min(manyColumns, d-from)
				for i := manyFew(X[lo*d+from:], rows, len(x)-t*wide, d, b, wide, n, sums); i < rows; {
					at := &X[(lo+i)*d+from]
					if i+manyDeep <= rows {
						manyTo(at, 1, d, b, wide, n, &sums[i*wide], wide)
						i += manyDeep
						continue
					}
					var one [manyDeep * manyWide]float64 // one row, in the place of each
					manyTo(at, 1, 0, b, wide, n, &one[0], wide)
					for j := range wide {
						sums[i*wide+j] += one[j]
					}
					i++
				}
			}
			for k := t * wide; k < min((t+1)*wide, len(x)); k++ {
				to := dst[k][lo : lo+rows]
				for i := range to {
					to[i] = sums[i*wide+k-t*wide]
				}
			}
		}
	}
}

// ManyAddRowsTo adds Σ_i u[k][i]·v[k][i]·X[i] over the rows [lo, hi) to dst[k], for every k:
// [AddRowsTo] of several weights in one reading of the rows, each with the bits that it has
// alone here.
func ManyAddRowsTo(dst [][]float64, X []float64, d int, u, v [][]float64, lo, hi int) {
	manyAddRows(&manyPool, dst, X, d, u, v, lo, hi)
}

// ManyAddRows32To works like [ManyAddRowsTo] over rows stored in single precision. Where the processor
// has AVX2, weights and products are single, and the sums of 64 of these.
func ManyAddRows32To(dst [][]float64, X []float32, d int, u, v [][]float64, lo, hi int) {
	manyAddRows(&many32Pool, dst, X, d, u, v, lo, hi)
}

// manyAddRows implements ManyAddRowsTo for rows of either type, with buffers from the pool.
func manyAddRows[T float32 | float64](pool *sync.Pool, dst [][]float64, X []T, d int, u, v [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	if !avx2 {
		for k := range u {
			addRows(dst[k][:d], X, u[k], v[k], lo, hi)
		}
		return
	}
	buffer := pool.Get().(*manyBuffer[T])
	defer pool.Put(buffer)
	tile := manyTile[T]()
	tiles := (len(u) + manyDeep - 1) / manyDeep
	wide := (d + tile - 1) / tile * tile
	packed, sums := resizeZeroed(&buffer.packed, tiles*manyDeep*manyRows), resizeZeroed(&buffer.sums, tiles*manyDeep*wide)
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for k := range u {
			at := packed[k/manyDeep*manyDeep*manyRows+k%manyDeep:]
			y, z := u[k][lo:lo+rows], v[k][lo:lo+rows]
			for i := range y {
				at[manyDeep*i] = T(y[i] * z[i])
			}
		}
		for from := 0; from < d; from += tile {
			b, row := &X[lo*d+from], d
			if n := d - from; n < tile { // the last columns, and what there was beside them, for sums that nobody reads
				for i := range rows {
					copy(buffer.columns[i*tile:i*tile+n], X[(lo+i)*d+from:])
				}
				b, row = &buffer.columns[0], tile
			}
			for t := range tiles {
				manyTo(&packed[t*manyDeep*manyRows], manyDeep, 1, b, row, rows, &sums[t*manyDeep*wide+from], wide)
			}
		}
	}
	for k := range u {
		to := dst[k][:d]
		for j, s := range sums[k*wide:][:d] {
			to[j] += s
		}
	}
}
