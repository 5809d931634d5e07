package encode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A Report counts what had to be adapted while encoding: unseen levels, filled nulls, dropped rows.
type Report struct {
	Rows    int      `json:"rows"`              // rows encoded
	Dropped int      `json:"dropped"`           // rows left out under impute drop
	Invalid int      `json:"invalid,omitempty"` // rows that cannot be encoded; see EncodeValidBlocks
	Unseen  []Unseen `json:"unseen,omitempty"`  // per column, levels that training did not see
	// per column whose rare levels are one, these and unseen ones; without a Profile
	Merged  []Unseen `json:"merged,omitempty"`
	Imputed []Filled `json:"imputed,omitempty"` // per column, nulls filled

	// Drift compares the rows with the training rows, by column, if the encoder has a Profile.
	Drift []Drift `json:"drift,omitempty"`

	// Training says how many of the rows are training rows, where the encoder has a RowSample.
	Training *TrainingRows `json:"training_rows,omitempty"`

	// MissingGroups are group columns the frame does not have; groupings that
	// need one are left out of the Dataset.
	MissingGroups []string `json:"missing_groups,omitempty"`

	NewGroups []Unseen `json:"new_groups,omitempty"` // per group column, groups that training did not have
}

// Unseen counts values of a category that did not occur in training. All columns of the category are 0 for
// them.
type Unseen struct {
	Column   string   `json:"column"`
	Count    int      `json:"count"`           // rows
	Nulls    int      `json:"nulls,omitempty"` // of them, rows without a value
	Examples []string `json:"examples"`
	Places   bool     `json:"places,omitempty"` // the values are entries of sparse vectors, at places that add nothing
	FirstRow int      `json:"first_row"`        // 1-based
}

// add counts a row with a label.
func (u *Unseen) add(label string) {
	u.Count++
	u.addExamples(label)
}

// addExamples adds labels to the examples.
func (u *Unseen) addExamples(labels ...string) {
	for _, l := range labels {
		if len(u.Examples) < maxExamples && !slices.Contains(u.Examples, l) {
			u.Examples = append(u.Examples, l)
		}
	}
}

// mergeUnseen adds the counts of further rows.
func mergeUnseen(to, of []Unseen) []Unseen {
	for _, u := range of {
		at := slices.IndexFunc(to, func(v Unseen) bool { return v.Column == u.Column })
		if at < 0 {
			to = append(to, u)
			continue
		}
		v := &to[at]
		v.Count += u.Count
		v.Nulls += u.Nulls
		v.addExamples(u.Examples...)
	}
	return to
}

// Filled counts the nulls of a column that were filled.
type Filled struct {
	Column string  `json:"column"`
	Count  int     `json:"count"`
	Value  float64 `json:"value"`
}

// maxExamples is the largest number of unseen levels listed for a column.
const maxExamples = 5

// Encode makes a Dataset of the given rows of f, nil meaning all, in that
// order. The frame must have every input column; if it has no target column,
// Target is nil, and groupings whose columns it lacks are left out. Cells are
// float64, and the matrix is sparse where auto storage has it so.
func (e *Encoder) Encode(ctx context.Context, f *data.Frame, rows []int) (*Dataset, Report, error) {
	return e.encode(ctx, f, rows, f.Has(e.Target.Name))
}

func (e *Encoder) encode(ctx context.Context, f *data.Frame, rows []int, withTarget bool) (*Dataset, Report, error) {
	return e.encodeIn(ctx, f, slices.Clone(rows), withTarget, nil)
}

// encodeIn works like encode, but allocates in an arena. It keeps rows.
func (e *Encoder) encodeIn(
	ctx context.Context, f *data.Frame, rows []int, withTarget bool, arena *memory.Arena,
) (*Dataset, Report, error) {
	d, err := matrix.NewPartition(arena, f.Rows, rows, nil)
	if err != nil {
		return nil, Report{}, err
	}
	out, err := e.encodeRows(ctx, f, d, Sink{}, withTarget)
	if err != nil {
		return nil, Report{}, err
	}
	return out.Train, out.TrainReport, nil
}

// encodeRows encodes the rows of a partition. With Impute "drop" it leaves out rows with nulls.
func (e *Encoder) encodeRows(
	ctx context.Context, f *data.Frame, d *matrix.Partition, to Sink, withTarget bool,
) (*Fitted, error) {
	var dropped [2]int
	if e.Spec.Impute == "drop" {
		base, _ := e.withoutProducts()
		in, err := base.findColumns(ctx, f, withTarget)
		if err != nil {
			return nil, err
		}
		all := d
		if d, err = d.CompleteRows(ctx, in.complete); err != nil {
			return nil, err
		}
		for s := range d.Sets {
			dropped[s] = all.Set(s).Len() - d.Set(s).Len()
		}
	}
	out, err := e.encodeSets(ctx, f, d, to, withTarget)
	if err != nil {
		return nil, dropFillHints(err)
	}
	out.TrainReport.Dropped, out.HoldoutReport.Dropped = dropped[0], dropped[1]
	return out, f.Fingerprint()
}

// openColumns holds the columns of a table that an encoder reads.
type openColumns struct {
	inputs   []*data.Column // nil for products of two categories
	target   *data.Column   // with its values; nil where it is not asked for
	exposure *data.Column   // with its values; nil without one
	complete []*data.Column // that may have no nulls where rows with nulls are dropped
}

// findColumns looks up the columns of the inputs and of the target. The error names all that are missing.
func (e *Encoder) findColumns(ctx context.Context, f *data.Frame, withTarget bool) (*openColumns, error) {
	o, terms := &openColumns{inputs: make([]*data.Column, len(e.Inputs))}, newTermOpener(f)
	var problems data.Problems
	for i := 0; i < len(e.Inputs); i++ {
		if _, n := e.crossingAt(i); n > 0 {
			i += n - 1
			continue
		}
		in := e.Inputs[i]
		var c *data.Column
		var err error
		if in.Of != nil {
			c, err = terms.open(ctx, Term{Name: in.Name, Of: in.Of})
		} else {
			c, err = inputColumn(ctx, f, &in)
		}
		if err == nil {
			err = e.checkDateKind(ctx, f, &in, c)
		}
		if err != nil {
			e.suggestUnused(f, err)
			if err = problems.Add(err); err != nil {
				return nil, err
			}
			continue
		}
		if o.inputs[i] = c; in.Kind == data.Numeric {
			o.complete = append(o.complete, c)
		}
	}
	if name := e.Target.Exposure; name != "" {
		c, err := inputColumn(ctx, f, &Input{Name: name, Kind: data.Numeric})
		if err == nil {
			c, err = c.Load(ctx)
		}
		if err = problems.Add(err); err != nil {
			return nil, err
		}
		o.exposure, o.complete = c, append(o.complete, c)
	}
	if err := mergeAbsentColumns(problems).Err(); err != nil {
		return nil, err
	}
	if !withTarget {
		return o, nil
	}
	c, err := f.Lookup(e.Target.Name)
	switch {
	case err != nil:
	case e.Target.Task == Regression:
		c, err = c.Load(ctx)
	default:
		c, err = f.LoadLabels(ctx, c)
	}
	o.target, o.complete = c, append(o.complete, c)
	return o, err
}

// A source is what is encoded together: a number, a category or the product of two categories.
type source struct {
	in       *Input // the first one
	column   *data.Column
	number   *matrix.Number
	category *category
	vector   *matrix.Vector
}

// prepareSources reads and codes the categories in the rows of a partition, and prepares the numbers for
// reading.
func (e *Encoder) prepareSources(
	ctx context.Context, f *data.Frame, d *matrix.Partition, o *openColumns,
) (all []source, written []matrix.Source, err error) {
	for i := 0; i < len(e.Inputs); i++ {
		q := source{in: &e.Inputs[i], column: o.inputs[i]}
		if k, n := e.crossingAt(i); n > 0 {
			q.category = k
			i += n - 1
		} else if q.in.isVector() {
			q.vector = q.in.vectorSource(q.column)
		} else if q.in.Kind == data.Numeric {
			c := e.Columns[q.in.First]
			q.number = matrix.NewNumber(q.column, q.in.First, q.in.Fill, c.Shift, c.Scale)
		} else {
			q.category = &category{kind: q.in.Kind, levels: q.in.Levels, in: *q.in}
		}
		all = append(all, q)
	}
	written = make([]matrix.Source, len(all))
	err = table.Parallel(ctx, len(all), func(i int) error {
		k := all[i].category
		written[i].Vector = all[i].vector
		if written[i].Number = all[i].number; k == nil {
			return nil
		}
		if k.pairs != nil {
			columns, err := k.loadPair(ctx, f)
			if err != nil {
				return err
			}
			k.encodePairs(columns, d)
		} else {
			c, err := f.LoadLabels(ctx, all[i].column)
			if err != nil {
				return err
			}
			k.encode(f, c, d)
		}
		written[i].Category = &matrix.Category{Codes: k.codes, First: k.in.First, Width: k.width()}
		return nil
	})
	return all, written, err
}

// encodeSets encodes the training rows and, if there are any, the hold-out rows of a partition.
func (e *Encoder) encodeSets(
	ctx context.Context, f *data.Frame, d *matrix.Partition, to Sink, withTarget bool,
) (*Fitted, error) {
	if base, coefficients := e.withoutProducts(); coefficients != nil {
		return e.encodeGrouped(ctx, f, d, to, withTarget, base)
	}
	o, err := e.findColumns(ctx, f, withTarget)
	if err != nil {
		return nil, err
	}
	sources, written, err := e.prepareSources(ctx, f, d, o)
	if err != nil {
		return nil, err
	}
	entries := 0.0
	for _, q := range sources {
		if q.vector != nil {
			entries += entriesPerRow(q.column)
		} else {
			entries++
		}
	}
	if e.Intercept() >= 0 {
		entries++
	}
	out := &Fitted{Encoder: e, Storage: to.Storage.Choose(entries, len(e.Columns)), arena: to.arena(),
		codes: map[int]*matrix.Codes{}}
	for i, in := range e.Inputs {
		at := slices.IndexFunc(sources, func(q source) bool { return q.in == &e.Inputs[i] })
		if in.Of == nil && at >= 0 && written[at].Category != nil && slices.Contains(e.Spec.Groups, in.Name) {
			out.codes[i] = &written[at].Category.Codes
		}
	}
	for s := range d.Sets {
		if err := checkVectors(f, d.Set(s), sources, out.Storage); err != nil {
			return nil, err
		}
	}
	m, err := matrix.Write(ctx, f.Name(), e.layout(), d, matrix.Destination{Storage: out.Storage, Disk: to.Disk}, written)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	for s := range d.Sets {
		if s > 0 && d.Set(s).Len() == 0 {
			continue
		}
		ds, report, err := e.newDataset(ctx, f, d, s, o, sources)
		if err == nil {
			ds.X, err = m.Matrix(s)
		}
		switch {
		case err != nil && s > 0:
			return nil, fmt.Errorf("hold-out rows: %w", err)
		case err != nil:
			return nil, err
		case s > 0:
			out.Holdout, out.HoldoutReport = ds, report
		default:
			out.Train, out.TrainReport = ds, report
		}
	}
	d.FreePlaces()
	m.Keep()
	return out, nil
}

// newDataset returns the dataset of set s without its matrix, or the errors of rows that cannot be encoded.
func (e *Encoder) newDataset(
	ctx context.Context, f *data.Frame, d *matrix.Partition, s int, o *openColumns, sources []source,
) (*Dataset, Report, error) {
	rows := d.Set(s)
	ds := &Dataset{N: rows.Len(), D: len(e.Columns), Names: e.Names(), Intercept: e.Intercept(), Rows: d.Sets[s]}
	report := Report{Rows: ds.N}
	var problems data.Problems
	for _, q := range sources {
		if k := q.category; k != nil {
			if err := problems.Add(k.errs[s]); err != nil {
				return nil, report, err
			}
			if k.unseen[s] != nil {
				report.Unseen = append(report.Unseen, *k.unseen[s])
			}
			if rare := k.rare[s]; rare.Count > 0 && e.Profile == nil {
				rare.Column = k.in.Name
				report.Merged = append(report.Merged, rare)
			}
			continue
		}
		if q.vector != nil {
			if u := countUnseenPlaces(f, &q, rows); u != nil {
				report.Unseen = append(report.Unseen, *u)
			}
			continue
		}
		in, faults := q.in, q.number.Faults(s)
		if err := problems.Add(numberFault(f, in.Name, in.Of, faults, ds.N, e.Spec.Impute)); err != nil {
			return nil, report, err
		}
		if faults.Nulls > 0 {
			report.Imputed = append(report.Imputed, Filled{Column: in.Name, Count: faults.Nulls, Value: in.Fill})
		}
	}
	if err := problems.Err(); err != nil {
		return nil, report, err
	}
	if o.exposure != nil {
		ds.Exposure = memory.Make[float64](d.Arena, ds.N)
		if err := readExposures(f, o.exposure, rows, ds.Exposure); err != nil {
			return nil, report, err
		}
	}
	if o.target != nil {
		ds.Target = memory.Make[float64](d.Arena, ds.N)
		if err := encodeTarget(&e.Target, f, o.target, rows, ds.Target); err != nil {
			return nil, report, err
		}
		for i, x := range ds.Exposure {
			ds.Target[i] /= x
		}
	}
	return ds, report, e.encodeGroups(ctx, f, rows, ds, &report)
}

// dropFillHints adapts the hints of errors about nulls to a model that is trained already.
func dropFillHints(err error) error {
	var all data.Problems
	if all.Add(err) != nil {
		return err
	}
	for _, of := range all {
		if slices.Contains(of.Fixes, fix.Impute) {
			of.Fixes, of.Hint = nil, "the model has no fill value for nulls: leave such rows out, or train again with "+
				"imputed nulls"
		}
	}
	return err
}

// suggestUnused sets the hint of a missing column to the nearest name among the columns that the encoder does
// not use: the column may have been renamed.
func (e *Encoder) suggestUnused(f *data.Frame, err error) {
	absent := (*data.Error)(nil)
	if !errors.As(err, &absent) || absent.Class != data.ErrNoColumn {
		return
	}
	unused := slices.DeleteFunc(f.Names(), func(name string) bool {
		return name == e.Target.Name || name == e.Target.Exposure ||
			slices.ContainsFunc(e.Inputs, func(in Input) bool { return in.Name == name })
	})
	if near := printable.Nearest(absent.Column, unused, 1); len(near) > 0 {
		absent.Hint = "did you mean " + printable.QuoteList(near, "or") + "?"
	}
}

// inputColumn returns the column of an input in f, deriving it if necessary.
func inputColumn(ctx context.Context, f *data.Frame, in *Input) (*data.Column, error) {
	c, err := f.Lookup(in.Name)
	if err != nil {
		if absent := (*data.Error)(nil); errors.As(err, &absent) && absent.Class == data.ErrNoColumn {
			absent.Msg += ", which the model was trained on"
			f.DescribeAbsentPart(absent)
		}
		return nil, err
	}
	return checkInputColumn(ctx, f, in, c)
}

// checkDateKind returns an error if a column that held numbers in training holds dates here, or the reverse.
func (e *Encoder) checkDateKind(ctx context.Context, f *data.Frame, in *Input, c *data.Column) error {
	dates := slices.Contains(e.Dates, in.Name)
	if f.InMemory() || in.Kind != data.Numeric || in.Of != nil || c.Kind != data.Numeric || c.Of != "" ||
		dates == c.Clock || f.Rows == 0 {
		return nil
	}
	loaded, err := c.Load(ctx)
	if err != nil || loaded.IsAllNull() {
		return err
	}
	if dates {
		return f.Fault(c.Name, fix.Advice{}, "the column holds numbers (%s), but in the training table it held dates", c.Type)
	}
	return f.Fault(c.Name, fix.Advice{}, "the column holds dates, but in the training table it held numbers")
}

// mergeAbsentColumns replaces the errors of many missing columns by one, since the table is then probably the
// wrong one.
func mergeAbsentColumns(all data.Problems) (out data.Problems) {
	const most = 3 // that have an error each
	var absent []string
	var first *data.Error
	for _, e := range all {
		if e.Class != data.ErrNoColumn {
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
	first.Msg = fmt.Sprintf("the columns %s and %d more that the model was trained on are missing",
		printable.QuoteList(absent[:most], "and"), len(absent)-most)
	return append(data.Problems{first}, out...)
}

// checkInputColumn returns c, or an error if it cannot be read as the input. A text column with only nulls can
// be read as numbers; its values are loaded.
func checkInputColumn(ctx context.Context, f *data.Frame, in *Input, c *data.Column) (*data.Column, error) {
	if c.Kind == data.Other || (c.Kind == data.Vector) != in.isVector() {
		return nil, f.Fault(c.Name, fix.Advice{}, "the type is %s, but in the training table the column held %s values",
			c.Type, in.Kind)
	}
	if in.Kind != data.Numeric || c.Kind != data.Categorical {
		return c, nil
	}
	c, err := c.Load(ctx)
	if err == nil && !c.IsAllNull() && f.Rows > 0 {
		row, advice := c.UnexpectedRow-1, fix.Advice{Hint: "the model needs numbers: check that this is the same column " +
			"as in training"}
		if row >= 0 {
			advice = fix.Advice{Fixes: []fix.Fix{fix.NameMissing}}
		} else {
			for row = 0; c.IsNull(row); row++ {
			}
		}
		fault := f.FaultAt(c.Name, row, advice,
			"the column is text, but in the training table it held numbers: the value is %q", c.Text(row))
		fault.FixValues = map[fix.Fix]string{fix.NameMissing: c.Text(row)}
		err = fault
	}
	return c, err
}

// labelReader returns a function that gives the text of the values of c as a column of kind trained would have
// it: if training had bools, 0, 1 and the usual words for bools are read as false and true; otherwise values
// keep their text.
func labelReader(c *data.Column, trained data.Kind) func(row int) string {
	if trained != data.Bool || c.Kind == data.Bool {
		return c.Text
	}
	return func(r int) string {
		text := c.Text(r)
		if v, ok := numeral.ParseBool(text); ok && c.Kind == data.Categorical ||
			c.Kind == data.Numeric && (text == "0" || text == "1") {
			return strconv.FormatBool(v || text == "1")
		}
		return text
	}
}

// Add merges the report of further rows of the table into r.
func (r *Report) Add(o Report) {
	r.Rows, r.Dropped, r.MissingGroups = r.Rows+o.Rows, r.Dropped+o.Dropped, o.MissingGroups
	r.Invalid += o.Invalid
	r.Unseen, r.Merged = mergeUnseen(r.Unseen, o.Unseen), mergeUnseen(r.Merged, o.Merged)
	for _, i := range o.Imputed {
		if at := slices.IndexFunc(r.Imputed, func(v Filled) bool { return v.Column == i.Column }); at >= 0 {
			r.Imputed[at].Count += i.Count
		} else {
			r.Imputed = append(r.Imputed, i)
		}
	}
}

// String summarises the report in one line, or returns "" if nothing had to be adapted.
func (r Report) String() string {
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
		what := "levels"
		if u.Places {
			what = "entries at indices"
		}
		add("column %q: %d %s with "+what+" unseen in training (%s)", u.Column, u.Count,
			printable.Noun(u.Count, "row", "rows"), printable.QuoteList(u.Examples, "and"))
	}
	var filled []string
	for _, i := range r.Imputed {
		filled = append(filled, fmt.Sprintf("%s (%s in %d %s)", i.Column, numeral.FormatNumber(i.Value), i.Count,
			printable.Noun(i.Count, "row", "rows")))
	}
	if n := len(filled); n > 0 {
		add("nulls filled in %d %s: %s", n, printable.Noun(n, "column", "columns"), listFirst(filled))
	}
	if len(r.MissingGroups) > 0 {
		add("no group column %s", printable.QuoteList(r.MissingGroups, "and"))
	}
	return s
}
