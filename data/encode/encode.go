package encode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A Report counts what had to be adapted while encoding: unseen levels, filled nulls and dropped rows.
type Report struct {
	Rows    int      `json:"rows"`              // number of encoded rows
	Dropped int      `json:"dropped"`           // rows dropped because of nulls, if Impute is "drop"
	Invalid int      `json:"invalid,omitempty"` // rows that cannot be encoded; see EncodeValidBlocks
	Unseen  []Unseen `json:"unseen,omitempty"`  // levels that training lacked, one element for each column
	// Merged counts the rare and unseen levels that are merged into one level, one element for each column, if
	// the encoder has no Profile.
	Merged  []Unseen `json:"merged,omitempty"`
	Imputed []Filled `json:"imputed,omitempty"` // filled nulls, one element for each column

	// Drift compares the rows with the training rows, one element for each column, if the encoder has a
	// Profile.
	Drift []Drift `json:"drift,omitempty"`

	// Training counts the rows that are equal to training rows, if the encoder has a RowSample.
	Training *TrainingRows `json:"training_rows,omitempty"`

	// MissingGroups lists group columns that the frame lacks; groupings that need one of them are omitted from
	// the Dataset.
	MissingGroups []string `json:"missing_groups,omitempty"`

	// groups that did not occur in training, one element for each group column
	NewGroups []Unseen `json:"new_groups,omitempty"`
}

// Unseen counts the rows with values that did not occur in training: levels of a category, all encoded columns of
// which are then 0, groups, or indices of sparse vectors.
type Unseen struct {
	Column   string   `json:"column"`
	Count    int      `json:"count"`           // rows
	Nulls    int      `json:"nulls,omitempty"` // number of these rows that have a null
	Examples []string `json:"examples"`
	// the values are entries of sparse vectors whose indices have no encoded column
	Places bool `json:"places,omitempty"`
	// some of these entries are at index 0, but training saw only greater indices: the rows may count indices from 0,
	// and the training rows from 1
	FromZero bool `json:"from_zero,omitempty"`
	// the indices of the table begin above 0 and end one above those of the training rows, which begin at 0: the rows may
	// count indices from 1, and the training rows from 0
	FromOne bool `json:"from_one,omitempty"`
	// first of these rows, counted from 1 in its file; for groups, counted from 1 among the encoded rows
	FirstRow int `json:"first_row"`
}

// kind returns what the values are called in messages.
func (u *Unseen) kind() string {
	if u.Places {
		return "entries at indices"
	}
	return "levels"
}

// add counts a row with the given label.
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

// mergeUnseen adds counts of further rows to those in to.
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
		v.FromZero, v.FromOne = v.FromZero || u.FromZero, v.FromOne || u.FromOne
		v.addExamples(u.Examples...)
	}
	return to
}

// Filled states how many nulls of a column were filled, and with which value.
type Filled struct {
	Column string  `json:"column"`
	Count  int     `json:"count"`
	Value  float64 `json:"value"`
}

// maxExamples is the maximum number of unseen levels listed for a column.
const maxExamples = 5

// Encode returns a Dataset of the given rows of f, in that order; nil means all rows. The frame must have every
// input column. If it lacks the target column, Target is nil; groupings whose columns it lacks are omitted. Cells
// are float64, and automatic storage decides whether the matrix is sparse.
func (e *Encoder) Encode(ctx context.Context, f *data.Frame, rows []int) (*Dataset, Report, error) {
	return e.encode(ctx, f, rows, f.Has(e.Target.Name))
}

// encode works like Encode. withTarget states whether the target is encoded.
func (e *Encoder) encode(ctx context.Context, f *data.Frame, rows []int, withTarget bool) (*Dataset, Report, error) {
	return e.encodeIn(ctx, f, slices.Clone(rows), withTarget, nil)
}

// encodeIn works like encode, but allocates in an arena. The result refers to rows, which must not be changed.
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

// encodeRows encodes the rows of a partition. If Impute is "drop", it omits rows with nulls.
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
		return nil, adaptFillHints(err)
	}
	out.TrainReport.Dropped, out.HoldoutReport.Dropped = dropped[0], dropped[1]
	return out, f.Fingerprint()
}

// openColumns holds the columns of a table that an encoder reads.
type openColumns struct {
	inputs   []*data.Column // columns of the inputs; nil for products of two categories
	target   *data.Column   // loaded target; nil if it is not wanted
	exposure *data.Column   // loaded exposure; nil if there is none
	complete []*data.Column // columns in which a null drops the row, if Impute is "drop"
}

// findColumns looks up the columns of the inputs and of the target. The error names all missing columns.
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
	problems = mergeAbsentColumns(problems)
	for _, one := range problems {
		e.suggestUnused(f, one)
	}
	if err := problems.Err(); err != nil {
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

// A source is the unit of encoding: a number, a category or the product of two categories.
type source struct {
	in       *Input // input of the first error
	column   *data.Column
	number   *matrix.Number
	category *category
	vector   *matrix.Vector
}

// prepareSources reads the categories of the rows in a partition and stores their codes, and prepares the numbers
// for reading.
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
		if in.Of != nil || !slices.Contains(e.Spec.Groups, in.Name) {
			continue
		}
		at := slices.IndexFunc(sources, func(q source) bool { return q.in == &e.Inputs[i] })
		if at >= 0 && written[at].Category != nil {
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
			err := table.Catch(func() error {
				if u := countUnseenPlaces(f, &q, rows); u != nil {
					report.Unseen = append(report.Unseen, *u)
				}
				return nil
			})
			if err != nil {
				return nil, report, intake.InFile(f.Name(), err)
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
	err := table.Parallel(ctx, 2, func(k int) error {
		if k > 0 {
			return e.encodeGroups(ctx, f, rows, ds, &report)
		}
		return e.encodeTargets(f, o, rows, ds, d.Arena)
	})
	return ds, report, err
}

// encodeTargets adds the targets and exposures of rows to ds, as far as they are wanted.
func (e *Encoder) encodeTargets(f *data.Frame, o *openColumns, rows matrix.Set, ds *Dataset, arena *memory.Arena) error {
	if o.exposure != nil {
		ds.Exposure = memory.Make[float64](arena, ds.N)
		if err := readExposures(f, o.exposure, rows, ds.Exposure); err != nil {
			return err
		}
	}
	if o.target == nil {
		return nil
	}
	ds.Target = memory.Make[float64](arena, ds.N)
	if err := encodeTarget(&e.Target, f, o.target, rows, ds.Target); err != nil {
		return err
	}
	for i, x := range ds.Exposure {
		ds.Target[i] /= x
	}
	return nil
}

// adaptFillHints adapts the hints of errors about nulls to a model that is already trained.
func adaptFillHints(err error) error {
	var all data.Problems
	if all.Add(err) != nil {
		return err
	}
	for _, of := range all {
		if slices.Contains(of.Fixes, fix.Impute) {
			of.Fixes, of.Hint = nil, "the model has no fill value for nulls: leave out the rows with nulls, or "+
				"train again with imputed nulls"
		}
	}
	return err
}

// suggestUnused sets the hint of an error about a missing column to the most similar name among the columns that
// the encoder does not use, since the column may have been renamed.
func (e *Encoder) suggestUnused(f *data.Frame, absent *data.Error) {
	if absent.Class != data.ErrNoColumn {
		return
	}
	if hint := e.suggestOtherForm(f, absent.Column); hint != "" {
		absent.Hint = hint
		return
	}
	used := map[string]bool{e.Target.Name: true, e.Target.Exposure: true}
	for _, in := range e.Inputs {
		used[in.Name] = true
	}
	unused := slices.DeleteFunc(f.Names(), func(name string) bool { return used[name] })
	if near := printable.Nearest(absent.Column, unused, 1); len(near) > 0 {
		absent.Hint = "did you mean " + printable.QuoteList(near, "or") + "?"
	}
}

// suggestOtherForm returns advice if a missing input is a sparse vector that f has as dense columns, or an entry of a
// dense vector that f has as a sparse one.
func (e *Encoder) suggestOtherForm(f *data.Frame, missing string) string {
	base, _, isEntry := strings.Cut(missing, "[")
	if c, err := f.Lookup(base); isEntry && err == nil && c.Kind == data.Vector {
		return fmt.Sprintf("the table has the sparse vector %q, but the model was trained on dense columns: write dense "+
			"vectors, as a NumPy array or as lists of numbers, or train again with sparse vectors", base)
	}
	at := slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == missing })
	if at < 0 || !e.Inputs[at].isVector() {
		return ""
	}
	dense := slices.IndexFunc(f.Columns, func(c *data.Column) bool { return strings.HasPrefix(c.Name, missing+"[") })
	if dense < 0 {
		return ""
	}
	return fmt.Sprintf("the table has dense columns, such as %q, but the model was trained on the sparse vector %q: "+
		"write sparse vectors, as LIBSVM, a scipy.sparse .npz file, or lists of an index and a value, or train again "+
		"with dense vectors", f.Columns[dense].Name, missing)
}

// inputColumn returns the column of an input in f, deriving it if necessary.
func inputColumn(ctx context.Context, f *data.Frame, in *Input) (*data.Column, error) {
	c, err := f.Lookup(in.Name)
	if err != nil {
		if absent := (*data.Error)(nil); errors.As(err, &absent) && absent.Class == data.ErrNoColumn {
			absent.Msg = fmt.Sprintf("there is no column %q, which the model was trained on", in.Name)
			if len(f.PartsOf(in.Name)) > 0 {
				absent.Msg = fmt.Sprintf("the column %q is split into several columns, but the model was trained on a single one",
					in.Name)
			}
			f.DescribeAbsentPart(absent)
		}
		return nil, err
	}
	return checkInputColumn(ctx, f, in, c)
}

// checkDateKind returns an error if a column held numbers in training and holds dates in f, or vice versa.
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

// mergeAbsentColumns replaces the errors about many missing columns by a single error, since the table is then
// probably the wrong one.
func mergeAbsentColumns(all data.Problems) (out data.Problems) {
	const most = 3 // maximum number of missing columns that are reported one by one
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
	first.Msg = fmt.Sprintf("the columns %s, on which the model was trained, are missing",
		printable.QuoteFirst(absent, most))
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
		err = textFault(f, c)
	}
	return c, err
}

// textFault returns an error about a loaded column of text that held numbers in training. It names the row of the
// first text if other values are numbers.
func textFault(f *data.Frame, c *data.Column) *data.Error {
	const msg = "the column is text, but in the training table it held numbers: the %s is %q"
	if row := c.UnexpectedRow - 1; row >= 0 {
		fault := f.FaultAt(c.Name, row, fix.Offer(fix.NameMissing), msg, "value", c.Text(row))
		fault.FixValues = map[fix.Fix]string{fix.NameMissing: c.Text(row)}
		return fault
	}
	first := 0
	for c.IsNull(first) {
		first++
	}
	advice := fix.Advise("check that this is the same column as in the training table")
	if r := f.Remark(c.Name, table.ErrTextOfNumbers); r != nil && len(r.Fixes) > 0 {
		advice = fix.Offer(r.Fixes...) // the numbers are written in another way
	}
	return f.Fault(c.Name, advice, msg, "first value", c.Text(first))
}

// labelReader returns a function that returns the text of a value of c as it would be in a column of kind trained.
// If trained is Bool, 0, 1 and the usual words for bools become false and true; other values keep their text.
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

// add merges the report of further rows of the table into r.
func (r *Report) add(o Report) {
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

// String summarises the report in one line, or returns "" if nothing was adapted.
func (r Report) String() string {
	var s string
	add := func(format string, args ...any) {
		if s != "" {
			s += "; "
		}
		s += fmt.Sprintf(format, args...)
	}
	if r.Dropped > 0 {
		add("%s dropped because of nulls", printable.Plural(r.Dropped, "row", "rows"))
	}
	for _, u := range r.Unseen {
		add("column %q: %s with %s unseen in training (%s)", u.Column, printable.Plural(u.Count, "row", "rows"), u.kind(),
			printable.QuoteList(u.Examples, "and"))
		if u.FromZero {
			s += ": the indices of these rows begin at 0, but those of the training rows at 1 or above; if the file counts " +
				"from 0, add 1 to its indices"
		}
		if u.FromOne {
			s += ": the indices of the training rows begin at 0, but those of these rows at 1 or above, and they end one " +
				"higher; if the file counts from 1, subtract 1 from its indices"
		}
	}
	var filled []string
	for _, i := range r.Imputed {
		filled = append(filled, fmt.Sprintf("%s (%s in %s)", i.Column, numeral.FormatNumber(i.Value),
			printable.Plural(i.Count, "row", "rows")))
	}
	if n := len(filled); n > 0 {
		add("nulls filled in %d %s: %s", n, printable.Noun(n, "column", "columns"), printable.List(filled, mostListed))
	}
	if len(r.MissingGroups) > 0 {
		add("the table has no group column %s", printable.QuoteList(r.MissingGroups, "or"))
	}
	return s
}
