package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
)

// A Score is a column of predictions with the name of the model that made them. If there are more than two classes,
// each class has a column of probabilities, and Column has a * in place of the class, such as p_*.
type Score struct{ Name, Column string }

// AuditOptions names the columns of a table of predictions.
type AuditOptions struct {
	Options

	Name   string  // name of the table, for people
	Label  string  // column of the actual outcome
	Scores []Score // models, of which the first is the baseline; at least one

	Task eval.Task // if empty, binary for labels of two values, and multiclass for scores of several classes
	Loss string    // a name as in train.Config.Loss; if empty, the task decides
	// positive value of a two-valued label; required unless the values are 0 and 1, −1 and 1, false and true, or
	// no and yes
	Positive string

	HuberDelta float64 // δ > 0, in the units of the label

	// columns in which bad slices are searched for, and columns excluded from the search; empty Columns means
	// all others
	Columns, Drop []string

	Seed uint64 // seed of the random draws for intervals
}

// An audit holds the table of predictions and how its columns are read.
type audit struct {
	AuditOptions
	frame   *data.Frame
	rows    []int    // all rows if they are read into an arena; otherwise nil
	classes []string // more than two classes; nil for other labels
}

// Audit evaluates the predictions of models that a table contains. Errors of the table are a *data.Error, an
// *OptionError or several of them joined. Columns are read one after another. Vectors with one entry for each row are
// stored in Options.Cache if they do not fit into memory.
func Audit(ctx context.Context, f *data.Frame, o AuditOptions) (_ *Measured, err error) {
	x := &Measured{options: o.Options, audit: &audit{AuditOptions: o, frame: f}}
	defer func() {
		if err = cmp.Or(err, x.arena.Err()); err != nil {
			x.Close()
		}
	}()
	if x.Input, err = x.auditInput(ctx); err != nil {
		return nil, err
	}
	if x.Evaluation, err = eval.Evaluate(ctx, *x.Input); err != nil {
		return nil, err
	}
	x.Evaluation.AllGroups = o.AllGroups
	x.Evaluation.Conclude()
	return x, nil
}

// auditInput reads the input of the evaluation from the table.
func (x *Measured) auditInput(ctx context.Context) (*eval.Input, error) {
	o, f := x.audit, x.audit.frame
	if len(o.Scores) == 0 {
		return nil, &OptionError{"score", "needs at least one column of predictions", ""}
	}
	in := &eval.Input{
		TargetName: o.Label, TargetUnit: o.Unit, Split: eval.Table, Table: o.Name,
		Rate: o.Rate, Tolerance: o.Tolerance, Observe: o.Observe, MinGroupSize: o.MinGroupSize, Filter: o.Filter,
		Confidence: o.Confidence, Seed: o.Seed,
	}
	if err := o.findClasses(); err != nil {
		return nil, err
	}
	named := []string{o.Label}
	for _, s := range o.Scores {
		named = append(named, o.scoreColumns(s)...)
	}
	named = slices.Concat(named, o.Groups, o.Columns, o.Drop)
	if o.Weight != "" {
		named = append(named, o.Weight)
	}
	var absent data.Problems
	for _, name := range named {
		if _, err := f.Lookup(name); absent.Add(err) != nil {
			return nil, err
		}
	}
	if err := absent.Err(); err != nil {
		return nil, err
	}
	if f.Rows == 0 {
		return nil, &data.Error{Path: f.Name(), Msg: "there are no rows to evaluate on"}
	}
	var err error
	if o.rows, err = filterRows(ctx, f, o.Filter); err != nil {
		return nil, err
	}
	in.Resamples = o.resampleCount(o.count())
	if x.arena, err = o.arenaFor(f, o.count(), len(o.Scores)); err != nil {
		return nil, err
	}
	in.Arena, in.RowID = x.arena, rowNumbers(x.arena, o.rows)
	if in.Arena != nil && o.rows == nil {
		o.rows = memory.Make[int](in.Arena, f.Rows)
		for i := range o.rows {
			o.rows[i] = i
		}
	}
	if err := o.readLabels(ctx, in); err != nil {
		return nil, err
	}
	if o.Weight != "" {
		if in.Weight, err = readWeights(ctx, f, o.rows, in.Arena, o.Weight); err != nil {
			return nil, err
		}
	}
	if err := o.readScores(ctx, in); err != nil {
		return nil, err
	}
	encoder, err := (&encode.Encoder{}).WithGroups(ctx, f, o.Groups)
	if err != nil {
		return nil, err
	}
	if in.Groups, _, err = encoder.Groupings(ctx, f, o.rows, in.Arena); err != nil {
		return nil, err
	}
	if err := o.checkTask(o.Label, in.Task); err != nil {
		return nil, err
	}
	in.Groups = o.relabelGroups(in.Groups)
	if in.Task == eval.Multiclass {
		in.Groups = append([]encode.Grouping{classGrouping(o.Label, in.Classes, in.Target)}, in.Groups...)
	}
	in.Columns, err = o.sliceColumns(ctx, in.Arena)
	return in, err
}

// count returns the number of rows that are evaluated.
func (o *audit) count() int {
	if o.rows == nil {
		return o.frame.Rows
	}
	return len(o.rows)
}

// faultAt returns an error about a column in the i-th evaluated row.
func (o *audit) faultAt(column string, i int, advice fix.Advice, format string, args ...any) error {
	if o.rows != nil {
		i = o.rows[i]
	}
	return o.frame.FaultAt(column, i, advice, format, args...)
}

// readLabels sets the task, the targets and, for two classes, their values and the settings that refer to them.
func (o *audit) readLabels(ctx context.Context, in *eval.Input) error {
	f, arena := o.frame, in.Arena.NewChild()
	defer arena.Close()
	c, err := columnAt(ctx, f, o.Label, o.rows, arena)
	if err != nil {
		return err
	}
	if o.classes != nil {
		return o.readClasses(c, in)
	}
	var values []string
	for i := range o.count() {
		if c.IsNull(i) {
			return o.faultAt(o.Label, i, fix.Offer(fix.DropNullRows), "the label is missing")
		}
		text := c.Text(i)
		if slices.Contains(values, text) {
			continue
		}
		if len(values) == 2 {
			if o.Task == eval.Binary || o.Task == "" && c.Number == nil {
				return o.faultAt(o.Label, i, fix.Advise(
					"for more than two classes, name one column of probabilities per class, with * in place of the class, as "+
						"in p_*"),
					"the label is %q, but the labels before it are only %q and %q", text, values[0], values[1])
			}
			values = append(values, text)
			break
		}
		values = append(values, text)
	}
	// a class that does not occur is still a class
	if c.Kind == data.Bool && len(values) == 1 && o.Task != eval.Regression {
		values = []string{"false", "true"}
	}
	if len(values) == 1 && o.Positive == "" && (c.Number == nil || o.Task == eval.Binary || o.Loss == "logistic") {
		return &data.Error{Path: f.Name(), Column: o.Label, Msg: fmt.Sprintf("the label has only one value, %q", values[0]),
			Hint: "name the positive class"}
	}
	in.Task = eval.Binary
	if o.Task == eval.Regression || o.Task == "" && len(values) != 2 && o.Positive == "" && o.Loss != "logistic" {
		in.Task = eval.Regression
	}
	if in.Task == eval.Regression {
		in.Target, err = readNumbers(ctx, f, o.rows, in.Arena,
			numberColumn{o.Label, "a label", func(float64) bool { return true }, "a finite number", ""})
		return err
	}
	if len(values) > 2 {
		return &data.Error{Path: f.Name(), Column: o.Label,
			Msg:  "a binary task needs a label with two values, but this label has at least three",
			Hint: "if the label is a quantity, the task is regression"}
	}
	positive, err := o.choosePositive(c, values)
	if err != nil {
		return err
	}
	in.Positive = positive
	for _, v := range values {
		if v != positive {
			in.Negative = v
		}
	}
	if in.Favourable, err = o.favourable(o.Label, positive, in.Negative); err != nil {
		return err
	}
	in.ReferenceGroup = o.ReferenceGroup
	in.Threshold = o.Threshold
	in.Target = memory.Make[float64](in.Arena, o.count())
	for i := range in.Target {
		in.Target[i] = -1
		if c.Text(i) == positive {
			in.Target[i] = 1
		}
	}
	return nil
}

// choosePositive returns the requested positive value or, if there is none, the one that training would choose among
// standard classes. For other labels it returns an error.
func (o *audit) choosePositive(c *data.Column, values []string) (string, error) {
	if o.Positive != "" {
		if v, ok := c.Match(values, o.Positive); ok || len(values) == 1 {
			return cmp.Or(v, o.Positive), nil
		}
		return "", &OptionError{"positive", fmt.Sprintf("%q does not occur; the labels are %s", o.Positive,
			printable.QuoteList(values, "and")), ""}
	}
	if len(values) == 2 && !areStandardClasses(values) {
		return "", &OptionError{"positive", fmt.Sprintf(
			"is needed to name the positive class, whose probability the scores give; the labels are %q and %q", values[0],
			values[1]),
			fmt.Sprintf("Config.Positive %q or Config.Positive %q", values[0], values[1])}
	}
	positive, _ := c.PositiveOf(values)
	return positive, nil
}

// areStandardClasses reports whether two labels themselves show which one is positive: 0 and 1, −1 and 1, no and
// yes, or false and true.
func areStandardClasses(values []string) bool {
	for _, pair := range [][2]string{{"0", "1"}, {"-1", "1"}, {"no", "yes"}, {"false", "true"}} {
		for k := range 2 {
			if strings.EqualFold(values[k], pair[0]) && strings.EqualFold(values[1-k], pair[1]) {
				return true
			}
		}
	}
	return false
}

// readScores sets the models with their losses, and the losses of the best constant if it is a mean.
func (o *audit) readScores(ctx context.Context, in *eval.Input) error {
	if in.Task == eval.Multiclass {
		return o.readClassScores(ctx, in)
	}
	name, binary := cmp.Or(o.Loss, losses.DefaultName(in.Task == eval.Binary)), in.Task == eval.Binary
	if kind, ok := losses.KindOf(name); ok && binary && !kind.Measures(true) {
		choose := printable.JoinWords(losses.Names(func(k losses.Kind) bool { return k.Measures(true) }), "or")
		return &OptionError{"loss", fmt.Sprintf("%s is for numeric labels, but %s has two values", name, o.Label),
			"choose " + choose}
	}
	loss, err := losses.Parse(name, o.HuberDelta)
	if err != nil {
		return err
	}
	in.LossName = lossName(train.Config{Loss: name, HuberDelta: o.HuberDelta})
	meaning := loss.Meaning()
	if in.Task == eval.Regression || meaning.Unit != "" {
		in.LossUnit = meaning.UnitOf(cmp.Or(o.Unit, "units of "+o.Label))
	}
	valid, must, hint := func(float64) bool { return true }, "a finite number", ""
	if in.Task == eval.Binary {
		valid, must = func(x float64) bool { return x >= 0 && x <= 1 }, "a probability, from 0 to 1"
		hint = "convert margins to probabilities first; if the target is a quantity, pass --task regression"
	} else if margin := meaning.Link.Margin; margin != nil {
		valid, must = func(x float64) bool { return !math.IsNaN(margin(x)) }, fmt.Sprintf(
			"a prediction of the loss %s, 0 or more", name)
	}
	for i, t := range in.Target {
		if in.Task == eval.Regression && !meaning.Accepts(t) {
			return o.faultAt(o.Label, i, fix.Advise("correct the label, leave out rows with invalid labels by a "+
				"filter, or choose another loss"),
				"the label is %v, but the loss %s requires %s", t, name, meaning.DescribeTargets())
		}
	}
	lossesOf := func(score []float64) ([]float64, error) {
		out := memory.Make[float64](in.Arena, len(score))
		const block = 1 << 16
		for lo := 0; lo < len(score); lo += block {
			hi := min(lo+block, len(score))
			v, err := eval.LossOfScores(loss, in.Task, in.Target[lo:hi], score[lo:hi])
			if err != nil {
				return nil, err
			}
			copy(out[lo:hi], v)
		}
		return out, nil
	}
	for _, s := range o.Scores {
		m := eval.Model{Name: s.Name}
		scores := numberColumn{s.Column, "a score", valid, must, hint}
		if m.Score, err = readNumbers(ctx, o.frame, o.rows, in.Arena, scores); err != nil {
			return err
		}
		if m.Loss, err = lossesOf(m.Score); err != nil {
			return err
		}
		in.Models = append(in.Models, m)
	}
	if _, byMean := loss.(losses.ByMean); !byMean { // the best constant of this loss is not a mean
		return nil
	}
	constant := memory.Make[float64](in.Arena, len(in.Target))
	defer memory.Release(in.Arena, constant)
	best := meanScore(in)
	for i := range constant {
		constant[i] = best
	}
	in.FitsConstant = true
	in.Constant, err = lossesOf(constant)
	return err
}

// meanScore returns the constant score with the least average loss on the rows of in, for a loss that is a
// losses.ByMean: the weighted mean of the targets or the proportion of the positive class.
func meanScore(in *eval.Input) float64 {
	var sum, total float64
	for i, t := range in.Target {
		w := 1.0
		if in.Weight != nil {
			w = in.Weight[i]
		}
		if in.Task == eval.Binary {
			t = (1 + t) / 2
		}
		sum, total = sum+w*t, total+w
	}
	return sum / total
}

// sliceColumns returns the columns in which bad slices are searched for: the named columns or, if none is named, all
// scalar columns except "row" and columns with too many levels. It omits labels, scores, weights and dropped columns.
// Values are read when they are needed.
func (o *audit) sliceColumns(ctx context.Context, arena *memory.Arena) ([]eval.Column, error) {
	var out []eval.Column
	for _, c := range o.frame.Columns {
		name := c.Name
		if slices.Contains(o.Drop, name) || name == o.Label || name == o.Weight ||
			slices.ContainsFunc(o.Scores, func(s Score) bool { return slices.Contains(o.scoreColumns(s), name) }) {
			continue
		}
		if len(o.Columns) > 0 && !slices.Contains(o.Columns, name) {
			continue
		}
		if len(o.Columns) == 0 && name == "row" || !c.Kind.IsScalar() {
			continue
		}
		if len(o.Columns) == 0 && c.Kind == data.Categorical {
			arena := arena.NewChild()
			loaded, err := columnAt(ctx, o.frame, name, o.rows, arena)
			arena.Close()
			if err != nil {
				return nil, err
			}
			if len(loaded.Level) > encode.DefaultMaxLevels {
				continue
			}
		}
		out = append(out, loadColumn(ctx, o.frame, name, o.rows, arena, false))
	}
	return out, nil
}

// auditReport returns the report of an audit.
func (x *Measured) auditReport() *eval.Report {
	o := x.audit
	r := &eval.Report{Title: comparedTitle(x.Evaluation), Subtitle: measuredOn(x.Evaluation, o.Name),
		Evaluation: x.Evaluation, Notes: append([]string{}, o.frame.Notes...), Command: o.Command}
	r.Facts = append(r.Facts, eval.Fact{Key: "data", Value: o.Name})
	for _, s := range o.Scores {
		r.Facts = append(r.Facts, eval.Fact{Key: "scores of " + s.Name, Value: "column " + s.Column})
	}
	if o.Weight != "" {
		r.Facts = append(r.Facts, eval.Fact{Key: "weight", Value: "column " + o.Weight})
	}
	r.Facts = append(r.Facts, checksums(o.frame.Sources)...)
	r.Facts = append(r.Facts, eval.Fact{Key: "audited by", Value: "drotrain " + train.Version()})
	return r
}
