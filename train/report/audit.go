package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// A Score is a column of predictions and the name of the model that made them.
type Score struct{ Name, Column string }

// AuditOptions say what the columns of a table of predictions are.
type AuditOptions struct {
	Options

	Name   string  // of the table, for people
	Label  string  // column of what occurred
	Scores []Score // of the models, the baseline first; at least one

	Task     eval.Task // empty: binary for labels of two values
	Loss     string    // logistic, squared or huber; empty: by the task
	Positive string    // value of a two-valued label; empty: the greater number, true, yes, else the last

	HuberDelta float64 // δ > 0, in the units of the label

	Columns, Drop []string // searched for bad slices, left out of that search; no Columns: all others

	Penalty string   // kl or chi2: of the worst case that is described
	Nu      *float64 // its price; nil: where about half of the rows stay effective
	Seed    uint64
}

// An audit is what the report of Audit says beside the evaluation.
type audit struct {
	AuditOptions
	frame *data.Frame
}

// Audit evaluates the predictions that a table holds, of any model. What does not
// fit the table is a *data.Error or an *OptionError.
func Audit(ctx context.Context, f *data.Frame, o AuditOptions) (*Measured, error) {
	in, err := o.input(ctx, f)
	if err != nil {
		return nil, err
	}
	e, err := eval.Evaluate(ctx, *in)
	if err != nil {
		return nil, err
	}
	e.AllGroups = o.AllGroups
	return &Measured{Evaluation: e, Input: in, options: o.Options, audit: &audit{o, f}}, nil
}

// input makes the evaluation's input of a table.
func (o *AuditOptions) input(ctx context.Context, f *data.Frame) (*eval.Input, error) {
	if len(o.Scores) == 0 {
		return nil, &OptionError{"score", "name at least one column of predictions", ""}
	}
	in := &eval.Input{
		TargetName: o.Label, TargetUnit: o.Unit, Split: Table,
		Rate: o.Rate, Tolerance: o.Tolerance, Observe: o.Observe, MinGroupSize: o.MinGroupSize, Resamples: o.resamples(f.Rows), Confidence: o.Confidence, Seed: o.Seed,
	}
	label, err := f.Column(ctx, o.Label)
	if err != nil {
		return nil, err
	}
	var named []string
	for _, s := range o.Scores {
		named = append(named, s.Column)
	}
	named = slices.Concat(named, o.Groups, o.Columns, o.Drop)
	if o.Weight != "" {
		named = append(named, o.Weight)
	}
	for _, name := range named {
		if _, err := f.Lookup(name); err != nil {
			return nil, err
		}
	}
	if f.Rows == 0 {
		return nil, &data.Error{Path: f.Name(), Msg: "there are no rows to measure"}
	}
	alone := o.Options
	alone.Cache = "" // its columns are read whole
	if _, err := alone.roomFor(f, f.Rows, len(o.Scores)); err != nil {
		return nil, err
	}
	if err := o.readLabels(ctx, f, label, in); err != nil {
		return nil, err
	}
	if err := o.readScores(ctx, f, in); err != nil {
		return nil, err
	}
	if o.Weight != "" {
		if in.Weight, err = weights(ctx, f, nil, nil, o.Weight); err != nil {
			return nil, err
		}
	}
	encoder, err := (&data.Encoder{}).WithGroups(ctx, f, o.Groups)
	if err != nil {
		return nil, err
	}
	if in.Groups, _, err = encoder.Groupings(ctx, f, nil); err != nil {
		return nil, err
	}
	in.Columns, err = o.sliceColumns(ctx, f)
	return in, err
}

// readLabels fills in the task and the targets.
func (o *AuditOptions) readLabels(ctx context.Context, f *data.Frame, c *data.Column, in *eval.Input) error {
	var values []string
	for i := range f.Rows {
		if c.IsNull(i) {
			return cellError(f, o.Label, i, "leave such rows out", "the label is missing")
		}
		text := c.Text(i)
		if slices.Contains(values, text) {
			continue
		}
		if len(values) == 2 {
			if o.Task == eval.Binary || o.Task == "" && c.Number == nil {
				return cellError(f, o.Label, i, "", "the label is %q, a third value beside %q and %q", text, values[0], values[1])
			}
			values = append(values, text)
			break
		}
		values = append(values, text)
	}
	if len(values) == 1 && o.Positive == "" && (c.Number == nil || o.Task == eval.Binary || o.Loss == "logistic") {
		return &data.Error{Path: f.Name(), Column: o.Label, Msg: fmt.Sprintf("the label has one value only, %q", values[0]), Hint: "say which value is positive"}
	}
	in.Task = eval.Binary
	if o.Task == eval.Regression || o.Task == "" && len(values) != 2 && o.Positive == "" && o.Loss != "logistic" {
		in.Task = eval.Regression
	}
	if in.Task == eval.Regression {
		var err error
		in.Target, err = numbers(ctx, f, nil, nil, o.Label, "a label", func(float64) bool { return true }, "a finite number", "")
		return err
	}
	if len(values) > 2 {
		return &data.Error{Column: o.Label, Msg: "the label of a binary task has two values, but this one has at least three", Hint: "the task is regression if it is a quantity"}
	}
	positive, err := o.choosePositive(c, values)
	if err != nil {
		return err
	}
	in.Positive = positive
	in.Threshold = &o.Threshold
	in.Target = make([]float64, f.Rows)
	for i := range in.Target {
		in.Target[i] = -1
		if c.Text(i) == positive {
			in.Target[i] = 1
		}
	}
	return nil
}

// choosePositive is the value asked for, or that of training.
func (o *AuditOptions) choosePositive(c *data.Column, values []string) (string, error) {
	if o.Positive != "" {
		if v, ok := data.Meant(c, values, o.Positive); ok || len(values) == 1 {
			return cmp.Or(v, o.Positive), nil
		}
		return "", &OptionError{"positive", fmt.Sprintf("%q does not occur; the labels are %q", o.Positive, values), ""}
	}
	positive, _ := data.Positive(c, values)
	return positive, nil
}

// readScores fills in the models and their losses.
func (o *AuditOptions) readScores(ctx context.Context, f *data.Frame, in *eval.Input) error {
	name := o.Loss
	if name == "" {
		name = "squared"
		if in.Task == eval.Binary {
			name = "logistic"
		}
	}
	if name == "huber" && in.Task == eval.Binary {
		return &OptionError{"loss", fmt.Sprintf("huber is for numeric labels, but %s has two values", o.Label), "choose logistic or squared"}
	}
	loss, err := losses.Parse(name, o.HuberDelta)
	if err != nil {
		return err
	}
	in.LossName = lossName(train.Config{Loss: name, HuberDelta: o.HuberDelta})
	switch {
	case name == "logistic":
		in.LossUnit = "nats"
	case in.Task == eval.Regression:
		in.LossUnit = fmt.Sprintf("(%s)²", cmp.Or(o.Unit, "units of "+o.Label))
	}
	valid, must, hint := func(float64) bool { return true }, "a finite number", ""
	if in.Task == eval.Binary {
		valid, must = func(x float64) bool { return x >= 0 && x <= 1 }, "a probability, from 0 to 1"
		hint = "turn margins into probabilities first; the task is regression if labels are quantities"
	}
	for _, s := range o.Scores {
		m := eval.Model{Name: s.Name}
		if m.Score, err = numbers(ctx, f, nil, nil, s.Column, "a score", valid, must, hint); err != nil {
			return err
		}
		if m.Loss, err = eval.LossOfScores(loss, in.Task, in.Target, m.Score); err != nil {
			return err
		}
		in.Models = append(in.Models, m)
	}
	return nil
}

// sliceColumns are the columns searched for bad slices: those named, or all
// without another role, of few levels enough to be read. Values are read when they are needed.
func (o *AuditOptions) sliceColumns(ctx context.Context, f *data.Frame) ([]eval.Column, error) {
	var out []eval.Column
	for _, c := range f.Columns {
		name := c.Name
		if slices.Contains(o.Drop, name) || name == o.Label || name == o.Weight ||
			slices.ContainsFunc(o.Scores, func(s Score) bool { return s.Column == name }) {
			continue
		}
		if len(o.Columns) > 0 && !slices.Contains(o.Columns, name) {
			continue
		}
		load := func() (*data.Column, error) {
			loaded, err := c.Load(ctx)
			if err == nil {
				err = f.Unchanged()
			}
			return loaded, err
		}
		if len(o.Columns) == 0 && name == "row" || c.Kind == data.Other {
			continue
		}
		if len(o.Columns) == 0 && c.Kind == data.Categorical {
			loaded, err := load()
			if err != nil {
				return nil, err
			}
			if len(loaded.Level) > data.DefaultMaxLevels {
				continue
			}
		}
		out = append(out, eval.Column{Name: name, Load: func() (eval.Column, error) {
			c, err := load()
			if err != nil {
				return eval.Column{}, err
			}
			col, _ := rawColumn(nil, c, nil)
			return col, nil
		}})
	}
	return out, nil
}

// auditReport puts the worst-case weights of the model in focus beside the evaluation.
func (x *Measured) auditReport() (*eval.Report, error) {
	o := x.audit
	r := &eval.Report{Title: "Audit of " + x.Input.TargetName, Evaluation: x.Evaluation, Notes: append([]string{}, o.frame.Notes...), Command: o.Command}
	r.Facts = append(r.Facts, eval.Fact{Key: "data", Value: o.Name})
	for _, s := range o.Scores {
		r.Facts = append(r.Facts, eval.Fact{Key: "scores of " + s.Name, Value: "column " + s.Column})
	}
	if o.Weight != "" {
		r.Facts = append(r.Facts, eval.Fact{Key: "weight", Value: "column " + o.Weight})
	}
	r.Facts = append(r.Facts, checksums(o.frame.Sources)...)
	r.Facts = append(r.Facts, eval.Fact{Key: "audited by", Value: "drotrain " + train.Version()})
	var err error
	r.Adversary, err = x.holders(o.Penalty, o.price(x.Evaluation))
	return r, err
}

// price is the ν asked for, or that point of the curve of the model in focus at which
// the effective rows are nearest to half of them, in two digits; 0 where all losses
// are equal.
func (o *AuditOptions) price(e *eval.Evaluation) float64 {
	if o.Nu != nil {
		return *o.Nu
	}
	m := e.Models[eval.Focus(len(e.Models))]
	curve := m.KL
	if o.Penalty == "chi2" {
		curve = m.ChiSquare
	}
	nu, best := 0.0, math.Inf(1)
	for _, w := range curve {
		if d := math.Abs(math.Log(2 * float64(w.Effective) / float64(e.N))); d < best {
			nu, best = w.Nu, d
		}
	}
	two, err := strconv.ParseFloat(strconv.FormatFloat(nu, 'g', 2, 64), 64)
	if err != nil {
		return nu
	}
	return two
}
