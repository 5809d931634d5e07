package design

import (
	"github.com/drotrain/drotrain/memory"
)

// A Storage states how a design matrix is stored; "" means auto. Arithmetic is in float64 in all cases.
type Storage string

// The storages.
const (
	AutoStorage    Storage = "auto"    // sparse if that takes much less memory, and float64 otherwise
	Float64Storage Storage = "float64" // all entries, 8 bytes each
	Float32Storage Storage = "float32" // every cell in 4 bytes: the encoded value rounded to the nearest float32
	SparseStorage  Storage = "sparse"  // only the nonzero cells, in 12 bytes each
)

// Storages returns the names of all storages.
func Storages() []string {
	return []string{string(AutoStorage), string(Float64Storage), string(Float32Storage), string(SparseStorage)}
}

// sparseBelow is the proportion of nonzero cells below which auto chooses sparse storage. A sparse entry takes 12
// bytes instead of 8 and is accessed through an index; passes over sparse and dense matrices take the same time at
// a proportion of 0.28 (`go test -bench . ./design`).
const sparseBelow = 1.0 / 4

// Choose returns s or, if s is auto, the storage for rows of d columns with about entries nonzero cells each.
func (s Storage) Choose(entries float64, d int) Storage {
	if s != AutoStorage && s != "" {
		return s
	}
	if entries < sparseBelow*float64(d) {
		return SparseStorage
	}
	return Float64Storage
}

// A DiskStorage specifies the directory in which rows are stored, in unnamed files, and how much memory may be used
// to sort and select them.
type DiskStorage struct {
	Dir    string        // folder of the files
	Arena  *memory.Arena // for the rows, and for vectors with one entry for each row; nil means memory
	Memory int64         // maximum size in bytes of selected rows
	Bucket int64         // memory in bytes for sorting rows
}
