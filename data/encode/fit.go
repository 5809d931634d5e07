package encode

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// A Fitted holds an encoder and the datasets encoded with it.
type Fitted struct {
	Encoder        *Encoder
	Train, Holdout *Dataset // Holdout is nil if there are no hold-out rows
	TrainReport    Report
	HoldoutReport  Report
	Storage        design.Storage // storage of the matrices: as requested or, if that was auto, as chosen

	arena *memory.Arena // memory of the matrices; nil for the heap
	// codes of the group columns that are features, for every row of the table, indexed by place in Encoder.Inputs
	codes map[int]*matrix.Codes
}

// A Sink specifies where encoded rows are stored. The zero value means memory, with the storage chosen
// automatically.
type Sink struct {
	Storage design.Storage
	Disk    *design.DiskStorage // storage for matrices and for vectors with one entry per row; nil means memory
	Shared  *Shared             // distribution of the training rows over ranks; nil for a single process
	// rows of the table, ascending, whose values Fit passes to UseSample as they were read; must be empty if Shared is set
	Sample []int
	// UseSample is called by Fit before the matrices exist, with the columns of numbers or text that Fit has read,
	// indexed by name. Only rows of Sample have values. An error ends Fit.
	UseSample func(e *Encoder, values map[string]*data.Column) error
}

// Shared describes training rows that are distributed over ranks: there are Total rows, in the shards described by
// Rows. Vectors with one entry per row have the length Total, but only the entries of this rank are set. Matrices
// are of type [design.Sharded].
type Shared struct {
	Rows  design.Rows
	Total int
}

// arena returns the arena for vectors with one entry for each row; nil means the heap.
func (s *Sink) arena() *memory.Arena {
	if s.Disk == nil {
		return nil
	}
	return s.Disk.Arena
}

// Fit fits an encoder on the training rows of f, as [NewEncoder] does, and encodes the training and hold-out rows
// into a sink, as [Encoder.EncodeTo] does. A nil train means all rows; Dataset.Rows refers to the slices train and
// holdout.
//
// If data.Open returned f, values are read from its files once for a matrix of float64 in memory if numbers are
// standardised: it holds the raw numbers until the encoder has been made from their statistics. Otherwise values are
// read twice: once for the statistics, and once for the matrices. A sparse matrix of numbers that may be 0 requires a
// third reading. In addition to the matrices, Fit then needs pages of a few megabytes and one byte per row for every
// category.
//
// With several ranks it is a collective call. Each rank passes its own rows; hold-out rows must ascend and follow
// those of lower ranks. The encoder is the same on all ranks and for any number of ranks. Groups have the labels of
// the rows of all ranks, HoldoutReport covers the rows of all ranks, and an invalid row is an error on all ranks.
func Fit(ctx context.Context, f *data.Frame, train, holdout []int, s Spec, to Sink) (*Fitted, error) {
	t, err := newFitting(ctx, f, train, holdout, s, &to)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(to.Sample, func(r int) bool { return r < 0 || f.Rows <= r }) {
		return nil, f.Fault("", fix.Advice{}, "the sample refers to rows that the table does not have")
	}
	if to.Shared == nil && to.UseSample != nil {
		t.sample = &sample{rows: to.Sample, columns: map[string]*data.Column{}}
	}
	if err := t.scanFeatures(&to); err != nil {
		return nil, err
	}
	e, err := t.makeEncoder()
	if err != nil {
		return nil, err
	}
	if t.sample != nil {
		values, size := t.sample.columns, 8*len(t.sample.columns)*len(t.sample.rows)
		t.sample = nil
		if err := to.UseSample(e, values); err != nil {
			return nil, err
		}
		if size > largeSample {
			debug.FreeOSMemory() // the matrices take the place of the sample
		}
	}
	if (to.Storage == "" || to.Storage == design.AutoStorage) && isMostlySingle(t.features) {
		to.Storage = design.Float32Storage // numbers keep the precision of their files
	}
	base, _ := e.withoutProducts()
	to.Storage = to.Storage.Choose(t.entriesPerRow(), len(base.Columns))
	out, err := e.encodeSets(ctx, t.block, t.partition, to, true)
	for _, c := range t.features {
		c.ReleaseBlocks()
	}
	if to.Shared != nil {
		out, err = t.exchangeWithRanks(out, err, holdout, to.Shared)
	}
	if err != nil {
		return nil, err
	}
	out.TrainReport.Dropped, out.HoldoutReport.Dropped = t.dropped[0], t.dropped[1]
	return out, f.Fingerprint()
}

// largeSample is the size in bytes of a sample that is removed from memory before the matrices are made.
const largeSample = 32 << 20

// isMostlySingle reports whether at least nine of ten features are entries of vectors in single or half
// precision.
func isMostlySingle(features []*data.Column) bool {
	single := 0
	for _, c := range features {
		if c.Vector != "" && (c.Type == "float32" || c.Type == "float16") {
			single++
		}
	}
	return single > 0 && 10*single >= 9*len(features)
}

// NewEncoder fits an encoder on the given rows of f; nil means all rows. Levels, means, standard deviations and
// fills are computed from these rows only. f is not changed.
//
// Numeric columns become one column each. Bools and categories of two levels become one column of 0 and 1,
// "col=level" for the second level in sorted order; other categories become one such column for every level. Nulls
// in a category are a separate level. Spec.Reference may name a level without a column. Columns that are constant in
// the training rows are omitted, with a note.
func NewEncoder(ctx context.Context, f *data.Frame, rows []int, s Spec) (*Encoder, error) {
	t, err := newFitting(ctx, f, rows, nil, s, &Sink{})
	if err != nil {
		return nil, err
	}
	if err := t.scanFeatures(nil); err != nil {
		return nil, err
	}
	return t.makeEncoder()
}

// exchangeWithRanks adds the groups and reports of the other ranks to the datasets of this rank, and returns an error if
// encoding failed on any rank. It is a collective call. out holds the training rows of this rank, own lists its hold-out
// rows, and fault is the error of encoding its rows, or nil.
func (t *fitting) exchangeWithRanks(out *Fitted, fault error, own []int, shared *Shared) (*Fitted, error) {
	type state struct {
		Fault  *data.Error // error in the training rows
		Report Report      // report on the hold-out rows
		Labels [][]string  // labels of the groupings, without the names of columns
		Held   *data.Error
	}
	is := state{Fault: toRowFault(fault)}
	if fault != nil && is.Fault == nil {
		return nil, fault
	}
	var held *Dataset
	if len(own) > 0 && fault == nil {
		first := own[0]
		rows := make([]int, len(own))
		for k, r := range own {
			rows[k] = r - first
		}
		var err error
		held, is.Report, err = t.e.Encode(t.ctx, t.f.Slice(first, own[len(own)-1]+1), rows)
		if is.Held = toRowFault(err); err != nil && is.Held == nil {
			return nil, err
		}
		if err == nil {
			held.Rows = own
			for k, g := range held.Groups {
				held.Groups[k].Labels = trimColumnName(t.e.factorNamed(g.Name), g.Labels)
				is.Labels = append(is.Labels, held.Groups[k].Labels)
			}
		}
	}
	all, err := fromRanks(t.comm, is)
	if err != nil {
		return nil, err
	}
	for _, of := range all {
		if of.Fault != nil {
			return nil, of.Fault
		}
	}
	for r, of := range all {
		if of.Held != nil && len(all) > 1 {
			return nil, fmt.Errorf("hold-out rows of rank %d: %w", r, of.Held)
		} else if of.Held != nil {
			return nil, fmt.Errorf("hold-out rows: %w", of.Held)
		}
	}
	out.TrainReport = Report{Rows: t.total}
	for _, q := range t.fitted {
		if q.kept && q.number != nil && q.number.Faults.Nulls > 0 {
			out.TrainReport.Imputed = append(out.TrainReport.Imputed,
				Filled{Column: q.column.Name, Count: q.number.Faults.Nulls, Value: t.e.fillOf(q.column.Name)})
		}
	}
	if err := shared.spreadOverRanks(out.Train, t.first); err != nil {
		return nil, err
	}
	out.HoldoutReport = Report{}
	for _, of := range all {
		if of.Report.Rows > 0 {
			out.HoldoutReport.add(of.Report)
		}
	}
	t.e.sortReport(&out.HoldoutReport)
	if held != nil {
		for k, g := range held.Groups {
			for _, of := range all {
				if of.Report.Rows > 0 {
					g = addLabels(g, of.Labels[k])
				}
			}
			factor := t.e.factorNamed(g.Name)
			if len(factor.Sources) == 1 {
				if err := checkGroupCount(t.f, g.Name, factor.Kind, g.Labels); err != nil {
					return nil, err
				}
			}
			held.Groups[k] = nameGroups(factor, g)
		}
	}
	out.Holdout = held
	return out, nil
}

// factorNamed returns the factor with the given name.
func (e *Encoder) factorNamed(name string) Factor {
	return e.Groups[slices.IndexFunc(e.Groups, func(f Factor) bool { return f.Name == name })]
}

// fillOf returns the fill for nulls of an input.
func (e *Encoder) fillOf(input string) float64 {
	return e.Inputs[slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == input })].Fill
}

// trimColumnName returns the labels without the column name that nameGroups added.
func trimColumnName(f Factor, labels []string) []string {
	if !f.Named {
		return labels
	}
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = strings.TrimPrefix(l, f.Name+"=")
	}
	return out
}

// EncodeTo encodes training and hold-out rows of f into a sink. A nil train means all rows.
func (e *Encoder) EncodeTo(ctx context.Context, f *data.Frame, train, holdout []int, to Sink) (*Fitted, error) {
	d, err := matrix.NewPartition(to.arena(), f.Rows, train, holdout)
	if err != nil {
		return nil, err
	}
	return e.encodeRows(ctx, f, d, to, f.Has(e.Target.Name))
}

// spreadOverRanks extends the dataset of this rank's rows to the number of rows of all ranks. first is the row of
// the table at which the block of this rank begins.
func (s *Shared) spreadOverRanks(ds *Dataset, first int) (err error) {
	rows := make([]int, len(ds.Rows))
	for k, r := range ds.Rows {
		rows[k] = r + first
	}
	ds.N = s.Total
	ds.Rows, ds.Target = placeRankRows(s, rows), placeRankRows(s, ds.Target)
	if ds.Exposure != nil {
		ds.Exposure = placeRankRows(s, ds.Exposure)
	}
	for k := range ds.Groups {
		ds.Groups[k].Index = placeRankRows(s, ds.Groups[k].Index)
	}
	ds.X, err = design.NewSharded(s.Rows, s.Total, ds.X)
	return err
}

// placeRankRows returns a vector with one entry for each row of all ranks. Only the entries of this rank are set
// and occupy memory.
func placeRankRows[T memory.Element](s *Shared, own []T) []T {
	all := memory.Make[T](memory.NewVirtual(), s.Total)
	lo, _ := s.Rows.LocalRange(s.Total)
	copy(all[lo:], own)
	return all
}
