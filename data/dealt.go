package data

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/ranks"
)

// StripeRows is the number of rows that are read together: those of a table come in stripes.
const StripeRows = tiles.StripeRows

// FitDealt is Fit of total training rows that are dealt to several ranks, a collective call:
// each has train of them, all behind those of the ranks before and each named once, reads the
// numbers, categories, targets and groups of these and has the matrix of these, a
// *design.Dealt. Vectors of one entry a row are as long as the rows of all, and have the
// entries of a rank's own. Encoders are the same everywhere, to the bits of those of Fit. The
// training rows are in the order of the table but within the shards of rows, so that those of
// a rank lie together in the file. Hold-out rows of this rank, which ascend, are read with its
// training rows where they lie among these: [Fitted.AgreeHoldout] completes them.
func FitDealt(ctx context.Context, f *Frame, train []int, total int, held []int, s Spec, storage Storage, rows *ranks.Rows) (*Fitted, error) {
	if s.Impute == "drop" {
		return nil, errors.New("impute drop is not for several ranks: which rows are left would have to be known before they are dealt; fill the nulls, or leave their rows out with a filter")
	}
	d, err := matrix.NewDeal(f.Rows, train, total, held, rows)
	if err != nil {
		return nil, err
	}
	return fit(ctx, f, nil, nil, s, storage, nil, d)
}

// whole are the rows of all ranks: what is made of whole columns, features made of others and
// medians, asks for them.
func (t *fitting) whole() (*tiles.Partition, error) {
	if t.partition == nil {
		var err error
		all := t.deal.Rows().Collect(t.deal.Here.Sets[0])
		if t.partition, err = tiles.NewPartition(t.f.Rows, all, nil); err != nil {
			return nil, err
		}
	}
	return t.partition, nil
}

// placed are the entries of a rank's own rows in a vector as long as the rows of all, which
// takes memory for these alone.
func placed[T paged.Entry](d *matrix.Deal, own []T) []T {
	all, here := vectorOfAll[T](d)
	copy(here, own)
	return all
}

// vectorOfAll makes a vector of zeros as long as the rows of all, and gives the entries of a rank's own.
func vectorOfAll[T paged.Entry](d *matrix.Deal) (all, here []T) {
	all = paged.Make[T](paged.Virtual(), d.Total())
	lo, hi := d.Bounds()
	return all, all[lo:hi]
}

// here is a column with values, of the rows that this rank visits, from first on.
func (t *fitting) here(c *Column) (here *Column, first int, err error) {
	first, end := t.deal.Visits(t.f.Rows)
	here = c.Slice(first, max(first, end))
	if first < end {
		here, err = here.Load(t.ctx)
	}
	return here, first, err
}

// dealTarget reads the target of the rows that are here and settles its coding by what is
// known of all.
func (t *fitting) dealTarget() error {
	c := t.targetOf
	if c == nil {
		return nil
	}
	if c.Kind == table.Other {
		return t.problems.Add(t.e.fitTarget(t.f, c, t.rows(), nil))
	}
	var first int
	var err error
	if t.target, first, err = t.here(c); err != nil {
		return err
	}
	transform := t.e.Spec.TargetTransform
	own := factsOf(transform, t.target, t.deal.Here.Relative().Set(0))
	own.from(first)
	all, err := told(t.deal.Comm(), own)
	if err != nil {
		return err
	}
	known := joinedFacts(all)
	known.moments = func() []tiles.Moment {
		v, _ := ranks.GatherAll(t.deal.Comm(), tiles.AppendMoments(nil, momentsOf(transform, t.target, t.deal.Owning().Set(0))))
		return tiles.MomentsOf(v)
	}
	return t.problems.Add(t.e.fitTarget(t.f, c, t.rows(), known))
}

// from counts rows from the first of the table, not from this one.
func (k *targetFacts) from(first int) {
	for _, row := range []*int{&k.First, &k.Null, &k.Bad, &k.Outside} {
		if *row >= 0 {
			*row += first
		}
	}
	if k.Inexact > 0 {
		k.Inexact += first
	}
}

// joinedFacts are those of the rows of all ranks, whose rows are in the order of the table.
func joinedFacts(all []*targetFacts) *targetFacts {
	out := &targetFacts{First: none, Null: none, Bad: none, Outside: none}
	for _, k := range all {
		for _, row := range []struct{ to, is *int }{{&out.First, &k.First}, {&out.Null, &k.Null}} {
			if *row.to < 0 {
				*row.to = *row.is
			}
		}
		if out.Bad < 0 {
			out.Bad, out.Value = k.Bad, k.Value
		}
		if out.Outside < 0 {
			out.Outside, out.Text = k.Outside, k.Text
		}
		if out.Inexact == 0 {
			out.Inexact = k.Inexact
		}
		out.Nulls, out.Uncovered = out.Nulls+k.Nulls, out.Uncovered+k.Uncovered
		for _, v := range k.Values {
			if len(out.Values) < tellingApart && !slices.Contains(out.Values, v) {
				out.Values = append(out.Values, v)
			}
		}
	}
	return out
}

// encodeDealtTarget is encodeTargets of the rows that are here.
func (t *fitting) encodeDealtTarget() error {
	here := t.deal.Here.Relative()
	all, own := vectorOfAll[float64](t.deal)
	t.targetErrs[0] = encodeTo(own, &t.e.Target, t.f, t.target, here.Set(0))
	t.targets[0] = all
	if held := here.Set(1); held.Len() > 0 {
		t.targets[1] = make([]float64, held.Len())
		t.targetErrs[1] = encodeTarget(&t.e.Target, t.f, t.target, held, t.targets[1])
	}
	t.target = nil
	return nil
}

// dealGroups are the groups of the training rows that are here, by the values of a column, with
// the labels of the rows of all, and those of the hold-out rows.
func (t *fitting) dealGroups(c *Column) (g, held Grouping, err error) {
	here, first, err := t.here(c)
	if err != nil {
		return g, held, err
	}
	rows := t.deal.Here.Relative()
	f := t.f.Slice(first, first+rows.Rows)
	g, err = groupsOf(f, here, c.Kind, rows.Set(0))
	if g, err = t.labelled(g, err); err != nil {
		return g, held, err
	}
	if rows.Set(1).Len() > 0 && t.groupErrs[1] == nil {
		held, t.groupErrs[1] = groupsOf(f, here, c.Kind, rows.Set(1))
	}
	return g, held, coarse(t.f, c.Name, c.Kind, g.Labels)
}

// coarse refuses more groups by the values of a column than groupsOf does, of which ranks have
// some each.
func coarse(f *Frame, column string, kind Kind, labels []string) error {
	fractions := false
	for _, l := range labels {
		if v, _, ok := table.ParseNumber(l); ok && kind == Numeric {
			fractions = fractions || v != math.Trunc(v)
		}
	}
	if fractions && len(labels) > maxFloatGroups {
		return tooFine(f, column)
	}
	return tooMany(f, column, len(labels))
}

// labelled gives a grouping of the rows that are here the labels of the rows of all, or the
// first fault of a rank: a collective call.
func (t *fitting) labelled(g Grouping, fault error) (Grouping, error) {
	type groups struct {
		Labels []string
		Fault  *table.Error
	}
	own := groups{Labels: g.Labels, Fault: ofRows(fault)}
	all, err := told(t.deal.Comm(), own)
	if err != nil {
		return g, err
	}
	for _, of := range all {
		if of.Fault != nil {
			return g, of.Fault
		}
	}
	for _, of := range all {
		g = g.with(of.Labels)
	}
	return g, nil
}

// ofRows is an error as what is wrong with rows of a table, which ranks tell each other; nil
// where it is another, as of a file that cannot be read.
func ofRows(err error) *table.Error {
	var e *table.Error
	if errors.As(err, &e) && e.Class == nil && e.Err == nil {
		return e
	}
	return nil
}

// told returns what every rank has to tell.
func told[T any](c ranks.Comm, own T) ([]T, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(own); err != nil {
		return nil, err
	}
	var all []T
	for _, text := range ranks.GatherBytes(c, b.Bytes()) {
		var of T
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&of); err != nil {
			return nil, err
		}
		all = append(all, of)
	}
	return all, nil
}

// dealCategories fits the categories: every rank reads those of its rows, and all have the
// levels of all.
func (t *fitting) dealCategories() error {
	first, end := t.deal.Visits(t.f.Rows)
	end = max(first, end)
	f, here := t.f.Slice(first, end), t.deal.Here.Relative()
	columns, own := make([]*Column, len(t.features)), make([]levels, len(t.features))
	err := table.Parallel(t.ctx, len(t.features), func(i int) error {
		from := t.features[i]
		if t.fitted[i].number != nil {
			return nil
		}
		columns[i] = from.Slice(first, end)
		if end == first {
			return nil
		}
		var err error
		if columns[i], err = columns[i].Load(t.ctx); err != nil {
			return err
		}
		own[i] = levelsOf(columns[i], here.Set(0))
		own[i].Inexact = columns[i].InexactRow
		for _, row := range []*int{&own[i].Inexact, &own[i].Bad} {
			if *row > 0 {
				*row += first
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	all, err := told(t.deal.Comm(), own)
	if err != nil {
		return err
	}
	return table.Parallel(t.ctx, len(t.features), func(i int) error {
		if t.fitted[i].number != nil {
			return nil
		}
		each := make([]levels, len(all))
		for r := range all {
			each[r] = all[r][i]
		}
		k := settled(&t.e.Spec, t.f, t.features[i], joined(each), t.rows())
		t.fitted[i].category = k
		if k.err == nil && t.encode {
			k.encode(f, columns[i], here)
			k.codes.From(first)
		}
		return nil
	})
}
