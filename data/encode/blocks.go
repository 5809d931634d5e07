package encode

import (
	"context"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/memory"
)

// Bounds of the size of a block of rows that are encoded together.
const (
	blockBytes     = 16 << 20 // size in bytes of a block of encoded rows, unless it has minBlockRows or maxBlockRows
	minBlockRows   = 1 << 12  // minimum number of rows, unless the table has no sparse vectors and they are too large
	maxBlockRows   = 1 << 17  // maximum number of rows
	mostBlockBytes = 64 << 20 // size in bytes above which encoded rows are too large
	leastBlockRows = 1 << 8   // minimum number of rows that are too large
	fewBlockRows   = 1 << 4   // minimum number of rows if memory does not suffice for more
)

// blockRows returns the number of rows that are encoded together.
func (e *Encoder) blockRows() int {
	cells := 8 * max(1, e.D())
	least := minBlockRows
	if !slices.ContainsFunc(e.Inputs, func(in Input) bool { return in.isVector() }) {
		least = max(leastBlockRows, min(least, mostBlockBytes/cells))
	}
	return min(maxBlockRows, max(least, blockBytes/cells))
}

// affordableRows returns the number of rows of f that are encoded together: blockRows, or fewer if the memory does not
// suffice for so many, and single rows of f can be read.
func (e *Encoder) affordableRows(f *data.Frame) int {
	size := e.blockRows()
	// the matrix and garbage of this and the preceding block
	fits := func() bool { return table.Afford(4*8*int64(size)*int64(e.D()), "") == nil }
	if fits() || !slices.ContainsFunc(f.Columns, (*data.Column).SharesBlocks) {
		return size
	}
	for size > fewBlockRows && !fits() {
		size /= 2
	}
	return size
}

// A Block holds the encoded rows of a range of the rows of a table, or some of them.
type Block struct {
	Frame *data.Frame // the rows from First to Last before encoding; errors give the row numbers of the table
	First int
	Last  int      // index of the row after the block
	Rows  *Dataset // the encoded rows; Rows.Rows counts from First

	// Invalid maps rows, counted from First, to the reason why they cannot be encoded; see EncodeValidBlocks.
	Invalid map[int]string
}

// EncodeBlocks encodes rows of f block by block and calls do with each block, at least once. Only one block of a
// Parquet file is in memory at a time. rows must ascend; nil means all rows. size is the number of rows of f per
// block; 0 or less chooses a size of some megabytes. A block has no groupings (see Groupings), and has a target
// only if target is set. The report covers all rows.
func (e *Encoder) EncodeBlocks(
	ctx context.Context, f *data.Frame, rows []int, size int, target bool, do func(Block) error,
) (report Report, err error) {
	return e.encodeBlocks(ctx, f, rows, size, do, func(features *Encoder, b *Block, of []int) (own Report, err error) {
		b.Rows, own, err = features.encode(ctx, b.Frame, of, target)
		return own, err
	})
}

// encodeBlocks implements EncodeBlocks; encode encodes the given rows of one block and stores them in it.
func (e *Encoder) encodeBlocks(
	ctx context.Context, f *data.Frame, rows []int, size int, do func(Block) error,
	encode func(features *Encoder, b *Block, of []int) (Report, error),
) (report Report, err error) {
	if size <= 0 {
		size = e.affordableRows(f)
	}
	features := *e
	features.Groups = nil
	var drift driftCount
	done, all := 0, f.Rows
	if rows != nil {
		all = len(rows)
	}
	for lo := 0; lo < f.Rows || lo == 0; lo += size {
		b := Block{First: lo, Last: min(lo+size, f.Rows)}
		var of []int
		if rows != nil {
			end := done + sort.SearchInts(rows[done:], b.Last)
			if end == done && lo > 0 {
				continue
			}
			of = slices.Clone(rows[done:end])
			for i := range of {
				of[i] -= lo
			}
			done = end
		}
		b.Frame = f.Slice(lo, b.Last)
		own, err := encode(&features, &b, of)
		if err != nil {
			return report, err
		}
		report.add(own)
		e.addDrift(&drift, b.Rows, all)
		if err := do(b); err != nil {
			return report, err
		}
	}
	e.sortReport(&report)
	report.Drift = e.describeDrifts(&drift, &report)
	if drift.training.Compared > 0 {
		report.Training = &drift.training
	}
	return report, f.CheckUnchanged()
}

// sortReport sorts the columns of a merged report into the order that they would have if all rows were encoded at
// once.
func (e *Encoder) sortReport(report *Report) {
	place := map[string]int{}
	for i, in := range e.Inputs {
		place[in.Name] = i
	}
	for _, of := range [][]Unseen{report.Unseen, report.Merged} {
		slices.SortStableFunc(of, func(a, b Unseen) int { return place[a.Column] - place[b.Column] })
	}
	slices.SortStableFunc(report.Imputed, func(a, b Filled) int { return place[a.Column] - place[b.Column] })
}

// Groupings returns the groupings of the given rows of f without encoding their features, and the group columns
// that f lacks; nil means all rows. Vectors with one entry for each row are allocated in arena; nil means the heap.
func (e *Encoder) Groupings(
	ctx context.Context, f *data.Frame, rows []int, arena *memory.Arena,
) (groups []Grouping, missing []string, err error) {
	if len(e.Groups) == 0 {
		return nil, nil, f.Fingerprint()
	}
	bare := Encoder{Spec: e.Spec, Groups: e.Groups}
	bare.Spec.Impute = "" // rows has been reduced to the rows that encoding keeps
	d, report, err := bare.encodeIn(ctx, f, rows, false, arena)
	if err != nil {
		return nil, nil, err
	}
	return d.Groups, report.MissingGroups, nil
}
