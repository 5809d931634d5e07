// Package design provides design matrices of n rows with d features, stored densely in float64 or float32, or
// sparsely, and the operations on them that training requires. Products are computed and added in float64
// regardless of the storage.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package design

// A Matrix is a design matrix of n rows Z[i] of d columns. It is immutable; its methods are safe for concurrent use
// on disjoint outputs. Vectors indexed by row have length n, regardless of the range [lo, hi) of the call.
type Matrix interface {
	// Dims returns the number of rows n and the number of columns d.
	Dims() (n, d int)

	// MarginsTo stores ⟨Z[i], x⟩ in dst[i] for the rows i in [lo, hi).
	MarginsTo(dst, x []float64, lo, hi int)

	// AddRowsTo adds Σ_i u[i]·v[i]·Z[i] over [lo, hi) to dst, of length d.
	AddRowsTo(dst, u, v []float64, lo, hi int)

	// AddGramTo adds Σ_i w[i]·Z[i]Z[i]ᵀ over [lo, hi) to the upper triangle of the
	// row-major d×d matrix dst.
	AddGramTo(dst, w []float64, lo, hi int)

	// AddSquaresTo adds Σ_i w[i]·Z[i][k]² over [lo, hi) to dst[k].
	AddSquaresTo(dst, w []float64, lo, hi int)

	// SquaredNormsTo stores Σ_k scale[k]·Z[i][k]² in dst[i] for the rows i in [lo, hi). scale has length d.
	SquaredNormsTo(dst, scale []float64, lo, hi int)

	// RowTo stores Z[i] in dst, of length d.
	RowTo(dst []float64, i int)

	// Select returns a copy of the given rows, in their order.
	Select(rows []int) Matrix

	// Largest returns, for every column k, an upper bound of |Z[i][k]|: the largest value in the column, or
	// that in the matrix from which these rows were selected. The slice must not be changed.
	Largest() []float64

	// Terms returns the maximum number of products in a margin.
	Terms() int

	// Bytes returns the memory in bytes that the entries take.
	Bytes() int64

	// Work estimates, for all n rows, the cost of MarginsTo or AddRowsTo, which cost the same (pass), and the
	// cost of AddGramTo (gram). The unit is one multiplication and addition in MarginsTo with an entry of a
	// dense float64 matrix that is not in the cache. The result depends only on the matrix, not on the machine,
	// so decisions based on it are the same everywhere.
	Work() (pass, gram float64)
}

// Costs for Work, measured with vector instructions, for about 100 columns and between 5 and 50 entries in a sparse
// row.
const (
	densePass   = 1.0 // cost of a float64 entry
	dense32Pass = 0.5 // cost of a float32 entry
	denseGram   = 0.1 // for a pair of columns in a row

	sparsePass    = 2.0 // cost of a sparse entry
	sparsePassRow = 8.0 // for a row, since its length is not predicted
	sparseGram    = 1.0 // for a pair of entries in the same row
	sparseGramRow = 32.0
)
