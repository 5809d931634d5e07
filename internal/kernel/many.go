package kernel

import "sync"

const (
	manyRows    = 64  // rows taken at once: of some hundred columns they stay in the second cache
	manyColumns = 256 // columns of twelve vectors that stay in the first cache
	manyWide    = 12  // vectors, or columns, of a tile
)

// manyBuffer is the memory of a call: vectors or weights by tiles, a block of columns, and sums.
type manyBuffer struct {
	packed, sums []float64
	block        [manyRows * manyWide]float64
}

var manyPool = sync.Pool{New: func() any { return new(manyBuffer) }}

// room returns n zeros in the place of v, or a larger one.
func room(v *[]float64, n int) []float64 {
	if cap(*v) < n {
		*v = make([]float64, n)
		return *v
	}
	*v = (*v)[:n]
	clear(*v)
	return *v
}

// ManyMarginsTo stores X[i]·x[k] in dst[k][i], for every k, for the rows i in [lo, hi) of the
// row-major matrix X with d columns: [MarginsTo] of several vectors in one reading of the rows,
// each with the bits that it has alone here.
func ManyMarginsTo(dst [][]float64, X []float64, d int, x [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || len(x) == 0 {
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
	tiles := (len(x) + manyWide - 1) / manyWide
	packed := room(&buffer.packed, tiles*d*manyWide)
	for k, v := range x {
		at := packed[k/manyWide*d*manyWide+k%manyWide:]
		for j, v := range v[:d] {
			at[j*manyWide] = v
		}
	}
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for t := range tiles {
			sums := buffer.block[:]
			clear(sums)
			for from := 0; from < d; from += manyColumns {
				b, n := &packed[(t*d+from)*manyWide], min(manyColumns, d-from)
				for i := 0; i < rows; {
					at := &X[(lo+i)*d+from]
					if i+4 <= rows {
						manyAVX2(at, 1, d, b, manyWide, n, &sums[i*manyWide], manyWide)
						i += 4
						continue
					}
					var one [4 * manyWide]float64 // one row, four times
					manyAVX2(at, 1, 0, b, manyWide, n, &one[0], manyWide)
					for j := range manyWide {
						sums[i*manyWide+j] += one[j]
					}
					i++
				}
			}
			for k := t * manyWide; k < min((t+1)*manyWide, len(x)); k++ {
				to := dst[k][lo : lo+rows]
				for i := range to {
					to[i] = sums[i*manyWide+k-t*manyWide]
				}
			}
		}
	}
}

// ManyAddRowsTo adds Σ_i u[k][i]·v[k][i]·X[i] over the rows [lo, hi) to dst[k], for every k:
// [AddRowsTo] of several weights in one reading of the rows, each with the bits that it has
// alone here.
func ManyAddRowsTo(dst [][]float64, X []float64, d int, u, v [][]float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || len(u) == 0 {
		return
	}
	if !avx2 || d == 0 {
		for k := range u {
			addRows(dst[k][:d], X, u[k], v[k], lo, hi)
		}
		return
	}
	buffer := manyPool.Get().(*manyBuffer)
	defer manyPool.Put(buffer)
	tiles := (len(u) + 3) / 4
	wide := (d + manyWide - 1) / manyWide * manyWide
	packed, sums := room(&buffer.packed, tiles*4*manyRows), room(&buffer.sums, tiles*4*wide)
	for ; lo < hi; lo += manyRows {
		rows := min(manyRows, hi-lo)
		for k := range u {
			at := packed[k/4*4*manyRows+k%4:]
			y, z := u[k][lo:lo+rows], v[k][lo:lo+rows]
			for i := range y {
				at[4*i] = y[i] * z[i]
			}
		}
		for from := 0; from < d; from += manyWide {
			b, row := &X[lo*d+from], d
			if n := d - from; n < manyWide { // the last columns, and zeros
				clear(buffer.block[:])
				for i := range rows {
					copy(buffer.block[i*manyWide:i*manyWide+n], X[(lo+i)*d+from:])
				}
				b, row = &buffer.block[0], manyWide
			}
			for t := range tiles {
				manyAVX2(&packed[t*4*manyRows], 4, 1, b, row, rows, &sums[t*4*wide+from], wide)
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
