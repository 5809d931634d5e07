package kernel

import "sync"

const (
	// number of rows processed at a time; with some hundred columns they stay in the second-level cache
	manyRows    = 64
	manyColumns = 256 // number of columns of a tile's vectors that stay in the first-level cache
	manyWide    = 12  // number of vectors, or of columns, in a tile
	manyDeep    = 4   // number of rows, or of weights, in a tile
)

// manyBuffer is the scratch memory of one call: vectors or weights arranged in tiles, blocks of columns and of margins,
// and sums.
type manyBuffer struct {
	packed, sums     []float64
	columns, margins [manyRows * manyWide]float64
}

var manyPool = sync.Pool{New: func() any { return new(manyBuffer) }}

// resizeZeroed returns n zeros, in the memory of *v if it suffices, and sets *v to them.
func resizeZeroed(v *[]float64, n int) []float64 {
	if cap(*v) < n {
		*v = make([]float64, n)
		return *v
	}
	r := (*v)[:n]
	clear(r)
	return r
}

// ManyMarginsTo stores X[i]·x[k] in dst[k][i], for every k, for the rows i in [lo, hi) of the row-major matrix X
// with d columns. It computes [MarginsTo] for several vectors while reading the rows once. The bits for a vector do
// not depend on the other vectors.
func ManyMarginsTo(dst [][]float64, X []float64, d int, x [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	if !avx2 || d == 0 {
		for k := range x {
			margins(dst[k][:hi], X, x[k][:d], lo, hi)
		}
		return
	}
	buffer := manyPool.Get().(*manyBuffer)
	defer manyPool.Put(buffer)
	const wide = manyWide
	tiles := (len(x) + wide - 1) / wide
	packed := resizeZeroed(&buffer.packed, tiles*d*wide)
	for k, v := range x {
		at := packed[k/wide*d*wide+k%wide:]
		for j, v := range v[:d] {
			at[j*wide] = v
		}
	}
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for t := range tiles {
			sums := buffer.margins[:rows*wide]
			clear(sums)
			for from := 0; from < d; from += manyColumns {
				b, n := &packed[(t*d+from)*wide], min(manyColumns, d-from)
				for i := 0; i < rows; {
					at := &X[(lo+i)*d+from]
					if i+manyDeep <= rows {
						manyAVX2(at, 1, d, b, wide, n, &sums[i*wide], wide)
						i += manyDeep
						continue
					}
					// a single row, copied into each row of the tile
					var one [manyDeep * manyWide]float64
					manyAVX2(at, 1, 0, b, wide, n, &one[0], wide)
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

// ManyAddRowsTo adds Σ_i u[k][i]·v[k][i]·X[i] over the rows [lo, hi) to dst[k], for every k. It computes
// [AddRowsTo] for several weight vectors while reading the rows once. The bits for a weight vector do not depend on
// the others.
func ManyAddRowsTo(dst [][]float64, X []float64, d int, u, v [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	if !avx2 {
		for k := range u {
			addRows(dst[k][:d], X, u[k], v[k], lo, hi)
		}
		return
	}
	buffer := manyPool.Get().(*manyBuffer)
	defer manyPool.Put(buffer)
	const tile = manyWide
	tiles := (len(u) + manyDeep - 1) / manyDeep
	wide := (d + tile - 1) / tile * tile
	packed, sums := resizeZeroed(&buffer.packed, tiles*manyDeep*manyRows), resizeZeroed(&buffer.sums, tiles*manyDeep*wide)
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for k := range u {
			at := packed[k/manyDeep*manyDeep*manyRows+k%manyDeep:]
			y, z := u[k][lo:lo+rows], v[k][lo:lo+rows]
			for i := range y {
				at[manyDeep*i] = y[i] * z[i]
			}
		}
		for from := 0; from < d; from += tile {
			b, row := &X[lo*d+from], d
			// the last columns; the remaining ones keep old numbers, whose sums are not used
			if n := d - from; n < tile {
				for i := range rows {
					copy(buffer.columns[i*tile:i*tile+n], X[(lo+i)*d+from:])
				}
				b, row = &buffer.columns[0], tile
			}
			for t := range tiles {
				manyAVX2(&packed[t*manyDeep*manyRows], manyDeep, 1, b, row, rows, &sums[t*manyDeep*wide+from], wide)
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
