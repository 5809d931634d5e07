// Package design holds design matrices: n rows of d features, stored densely in
// float64 or float32, or sparsely, and the loops over them that training takes.
// Whatever the storage, products are formed and added in float64.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package design

// A Matrix is a design matrix of n rows Z[i] of d columns. It is immutable; its
// methods are safe for concurrent use on disjoint outputs. Vectors indexed by row
// have length n, whatever the range [lo, hi) of the call.
type Matrix interface {
	// Dims returns the rows n and the columns d.
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

	// NormsTo stores Σ_k scale[k]·Z[i][k]² in dst[i] for the rows i in [lo, hi). scale has length d.
	NormsTo(dst, scale []float64, lo, hi int)

	// RowTo stores Z[i] in dst, of length d.
	RowTo(dst []float64, i int)

	// Select returns a copy of the given rows, in their order.
	Select(rows []int) Matrix

	// Largest returns, for every column k, an upper bound of |Z[i][k]|: the
	// largest of them, or that of the matrix that these rows were selected from. The slice
	// must not be changed.
	Largest() []float64

	// Terms returns the largest number of products in a margin.
	Terms() int

	// Bytes returns the memory that the entries take.
	Bytes() int64

	// Work estimates, for all n rows, the cost of MarginsTo, or of AddRowsTo, which
	// costs as much (pass), and of AddGramTo (gram). The unit is the multiplication and
	// addition in MarginsTo for one entry of a dense float64 matrix that is not in the cache.
	// The result depends on the matrix alone, not on the machine, so that
	// decisions based on it are the same everywhere.
	Work() (pass, gram float64)
}

// The costs of Work, as measured with vector instructions, at some 100 columns and
// between 5 and 50 entries in a sparse row.
const (
	densePass   = 1.0 // an entry in float64
	dense32Pass = 0.5 // an entry in float32
	denseGram   = 0.1 // a pair of columns, in a row

	sparsePass    = 2.0 // an entry
	sparsePassRow = 8.0 // a row: its length is not predicted
	sparseGram    = 1.0 // a pair of entries that share a row
	sparseGramRow = 32.0
)
