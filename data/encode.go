package data

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/printable"
)

// An EncodeReport counts what did not fit while encoding.
type EncodeReport struct {
	Rows    int      `json:"rows"`              // rows encoded
	Dropped int      `json:"dropped"`           // rows left out under impute drop
	Unseen  []Unseen `json:"unseen,omitempty"`  // per column, levels that training did not see
	Imputed []Filled `json:"imputed,omitempty"` // per column, nulls filled

	// MissingGroups are group columns the frame does not have; groupings that
	// need one are left out of the Dataset.
	MissingGroups []string `json:"missing_groups,omitempty"`
}

// Unseen counts values of a category that training did not see. They encode as
// zeros in all the columns of the category.
type Unseen struct {
	Column   string   `json:"column"`
	Count    int      `json:"count"` // rows
	Examples []string `json:"examples"`
	FirstRow int      `json:"first_row"` // 1-based
}

// Filled counts the nulls of a column that were filled.
type Filled struct {
	Column string  `json:"column"`
	Count  int     `json:"count"`
	Value  float64 `json:"value"`
}

// maxExamples is the number of unseen levels that are named of a column.
const maxExamples = 5

// Encode makes a Dataset of the given rows of f, nil meaning all, in that
// order. The frame must have every input column; if it has no target column,
// Target is nil, and groupings whose columns it lacks are left out. Cells are
// float64, and the matrix is sparse where auto storage has it so.
func (e *Encoder) Encode(ctx context.Context, f *Frame, rows []int) (*Dataset, EncodeReport, error) {
	return e.encode(ctx, f, rows, f.Has(e.Target.Name))
}

// EncodeFeatures is Encode without the target, whatever the frame has.
func (e *Encoder) EncodeFeatures(ctx context.Context, f *Frame, rows []int) (*Dataset, EncodeReport, error) {
	return e.encode(ctx, f, rows, false)
}

func (e *Encoder) encode(ctx context.Context, f *Frame, rows []int, withTarget bool) (*Dataset, EncodeReport, error) {
	return e.encodeIn(ctx, f, slices.Clone(rows), withTarget, nil)
}

// encodeIn is encode with places in a room. The slice is kept.
func (e *Encoder) encodeIn(ctx context.Context, f *Frame, rows []int, withTarget bool, room *paged.Room) (*Dataset, EncodeReport, error) {
	fail := func(err error) (*Dataset, EncodeReport, error) { return nil, EncodeReport{}, err }
	d, err := tiles.NewPartitionIn(room, f.Rows, rows, nil)
	if err != nil {
		return fail(err)
	}
	sources := make([]source, len(e.Inputs))
	cols := make([]*Column, len(e.Inputs))
	var numbers []*matrix.Number
	var complete []*Column
	var problems table.Problems
	for i, in := range e.Inputs {
		c, err := inputColumn(ctx, f, &in)
		if err != nil {
			if err = problems.Add(err); err != nil {
				return fail(err)
			}
			continue
		}
		cols[i] = c
		if in.Kind == Numeric {
			x := matrix.NewNumber(c)
			x.In, x.Coding = in, e.Columns[in.First]
			sources[i].number, numbers, complete = x, append(numbers, x), append(complete, c)
		} else {
			sources[i].category = &category{kind: in.Kind, levels: in.Levels, in: in}
		}
	}
	if err := absentTogether(problems).Err(); err != nil {
		return fail(err)
	}
	var target *Column
	if withTarget {
		if target, err = f.Lookup(e.Target.Name); err != nil {
			return fail(err)
		}
		if target, err = target.Load(ctx); err != nil {
			return fail(err)
		}
		complete = append(complete, target)
	}
	dropped := 0
	if e.Spec.Impute == "drop" {
		all := d.Set(0).Len()
		if d, err = d.Complete(ctx, complete); err != nil {
			return fail(err)
		}
		dropped = all - d.Set(0).Len()
	}
	var spare table.Arrays
	err = table.Parallel(ctx, len(sources), func(i int) error {
		k := sources[i].category
		if k == nil {
			return nil
		}
		c, err := cols[i].LoadInto(ctx, &spare)
		if err != nil {
			return err
		}
		defer spare.Put(cols[i], c)
		k.encode(f, c, d)
		return nil
	})
	if err != nil {
		return fail(err)
	}
	b, err := matrix.Fill(ctx, f, e.layout(), d, nil, AutoStorage, numbers, matrixSources(sources), true)
	if err != nil {
		return fail(err)
	}
	sets, reports, err := e.datasets(f, d, nil, b, sources, func(s int, ds *Dataset, r *EncodeReport) error {
		if target != nil {
			ds.Target = make([]float64, ds.N)
			if err := encodeTarget(&e.Target, f, target, d.Set(s), ds.Target); err != nil {
				return err
			}
		}
		return e.encodeGroups(ctx, f, d.Set(s), ds, r)
	})
	if err != nil {
		return fail(unfilled(err))
	}
	reports[0].Dropped = dropped
	return sets[0], reports[0], f.Fingerprint()
}

// unfilled says of nulls, where a model is there already, what helps then.
func unfilled(err error) error {
	var all table.Problems
	if all.Add(err) != nil {
		return err
	}
	for _, of := range all {
		if slices.Contains(of.Remedies, table.Impute) {
			of.Remedies, of.Hint = nil, "the model was trained without a fill for nulls: leave such rows out, or train with nulls imputed"
		}
	}
	return err
}

// datasets makes the datasets of the sets that have rows, set 0 always. It
// reports on them and refuses rows that cannot be encoded; rest adds to each
// what is not features. Hold-out rows of a deal that cannot be have none.
func (e *Encoder) datasets(f *Frame, d *tiles.Partition, deal *matrix.Deal, b *matrix.Builder, sources []source, rest func(s int, ds *Dataset, r *EncodeReport) error) (sets [2]*Dataset, reports [2]EncodeReport, err error) {
	for s := range d.Sets {
		n, rows := d.Set(s).Len(), d.Sets[s]
		if s > 0 && n == 0 {
			continue
		}
		if deal != nil && s == 0 {
			n, rows = deal.Total(), placed(deal, rows)
		}
		ds := &Dataset{N: n, D: len(e.Columns), Names: e.Names(), Intercept: e.Intercept(), Rows: rows}
		r := &reports[s]
		r.Rows = n
		err := func() error {
			var problems table.Problems
			for _, o := range sources {
				if k := o.category; k != nil {
					if err := problems.Add(k.errs[s]); err != nil {
						return err
					}
					if k.unseen[s] != nil {
						r.Unseen = append(r.Unseen, *k.unseen[s])
					}
					continue
				}
				if err := problems.Add(o.number.Err(f, s, n, e.Spec.Impute)); err != nil {
					return err
				}
				if nulls := o.number.Nulls(s); nulls > 0 {
					r.Imputed = append(r.Imputed, Filled{Column: o.number.In.Name, Count: nulls, Value: o.number.In.Fill})
				}
			}
			err := problems.Err()
			if err != nil {
				return err
			}
			if ds.X, err = b.Matrix(s); err != nil {
				return err
			}
			return rest(s, ds, r)
		}()
		if err != nil && s > 0 {
			if deal != nil {
				continue
			}
			err = fmt.Errorf("hold-out rows: %w", err)
		}
		if err != nil {
			return sets, reports, err
		}
		sets[s] = ds
	}
	return sets, reports, nil
}

// inputColumn is that of an input in a frame, or the one that is made for it.
func inputColumn(ctx context.Context, f *Frame, in *Input) (*Column, error) {
	if in.Of != nil {
		return combined(ctx, f, in.Name, in.Of)
	}
	c, err := f.Lookup(in.Name)
	if err != nil {
		if absent := (*Error)(nil); errors.As(err, &absent) && absent.Class == table.ErrNoColumn {
			absent.Msg += ", which the model was trained on"
		}
		return nil, err
	}
	return accepted(ctx, f, in, c)
}

// absentTogether makes one problem of many columns that are not there: a table is another one then.
func absentTogether(all table.Problems) (out table.Problems) {
	const most = 3 // that are told one by one
	var absent []string
	var first *Error
	for _, e := range all {
		if e.Class != table.ErrNoColumn {
			out = append(out, e)
			continue
		}
		if first == nil {
			first = e
		}
		absent = append(absent, e.Column)
	}
	if len(absent) <= most {
		return all
	}
	first.Msg = fmt.Sprintf("there are no columns %s, nor %d more that the model was trained on",
		table.QuoteList(absent[:most], "and"), len(absent)-most)
	return append(table.Problems{first}, out...)
}

// accepted checks that a column can be read as the input. Text that is all null
// can be, as numbers; it comes with its values.
func accepted(ctx context.Context, f *Frame, in *Input, c *Column) (*Column, error) {
	if c.Kind == Other {
		return nil, f.Fault(c.Name, table.Advice{}, "the type is %s here, but training had %s values", c.Type, in.Kind)
	}
	if in.Kind != Numeric || c.Kind != Categorical {
		return c, nil
	}
	c, err := c.Load(ctx)
	if err == nil && !c.AllNull() && f.Rows > 0 {
		err = f.Fault(c.Name, table.Advice{}, "the column is text here, but training had numbers%s", stray(f, c))
	}
	return c, err
}

// reader gives the text of the values of c as a column of kind trained would
// have them: where training had bools, 0 and 1 read as false and true, and
// where it had numbers or text, bools of other files read as they are.
func reader(c *Column, trained Kind) func(row int) string {
	switch {
	case trained == Bool && c.Kind == Numeric:
		return func(r int) string { return LevelOfNumber(trained, c.Number[r]) }
	case trained == Bool && c.Kind == Categorical:
		return func(r int) string { return LevelOfText(trained, c.Text(r)) }
	}
	return c.Text
}

// Add adds the report of further rows of the table.
func (r *EncodeReport) Add(o EncodeReport) {
	r.Rows, r.Dropped, r.MissingGroups = r.Rows+o.Rows, r.Dropped+o.Dropped, o.MissingGroups
	for _, u := range o.Unseen {
		at := slices.IndexFunc(r.Unseen, func(v Unseen) bool { return v.Column == u.Column })
		if at < 0 {
			r.Unseen = append(r.Unseen, u)
			continue
		}
		v := &r.Unseen[at]
		v.Count += u.Count
		for _, e := range u.Examples {
			if len(v.Examples) < maxExamples && !slices.Contains(v.Examples, e) {
				v.Examples = append(v.Examples, e)
			}
		}
	}
	for _, i := range o.Imputed {
		if at := slices.IndexFunc(r.Imputed, func(v Filled) bool { return v.Column == i.Column }); at >= 0 {
			r.Imputed[at].Count += i.Count
		} else {
			r.Imputed = append(r.Imputed, i)
		}
	}
}

// String sums the report up in a line, or is empty if all fitted.
func (r EncodeReport) String() string {
	var s string
	add := func(format string, args ...any) {
		if s != "" {
			s += "; "
		}
		s += fmt.Sprintf(format, args...)
	}
	if r.Dropped > 0 {
		add("%d %s dropped for nulls", r.Dropped, printable.Noun(r.Dropped, "row", "rows"))
	}
	for _, u := range r.Unseen {
		add("column %q: %d %s with levels that training did not see (%s)", u.Column, u.Count, printable.Noun(u.Count, "row", "rows"), table.QuoteList(u.Examples, "and"))
	}
	var filled []string
	for _, i := range r.Imputed {
		filled = append(filled, fmt.Sprintf("%s (%s in %d %s)", i.Column, table.FormatNumber(i.Value), i.Count, printable.Noun(i.Count, "row", "rows")))
	}
	if n := len(filled); n > 0 {
		add("nulls filled in %d %s: %s", n, printable.Noun(n, "column", "columns"), someOf(filled))
	}
	if len(r.MissingGroups) > 0 {
		add("no group column %s", table.QuoteList(r.MissingGroups, "and"))
	}
	return s
}
