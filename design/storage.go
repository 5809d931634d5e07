package design

import (
	"github.com/drotrain/drotrain/memory"
)

// A Storage says how a design matrix is stored; "" means auto. Arithmetic is in float64 in any case.
type Storage string

// The storages.
const (
	AutoStorage    Storage = "auto"    // sparse if that is much smaller, else float64
	Float64Storage Storage = "float64" // every cell, 8 bytes each
	Float32Storage Storage = "float32" // every cell, 4 bytes each: the encoded value rounded to the nearest float32
	SparseStorage  Storage = "sparse"  // the cells that are not zero, 12 bytes each
)

// Storages returns the names of all storages.
func Storages() []string {
	return []string{string(AutoStorage), string(Float64Storage), string(Float32Storage), string(SparseStorage)}
}

// sparseBelow is the proportion of nonzero cells below which auto chooses sparse storage. A sparse entry takes
// 12 bytes instead of 8 and its loops are indexed; passes over sparse and dense matrices take the same time at
// a proportion of 0.28 (`go test -bench . ./design`).
const sparseBelow = 1.0 / 4

// Choose returns s, or the storage that auto chooses for rows of d columns with about entries nonzero cells
// each.
func (s Storage) Choose(entries float64, d int) Storage {
	if s != AutoStorage && s != "" {
		return s
	}
	if entries < sparseBelow*float64(d) {
		return SparseStorage
	}
	return Float64Storage
}

// A DiskStorage says in which directory rows are stored, in unnamed files, and how much memory may be used to
// sort and select them.
type DiskStorage struct {
	Dir    string        // of the files
	Arena  *memory.Arena // for the rows, and for vectors of one entry per row; nil: memory
	Memory int64         // bytes for rows that are selected
	Bucket int64         // bytes for putting rows in order
}
