package matrix

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
)

// A Storage says how a matrix is stored.
type Storage string

// The storages.
const (
	Float64 Storage = "float64"
	Float32 Storage = "float32"
	Sparse  Storage = "sparse"
)

// A DiskStorage says where rows are stored on disk and how much memory may be used to sort them.
type DiskStorage struct {
	Dir    string        // of the files, which have no name
	Arena  *memory.Arena // for the rows, and for vectors of one entry a row; nil: memory
	Memory int64         // bytes for rows that are selected
	Bucket int64         // bytes
}

// A sink receives the encoded numbers of rows, tile by tile in any order, and builds the matrices of both sets
// of a partition.
type sink interface {
	// begin prepares the sink; pass reads all tiles.
	begin(pass func(numbers []*Number, use tileUse) error) error
	// put takes columns of a tile, whose rows are split. It is safe for concurrent use on
	// different tiles.
	put(t *Tile, columns [][]float64) error
	// finish adds the categories and the intercept.
	finish(ctx context.Context) error
	// matrix returns the matrix of a set with rows.
	matrix(s int) (design.Matrix, error)
	// close releases what is on disk, but for matrices that are kept.
	close(keep bool)
}

// A tileUse receives encoded columns of a tile whose rows have been split.
type tileUse func(t *Tile, columns [][]float64) error

// A plan holds the parameters of Write.
type plan struct {
	Layout
	rows    *Partition
	sources []Source
	numbers []*Number
}

// Write encodes the rows of a partition. It reads the numbers once, or twice if matrices are sparse and numbers
// may be 0. Matrices are stored on disk if where is not nil, else in memory. name is used in errors. Afterwards
// the Numbers hold their faults: the matrices are usable only if these are nothing but filled nulls. The
// Matrices must be closed.
func Write(ctx context.Context, name string, l Layout, rows *Partition, storage Storage, where *DiskStorage, sources []Source) (m *Matrices, err error) {
	p := plan{Layout: l, rows: rows, sources: sources}
	p.numbers, _ = numbersOf(sources)
	for _, x := range p.numbers {
		x.narrow = storage == Float32
	}
	var to sink
	switch {
	case where != nil:
		to = &buckets{plan: p, where: *where, storage: storage}
	case storage == Sparse:
		to = &sparse{plan: p, table: name}
	default:
		if err := checkMemory(name, rows, l.Width, storage); err != nil {
			return nil, err
		}
		if storage == Float32 {
			to = newDense[float32](p)
		} else {
			to = newDense[float64](p)
		}
	}
	m = &Matrices{to: to}
	defer func() {
		if err != nil {
			to.close(false)
		}
	}()
	pass := func(numbers []*Number, use tileUse) error { return p.pass(ctx, numbers, storage == Sparse, use) }
	if err := to.begin(pass); err != nil {
		return nil, err
	}
	if err := pass(p.numbers, to.put); err != nil {
		return nil, err
	}
	return m, to.finish(ctx)
}

// Matrices holds the matrices of the sets of a partition.
type Matrices struct {
	to   sink
	kept bool
}

// Matrix returns the matrix of a set that has rows.
func (m *Matrices) Matrix(s int) (design.Matrix, error) { return m.to.matrix(s) }

// Keep leaves it to the callers of Matrix to close matrices on disk.
func (m *Matrices) Keep() { m.kept = true }

// Close releases matrices on disk unless Keep was called.
func (m *Matrices) Close() { m.to.close(m.kept) }

// pass encodes numbers of all rows and calls use with each tile; whole says whether tiles have all columns.
func (p *plan) pass(ctx context.Context, numbers []*Number, whole bool, use tileUse) error {
	columns := make([]*table.Column, len(numbers))
	for j, x := range numbers {
		columns[j], x.faults = x.Column, [2]Faults{NoFaults(), NoFaults()}
	}
	_, err := Visit(ctx, p.rows.Rows, columns, whole, func(t *Tile) error {
		p.rows.Split(t)
		coded := make([][]float64, len(t.Number))
		for j := range coded {
			coded[j] = numbers[t.Lo+j].encodeTile(p.rows, t, j)
		}
		return use(t, coded)
	})
	return err
}

// maxCells is the largest number of cells of a dense matrix.
const maxCells = 1 << 38

// checkMemory returns an error if dense matrices are too large or do not fit into memory.
func checkMemory(name string, d *Partition, columns int, storage Storage) error {
	cells := int64(0)
	for s := range d.Sets {
		n := d.Set(s).Len()
		if columns > 0 && n > maxCells/columns {
			return &table.Error{Path: name, Msg: fmt.Sprintf("a matrix of %d × %d numbers is too large", n, columns), Hint: "use fewer columns or rows"}
		}
		cells += int64(n) * int64(columns)
	}
	width := int64(8)
	if storage == Float32 {
		width = 4
	}
	return table.InFile(name, table.Afford(cells*width, fmt.Sprintf("for a matrix of %d × %d", d.Set(0).Len()+d.Set(1).Len(), columns)))
}
