package intake

import (
	"context"

	"github.com/drotrain/drotrain/data/table"
)

// SparseType is the type of columns of sparse vectors.
const SparseType = "sparse vector"

// NewSparse returns a column of sparse vectors.
func NewSparse(name string, s *table.Sparse) *table.Column {
	return &table.Column{Name: name, Type: SparseType, Kind: table.Vector, Sparse: s}
}

// A SparseBuilder builds a column of sparse vectors. It stores their entries in a file if they take too much memory.
type SparseBuilder struct {
	table.SparseBuilder
	overflow Overflow
}

// RowsBetweenLimits is the number of rows after which callers call Limit again.
const RowsBetweenLimits = 4096

// Limit moves the entries from memory to a file if they take too much memory, or returns an error if this is
// impossible. src is the file that is read.
func (b *SparseBuilder) Limit(ctx context.Context, src Source) error {
	held := b.Bytes()
	to, err := b.overflow.Begin(ctx, src, held, held, "for the entries of sparse vectors")
	if to == nil || err != nil {
		return err
	}
	return to.PutVectors(&b.SparseBuilder)
}

// Column returns the column of all rows.
func (b *SparseBuilder) Column(name string) (*table.Column, error) {
	return NewSparse(name, b.Sparse()), b.overflow.Flush()
}
