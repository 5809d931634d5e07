// Package kernel holds the loops that touch the design matrix and the vectors
// of one entry per sample: margins (X·x), weighted row sums (Xᵀw), the weighted
// Gram matrix, exponentials, the logistic loss, reductions.
//
// Matrices are row-major with d columns, in double or (the functions with 32 in
// their name) single precision; all arithmetic is double. Each loop over rows
// walks four distant rows at once, i, i+m/4, i+m/2 and i+3m/4 of its m rows: four
// sequential streams use the memory better than one.
//
// On amd64 processors with AVX2 and FMA the loops are assembly, written by the
// program in gen; elsewhere, and under the build tag purego, they are Go. The two
// differ in the last bits. Either way a result depends on the arguments alone.
// Slices that are too short panic; nothing is read or written beyond them.
package kernel

//go:generate go -C gen run . -out ../asm_amd64.s -stubs ../asm_amd64.go -pkg kernel

// checkRows reports whether there are rows in [lo, hi), and panics unless a
// matrix of size entries with d columns has them.
func checkRows(size, d, lo, hi int) bool {
	if lo >= hi {
		return false
	}
	if lo < 0 || d < 0 || d > 0 && hi > size/d {
		panic("kernel: rows beyond the matrix")
	}
	return true
}
