package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/internal/suggest"
)

// A Storage says how a design matrix is kept in memory.
type Storage string

const (
	AutoStorage Storage = "auto"    // sparse if that is much smaller, else float64
	Float64     Storage = "float64" // every cell, 8 bytes each
	Float32     Storage = "float32" // every cell, 4 bytes each: the encoded value rounded to the nearest float32
	Sparse      Storage = "sparse"  // the cells that are not zero, 12 bytes each
)

// Storages lists the choices.
func Storages() []Storage { return []Storage{AutoStorage, Float64, Float32, Sparse} }

// ParseStorage accepts the name of a storage, and "" for float64. The error
// suggests the nearest.
func ParseStorage(name string) (Storage, error) {
	if name == "" {
		return Float64, nil
	}
	if slices.Contains(Storages(), Storage(name)) {
		return Storage(name), nil
	}
	var names []string
	for _, s := range Storages() {
		names = append(names, string(s))
	}
	err := fmt.Sprintf("unknown storage %q: one of %s", name, strings.Join(quoteAll(names), ", "))
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		err += fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return "", fmt.Errorf("%s", err)
}

// sparseBelow is the share of cells that are not zero below which auto takes
// sparse storage. An entry costs 12 bytes where a dense cell costs 8, but the
// loops over it follow an index: a pass takes about as long as one over eight
// dense cells, which stream.
const sparseBelow = 1.0 / 8

// choose settles auto for rows of d columns with about that many entries each.
func (s Storage) choose(entries float64, d int) Storage {
	if s != AutoStorage {
		return s
	}
	if entries < sparseBelow*float64(d) {
		return Sparse
	}
	return Float64
}
