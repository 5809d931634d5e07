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
	// reset makes the sink one of other rows, given in the order of the matrix. It reuses memory.
	reset(rows []int)
	// count counts the entries of rows and returns their number if the sink must know it to allocate them.
	count(p piece) (entries int)
	// bytes returns the size of a matrix with that number of entries.
	bytes(entries int) int64
	// allocate allocates it, with zeros.
	allocate(entries int)
	// put stores numbers of rows.
	put(p piece)
	// finish adds the categories and the intercept to the rows [lo, hi) of the matrix.
	finish(lo, hi int)
	// copyFrom sets the rows from lo on to those of a complete sink of the same type. It is called in the order of rows.
	copyFrom(from sink, lo int)
	// matrix returns the matrix.
	matrix() (design.Matrix, error)
	// release releases the matrix if it is mapped.
	release()
}

// A piece holds adjacent numbers of some rows of a matrix.
type piece struct {
	places  []int       // of the rows in the matrix
	rows    []int32     // and in the columns
	columns [][]float64 // encoded
	lo      int         // which of the numbers the first column is
}

// A usePiece receives pieces of set s. It is safe for concurrent use on different pieces.
type usePiece func(s int, p piece) error

// A plan holds the parameters of Write.
type plan struct {
	Layout
	rows    *Partition
	sources []Source
	numbers []*Number
	storage design.Storage
}

// A Destination is where and how Write stores matrices: in memory if Disk is nil.
type Destination struct {
	Storage design.Storage
	Disk    *design.DiskStorage
}

// Write encodes the rows of a partition. It reads the numbers once, or twice if matrices are sparse and numbers
// may be 0. name is used in errors. Afterwards
// the Numbers hold their faults: the matrices are usable only if these are nothing but filled nulls. The
// Matrices must be closed.
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
	var err error
	if where != nil {
		m.sets = [2]sink{p.newSink(where.Arena), p.newSink(where.Arena)}
		err = p.writeToDisk(ctx, name, *where, m.sets)
	} else {
		m.sets = [2]sink{p.newSink(nil), p.newSink(nil)}
		err = p.fill(ctx, name, m.sets[:], rows.Sets[:],
			func(numbers []*Number, use usePiece) error { return p.pass(ctx, numbers, use) })
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

// fill builds matrices of rows in memory. pass reads all their pieces.
func (p *plan) fill(
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
			entries[s].Add(int64(sets[s].count(part)))
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
	const block = 1024 // rows that stay in the cache
	for s, to := range sets {
		n := len(rows[s])
		if err := table.Parallel(ctx, (n+block-1)/block, func(i int) error {
			to.finish(i*block, min((i+1)*block, n))
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Matrices holds the matrices of the sets of a partition.
type Matrices struct {
	sets  [2]sink
	where *design.DiskStorage // nil: memory
	kept  bool
}

// Matrix returns the matrix of a set that has rows.
func (m *Matrices) Matrix(s int) (design.Matrix, error) {
	x, err := m.sets[s].matrix()
	if err != nil || m.where == nil {
		return x, err
	}
	return design.NewMapped(x, m.where.Arena, m.where.Memory, m.sets[s].release), nil
}

// Keep leaves it to the callers of Matrix to free matrices on disk.
func (m *Matrices) Keep() { m.kept = true }

// Close releases matrices on disk unless Keep was called.
func (m *Matrices) Close() {
	if !m.kept {
		m.sets[0].release()
		m.sets[1].release()
	}
}

// pass encodes numbers of all rows and calls use with their pieces, which have all columns if the storage is sparse.
func (p *plan) pass(ctx context.Context, numbers []*Number, use usePiece) error {
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
