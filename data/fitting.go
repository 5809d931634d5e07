package data

import (
	"context"
	"errors"
	"slices"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/paged"
)

// A fitting is an encoder in the making.
type fitting struct {
	ctx       context.Context
	f         *Frame
	e         *Encoder
	partition *tiles.Partition // of rows of ranks those of all: see whole
	dropped   [2]int
	targetOf  *Column // as the table has it
	target    *Column // with its values
	features  []*Column
	problems  table.Problems
	made      map[*Column][]Operand // features that are made of others
	products  map[*Column]Product   // of the Spec
	encode    bool                  // the rows are encoded too
	spare     table.Arrays          // of columns that were looked at
	deal      *matrix.Deal          // of the rows to ranks; nil: all are here

	fitted  []feature
	numbers int             // of the features, how many are numeric
	into    *matrix.Builder // takes the numbers as they are
	piles   *matrix.Piles   // likewise

	targets    [2][]float64
	targetErrs [2]error
	groups     [2][]Grouping
	groupErrs  [2]error
}

// tellAll looks at what is left of a table that cannot be used, and tells all that is
// wrong with it at once.
func (t *fitting) tellAll() error {
	t.encode = false
	if err := t.measure(nil); err != nil {
		return err
	}
	return t.fitRest()
}

// A feature is a source column, numeric or a category, while it is fitted.
type feature struct {
	number   *matrix.Number
	category *category
	kept     bool
}

// newFitting checks the roles, settles the rows and fits the target.
func newFitting(ctx context.Context, f *Frame, train, holdout []int, s Spec, room *paged.Room, deal *matrix.Deal) (*fitting, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	t := &fitting{ctx: ctx, f: f, e: &Encoder{Spec: s}, deal: deal}
	var err error
	if deal == nil {
		if t.partition, err = tiles.NewPartitionIn(room, f.Rows, train, holdout); err != nil {
			return nil, err
		}
	}
	if t.rows() == 0 {
		return nil, f.Fault("", table.Advice{}, "there are no rows to train on")
	}
	target, err := f.Lookup(s.Target)
	if err = t.problems.Add(err); err != nil {
		return nil, err
	}
	for _, list := range [][]string{s.Groups, s.Categorical, s.Drop} {
		for _, name := range list {
			_, err := f.Lookup(name)
			if err != nil && len(f.PartsOf(name)) > 0 {
				continue // its parts have the role of a column of dates
			}
			if t.problems.Add(err) != nil {
				return nil, err
			}
		}
	}
	t.features, err = t.e.features(f)
	if err = t.problems.Add(err); err != nil {
		return nil, err
	}
	if err := t.make(); err != nil {
		return nil, err
	}
	t.targetOf = target
	if t.deal != nil {
		return t, t.dealTarget()
	}
	if target != nil {
		if t.target, err = target.Load(ctx); err != nil {
			return nil, err
		}
	}
	if s.Impute == "drop" {
		if err := t.dropNulls(); err != nil {
			return nil, err
		}
	}
	if target == nil {
		return t, nil
	}
	rows := t.partition.Set(0)
	known := &targetFacts{}
	if target.Kind != table.Other {
		known = factsOf(s.TargetTransform, t.target, rows)
	}
	return t, t.problems.Add(t.e.fitTarget(f, t.target, rows.Len(), known))
}

// rows is how many rows are trained on, on all ranks.
func (t *fitting) rows() int {
	if t.deal == nil {
		return t.partition.Set(0).Len()
	}
	return t.deal.Total()
}

// dropNulls leaves only the rows without nulls in numeric features or the
// target.
func (t *fitting) dropNulls() error {
	var cols []*Column
	if t.target != nil {
		cols = append(cols, t.target)
	}
	for _, c := range t.features {
		if t.e.Spec.Numeric(c) {
			cols = append(cols, c)
		}
	}
	d, err := t.partition.Complete(t.ctx, cols)
	if err != nil {
		return err
	}
	for s := range d.Sets {
		t.dropped[s] = t.partition.Set(s).Len() - d.Set(s).Len()
	}
	all := t.partition.Set(0).Len()
	t.partition = d
	if d.Set(0).Len() == 0 {
		return t.f.Fault("", table.Mend(table.FillNulls), "every one of the %d rows has a null in a numeric feature or the target", all)
	}
	if n := t.dropped[0]; n > 0 {
		t.e.notef("%d of %d training rows dropped for nulls in numeric features or the target", n, all)
	}
	return nil
}

// encodeTargets encodes the target of all rows and lets go of the column. An
// error is kept for when the rows before it have been seen.
func (t *fitting) encodeTargets() error {
	if t.deal != nil {
		return t.encodeDealtTarget()
	}
	for s := range t.partition.Sets {
		rows := t.partition.Set(s)
		t.targets[s] = paged.Make[float64](t.partition.Room, rows.Len())
		t.targetErrs[s] = encodeTarget(&t.e.Target, t.f, t.target, rows, t.targets[s])
	}
	t.spare.Put(t.targetOf, t.target)
	t.target = nil
	return nil
}

// measure fits the categories and takes the moments of the numbers. Before the
// numbers are read, begin is told how many columns there can be and how many
// entries a row can have, and may set t.into.
func (t *fitting) measure(begin func(columns int, entries float64) error) error {
	rows, d := t.f.Rows, t.partition
	if t.deal != nil {
		d = t.deal.Owned
	}
	if err := t.kinds(d); err != nil {
		return err
	}
	numbers, columns, entries, wrong := t.places()
	t.numbers = len(numbers)
	if begin != nil && !wrong { // else there is no matrix: it is told with what else is wrong
		if err := begin(columns, entries); err != nil {
			return err
		}
	}
	from, to := t.deal.Stripes(rows)
	for _, x := range numbers {
		x.Moments, x.Stripe = make([]tiles.Moment, to-from), from
	}
	first, end := t.deal.Visits(rows)
	inexact, err := tiles.Visit(t.ctx, first, end, rows, matrix.ColumnsOf(numbers), false, func(w *tiles.Tile) error {
		d.Split(w)
		values, at := make([][]float64, len(w.Number)), make([]int, len(w.Number))
		for j := range w.Number {
			x := numbers[w.Lo+j]
			if t.deal.Owns(w.First) {
				x.Measure(d, w, j, t.e.Spec.Scale == "none")
			}
			if t.into != nil || t.piles != nil {
				values[j], at[j] = x.Raw(w, j), x.At
			}
		}
		if t.deal != nil {
			t.deal.Here.Split(w)
		}
		switch {
		case t.piles != nil:
			return t.piles.Put(w, values)
		case t.into != nil:
			t.into.Put(w, values, at)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for j, x := range numbers {
		x.Inexact = inexact[j]
	}
	t.deal.ShareCounts(numbers)
	return nil
}

// kinds makes a number or a category of every feature; categories with their levels in d.
func (t *fitting) kinds(d *tiles.Partition) error {
	spec := &t.e.Spec
	t.fitted = make([]feature, len(t.features))
	err := table.Parallel(t.ctx, len(t.features), func(i int) error {
		from := t.features[i]
		if spec.Numeric(from) {
			t.fitted[i].number = matrix.NewNumber(from)
			t.fitted[i].number.In.Of = t.made[from]
			return nil
		}
		if t.deal != nil {
			return nil
		}
		c, err := from.LoadInto(t.ctx, &t.spare)
		if err != nil {
			return err
		}
		defer t.spare.Put(from, c)
		k := fitCategory(spec, t.f, c, d)
		t.fitted[i].category = k
		if k.err == nil && t.encode {
			k.encode(t.f, c, d)
		}
		return nil
	})
	if err == nil && t.deal != nil {
		err = t.dealCategories()
	}
	t.spare = table.Arrays{} // let go of before the matrices are made
	if err == nil {
		t.leaveOutGroups()
	}
	return err
}

// leaveOutGroups removes the group columns that cannot be features and were not named as such.
func (t *fitting) leaveOutGroups() {
	t.fitted = slices.DeleteFunc(t.fitted, func(q feature) bool {
		var fault *table.Error
		if q.category == nil || !t.e.Spec.DefaultGroupFeature(q.category.in.Name) || !errors.As(q.category.err, &fault) {
			return false
		}
		t.e.notef("group column %q is not a feature: %s", q.category.in.Name, fault.Msg)
		return true
	})
}

// places gives the numbers their columns of the matrix, and counts these and the entries of a
// row that are not zero; wrong: a category cannot be used.
func (t *fitting) places() (numbers []*matrix.Number, columns int, entries float64, wrong bool) {
	for _, q := range t.fitted {
		if q.number != nil {
			q.number.At, q.number.Nth = columns, len(numbers)
			numbers = append(numbers, q.number)
			columns++
			entries += t.filled(q.number)
		} else if q.category.err != nil {
			wrong = true
		} else if w := q.category.in.Width(); w > 0 {
			columns += w
			entries++
		}
	}
	if t.e.Spec.Intercept {
		columns++
		entries++
	}
	return numbers, columns, entries, wrong
}

// filled returns the proportion of rows in which a number has an entry: of a product it is
// about one over the levels of its group column, else 1.
func (t *fitting) filled(x *matrix.Number) float64 {
	p, product := t.products[x.Column]
	if !product {
		return 1
	}
	levels := map[string]bool{}
	for _, q := range t.e.Spec.Products {
		if q.Of[0].Column == p.Of[0].Column {
			levels[q.Of[0].Level] = true
		}
	}
	return 1 / float64(len(levels))
}

// matrixRows are the rows of the matrices that are made here.
func (t *fitting) matrixRows() *tiles.Partition {
	if t.deal != nil {
		return t.deal.Here
	}
	return t.partition
}

// fitRest makes the columns of the features that were measured, and the groups.
func (t *fitting) fitRest() error {
	f, e := t.f, t.e
	for i := range t.fitted {
		q := &t.fitted[i]
		var err error
		if q.number != nil {
			t.deal.ShareMoments(q.number)
			q.kept, err = e.addNumeric(t.ctx, f, q.number, t)
			q.number.Moments = nil
		} else if err = q.category.err; err == nil {
			q.kept = e.addCategory(q.category)
		}
		if err := t.problems.Add(err); err != nil {
			return err
		}
	}
	if err := t.problems.Add(t.fitGroups()); err != nil {
		return err
	}
	if err := t.problems.Err(); err != nil {
		return err
	}
	if len(e.Columns) == 0 {
		return f.Fault("", table.Mend(table.NameFeatures), "no feature is left: every candidate column is constant, dropped, a group or the target")
	}
	if e.Spec.Intercept {
		e.Columns = append(e.Columns, Coding{Name: InterceptName, Kind: "intercept", Scale: 1})
	}
	e.noteColumns()
	if w, n := len(e.Columns), t.rows(); w > n {
		e.notef("%d encoded columns but only %d training rows", w, n)
	}
	return nil
}

// sources are the features that are encoded.
func (t *fitting) sources() (all []source, numbers []*matrix.Number) {
	for _, q := range t.fitted {
		if !q.kept {
			continue
		}
		all = append(all, source{q.number, q.category})
		if q.number != nil {
			numbers = append(numbers, q.number)
		}
	}
	return all, numbers
}

// entries is how many cells of a row are not zero, on average; of categories,
// and of numbers that are standardised, at most.
func (t *fitting) entries() float64 {
	n := float64(t.rows())
	sum := 0.0
	for _, q := range t.fitted {
		switch {
		case !q.kept:
		case q.number != nil && t.e.Spec.Scale == "none":
			sum += float64(q.number.Nonzero) / n
		case q.number != nil:
			sum += t.filled(q.number)
		default:
			sum++
		}
	}
	if t.e.Intercept() >= 0 {
		sum++
	}
	return sum
}

// A source is what one input of an encoder gives to the matrices: one of them.
type source struct {
	number   *matrix.Number
	category *category
}

// matrixSources are the same with what the matrices take of a category.
func matrixSources(sources []source) []matrix.Source {
	out := make([]matrix.Source, len(sources))
	for i, o := range sources {
		out[i].Number = o.number
		if k := o.category; k != nil {
			out[i].Category = &matrix.Category{Codes: k.codes, First: k.in.First, Width: k.in.Width()}
		}
	}
	return out
}

// layout is what the matrices take of the encoder.
func (e *Encoder) layout() matrix.Layout {
	return matrix.Layout{Width: len(e.Columns), Intercept: e.Intercept(), Raw: e.Spec.Scale == "none" || len(e.Spec.Products) > 0}
}
