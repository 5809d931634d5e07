package data

import "github.com/drotrain/drotrain/internal/memory"

// A Storage says how a design matrix is kept in memory; empty means auto.
// Arithmetic is in float64 whatever the storage.
type Storage string

const (
	AutoStorage Storage = "auto"    // sparse if that is much smaller, else float64
	Float64     Storage = "float64" // every cell, 8 bytes each
	Float32     Storage = "float32" // every cell, 4 bytes each: the encoded value rounded to the nearest float32
	Sparse      Storage = "sparse"  // the cells that are not zero, 12 bytes each
)

// Storages lists the words.
func Storages() []string {
	return []string{string(AutoStorage), string(Float64), string(Float32), string(Sparse)}
}

// sparseBelow is the share of cells that are not zero below which auto takes
// sparse storage. An entry costs 12 bytes where a dense cell costs 8, and its loops
// follow an index: a pass over entries is even with one over dense cells, which
// stream, at a share of 0.28, as measured (`go test -bench . ./design`).
const sparseBelow = 1.0 / 4

// Choose settles auto for rows of d columns with about that many entries each.
func (s Storage) Choose(entries float64, d int) Storage {
	if s != AutoStorage && s != "" {
		return s
	}
	if entries < sparseBelow*float64(d) {
		return Sparse
	}
	return Float64
}

// A DiskStorage says where training rows are stored on disk, in files without a name, and in how much memory they are
// put in order.
type DiskStorage struct {
	Dir    string        // of the files
	Arena  *memory.Arena // for the rows, and for vectors of one entry a row; nil: memory
	Memory int64         // bytes for rows that are selected
	Bucket int64         // bytes for putting rows in order
}
