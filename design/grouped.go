package design

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/internal/kernel"
)

// A Product is a column that is a multiple of a centred column of another matrix in the rows of some cells, and 0 in
// all other rows.
type Product struct {
	Column int     // index in the other matrix
	Center float64 // number subtracted from the entries
	Scale  float64 // factor of the centred column
	At     int     // index of the product among all products
}

// A grouped is a matrix with additional columns, the products, whose entries are not stored. Every row belongs to a
// cell, and every cell has a list of the products that are not 0 in its rows. Sums over rows are computed for each
// cell over the columns of the base, so their cost is close to that of the base for any number of products.
type grouped struct {
	base    Matrix
	n, p    int // dimensions of the base
	d       int // p plus the number of products
	before  int // number of columns of the base that precede the products
	cell    []int32
	cells   [][]Product
	lifted  []lift
	entries [][]liftedEntry // entries of each cell
	largest []float64
	terms   int
	scratch *sync.Pool // scratch memory of type *groupedScratch
}

// A lift is a centred column of the base.
type lift struct {
	column int
	center float64
}

// A liftedEntry states that column at of a row is scale times column of; of counts the columns of the base,
// followed by the lifts.
type liftedEntry struct {
	of, at int
	scale  float64
}

const (
	groupedRows = 4096 // rows that are summed together; on disk, blocks begin at the same rows as in memory
	gramRows    = 256  // maximum number of rows of a cell whose Gram matrix is computed at once
)

// A Grouping determines which products are not 0 in which rows of a matrix.
type Grouping struct {
	// number of columns of the matrix that precede the products; the other columns follow them
	Before   int
	Products int         // number of columns of products
	Cell     []int32     // cell of each row
	Cells    [][]Product // for each cell, the products that are not 0
}

// NewGrouped returns the matrix with the columns of base and the products. It keeps the slices of by, which must
// not change. If base is a *Mapped, the result is also one. An error names the row or the product that is out of
// range.
func NewGrouped(base Matrix, by Grouping) (Matrix, error) {
	if base == nil {
		return nil, fmt.Errorf("design: no matrix to group")
	}
	if m, ok := base.(*Mapped); ok {
		g, err := NewGrouped(m.Matrix, by)
		if err != nil {
			return nil, err
		}
		return NewMapped(g, m.arena, m.memory, m.free), nil
	}
	n, p := base.Dims()
	if by.Before < 0 || by.Before > p || len(by.Cell) != n || by.Products < 0 || by.Products > math.MaxInt32-p {
		return nil, fmt.Errorf("design: %d rows with cells, %d columns in front and %d products, but the matrix has %d × %d",
			len(by.Cell), by.Before, by.Products, n, p)
	}
	for c, of := range by.Cells {
		seen := map[int]bool{}
		for _, q := range of {
			if q.Column < 0 || q.Column >= p || q.At < 0 || q.At >= by.Products || seen[q.At] ||
				math.IsNaN(q.Center) || math.IsInf(q.Center, 0) || math.IsNaN(q.Scale) || math.IsInf(q.Scale, 0) {
				return nil, fmt.Errorf("design: product %+v of cell %d is out of range", q, c)
			}
			seen[q.At] = true
		}
	}
	for i, c := range by.Cell {
		if c < 0 || int(c) >= len(by.Cells) {
			return nil, fmt.Errorf("design: row %d is in cell %d of %d", i, c, len(by.Cells))
		}
	}
	m := &grouped{base: base, n: n, p: p, d: p + by.Products, before: by.Before, cell: by.Cell, cells: by.Cells}
	m.liftEntries()
	m.setBounds()
	m.scratch = &sync.Pool{New: func() any { return newGroupedScratch(m) }}
	return m, nil
}

// WithoutProducts returns the base of a matrix of NewGrouped, or m if it is another matrix.
func WithoutProducts(m Matrix) Matrix {
	of := m
	if mapped, ok := m.(*Mapped); ok {
		of = mapped.Matrix
	}
	if g, ok := of.(*grouped); ok {
		return g.base
	}
	return m
}

// liftEntries sets the list of the centred columns, and for every cell the list of the entries in the order of the
// columns.
func (m *grouped) liftEntries() {
	place := map[lift]int{}
	m.entries = make([][]liftedEntry, len(m.cells))
	for c, products := range m.cells {
		entries := make([]liftedEntry, 0, m.p+len(products))
		for j := range m.p {
			entries = append(entries, liftedEntry{j, m.indexOfBase(j), 1})
		}
		for _, q := range products {
			of, key := q.Column, lift{q.Column, q.Center}
			if q.Center != 0 {
				known := false
				if of, known = place[key]; !known {
					of = m.p + len(m.lifted)
					place[key], m.lifted = of, append(m.lifted, key)
				}
			}
			entries = append(entries, liftedEntry{of, m.before + q.At, q.Scale})
		}
		slices.SortFunc(entries, func(a, b liftedEntry) int { return cmp.Compare(a.at, b.at) })
		m.entries[c] = entries
	}
}

// indexOfBase returns the index in the matrix of a column of the base.
func (m *grouped) indexOfBase(column int) int {
	if column < m.before {
		return column
	}
	return column + m.d - m.p
}

// setBounds sets the largest absolute entry of every column and the number of terms of a margin. The values for
// products are upper bounds, which include the terms that are summed to compute them.
func (m *grouped) setBounds() {
	occurs := make([]bool, len(m.cells))
	for _, c := range m.cell {
		occurs[c] = true
	}
	m.largest = make([]float64, m.d)
	of := m.base.Largest()
	for j, v := range of {
		m.largest[m.indexOfBase(j)] = v
	}
	most := 0
	for c, list := range m.cells {
		most = max(most, len(list))
		for _, q := range list {
			if occurs[c] {
				v := (1 + 0x1p-40) * math.Abs(q.Scale) * (of[q.Column] + math.Abs(q.Center))
				m.largest[m.before+q.At] = max(m.largest[m.before+q.At], v)
			}
		}
	}
	m.terms = m.base.Terms() + 2*most + 2
}

// A groupedScratch holds sums for each cell, which are initialised at the first use of the cell in a call.
type groupedScratch struct {
	row   []float64   // a row of the base
	sums  [][]float64 // for each cell, p+1 coefficients or sums: those of the base and that of its constant
	used  []int32     // cells that are in use
	count []int32     // number of rows of each cell
	order []int32     // rows sorted by cell
	tile  []float64   // rows of the base followed by the lifts
	light []float64   // weights of the rows of the tile
	gram  []float64
}

func newGroupedScratch(m *grouped) *groupedScratch {
	return &groupedScratch{row: make([]float64, m.p), sums: make([][]float64, len(m.cells)),
		count: make([]int32, len(m.cells))}
}

// sum returns the sums of a cell. isNew reports whether this is the first use of the cell in a call; the sums are
// then 0.
func (s *groupedScratch) sum(m *grouped, cell int32) (sum []float64, isNew bool) {
	if s.count[cell] > 0 {
		return s.sums[cell], false
	}
	if s.sums[cell] == nil {
		s.sums[cell] = make([]float64, m.p+1)
	}
	clear(s.sums[cell])
	s.count[cell], s.used = 1, append(s.used, cell)
	return s.sums[cell], true
}

// release makes all cells unused.
func (s *groupedScratch) release(m *grouped) {
	for _, c := range s.used {
		s.count[c] = 0
	}
	s.used = s.used[:0]
	m.scratch.Put(s)
}

// Dims implements Matrix.
func (m *grouped) Dims() (n, d int) { return m.n, m.d }

// MarginsTo implements Matrix.
func (m *grouped) MarginsTo(dst, x []float64, lo, hi int) {
	s := m.scratch.Get().(*groupedScratch)
	defer s.release(m)
	for i := lo; i < hi; i++ {
		v, isNew := s.sum(m, m.cell[i])
		if isNew {
			m.coefficientsTo(v, x, m.cell[i])
		}
		m.base.MarginsTo(dst, v[:m.p], i, i+1)
		dst[i] += v[m.p]
	}
}

// coefficientsTo stores in v the coefficients that x has in a cell: those of the columns of the base, followed by
// the constant.
func (m *grouped) coefficientsTo(v, x []float64, cell int32) {
	copy(v, x[:m.before])
	copy(v[m.before:m.p], x[m.before+m.d-m.p:m.d])
	for _, q := range m.cells[cell] {
		c := q.Scale * x[m.before+q.At]
		v[q.Column] += c
		v[m.p] -= c * q.Center
	}
}

// eachPart calls do for consecutive parts of [lo, hi), each of which consists of rows that are summed together.
func (m *grouped) eachPart(lo, hi int, do func(s *groupedScratch, lo, hi int)) {
	for ; lo < hi; lo += groupedRows {
		s := m.scratch.Get().(*groupedScratch)
		do(s, lo, min(lo+groupedRows, hi))
		s.release(m)
	}
}

// AddRowsTo implements Matrix.
func (m *grouped) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.eachPart(lo, hi, func(s *groupedScratch, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum, _ := s.sum(m, m.cell[i])
			m.base.AddRowsTo(sum[:m.p], u, v, i, i+1)
			sum[m.p] += u[i] * v[i]
		}
		for _, c := range s.used {
			sum := s.sums[c]
			for j, w := range sum[:m.p] {
				dst[m.indexOfBase(j)] += w
			}
			for _, q := range m.cells[c] {
				dst[m.before+q.At] += q.Scale * (sum[q.Column] - q.Center*sum[m.p])
			}
		}
	})
}

// AddGramTo implements Matrix. The rows of a cell, with the lifts as additional columns, are multiplied together,
// so every entry of the Gram matrix is a sum of products of stored entries.
func (m *grouped) AddGramTo(dst, w []float64, lo, hi int) {
	width := m.p + len(m.lifted)
	m.eachPart(lo, hi, func(s *groupedScratch, lo, hi int) {
		if s.tile == nil {
			s.order, s.light = make([]int32, groupedRows), make([]float64, gramRows)
			s.tile, s.gram = make([]float64, gramRows*width), make([]float64, width*width)
		}
		m.sortByCell(s, lo, hi)
		first := int32(0)
		for _, c := range s.used {
			rows := s.order[first : first+s.count[c]]
			first += s.count[c]
			clear(s.gram)
			for len(rows) > 0 {
				k := min(gramRows, len(rows))
				for r, i := range rows[:k] {
					m.liftTo(s.tile[r*width:(r+1)*width], lo+int(i))
					s.light[r] = w[lo+int(i)]
				}
				kernel.AddGramTo(s.gram, s.tile, width, s.light, 0, k)
				rows = rows[k:]
			}
			for a, e := range m.entries[c] {
				row := dst[e.at*m.d : (e.at+1)*m.d]
				for _, g := range m.entries[c][a:] {
					row[g.at] += e.scale * g.scale * s.gram[min(e.of, g.of)*width+max(e.of, g.of)]
				}
			}
		}
	})
}

// sortByCell stores in s the rows of [lo, hi), relative to lo, sorted by cell. s.used lists the cells that occur,
// and s.count holds the number of rows of each.
func (m *grouped) sortByCell(s *groupedScratch, lo, hi int) {
	for _, c := range m.cell[lo:hi] {
		if s.count[c] == 0 {
			s.used = append(s.used, c)
		}
		s.count[c]++
	}
	at := int32(0)
	for _, c := range s.used { // until the rows are stored, count holds the index of the first row of each cell
		s.count[c], at = at, at+s.count[c]
	}
	for i, c := range m.cell[lo:hi] {
		s.order[s.count[c]] = int32(i)
		s.count[c]++
	}
	before := int32(0)
	for _, c := range s.used {
		s.count[c], before = s.count[c]-before, s.count[c]
	}
}

// liftTo stores a row of the base, followed by its centred columns.
func (m *grouped) liftTo(dst []float64, i int) {
	m.base.RowTo(dst[:m.p], i)
	for k, l := range m.lifted {
		dst[m.p+k] = dst[l.column] - l.center
	}
}

// AddSquaresTo implements Matrix.
func (m *grouped) AddSquaresTo(dst, w []float64, lo, hi int) {
	s := m.scratch.Get().(*groupedScratch)
	defer s.release(m)
	for i := lo; i < hi; i++ {
		m.base.RowTo(s.row, i)
		for j, v := range s.row {
			dst[m.indexOfBase(j)] += w[i] * v * v
		}
		for _, q := range m.cells[m.cell[i]] {
			v := q.Scale * (s.row[q.Column] - q.Center)
			dst[m.before+q.At] += w[i] * v * v
		}
	}
}

// SquaredNormsTo implements Matrix.
func (m *grouped) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	s := m.scratch.Get().(*groupedScratch)
	defer s.release(m)
	for i := lo; i < hi; i++ {
		m.base.RowTo(s.row, i)
		sum := 0.0
		for j, v := range s.row {
			sum += scale[m.indexOfBase(j)] * v * v
		}
		for _, q := range m.cells[m.cell[i]] {
			v := q.Scale * (s.row[q.Column] - q.Center)
			sum += scale[m.before+q.At] * v * v
		}
		dst[i] = sum
	}
}

// RowTo implements Matrix.
func (m *grouped) RowTo(dst []float64, i int) {
	s := m.scratch.Get().(*groupedScratch)
	defer s.release(m)
	m.base.RowTo(s.row, i)
	copy(dst, s.row[:m.before])
	clear(dst[m.before : m.before+m.d-m.p])
	copy(dst[m.before+m.d-m.p:m.d], s.row[m.before:])
	for _, q := range m.cells[m.cell[i]] {
		dst[m.before+q.At] = q.Scale * (s.row[q.Column] - q.Center)
	}
}

// Select implements Matrix.
func (m *grouped) Select(rows []int) Matrix { return m.withRows(m.base.Select(rows), rows) }

// withRows returns the matrix of the given rows; base holds their columns without the products.
func (m *grouped) withRows(base Matrix, rows []int) *grouped {
	s := *m
	s.base, s.n, s.cell = base, len(rows), make([]int32, len(rows))
	for k, i := range rows {
		s.cell[k] = m.cell[i]
	}
	return &s
}

// Largest implements Matrix.
func (m *grouped) Largest() []float64 { return m.largest }

// Terms implements Matrix.
func (m *grouped) Terms() int { return m.terms }

// Bytes implements Matrix.
func (m *grouped) Bytes() int64 { return m.base.Bytes() + 4*int64(m.n) }

// Work implements Matrix.
func (m *grouped) Work() (pass, gram float64) {
	n, width, entries := float64(m.n), float64(m.p+len(m.lifted)), 0.0
	for _, e := range m.entries {
		entries += float64(len(e)) * float64(len(e)+1) / 2
	}
	pass, _ = m.base.Work()
	scattered := math.Ceil(n/groupedRows) * sparseGram * entries
	return pass + sparsePassRow*n, n*(densePass*width+denseGram*width*(width+1)/2) + scattered
}
