package intake

import (
	"context"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/data/internal/numeral"
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
	index    []int32 // entries of the row that EndRow completes
	value    []float64
}

// Faults of sparse vectors in formats with nulls.
const (
	NullVector = "the sparse vector is null: write a list without entries for a vector of zeros"
	NullEntry  = "an entry of the sparse vector is null"
)

// AddEntry adds an entry to the row that EndRow completes. Entries may come in any order. It returns a description of
// what is wrong with the entry, or an empty text.
func (b *SparseBuilder) AddEntry(place, v float64) (fault string) {
	switch {
	case !(place >= 0 && place < math.MaxInt32):
		return fmt.Sprintf("the sparse vector has an entry at index %.0f, which must be from 0 to %d", place, math.MaxInt32-1)
	case !numeral.IsFinite(v):
		return fmt.Sprintf("the entry at index %.0f is %v; entries must be finite numbers", place, v)
	}
	b.index, b.value = append(b.index, int32(place)), append(b.value, v)
	return ""
}

// EndRow completes a row with the entries that have been added. It returns a description of what is wrong with the row,
// or an empty text.
func (b *SparseBuilder) EndRow() (fault string) {
	if !numeral.SortEntries(b.index, b.value) {
		return "the sparse vector has two entries at the same index"
	}
	b.BeginRow()
	for k, place := range b.index {
		b.Add(place, b.value[k])
	}
	b.index, b.value = b.index[:0], b.value[:0]
	return ""
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
