package encode

import (
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
)

// A sample collects the values of some rows while columns are read.
type sample struct {
	rows    []int // rows of the table, ascending
	columns map[string]*data.Column
	reading []*data.Column // columns of the current visit; nil for columns that are not kept
}

// beginVisit prepares a visit of numeric columns. Columns for which isDerived returns true are not kept.
func (s *sample) beginVisit(columns []*data.Column, isDerived func(c *data.Column) bool) {
	if s == nil {
		return
	}
	s.reading = make([]*data.Column, len(columns))
	for j, c := range columns {
		if c.Kind != data.Numeric || isDerived(c) {
			continue
		}
		kept := *c
		kept.Parts, kept.Int = nil, nil
		kept.Number, kept.Null = make([]float64, len(s.rows)), make([]bool, len(s.rows))
		s.reading[j] = &kept
	}
}

// add keeps the values of a tile. Tiles differ in rows or columns, so add may be called concurrently.
func (s *sample) add(t *matrix.Tile) {
	if s == nil {
		return
	}
	from, to := sort.SearchInts(s.rows, t.First), sort.SearchInts(s.rows, t.First+t.Rows)
	for j := range t.Number {
		c := s.reading[t.Lo+j]
		if c == nil {
			continue
		}
		for k := from; k < to; k++ {
			i := s.rows[k] - t.First
			c.Number[k] = t.Number[j][i]
			c.Null[k] = t.Null[j] != nil && t.Null[j][i]
		}
	}
}

// keepVisited stores the columns that the visit read, indexed by name.
func (s *sample) keepVisited() {
	if s == nil {
		return
	}
	for _, c := range s.reading {
		if c == nil {
			continue
		}
		if !slices.Contains(c.Null, true) {
			c.Null = nil
		}
		s.columns[c.Name] = c
	}
}
