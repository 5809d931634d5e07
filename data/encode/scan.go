package encode

import (
	"errors"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
	"github.com/drotrain/drotrain/internal/shard"
)

// The statistics of blocks of training rows, in the order of the table, are merged into those of all rows. Each
// rank has one block; a single process has one block of all rows.

// mergeBlocks merges the statistics of all ranks; own are the statistics of this rank. It is a collective call.
func mergeBlocks[T any](t *fitting, own T, merge func(all []T) T) (T, error) {
	all, err := fromRanks(t.comm, own)
	if err != nil {
		return own, err
	}
	return merge(all), nil
}

// fromRanks returns the values of all ranks. It is a collective call; a nil c means one process.
func fromRanks[T any](c ranks.Comm, own T) ([]T, error) {
	if c == nil {
		return []T{own}, nil
	}
	return gather.Values(c, own)
}

// toRowFault returns err as an *Error that ranks can exchange, or nil if it is not about rows of the table.
func toRowFault(err error) *data.Error {
	var e *data.Error
	if errors.As(err, &e) && e.Class == nil && e.Err == nil {
		return e
	}
	return nil
}

// numberStatistics holds the statistics of a numeric column that fitting needs. Rows are numbered as in the table.
type numberStatistics struct {
	Moments []matrix.Moment // moments of consecutive rows, see fitting.stripeCuts
	Faults  matrix.Faults
	Nonzero int // number of values that are not 0, including nulls
	Inexact int // first row (1-based) whose number float64 cannot hold exactly, or 0
}

// mergeNumbers merges the statistics of blocks of rows.
func mergeNumbers(all []numberStatistics) numberStatistics {
	out := numberStatistics{Faults: matrix.NoFaults()}
	for _, s := range all {
		out.Moments = append(out.Moments, s.Moments...)
		out.Faults.Add(s.Faults)
		out.Nonzero += s.Nonzero
		if out.Inexact == 0 {
			out.Inexact = s.Inexact
		}
	}
	return out
}

// A numberScan collects the statistics of a column from tiles in any order.
type numberScan struct {
	mu      sync.Mutex
	moments [][]matrix.Moment // by stripe
	faults  matrix.Faults
	nonzero int
}

// add adds the training rows of column j of a tile, with separate moments between the cuts. weight holds the
// weights of the rows of the block; nil means 1.
func (x *numberScan) add(t *matrix.Tile, j int, cuts []int, weight []float64) {
	faults, nonzero := matrix.NoFaults(), 0
	var moments []matrix.Moment
	rows := t.RowsOf[0]
	for from, k := 0, 0; k <= len(cuts); k++ {
		to := len(rows)
		if k < len(cuts) {
			to = cuts[k]
		}
		buf := valuesOf(t, j, rows[from:to], &faults)
		moment := matrix.Moment{}
		n, finite := matrix.CountNonzero(buf)
		if nonzero += to - from - len(buf) + n; finite {
			w, nulls := weightsOf(t, j, rows[from:to], weight)
			moment = matrix.MomentOfWeighted(buf, w)
			moment.Nulls = nulls
		} else {
			addNotFiniteFaults(t, j, rows[from:to], &faults)
		}
		moments = append(moments, moment)
		from = to
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.moments[t.First/matrix.StripeRows] = moments
	x.faults.Add(faults)
	x.nonzero += nonzero
}

// valuesOf returns the values of some rows of a tile without nulls. It adds the number of nulls to faults.
func valuesOf(t *matrix.Tile, j int, rows []int32, faults *matrix.Faults) []float64 {
	number, null := t.Number[j], t.Null[j]
	if null == nil {
		if len(rows) == t.Rows {
			return number
		}
		t.Buf = slices.Grow(t.Buf[:0], len(rows))[:len(rows)]
		for k, i := range rows {
			t.Buf[k] = number[i]
		}
		return t.Buf
	}
	buf := t.Buf[:0]
	for _, i := range rows {
		if !null[i] {
			buf = append(buf, number[i])
		} else if faults.Nulls++; faults.NullRow < 0 {
			faults.NullRow = t.First + int(i)
		}
	}
	t.Buf = buf
	return buf
}

// weightsOf returns the weights of the values that valuesOf returns, and the total weight of the nulls. If weight is
// nil, it returns nil and 0.
func weightsOf(t *matrix.Tile, j int, rows []int32, weight []float64) (of []float64, nulls float64) {
	if weight == nil {
		return nil, 0
	}
	of = make([]float64, 0, len(rows))
	for _, i := range rows {
		if w := weight[t.First+int(i)]; t.Null[j] != nil && t.Null[j][i] {
			nulls += w
		} else {
			of = append(of, w)
		}
	}
	return of, nulls
}

// addNotFiniteFaults records the first value of some rows that is NaN or infinite.
func addNotFiniteFaults(t *matrix.Tile, j int, rows []int32, faults *matrix.Faults) {
	for _, i := range rows {
		if v := t.Number[j][i]; !numeral.IsFinite(v) && !(t.Null[j] != nil && t.Null[j][i]) {
			faults.Add(matrix.Faults{NullRow: -1, OverflowRow: -1, NotFiniteRow: t.First + int(i), Value: v})
			return
		}
	}
}

// stripeCuts returns the training rows, counted within a stripe, at which shards begin. Moments are computed
// between these cuts, so they do not depend on the number of ranks.
func (t *fitting) stripeCuts(stripe int) (cuts []int) {
	if t.counts == nil {
		return nil
	}
	from, to := t.before+t.counts[stripe], t.before+t.counts[stripe+1]
	for k := sort.SearchInts(t.shards, from+1); k < len(t.shards) && t.shards[k] < to; k++ {
		cuts = append(cuts, t.shards[k]-from)
	}
	return cuts
}

// computeShardCuts computes the fields that stripeCuts needs: the training rows at which shards begin, and the
// number of training rows before each stripe.
func (t *fitting) computeShardCuts() {
	n := t.total
	shards := ranks.NewRows(ranks.One{}, n).Shards(n)
	for k := 1; k < shards; k++ {
		lo, _ := shard.Bounds(n, shards, k)
		t.shards = append(t.shards, lo)
	}
	t.counts = t.partition.RowsBeforeStripes()
}

// scanNumbers returns the statistics of numeric columns over the training rows of all blocks, and stores the numbers in
// a draft unless it is nil. It is a collective call.
func (t *fitting) scanNumbers(columns []*data.Column, draft *matrix.Draft) ([]numberStatistics, error) {
	scans, out := make([]numberScan, len(columns)), make([]numberStatistics, len(columns))
	stripes := (t.block.Rows + matrix.StripeRows - 1) / matrix.StripeRows
	for j := range scans {
		scans[j] = numberScan{moments: make([][]matrix.Moment, stripes), faults: matrix.NoFaults()}
	}
	if t.counts == nil {
		t.computeShardCuts()
	}
	t.sample.beginVisit(columns, func(c *data.Column) bool { return t.terms[c] != nil })
	inexact, err := matrix.Visit(t.ctx, t.block.Rows, columns, false, func(w *matrix.Tile) error {
		t.sample.add(w)
		t.partition.Split(w)
		cuts := t.stripeCuts(w.First / matrix.StripeRows)
		for j := range w.Number {
			scans[w.Lo+j].add(w, j, cuts, t.weight)
		}
		if draft != nil {
			draft.Put(w)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.sample.keepVisited()
	for j := range scans {
		own := numberStatistics{slices.Concat(scans[j].moments...), scans[j].faults, scans[j].nonzero, inexact[j]}
		own.Faults.Shift(t.first)
		if own.Inexact > 0 {
			own.Inexact += t.first
		}
		if out[j], err = mergeBlocks(t, own, mergeNumbers); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scanLevels returns the levels of text or bool columns over the training rows of all blocks. It is a
// collective call.
func (t *fitting) scanLevels(columns []*data.Column) ([]levels, error) {
	own, kept := make([]levels, len(columns)), make([]*data.Column, len(columns))
	err := table.Parallel(t.ctx, len(columns), func(i int) error {
		c, err := t.block.LoadLabels(t.ctx, columns[i])
		if err != nil {
			return err
		}
		if t.sample != nil && columns[i].Kind == data.Categorical && t.terms[columns[i]] == nil {
			if kept[i], err = c.LoadAt(t.ctx, nil, t.sample.rows); err != nil {
				return err
			}
		}
		own[i] = levelsOf(c, t.partition.Set(0))
		own[i].Inexact = c.InexactRow
		for _, row := range []*int{&own[i].Inexact, &own[i].NotFiniteRow} {
			if *row > 0 {
				*row += t.first
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range kept {
		if c != nil {
			t.sample.columns[c.Name] = c
		}
	}
	return mergeBlocks(t, own, func(all [][]levels) []levels {
		out := make([]levels, len(columns))
		for i := range out {
			each := make([]levels, len(all))
			for r := range all {
				each[r] = all[r][i]
			}
			out[i] = mergeLevels(each)
		}
		return out
	})
}

// weighted holds values in ascending order, with their weights.
type weighted struct {
	Value, Weight []float64 // a nil Weight stands for ones
}

// sortedValues returns the finite training values of a numeric column. It is a collective call.
func (t *fitting) sortedValues(c *data.Column) (weighted, error) {
	c, err := c.Load(t.ctx)
	if err != nil {
		return weighted{}, err
	}
	var own weighted
	for _, r := range t.partition.Set(0).All() {
		if v := c.Number[r]; !c.IsNull(r) && numeral.IsFinite(v) {
			own.Value = append(own.Value, v)
			if t.weight != nil {
				own.Weight = append(own.Weight, t.weight[r])
			}
		}
	}
	return mergeBlocks(t, own, func(all []weighted) (out weighted) {
		var v weighted
		for _, a := range all {
			v.Value, v.Weight = append(v.Value, a.Value...), append(v.Weight, a.Weight...)
		}
		if v.Weight == nil {
			radix.Sort(v.Value)
			return v
		}
		for _, k := range radix.Argsort(v.Value) {
			out.Value, out.Weight = append(out.Value, v.Value[k]), append(out.Weight, v.Weight[k])
		}
		return out
	})
}

// indexReaching returns the first index up to which the values have at least the given share of the weight; exact
// reports whether they have exactly that share.
func (w weighted) indexReaching(share float64) (place int, exact bool) {
	total, sum := 0.0, 0.0
	for _, v := range w.Weight {
		total += v
	}
	for k, v := range w.Weight {
		if sum += v; sum >= share*total {
			return k, sum == share*total
		}
	}
	return len(w.Value) - 1, false
}

// median returns the median, or NaN if there are no values.
func (w weighted) median() float64 {
	v, m := w.Value, len(w.Value)/2
	switch {
	case len(v) == 0:
		return math.NaN()
	case w.Weight != nil:
		k, exact := w.indexReaching(0.5)
		if exact && k+1 < len(v) {
			return v[k] + (v[k+1]-v[k])/2
		}
		return v[k]
	case len(v)%2 == 1:
		return v[m]
	}
	return v[m-1] + (v[m]-v[m-1])/2
}

// quantile returns a value below which approximately the given share of the weight lies.
func (w weighted) quantile(share float64) float64 {
	if w.Weight != nil {
		k, _ := w.indexReaching(share)
		return w.Value[k]
	}
	return w.Value[int(math.Round(share*float64(len(w.Value)-1)))]
}

// labelsOf returns the sorted labels of a grouping over all blocks, or the first error of any block. It is a
// collective call.
func (t *fitting) labelsOf(g Grouping, fault error) ([]string, error) {
	type labels struct {
		Labels []string
		Fault  *data.Error
	}
	own := labels{g.Labels, toRowFault(fault)}
	if fault != nil && own.Fault == nil {
		return nil, fault
	}
	all, err := fromRanks(t.comm, own)
	if err != nil {
		return nil, err
	}
	var out Grouping
	for _, of := range all {
		if of.Fault != nil {
			return nil, of.Fault
		}
		out = addLabels(out, of.Labels)
	}
	return out.Labels, nil
}
