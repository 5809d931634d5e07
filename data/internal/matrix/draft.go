package matrix

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
)

// A Draft is a pair of dense matrices into which a visit stores the raw numbers of a partition before their encoding is
// known. [Write] then encodes them in place, so that the numbers need not be read twice.
type Draft struct {
	plan *plan
	sets [2]*dense[float64]
	// a number is not finite, so that NaN does not identify the nulls
	spoiled atomic.Bool
}

// NewDraft adds a draft with the given number of columns to a partition and returns it. Every number has its column
// First. It returns nil if the memory does not suffice.
func NewDraft(rows *Partition, width int, numbers []*Number) *Draft {
	d := &Draft{plan: &plan{Layout: Layout{Width: width, Intercept: -1}, rows: rows, numbers: numbers,
		storage: design.Float64Storage}}
	need := int64(0)
	for s := range d.sets {
		d.sets[s] = &dense[float64]{plan: d.plan, rows: rows.Sets[s]}
		need += d.sets[s].bytes(0)
	}
	if table.Afford(need, "for a matrix") != nil {
		return nil
	}
	for _, to := range d.sets {
		to.allocate(0)
	}
	rows.draft = d
	return d
}

// Put stores the numbers of a tile that the partition has split, with NaN in place of nulls. Calls may be concurrent.
func (d *Draft) Put(t *Tile) {
	for j, number := range t.Number {
		null, sum := t.Null[j], 0.0
		if null == nil {
			for _, v := range number {
				sum += v - v
			}
		} else {
			d.plan.numbers[t.Lo+j].addNulls(d.plan.rows, t, null)
			for i, v := range number {
				if null[i] {
					number[i] = math.NaN()
				} else {
					sum += v - v
				}
			}
		}
		if sum != 0 {
			d.spoiled.Store(true)
		}
	}
	for s, to := range d.sets {
		to.put(piece{t.PlaceOf[s], t.RowsOf[s], t.Number, t.Lo})
	}
}

// addNulls adds the nulls of a tile to the faults.
func (x *Number) addNulls(d *Partition, t *Tile, null []bool) {
	for s := range d.Sets {
		f := NoFaults()
		for _, i := range t.RowsOf[s] {
			if null[i] {
				if f.Nulls++; f.NullRow < 0 {
					f.NullRow = t.First + int(i)
				}
			}
		}
		x.mu.Lock()
		x.faults[s].Add(f)
		x.mu.Unlock()
	}
}

// complete encodes the numbers in place, adds the categories and the intercept, and sets the faults of the numbers of a
// plan. It returns false if the matrices of the plan have to be built from the table: if the draft lacks one of their
// numbers or has many columns that they lack, or if a number is not finite or too large to encode.
func (d *Draft) complete(ctx context.Context, p *plan) (bool, error) {
	if d.spoiled.Load() || p.storage != design.Float64Storage || p.Width > d.plan.Width ||
		d.plan.Width-p.Width > d.plan.Width/8 {
		return false, nil
	}
	drafted := map[string]*Number{}
	for _, x := range d.plan.numbers {
		drafted[x.Column.Name] = x
	}
	from, moved := make([]int, len(p.numbers)), p.Width != d.plan.Width
	for j, x := range p.numbers {
		raw := drafted[x.Column.Name]
		if raw == nil {
			return false, nil
		}
		from[j], x.faults = raw.First, raw.faults
		moved = moved || raw.First != x.First
	}
	var spoiled atomic.Bool
	runs := adjacentRuns(p.numbers)
	for _, to := range d.sets {
		if moved {
			to.moveColumns(p, from)
		}
		to.plan = p
		const block = 64 // number of rows that stay in the cache
		n := len(to.rows)
		err := table.Parallel(ctx, (n+block-1)/block, func(i int) error {
			lo, hi := i*block, min((i+1)*block, n)
			if !to.encodeRaw(runs, lo, hi) {
				spoiled.Store(true)
			}
			to.addCategories(lo, hi)
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return !spoiled.Load(), nil
}

// moveColumns moves the numbers of every row, whose columns are from, to their columns in plan p, which has no more
// columns. All other columns become 0.
func (b *dense[T]) moveColumns(p *plan, from []int) {
	row := make([]T, p.Width)
	for i := range b.rows {
		for j, x := range p.numbers {
			row[x.First] = b.cells[i*b.Width+from[j]]
		}
		copy(b.cells[i*p.Width:], row)
	}
	b.cells = b.cells[:len(b.rows)*p.Width]
}

// A run holds the encodings of numbers whose columns are adjacent, from column first on.
type run struct {
	first              int
	fill, shift, scale []float64
}

// adjacentRuns divides numbers into runs.
func adjacentRuns(numbers []*Number) (runs []run) {
	for j, x := range numbers {
		if j == 0 || x.First != numbers[j-1].First+1 {
			runs = append(runs, run{first: x.First})
		}
		r := &runs[len(runs)-1]
		r.fill, r.shift, r.scale = append(r.fill, x.Fill), append(r.shift, x.Shift), append(r.scale, x.Scale)
	}
	return runs
}

// encodeRaw encodes the raw numbers in the rows [lo, hi), in which NaN is a null. It reports whether all encoded
// numbers are finite.
func (b *dense[T]) encodeRaw(runs []run, lo, hi int) (finite bool) {
	var sum T
	for i := lo; i < hi; i++ {
		for _, r := range runs {
			x := b.cells[i*b.Width+r.first:][:len(r.fill)]
			shift, scale := r.shift[:len(x)], r.scale[:len(x)]
			for k, v := range x {
				if v != v {
					v = T(r.fill[k])
				}
				v = T((float64(v) - shift[k]) / scale[k])
				x[k] = v
				sum += v - v
			}
		}
	}
	return sum == 0
}
