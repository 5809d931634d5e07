package matrix

import (
	"context"

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

// A sink builds the matrices of both sets of a partition from the encoded numbers of their rows.
type sink interface {
	// prepare computes the size of the matrices; pass reads all tiles. It returns an error if they
	// are meant for memory and do not fit there.
	prepare(pass func(numbers []*Number, use tileUse) error) error
	// allocate allocates the matrix of a set.
	allocate(s int)
	// put stores columns of a tile, whose rows are split. It is safe for concurrent use on
	// different tiles.
	put(t *Tile, columns [][]float64) error
	// finish adds the categories and the intercept to the rows [lo, hi) of a set.
	finish(s, lo, hi int)
	// matrix returns the matrix of a set.
	matrix(s int) (design.Matrix, error)
	// release releases what is mapped of a set.
	release(s int)
}

// A tileUse receives encoded columns of a tile whose rows have been split.
type tileUse func(t *Tile, columns [][]float64) error

// A plan holds the parameters of Write.
type plan struct {
	Layout
	rows    *Partition
	sources []Source
	numbers []*Number
	storage Storage
	onDisk  bool
	arena   *memory.Arena // of the matrices; nil: the heap
}

// Write encodes the rows of a partition. It reads the numbers once, or twice if matrices are sparse and numbers
// may be 0. Matrices are stored on disk if where is not nil, else in memory. name is used in errors. Afterwards
// the Numbers hold their faults: the matrices are usable only if these are nothing but filled nulls. The
// Matrices must be closed.
func Write(ctx context.Context, name string, l Layout, rows *Partition, storage Storage, where *DiskStorage, sources []Source) (*Matrices, error) {
	p := &plan{Layout: l, rows: rows, sources: sources, storage: storage, onDisk: where != nil}
	p.numbers, _ = numbersOf(sources)
	for _, x := range p.numbers {
		x.narrow = storage == Float32
	}
	write := p.writeToMemory
	if where != nil {
		p.arena = where.Arena
		write = func(ctx context.Context, to sink) error { return p.writeToDisk(ctx, *where, to) }
	}
	m := &Matrices{where: where}
	switch storage {
	case Sparse:
		m.to = &sparse{plan: p}
	case Float32:
		m.to = &dense[float32]{plan: p}
	default:
		m.to = &dense[float64]{plan: p}
	}
	err := table.InFile(name, m.to.prepare(func(numbers []*Number, use tileUse) error { return p.pass(ctx, numbers, use) }))
	if err == nil {
		err = write(ctx, m.to)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// writeToMemory passes the rows to the sink as they come.
func (p *plan) writeToMemory(ctx context.Context, to sink) error {
	to.allocate(0)
	to.allocate(1)
	if err := p.pass(ctx, p.numbers, to.put); err != nil {
		return err
	}
	for s := range p.rows.Sets {
		if err := p.finishRows(ctx, to, s, 0, p.rows.Set(s).Len()); err != nil {
			return err
		}
	}
	return nil
}

// writeToDisk sorts the rows into buckets and passes one of these after the other to the sink.
func (p *plan) writeToDisk(ctx context.Context, where DiskStorage, to sink) error {
	b, err := newBuckets(p, where, to)
	if err != nil {
		return err
	}
	defer b.close()
	if err := p.pass(ctx, p.numbers, b.put); err != nil {
		return err
	}
	for s := range b.sets {
		to.allocate(s)
		if err := p.arena.Err(); err != nil {
			return err
		}
		if err := b.write(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// finishRows finishes the rows [lo, hi) of a set, a block that stays in the cache at a time.
func (p *plan) finishRows(ctx context.Context, to sink, s, lo, hi int) error {
	const block = 1024
	return table.Parallel(ctx, (hi-lo+block-1)/block, func(i int) error {
		to.finish(s, lo+i*block, min(lo+(i+1)*block, hi))
		p.arena.Yield()
		return nil
	})
}

// Matrices holds the matrices of the sets of a partition.
type Matrices struct {
	to    sink
	where *DiskStorage // nil: memory
	kept  bool
}

// Matrix returns the matrix of a set that has rows.
func (m *Matrices) Matrix(s int) (design.Matrix, error) {
	x, err := m.to.matrix(s)
	if err != nil || m.where == nil {
		return x, err
	}
	return design.NewMapped(x, m.where.Arena, m.where.Memory, func() { m.to.release(s) }), nil
}

// Keep leaves it to the callers of Matrix to free matrices on disk.
func (m *Matrices) Keep() { m.kept = true }

// Close releases matrices on disk unless Keep was called.
func (m *Matrices) Close() {
	if !m.kept {
		m.to.release(0)
		m.to.release(1)
	}
}

// pass encodes numbers of all rows and calls use with each tile, which has all columns if the storage is sparse.
func (p *plan) pass(ctx context.Context, numbers []*Number, use tileUse) error {
	columns := make([]*table.Column, len(numbers))
	for j, x := range numbers {
		columns[j], x.faults = x.Column, [2]Faults{NoFaults(), NoFaults()}
	}
	_, err := Visit(ctx, p.rows.Rows, columns, p.storage == Sparse, func(t *Tile) error {
		p.rows.Split(t)
		coded := make([][]float64, len(t.Number))
		for j := range coded {
			coded[j] = numbers[t.Lo+j].encodeTile(p.rows, t, j)
		}
		return use(t, coded)
	})
	return err
}
