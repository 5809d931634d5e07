package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// A RowSet lists training and hold-out rows of a table, counted from 0, such as a fold and the other rows. No row
// may occur twice. Since solvers use prefixes of Train as samples, its order should be random.
type RowSet struct {
	Train      []int
	Holdout    []int // the slice may be empty
	Validation []int // rows on which the level is chosen instead of by cross-validation; may be empty
}

// validate returns an error unless all rows are among the n rows of the table and no row occurs twice.
func (s *RowSet) validate(n int) error {
	if len(s.Train) == 0 {
		return fmt.Errorf("no rows to train on")
	}
	seen := make([]bool, n)
	for _, rows := range [][]int{s.Train, s.Holdout, s.Validation} {
		for _, r := range rows {
			switch {
			case r < 0 || r >= n:
				return fmt.Errorf("row %d is not in the table, which has the rows 0 to %d", r, n-1)
			case seen[r]:
				return fmt.Errorf("row %d is listed twice", r)
			}
			seen[r] = true
		}
	}
	return nil
}

// splitRows returns the training rows and the hold-out rows. It shuffles the training rows, unless several ranks will
// shuffle their shards. If every row of the table is in one of the two sets, it allocates both in arena, if there is one.
func (c *Config) splitRows(ctx context.Context, f *data.Frame, arena *memory.Arena) (train, held []int, err error) {
	switch h := c.dataHoldout(); {
	case c.Rows != nil:
		train, held, err = slices.Clone(c.Rows.Train), slices.Clone(c.Rows.Holdout), c.Rows.validate(f.Rows)
	case arena != nil && h == data.Holdout{Fraction: c.Holdout, Seed: c.Seed}: // drawn from all rows
		train, held, err = data.SplitInto(memory.Make[int](arena, f.Rows), c.Holdout, c.Seed)
	default:
		train, held, err = f.SplitRows(ctx, h)
	}
	if err == nil && c.comm == nil { // ranks shuffle their shards themselves
		shuffle(train, c.Seed)
	}
	return train, held, err
}

// dataHoldout returns the data.Holdout of the configuration.
func (c *Config) dataHoldout() data.Holdout {
	return data.Holdout{Filter: c.Filter, Fraction: c.Holdout, Seed: c.Seed, Split: c.Split, Group: c.GroupHoldout,
		Time: c.Time, Joined: c.HoldoutData != "",
		ValidationSplit: c.ValidationSplit, ValidationJoined: c.ValidationData != ""}
}

// hasValidation reports whether the level is chosen on validation rows.
func (c *Config) hasValidation() bool {
	return c.ValidationData+c.ValidationSplit != "" || c.Rows != nil && len(c.Rows.Validation) > 0
}

// listValidationRows returns the validation rows, on which the level is chosen.
func (c *Config) listValidationRows(ctx context.Context, f *data.Frame) ([]int, error) {
	if c.Rows != nil {
		return slices.Clone(c.Rows.Validation), nil
	}
	return f.ValidationRows(ctx, c.dataHoldout())
}

// OpenData opens c.Data and, if they are set, c.HoldoutData and c.ValidationData, which are read like c.Data, and joins
// their rows in one table. open is OpenAs or a similar function; OpenData panics if open returns neither a table nor an
// error.
func (c *Config) OpenData(
	ctx context.Context, open func(ctx context.Context, name string, how data.Reading) (*data.Frame, error),
) (*data.Frame, error) {
	if ranks.FromContext(ctx) == nil { // otherwise every rank stores a part of the rows
		ctx = data.WithSizeCheck(ctx, c.checkSize)
	}
	f, err := open(ctx, c.Data, c.Reading)
	if err != nil {
		return nil, err
	}
	how := c.readingOf(f)
	for _, other := range []struct {
		name string
		join func(f *data.Frame, ctx context.Context, g *data.Frame) (*data.Frame, error)
	}{{c.HoldoutData, (*data.Frame).Join}, {c.ValidationData, (*data.Frame).JoinValidation}} {
		if other.name == "" {
			continue
		}
		g, err := open(ctx, other.name, how)
		if err != nil {
			f.Close()
			return nil, err
		}
		both, err := other.join(f, ctx, g)
		if err != nil {
			f.Close()
			g.Close()
			return nil, err
		}
		f = both
	}
	return f, nil
}

// readingOf returns options to read a second table in the same way as f.
func (c *Config) readingOf(f *data.Frame) data.Reading {
	if how := f.Reading(); !how.IsZero() {
		return how
	}
	return c.Reading
}

// shuffle shuffles the rows, so that every prefix of the training data is a random sample.
func shuffle(rows []int, seed uint64) {
	const stream = 0x73687566
	rand.New(rand.NewPCG(seed, stream)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// noteUntrainedGroups returns notes on groups that have hold-out rows but no training rows.
func noteUntrainedGroups(trained, held []encode.Grouping) (notes []string) {
	for k, g := range held {
		known := map[string]bool{}
		for _, l := range trained[k].Labels {
			known[l] = true
		}
		untrained := slices.DeleteFunc(slices.Clone(g.Labels), func(l string) bool { return known[l] })
		if len(untrained) == 0 {
			continue
		}
		said := strconv.Quote(untrained[0])
		if len(untrained) > 1 {
			said = fmt.Sprintf("%s and %d more", said, len(untrained)-1)
		}
		them := printable.Noun(len(untrained), "it", "them")
		notes = append(notes, fmt.Sprintf("%s of %s no training rows, so training cannot protect %s: %s",
			printable.Plural(len(untrained), "group", "groups"), g.Name+printable.Noun(len(untrained), " has", " have"), them,
			said))
	}
	return notes
}

// Periods holds the first and last times of the training rows and of the hold-out rows, if the latest rows by a
// column of times are held out.
type Periods struct {
	Train   [2]string `json:"train"`
	Holdout [2]string `json:"holdout"`
}

// String returns the periods as a clause, as in "training rows are from … to …, hold-out rows from … to …".
func (p Periods) String() string {
	return fmt.Sprintf("training rows are from %s to %s, hold-out rows from %s to %s", p.Train[0], p.Train[1],
		p.Holdout[0], p.Holdout[1])
}

// findPeriods returns the periods of the rows, or nil if the hold-out does not depend on times.
func (c *Config) findPeriods(ctx context.Context, f *data.Frame, train, held []int) (*Periods, error) {
	if c.Time == "" || len(held) == 0 {
		return nil, nil
	}
	var p Periods
	for _, o := range []struct {
		rows []int
		to   *[2]string
	}{{train, &p.Train}, {held, &p.Holdout}} {
		first, last, err := f.Period(ctx, c.Time, o.rows)
		if err != nil {
			return nil, err
		}
		*o.to = [2]string{first, last}
	}
	return &p, nil
}

// encodedRows holds the encoded training and hold-out rows of a table.
type encodedRows struct {
	*rowAssignment
	fitted *encode.Fitted
	weight []float64 // weight times exposure of each training row; nil if all are equal
	// total weight of the training rows without exposures, or their number if they have no weights
	total   float64
	periods *Periods

	findings   []check.Finding // findings about the training rows, if isExamined is set
	isExamined bool

	validation *validationRows // nil if there are none
}

// encodeRows splits the rows of a table and encodes them with e or, if e is nil, with an encoder that it fits to
// the training rows. With several ranks it is a collective call that encodes the rows of this rank. Rows on disk
// are stored in o; nil means memory.
func (c Config) encodeRows(
	ctx context.Context, f *data.Frame, e *encode.Encoder, o *diskStorage,
) (*encodedRows, error) {
	files, err := shareChecksums(c.comm, f)
	if err != nil {
		return nil, err
	}
	s, periods, err := c.assignRows(ctx, f, o)
	if err != nil {
		return nil, err
	}
	rows, sink := &encodedRows{rowAssignment: s, periods: periods}, encode.Sink{Storage: design.Storage(c.Storage),
		Disk: (*design.DiskStorage)(o)}
	if c.comm != nil {
		sink.Shared = &encode.Shared{Rows: s.Rows, Total: s.Total}
	}
	if e != nil {
		rows.fitted, err = e.EncodeTo(ctx, f, s.Train, s.Held, sink)
	} else {
		if c.examined == nil && c.comm == nil && c.Impute != "drop" {
			sink.Sample = check.SampleRows(f, s.Train, c.roles(encode.Auto))
			sink.UseSample = func(e *encode.Encoder, values map[string]*data.Column) (err error) {
				rows.findings, err = check.ExamineSample(ctx, f, sink.Sample, values, c.roles(e.Target.Task))
				rows.isExamined = true
				return err
			}
		}
		rows.fitted, err = encode.Fit(ctx, f, s.Train, s.Held, c.dataSpec(), sink)
	}
	if err != nil {
		return nil, err
	}
	if err = files.checkSameFiles(); err != nil {
		return nil, err
	}
	if rows.weight, err = c.readWeights(ctx, f, rows.fitted.Train, s.Rows); err != nil {
		return nil, err
	}
	rows.total = s.totalWeight(rows.weight, rows.fitted.Train.N)
	rows.weight = multiplyByExposure(rows.weight, rows.fitted.Train, s.Rows)
	rows.validation, err = c.encodeValidation(ctx, f, rows.fitted.Encoder)
	return rows, err
}

// validationRows holds the encoded rows on which the level is chosen.
type validationRows struct {
	*encode.Dataset
	weight []float64 // nil if all are equal
	report encode.Report
}

// encodeValidation encodes the validation rows in memory and in random order. It returns nil if there are none.
func (c *Config) encodeValidation(ctx context.Context, f *data.Frame, e *encode.Encoder) (*validationRows, error) {
	if !c.hasValidation() {
		return nil, nil
	}
	rows, err := c.listValidationRows(ctx, f)
	if err != nil {
		return nil, err
	}
	shuffle(rows, c.Seed)
	fitted, err := e.EncodeTo(ctx, f, rows, nil, encode.Sink{Storage: design.Storage(c.Storage)})
	if err != nil {
		return nil, err
	}
	v := &validationRows{Dataset: fitted.Train, report: fitted.TrainReport}
	if v.Target == nil {
		return nil, &data.Error{Path: f.Name(), Msg: fmt.Sprintf("the validation rows have no target %q", c.Target)}
	}
	if v.weight, err = c.readWeights(ctx, f, v.Dataset, nil); err != nil {
		return nil, err
	}
	v.weight = multiplyByExposure(v.weight, v.Dataset, nil)
	return v, nil
}
