package encode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A fitting holds the state of fitting an encoder. It assigns roles to columns, scans the training rows of this
// process, and makes the encoder from the statistics of the rows of all processes.
type fitting struct {
	ctx       context.Context
	f         *data.Frame // the table
	block     *data.Frame // rows of the table that this process reads: all rows, or those of a rank
	first     int         // first row of the block in the table
	before    int         // training rows in the preceding blocks
	total     int         // training rows in all blocks
	comm      ranks.Comm  // communicator of ranks with one block each; nil for a single process
	e         *Encoder
	partition *matrix.Partition // partition of the block
	weight    []float64         // weights of the rows of the block, see Spec.Weight; nil means 1
	counts    []int             // number of training rows before each stripe
	shards    []int             // training rows at which the second and later shards begin
	dropped   [2]int
	target    *data.Column // target column of the table
	features  []*data.Column
	problems  data.Problems
	opener    *termOpener // opens the values of terms in the block
	// terms of derived features: one term, or one for each pair of two crossed categories
	terms map[*data.Column][]Term

	fitted []feature
	sample *sample // rows to keep as they are read, or nil
}

// A feature is a source column with the statistics of its training rows.
type feature struct {
	column   *data.Column
	number   *numberStatistics
	category *category
	vector   *vectorStatistics
	kept     bool
}

// newFitting checks the roles of the columns, adds derived columns and fits the target. From to it uses the arena
// and the distribution over ranks.
func newFitting(
	ctx context.Context, f *data.Frame, train, holdout []int, s Spec, to *Sink,
) (t *fitting, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	t = &fitting{ctx: ctx, f: f, block: f, e: &Encoder{Spec: s}, terms: map[*data.Column][]Term{}}
	if to.Shared != nil {
		if err := t.takeRankRows(train, to.Shared); err != nil {
			return nil, err
		}
	} else {
		if t.partition, err = matrix.NewPartition(to.arena(), f.Rows, train, holdout); err != nil {
			return nil, err
		}
		t.total = t.partition.Set(0).Len()
	}
	if t.total == 0 {
		return nil, f.Fault("", fix.Advice{}, "there are no rows to train on")
	}
	t.target, err = f.Lookup(s.Target)
	if err = t.problems.Add(err); err != nil {
		return nil, err
	}
	if s.Exposure != "" {
		c, err := f.Lookup(s.Exposure)
		if err == nil && c.Kind != data.Numeric {
			err = exposureFault(f, c)
		}
		if t.problems.Add(err) != nil {
			return nil, err
		}
	}
	for _, list := range [][]string{s.Groups, s.Categorical} {
		for _, name := range list {
			_, err := f.Lookup(name)
			if t.problems.Add(err) != nil {
				return nil, err
			}
		}
	}
	for _, name := range s.Drop {
		_, err := f.Lookup(name)
		if err != nil && (len(f.PartsOf(name)) > 0 || f.ReplacedDate(name) != nil) {
			continue // all parts of the column of dates are omitted
		}
		if t.problems.Add(err) != nil {
			return nil, err
		}
	}
	t.features, err = t.e.features(t.block)
	if err = t.problems.Add(err); err != nil {
		return nil, err
	}
	if s.Impute == "drop" {
		if err := t.dropNulls(); err != nil {
			return nil, err
		}
	}
	if err := t.readWeight(); err != nil {
		return nil, err
	}
	if err := t.applyTransforms(); err != nil {
		return nil, err
	}
	return t, t.fitTarget()
}

// readWeight reads the weights of the rows of this block, if the Spec has a Weight. An invalid weight counts as 1,
// and all weights count as 1 if their sum overflows; such weights are rejected when the model is trained.
func (t *fitting) readWeight() error {
	if t.e.Spec.Weight == "" {
		return nil
	}
	c, err := t.block.Column(t.ctx, t.e.Spec.Weight)
	if err != nil {
		return err
	}
	t.weight = make([]float64, t.block.Rows)
	sum := 0.0
	for i := range t.weight {
		if t.weight[i] = 1; c.Number != nil && c.Number[i] > 0 && numeral.IsFinite(c.Number[i]) && !c.IsNull(i) {
			t.weight[i] = c.Number[i]
		}
		sum += t.weight[i]
	}
	if math.IsInf(sum, 1) {
		t.weight = nil
	}
	return nil
}

// takeRankRows sets the training rows of this rank. The block consists of whole stripes of rows.
func (t *fitting) takeRankRows(train []int, shared *Shared) error {
	rows := ranks.RowsOf(shared.Rows)
	if t.e.Spec.Impute == "drop" {
		return errors.New("impute drop does not work with several ranks: fill the nulls, or leave out the rows with " +
			"nulls with a filter")
	}
	t.comm, t.total = rows.Comm(), shared.Total
	lo, hi := rows.LocalRange(t.total)
	if hi-lo != len(train) {
		return fmt.Errorf("rank %d has %d training rows, not %d", t.comm.Rank(), len(train), hi-lo)
	}
	t.before = lo
	end := 0
	if len(train) > 0 {
		t.first = slices.Min(train) / matrix.StripeRows * matrix.StripeRows
		end = min(t.f.Rows, (slices.Max(train)/matrix.StripeRows+1)*matrix.StripeRows)
	}
	t.block = t.f.Slice(t.first, max(t.first, end))
	own := make([]int, len(train))
	for i, r := range train {
		own[i] = r - t.first
	}
	var err error
	t.partition, err = matrix.NewPartition(nil, t.block.Rows, own, nil)
	return err
}

// dropNulls removes rows with nulls in numeric features or the target.
func (t *fitting) dropNulls() error {
	var cols []*data.Column
	if t.target != nil {
		cols = append(cols, t.target)
	}
	for _, c := range t.features {
		if t.e.Spec.isNumeric(c) {
			cols = append(cols, c)
		}
	}
	d, err := t.partition.CompleteRows(t.ctx, cols)
	if err != nil {
		return err
	}
	for s := range d.Sets {
		t.dropped[s] = t.partition.Set(s).Len() - d.Set(s).Len()
	}
	t.partition, t.total = d, d.Set(0).Len()
	all := t.total + t.dropped[0]
	if t.total == 0 {
		return t.f.Fault("", fix.Offer(fix.FillNulls), "none of the %s has values in all numeric features and the target",
			printable.Plural(all, "training row", "training rows"))
	}
	if n := t.dropped[0]; n > 0 {
		t.e.addNote("%s of %s training rows dropped because of nulls in numeric features or the target", printable.Count(n),
			printable.Count(all))
	}
	return nil
}

// fitTarget fits the coding of the target.
func (t *fitting) fitTarget() error {
	if t.target == nil {
		return nil
	}
	known := &targetStatistics{}
	if t.target.Kind.IsScalar() {
		c, err := t.block.Lookup(t.target.Name)
		switch task := t.e.Spec.Task; {
		case err != nil:
		case task == Binary || task == Multiclass:
			c, err = t.block.LoadLabels(t.ctx, c)
		default:
			c, err = c.Load(t.ctx)
		}
		if err != nil {
			return err
		}
		known = t.scanTarget(c)
		if known, err = mergeBlocks(t, known, mergeTargets); err != nil {
			return err
		}
	}
	return t.problems.Add(t.e.fitTarget(t.f, t.target, t.total, known))
}

// scanFeatures collects the statistics of the features. If the rows are to be encoded into a sink, it may store their
// raw numbers in a draft of the partition; nil means that they are not encoded.
func (t *fitting) scanFeatures(to *Sink) error {
	var numbers, texts, vectors []*data.Column
	for _, c := range t.features {
		if c.Kind == data.Vector {
			vectors = append(vectors, c)
		} else if t.e.Spec.isNumeric(c) {
			numbers = append(numbers, c)
		} else if t.terms[c] == nil {
			texts = append(texts, c)
		}
	}
	all, err := t.scanLevels(texts)
	if err != nil {
		return err
	}
	t.fitted = make([]feature, len(t.features))
	for i, c := range t.features {
		q := &t.fitted[i]
		q.column = c
		switch pairs := t.terms[c]; {
		case c.Kind == data.Vector || t.e.Spec.isNumeric(c):
		case pairs != nil:
			q.category = newCrossing(pairs)
		default:
			whole, err := t.f.Lookup(c.Name)
			if err != nil {
				return err
			}
			q.category, all = newCategory(&t.e.Spec, t.f, whole, all[0], t.total), all[1:]
		}
	}
	var draft *matrix.Draft
	if to != nil {
		draft = t.newDraft(to)
	}
	moments, err := t.scanNumbers(numbers, draft)
	if err != nil {
		return err
	}
	sparse, err := t.scanVectors(vectors)
	if err != nil {
		return err
	}
	for i := range t.fitted {
		switch q := &t.fitted[i]; {
		case q.column.Kind == data.Vector:
			q.vector, sparse = &sparse[0], sparse[1:]
		case q.category == nil:
			q.number, moments = &moments[0], moments[1:]
		}
	}
	return nil
}

// newDraft returns a draft of the matrices of a sink, or nil if it is not certain that they will be dense matrices of
// float64 in memory. It has columns for all features, although constant ones will be omitted.
func (t *fitting) newDraft(to *Sink) *matrix.Draft {
	if to.Disk != nil || to.Shared != nil {
		return nil
	}
	width, entries := 0, 0.0
	var numbers []*matrix.Number
	for _, q := range t.fitted {
		switch k := q.category; {
		case q.column.Kind == data.Vector:
			return nil
		case k == nil:
			numbers = append(numbers, matrix.NewNumber(q.column, width, 0, 0, 1))
			width++
		case k.err == nil:
			width += k.width()
		}
		entries++
	}
	if t.e.Spec.Intercept {
		width, entries = width+1, entries+1
	}
	if to.Storage != design.Float64Storage && (!t.e.Spec.centres() || isMostlySingle(t.features) ||
		to.Storage.Choose(entries, width) != design.Float64Storage) || len(numbers) == 0 {
		return nil
	}
	return matrix.NewDraft(t.partition, width, numbers)
}

// dropUnusableGroups removes group columns that cannot be features from the features, unless Spec.Features names
// them.
func (t *fitting) dropUnusableGroups() {
	t.fitted = slices.DeleteFunc(t.fitted, func(q feature) bool {
		var fault *data.Error
		if q.category == nil || !t.e.Spec.isGroupFeature(q.category.in.Name) || !errors.As(q.category.err, &fault) {
			return false
		}
		t.e.addNote("group column %q is not a feature: %s", q.category.in.Name, fault.Msg)
		return true
	})
}

// makeEncoder returns the encoder, or all problems as one error.
func (t *fitting) makeEncoder() (*Encoder, error) {
	f, e := t.f, t.e
	t.dropUnusableGroups()
	for i := range t.fitted {
		q := &t.fitted[i]
		var err error
		if q.vector != nil {
			q.kept, err = t.addVector(q)
		} else if q.number != nil {
			q.kept, err = t.addNumeric(q)
		} else if err = q.category.err; err == nil {
			q.kept = e.addCategory(q.category)
		}
		if err := t.problems.Add(err); err != nil {
			return nil, err
		}
	}
	if err := t.problems.Add(t.fitGroups()); err != nil {
		return nil, err
	}
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	if len(e.Columns) == 0 {
		if why := t.describeEmptyVectors(); why != "" {
			return nil, f.Fault("", fix.Advice{}, "there are no features: %s", why)
		}
		return nil, f.Fault("", fix.Offer(fix.NameFeatures),
			"there are no features: every column is constant, dropped, a group or the target")
	}
	if e.Spec.Intercept {
		e.Columns = append(e.Columns, Coding{Name: interceptName, Kind: "intercept", Scale: 1})
	}
	e.addColumnNotes()
	if terms := e.Spec.Products; len(terms) > 0 {
		e = e.withProducts(terms)
		if _, coefficients := e.withoutProducts(); coefficients == nil {
			return nil, errNoGroupProducts
		}
	}
	if w := len(e.Columns); w > t.total {
		e.addNote("there are %s encoded columns, but only %s training rows", printable.Count(w), printable.Count(t.total))
	}
	return e, nil
}

// termOf returns the term of a derived numeric column, or nil for other columns.
func (t *fitting) termOf(c *data.Column) *Term {
	if terms := t.terms[c]; terms != nil {
		return &terms[0]
	}
	return nil
}

// entriesPerRow returns an upper estimate of the average number of nonzero cells per row.
func (t *fitting) entriesPerRow() float64 {
	sum := 0.0
	for _, q := range t.fitted {
		switch {
		case !q.kept:
		case q.vector != nil:
			sum += float64(q.vector.entries) / float64(t.total)
		case q.number != nil && !t.e.Spec.centres():
			sum += float64(q.number.Nonzero) / float64(t.total)
		default:
			sum++
		}
	}
	if t.e.Intercept() >= 0 {
		sum++
	}
	return sum
}

// layout returns the matrix layout of the encoded columns.
func (e *Encoder) layout() matrix.Layout {
	return matrix.Layout{Width: len(e.Columns), Intercept: e.Intercept(),
		Zeros: !e.Spec.centres() || len(e.Spec.Products) > 0}
}
