package tune

import "github.com/drotrain/drotrain/design"

// A partition is the rows of a table fold after fold and, after the last, the first ones again, so
// that all folds but one lie next to each other: the features are copied once, in single
// precision, and not for every fold. Searches read them many times, and what they end at is an
// estimate.
type partition struct {
	table *Table
	order []int // rows
	first []int // of a fold in order
	x     *design.Dense32
}

// partitioned is the partition of the table into count folds; its features stay where they are if single
// precision is not enough for them.
func (t *Table) partitioned(fold []int, count int) *partition {
	by := make([][]int, count)
	for j, k := range fold {
		by[k] = append(by[k], j)
	}
	d := &partition{table: t}
	for k := range 2*count - 2 {
		if k <= count {
			d.first = append(d.first, len(d.order))
		}
		d.order = append(d.order, by[k%count]...)
	}
	if len(d.first) <= count {
		d.first = append(d.first, len(d.order))
	}
	d.x = design.Single(t.X, d.order)
	return d
}

// without is the table without fold k, and that fold; rows are theirs in the table.
func (d *partition) without(k int) (inside, outside []int, train, held *Table) {
	count := len(d.first) - 1
	from := d.first[(k+1)%count]
	to := from + d.table.N - (d.first[k+1] - d.first[k])
	inside, train = d.between(from, to)
	outside, held = d.between(d.first[k], d.first[k+1])
	return inside, outside, train, held
}

func (d *partition) between(lo, hi int) ([]int, *Table) {
	rows := d.order[lo:hi]
	if d.x == nil {
		return rows, d.table.Select(rows)
	}
	return rows, d.table.having(rows, d.x.Between(lo, hi))
}
