package kernel

import "sync"

// AddGramTo adds Σ_i w[i]·X[i]X[i]ᵀ over the rows [lo, hi) of the row-major matrix X with d columns to the upper
// triangle of the row-major d×d matrix dst; the entries below the diagonal are neither read nor written. Weights
// may be negative; rows of weight zero may be left out. w is indexed by row, like X. AddGramTo uses pooled memory
// for about 500·d numbers.
func AddGramTo(dst, X []float64, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, w = dst[:d*d], w[:hi]
	if avx2 {
		gramPanels(dst, d, d, w, lo, hi, 8*d, func(a, b *float64, offset *int, weight *float64, k, capacity int) {
			gramPack64AVX2(a, b, &X[0], d, offset, weight, k, capacity)
		})
		return
	}
	addGram(dst, X, d, w, lo, hi)
}

// AddGram32To works like [AddGramTo] for rows stored in single precision; products and sums are in double
// precision.
func AddGram32To(dst []float64, X []float32, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, w = dst[:d*d], w[:hi]
	if avx2 {
		gramPanels(dst, d, d, w, lo, hi, 4*d, func(a, b *float64, offset *int, weight *float64, k, capacity int) {
			gramPack32AVX2(a, b, &X[0], d, offset, weight, k, capacity)
		})
		return
	}
	addGram(dst, X, d, w, lo, hi)
}

const (
	// gramRows is the maximum number of rows packed together. Three panels then take 24 KB and stay in the
	// first-level cache; the number is chosen so that panels do not all start at the same set of this cache.
	gramRows = 248

	// gramPanelsNear is the number of weighted panels that stay in the second-level cache while they are
	// multiplied by all others. It is a multiple of three.
	gramPanelsNear = 48
)

// panelBuffer is the scratch memory of one gramPanels call: for the rows of a block, their offsets in bytes, their
// weights, and O(d·gramRows) numbers for their panels.
type panelBuffer struct {
	offset [gramRows]int
	weight [gramRows]float64
	panels []float64
}

var panelPool = sync.Pool{New: func() any { return new(panelBuffer) }}

// gramPanels loops over blocks of rows with nonzero weights. pack copies k rows into panels of four columns,
// weighted (a) and unweighted (b). Then tiles of the product of a and b, of four rows and up to twelve columns, are
// added to dst, whose rows are stride numbers apart. Tiles that contain part of the diagonal or the last columns are
// first computed in a buffer. The rows have d columns and are rowBytes apart.
func gramPanels(
	dst []float64, stride, d int, w []float64, lo, hi, rowBytes int,
	pack func(a, b *float64, offset *int, weight *float64, k, capacity int),
) {
	const capacity, panel = gramRows, 4 * gramRows
	panels := (d + 3) / 4
	buffer := panelPool.Get().(*panelBuffer)
	defer panelPool.Put(buffer)
	if len(buffer.panels) < 2*panels*panel {
		buffer.panels = make([]float64, 2*panels*panel)
	}
	a, b := buffer.panels[:panels*panel], buffer.panels[panels*panel:2*panels*panel]
	for i := lo; i < hi; {
		k := 0
		for ; i < hi && k < capacity; i++ {
			if w[i] != 0 {
				buffer.offset[k], buffer.weight[k] = i*rowBytes, w[i]
				k++
			}
		}
		if k == 0 {
			continue // all of these rows have weight 0
		}
		pack(&a[0], &b[0], &buffer.offset[0], &buffer.weight[0], k, capacity)
		for near := 0; near < panels; near += gramPanelsNear {
			for group := near; group < panels; group += 3 {
				end := min(group+3, panels)
				for p := near; p < min(near+gramPanelsNear, end); p++ {
					q := max(p, group)
					if p < q && 4*end <= d {
						gramTile(&a[p*panel], &b[q*panel], k, capacity, &dst[4*p*stride+4*q], stride, end-q)
						continue
					}
					var tile [4 * 12]float64
					gramTile(&a[p*panel], &b[q*panel], k, capacity, &tile[0], 12, end-q)
					for r := 4 * p; r < min(4*p+4, d); r++ {
						t := tile[(r-4*p)*12:]
						for c := max(r, 4*q); c < min(4*end, d); c++ {
							dst[r*stride+c] += t[c-4*q]
						}
					}
				}
			}
		}
	}
}

// gramTile adds the product of the first k rows of the panel at a and of the panels at b, whose number is wide, to the
// 4 × 4·wide matrix at c, whose rows are stride numbers apart. Panels have capacity rows.
func gramTile(a, b *float64, k, capacity int, c *float64, stride, wide int) {
	switch wide {
	case 3:
		gramTile12AVX2(a, b, k, capacity, c, stride)
	case 2:
		gramTile8AVX2(a, b, k, capacity, c, stride)
	default:
		gramTile4AVX2(a, b, k, capacity, c, stride)
	}
}

// addGram implements AddGramTo in portable Go. It processes two rows at a time and skips zeros in a row.
func addGram[T float32 | float64](dst []float64, X []T, d int, w []float64, lo, hi int) {
	i := lo
	for ; i+2 <= hi; i += 2 {
		w0, w1 := w[i], w[i+1]
		if w0 == 0 && w1 == 0 {
			continue // neither row adds anything
		}
		r0 := X[i*d : i*d+d]
		r1 := X[(i+1)*d : (i+1)*d+d]
		for a := range d {
			u0, u1 := w0*float64(r0[a]), w1*float64(r1[a])
			if u0 == 0 && u1 == 0 {
				continue // one-hot columns are mostly 0
			}
			t := dst[a*d+a : a*d+d]
			p0, p1 := r0[a:][:len(t)], r1[a:][:len(t)]
			for b := range t {
				t[b] += u0*float64(p0[b]) + u1*float64(p1[b])
			}
		}
	}
	for ; i < hi; i++ {
		r := X[i*d : i*d+d]
		for a := range d {
			u := w[i] * float64(r[a])
			if u == 0 {
				continue // the entry adds nothing
			}
			t := dst[a*d+a : a*d+d]
			p := r[a:][:len(t)]
			for b := range t {
				t[b] += u * float64(p[b])
			}
		}
	}
}
