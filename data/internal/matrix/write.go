package matrix

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// A sink builds a matrix from the encoded numbers of its rows.
type sink interface {
	// reset prepares the sink for other rows, given in the order of the matrix. It reuses memory.
	reset(rows []int)
	// countEntries counts the entries of the rows in a piece. It returns their number if the sink needs it to allocate
	// memory, and 0 otherwise.
	countEntries(p piece) (toAllocate int)
	// bytes returns the size in bytes of a matrix with the given number of entries.
	bytes(entries int) int64
	// allocate allocates the matrix and sets it to 0.
	allocate(entries int)
	// put stores the numbers of a piece.
	put(p piece)
	// addCategories adds the categories and the intercept to the rows [lo, hi) of the matrix.
	addCategories(lo, hi int)
	// copyFrom copies the rows of a complete sink of the same type to the rows from lo on. Calls must be in the
	// order of the rows.
	copyFrom(from sink, lo int)
	// matrix returns the matrix.
	matrix() (design.Matrix, error)
	// release unmaps the matrix if it is memory-mapped.
	release()
}

// A piece holds adjacent numeric columns for some rows of a matrix.
type piece struct {
	places  []int       // indices of the rows in the matrix
	rows    []int32     // indices of the rows in the columns of the table
	columns [][]float64 // encoded
	lo      int         // index of the first column among the numbers
}

// A usePiece processes a piece of set s. It can be called concurrently with different pieces.
type usePiece func(s int, p piece) error

// A plan holds the parameters of Write.
type plan struct {
	Layout
	rows    *Partition
	sources []Source
	numbers []*Number
	storage design.Storage
}

// A Destination specifies where and how Write stores matrices; they are in memory if Disk is nil.
type Destination struct {
	Storage design.Storage
	Disk    *design.DiskStorage
}

// Write encodes the rows of a partition. It reads the numbers once, twice if matrices are sparse and numbers may be 0,
// and not at all if the partition has a draft that it can complete. name is used in errors. Afterwards the
// Numbers hold their faults; the matrices are usable only if the only faults are filled nulls. The Matrices must be
// closed.
func Write(
	ctx context.Context, name string, l Layout, rows *Partition, to Destination, sources []Source,
) (*Matrices, error) {
	where := to.Disk
	p := &plan{Layout: l, rows: rows, sources: sources, storage: to.Storage}
	for _, o := range sources {
		if o.Number != nil {
			o.Number.narrow = to.Storage == design.Float32Storage
			p.numbers = append(p.numbers, o.Number)
		}
	}
	m := &Matrices{where: where}
	if draft := rows.draft; draft != nil && where == nil {
		rows.draft = nil
		if done, err := draft.complete(ctx, p); err != nil {
			return nil, err
		} else if done {
			m.sets = [2]sink{draft.sets[0], draft.sets[1]}
			return m, nil
		}
	}
	var err error
	if where != nil {
		m.sets = [2]sink{p.newSink(where.Arena), p.newSink(where.Arena)}
		err = p.writeToDisk(ctx, name, *where, m.sets)
	} else {
		m.sets = [2]sink{p.newSink(nil), p.newSink(nil)}
		err = p.buildMatrices(ctx, name, m.sets[:], rows.Sets[:],
			func(numbers []*Number, use usePiece) error { return p.encodePieces(ctx, numbers, use) })
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// newSink returns a sink that allocates in arena; nil means the heap.
func (p *plan) newSink(arena *memory.Arena) sink {
	switch p.storage {
	case design.SparseStorage:
		return &sparse{plan: p, arena: arena}
	case design.Float32Storage:
		return &dense[float32]{plan: p, arena: arena}
	}
	return &dense[float64]{plan: p, arena: arena}
}

// buildMatrices builds matrices of rows in memory. pass must call use with all pieces of these rows.
func (p *plan) buildMatrices(
	ctx context.Context, name string, sets []sink, rows [][]int, pass func(numbers []*Number, use usePiece) error,
) error {
	for s, to := range sets {
		to.reset(rows[s])
	}
	var entries [2]atomic.Int64
	if p.storage == design.SparseStorage {
		counted := p.numbers
		if !p.Zeros { // standardised numbers are always entries
			counted = nil
		}
		err := pass(counted, func(s int, part piece) error {
			entries[s].Add(int64(sets[s].countEntries(part)))
			return nil
		})
		if err != nil {
			return err
		}
	}
	n, need := 0, int64(0)
	for s, to := range sets {
		n += len(rows[s])
		need += to.bytes(int(entries[s].Load()))
	}
	if err := table.Afford(need, fmt.Sprintf("for a matrix of %d × %d", n, p.Width)); err != nil {
		return intake.InFile(name, err)
	}
	for s, to := range sets {
		to.allocate(int(entries[s].Load()))
	}
	if err := pass(p.numbers, func(s int, part piece) error { sets[s].put(part); return nil }); err != nil {
		return err
	}
	const block = 1024 // number of rows that stay in the cache
	for s, to := range sets {
		n := len(rows[s])
		if err := table.Parallel(ctx, (n+block-1)/block, func(i int) error {
			to.addCategories(i*block, min((i+1)*block, n))
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Matrices builds one matrix for each set of a partition.
type Matrices struct {
	sets  [2]sink
	where *design.DiskStorage // nil for memory
	kept  bool
}

// Matrix returns the matrix of set s, which must have rows.
func (m *Matrices) Matrix(s int) (design.Matrix, error) {
	x, err := m.sets[s].matrix()
	if err != nil || m.where == nil {
		return x, err
	}
	return design.NewMapped(x, m.where.Arena, m.where.Memory, m.sets[s].release), nil
}

// Keep makes the callers of Matrix responsible for releasing matrices on disk.
func (m *Matrices) Keep() { m.kept = true }

// Close releases matrices on disk unless Keep was called.
func (m *Matrices) Close() {
	if !m.kept {
		m.sets[0].release()
		m.sets[1].release()
	}
}

// encodePieces encodes numbers of all rows and calls use with pieces of them. If the storage is sparse, each piece has
// all columns.
func (p *plan) encodePieces(ctx context.Context, numbers []*Number, use usePiece) error {
	columns := make([]*table.Column, len(numbers))
	for j, x := range numbers {
		columns[j], x.faults = x.Column, [2]Faults{NoFaults(), NoFaults()}
	}
	_, err := Visit(ctx, p.rows.Rows, columns, p.storage == design.SparseStorage, func(t *Tile) error {
		p.rows.Split(t)
		coded := make([][]float64, len(t.Number))
		for j := range coded {
			coded[j] = numbers[t.Lo+j].encodeTile(p.rows, t, j)
		}
		for s := range p.rows.Sets {
			if err := use(s, piece{t.PlaceOf[s], t.RowsOf[s], coded, t.Lo}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
