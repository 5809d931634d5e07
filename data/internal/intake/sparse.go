package intake

import (
	"github.com/drotrain/drotrain/data/table"
)

// SparseType is the type of columns of sparse vectors.
const SparseType = "sparse vector"

// NewSparse returns a column of sparse vectors.
func NewSparse(name string, s *table.Sparse) *table.Column {
	return &table.Column{Name: name, Type: SparseType, Kind: table.Vector, Sparse: s}
}
