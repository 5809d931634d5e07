// Package kernel provides the loops over the design matrix and over vectors with one entry for each sample: margins
// (X·x), weighted row sums (Xᵀw), the weighted Gram matrix, exponentials, the logistic loss, reductions.
//
// Matrices are row-major with d columns, in double precision or, for functions with 32 in their names, in single
// precision; all arithmetic is in double precision. The loops for margins and weighted sums of m rows process four
// distant rows at a time, i, i+m/4, i+m/2 and i+3m/4, since four sequential streams use the memory bandwidth better
// than one.
//
// On amd64 processors with AVX2 and FMA the loops are assembly code, which the program in gen generates; elsewhere,
// and with the build tag purego, they are Go code. The results of the two differ in the last bits, but in either
// case depend only on the arguments. The functions panic if a slice is too short; they never read or write beyond a
// slice.
package kernel

//go:generate go -C gen run . -out ../asm_amd64.s -stubs ../asm_amd64.go -pkg kernel

// checkRows reports whether [lo, hi) contains rows. It panics unless a matrix of size entries with d columns has
// these rows.
func checkRows(size, d, lo, hi int) bool {
	if lo >= hi {
		return false
	}
	if lo < 0 || d < 0 || d > 0 && hi > size/d {
		panic("kernel: rows beyond the matrix")
	}
	return true
}
