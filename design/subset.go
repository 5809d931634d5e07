package design

import (
	"sort"
	"sync"

	"github.com/drotrain/drotrain/internal/paged"
)

// Kept is a matrix of which some rows can be had where they lie.
type Kept interface {
	Matrix
	Subset(rows []int) Matrix
}

// Subset returns the given rows, which ascend, without a copy of them: every pass reads the
// blocks that they lie in. The slice is kept.
func (m *Disk) Subset(rows []int) Matrix {
	s := &subset{disk: m, rows: rows, start: make([]int, len(m.extents)+1)}
	for b := range s.start {
		s.start[b] = sort.SearchInts(rows, b*m.rows)
	}
	s.of = s
	return s
}

// A subset is some rows of a Disk, in their order.
type subset struct {
	blockwise
	disk  *Disk
	rows  []int
	start []int // of every block: the first of rows that is in it or after it
	spare sync.Pool
}

var _ Kept = (*Disk)(nil)

func (s *subset) blockEnd(i int) int { return s.start[s.rows[i]/s.disk.rows+1] }

// each is that of inBlocks, of rows that are copied.
func (s *subset) each(lo, hi int, do func(rows Matrix, base, lo, hi int)) {
	m := s.disk
	for lo < hi {
		b := s.rows[lo] / m.rows
		end := min(hi, s.blockEnd(lo))
		c, _ := s.spare.Get().(*collector)
		if c == nil || m.format == DiskSparse {
			c = m.format.collector(min(m.rows, m.n), m.d)
		}
		c.n = end - lo
		k := m.acquire(b)
		for i := range c.n {
			c.take(i, k.rows, s.rows[lo+i]-b*m.rows)
		}
		m.release(k)
		do(c.matrix(m.largest), lo, 0, c.n)
		s.spare.Put(c)
		lo = end
	}
}

// Dims implements Matrix.
func (s *subset) Dims() (n, d int) { return len(s.rows), s.disk.d }

// RowTo implements Matrix.
func (s *subset) RowTo(dst []float64, i int) { s.disk.RowTo(dst, s.rows[i]) }

// Select implements Matrix: a copy in memory.
func (s *subset) Select(rows []int) Matrix {
	of := make([]int, len(rows))
	for k, i := range rows {
		of[k] = s.rows[i]
	}
	return s.disk.Select(of)
}

// Largest implements Matrix: of all rows of the disk.
func (s *subset) Largest() []float64 { return s.disk.Largest() }

// Terms implements Matrix.
func (s *subset) Terms() int { return s.disk.terms }

// Bytes implements Matrix.
func (s *subset) Bytes() int64 { return s.disk.bytes / int64(s.disk.n) * int64(len(s.rows)) }

// Work implements Matrix: their share of that of all rows.
func (s *subset) Work() (pass, gram float64) {
	share := float64(len(s.rows)) / float64(s.disk.n)
	return s.disk.pass * share, s.disk.gram * share
}

// Room is where vectors of one entry a row may lie.
func (s *subset) Room() *paged.Room { return s.disk.Room() }

// MostSelected is the number of rows that Select can be asked for.
func (s *subset) MostSelected() int { return s.disk.MostSelected() }
