package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
)

// check refuses what the command line alone shows to be wrong, and returns the
// score columns by name.
func (o *auditOptions) check() ([]string, error) {
	switch {
	case o.label == "":
		return nil, usagef("name the column of what occurred, as in --label y", "no --label")
	case len(o.scores) == 0:
		return nil, usagef("name the column of the predictions, as in --score p", "no --score")
	case o.task == "binary" && o.loss == "huber":
		return nil, usagef("choose logistic or squared", "--loss huber is for --task regression")
	case o.task == "regression" && o.loss == "logistic":
		return nil, usagef("choose squared or huber", "--loss logistic is for --task binary")
	case o.task == "regression" && o.positive != "":
		return nil, usagef("leave one of them out", "--positive is for --task binary")
	}
	var names, columns []string
	for _, s := range o.scores {
		name, column := scoreName(s)
		if name == "" || column == "" {
			return nil, usagef("write --score NAME=COLUMN", "--score %q: a name or a column is missing", s)
		}
		if slices.Contains(names, name) {
			return nil, usagef("name them, as in --score old=p1,new=p2", "two score columns are called %q", name)
		}
		names, columns = append(names, name), append(columns, column)
	}
	once := slices.Compact(slices.Sorted(slices.Values(columns)))
	one := []string{o.label}
	weight := []string{}
	if o.measure.weight != "" {
		weight = []string{o.measure.weight}
	}
	err := checkRoles(
		role{"label", one, []string{"score", "weight", "columns"}}, role{"score", once, []string{"weight", "columns"}},
		role{"weight", weight, []string{"columns", "groups"}}, role{"groups", o.groups, nil},
		role{"columns", o.columns, []string{"drop"}}, role{"drop", o.drop, nil},
	)
	if err != nil {
		return nil, err
	}
	if err := o.measure.check(); err != nil {
		return nil, err
	}
	return columns, o.out.check()
}

// input makes the evaluation's input of a table.
func (o *auditOptions) input(f *data.Frame, columns []string) (*eval.Input, error) {
	in := &eval.Input{
		TargetName: o.label, TargetUnit: o.measure.unit, Split: splitFile,
		MinGroupSize: o.measure.minGroupSize, Resamples: o.measure.resamples, Confidence: o.measure.confidence, Seed: o.seed,
	}
	label, err := f.Column(o.label)
	if err != nil {
		return nil, err
	}
	for _, name := range append(slices.Concat(columns, o.groups, o.columns, o.drop), o.weightColumn()...) {
		if _, err := f.Column(name); err != nil {
			return nil, err
		}
	}
	if f.Rows == 0 {
		return nil, fmt.Errorf("%s has no rows to measure", f.Sources[0].Path)
	}
	if err := o.readLabels(f, label, in); err != nil {
		return nil, err
	}
	if err := o.readScores(f, columns, in); err != nil {
		return nil, err
	}
	if o.measure.weight != "" {
		if in.Weight, err = weights(f, o.measure.weight); err != nil {
			return nil, err
		}
	}
	encoder, err := withGroups(&data.Encoder{}, f, o.groups)
	if err != nil {
		return nil, err
	}
	d, _, err := encoder.EncodeFeatures(f, nil)
	if err != nil {
		return nil, err
	}
	in.Groups = d.Groups
	in.RowID = rowNumbers(d.Rows)
	in.Columns, err = o.sliceColumns(f, columns, d.Rows)
	return in, err
}

func (o *auditOptions) weightColumn() []string {
	if o.measure.weight == "" {
		return nil
	}
	return []string{o.measure.weight}
}

// at names a cell of the table in an error.
func at(f *data.Frame, column string, row int, hint, format string, args ...any) error {
	path, number := f.Where(row)
	return &data.Error{Path: path, Column: column, Row: number, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// numbers reads a column that must hold a number in every row.
func numbers(f *data.Frame, name, what string, valid func(float64) bool, must, hint string) ([]float64, error) {
	c, err := f.Column(name)
	if err != nil {
		return nil, err
	}
	if c.Number == nil {
		return nil, &data.Error{Path: f.Sources[0].Path, Column: name, Msg: fmt.Sprintf("%s must be a number, but this column is %s", what, c.Type)}
	}
	out := make([]float64, f.Rows)
	for i := range out {
		switch v := c.Number[i]; {
		case c.IsNull(i):
			return nil, at(f, name, i, "leave such rows out", "%s is missing", what)
		case math.IsNaN(v) || math.IsInf(v, 0) || !valid(v):
			return nil, at(f, name, i, hint, "%s is %s: it must be %s", what, c.Text(i), must)
		default:
			out[i] = v
		}
	}
	return out, nil
}

// weights reads a column of row weights.
func weights(f *data.Frame, name string) ([]float64, error) {
	return numbers(f, name, "a weight", func(x float64) bool { return x > 0 }, "a number above 0", "leave out rows of no weight")
}

// readLabels fills in the task and the targets.
func (o *auditOptions) readLabels(f *data.Frame, c *data.Column, in *eval.Input) error {
	var values []string
	for i := range f.Rows {
		if c.IsNull(i) {
			return at(f, o.label, i, "leave such rows out", "the label is missing")
		}
		text := c.Text(i)
		if slices.Contains(values, text) {
			continue
		}
		if len(values) == 2 {
			if o.task == "binary" || o.task == "" && c.Number == nil {
				return at(f, o.label, i, "", "the label is %q, a third value beside %q and %q", text, values[0], values[1])
			}
			values = append(values, text)
			break
		}
		values = append(values, text)
	}
	if len(values) == 1 && o.positive == "" && (c.Number == nil || o.task == "binary" || o.loss == "logistic") {
		return &data.Error{Path: f.Sources[0].Path, Column: o.label, Msg: fmt.Sprintf("the label has one value only, %q", values[0]), Hint: "say with --positive which value is positive"}
	}
	in.Task = eval.Binary
	if o.task == "regression" || o.task == "" && len(values) != 2 && o.positive == "" && o.loss != "logistic" {
		in.Task = eval.Regression
	}
	if in.Task == eval.Regression {
		var err error
		in.Target, err = numbers(f, o.label, "a label", func(float64) bool { return true }, "a finite number", "")
		return err
	}
	if len(values) > 2 {
		return &data.Error{Column: o.label, Msg: "the label of a binary task has two values, but this one has at least three", Hint: "--task regression if it is a quantity"}
	}
	positive, err := o.choosePositive(values)
	if err != nil {
		return err
	}
	in.Positive = positive
	threshold := o.measure.threshold
	in.Threshold = &threshold
	in.Target = make([]float64, f.Rows)
	for i := range in.Target {
		in.Target[i] = -1
		if c.Text(i) == positive {
			in.Target[i] = 1
		}
	}
	return nil
}

// choosePositive follows the rule of training: the greater number; true, 1 or
// yes; else the last in alphabetical order.
func (o *auditOptions) choosePositive(values []string) (string, error) {
	if o.positive != "" {
		if !slices.Contains(values, o.positive) && len(values) > 1 {
			return "", usagef("", "--positive %q does not occur; the labels are %q", o.positive, values)
		}
		return o.positive, nil
	}
	rank := func(s string) (word bool, number float64) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			x = 0
		}
		return strings.EqualFold(s, "true") || strings.EqualFold(s, "yes"), x
	}
	return slices.MaxFunc(values, func(a, b string) int {
		wa, xa := rank(a)
		wb, xb := rank(b)
		switch {
		case wa != wb && wa:
			return 1
		case wa != wb:
			return -1
		}
		return cmp.Or(cmp.Compare(xa, xb), cmp.Compare(a, b))
	}), nil
}

// readScores fills in the models and their losses.
func (o *auditOptions) readScores(f *data.Frame, columns []string, in *eval.Input) error {
	loss := o.loss
	if loss == "" {
		loss = "squared"
		if in.Task == eval.Binary {
			loss = "logistic"
		}
	}
	switch {
	case loss == "huber" && in.Task == eval.Binary:
		return usagef("choose logistic or squared", "--loss huber is for numeric labels, but %s has two values", o.label)
	case loss == "huber":
		in.LossName = fmt.Sprintf("huber(δ=%g)", o.huberDelta)
	default:
		in.LossName = loss
	}
	switch {
	case loss == "logistic":
		in.LossUnit = "nats"
	case in.Task == eval.Regression:
		in.LossUnit = fmt.Sprintf("(%s)²", cmp.Or(o.measure.unit, "units of "+o.label))
	}
	valid, must, hint := func(float64) bool { return true }, "a finite number", ""
	if in.Task == eval.Binary {
		valid, must = func(x float64) bool { return x >= 0 && x <= 1 }, "a probability, from 0 to 1"
		hint = "turn margins into probabilities first; --task regression is for labels that are quantities"
	}
	for k, column := range columns {
		s, err := numbers(f, column, "a score", valid, must, hint)
		if err != nil {
			return err
		}
		name, _ := scoreName(o.scores[k])
		m := eval.Model{Name: name, Score: s, Loss: make([]float64, len(s))}
		for i, p := range s {
			m.Loss[i] = rowLoss(loss, in.Target[i], p, in.Task == eval.Binary, o.huberDelta)
		}
		in.Models = append(in.Models, m)
	}
	return nil
}

// rowLoss is the loss of a prediction p of the target t (±1 if binary).
func rowLoss(loss string, t, p float64, binary bool, delta float64) float64 {
	if loss == "logistic" {
		const eps = 0x1p-52 // as in the log-loss: a certain mistake costs 36 nats
		if t < 0 {
			p = 1 - p
		}
		return -math.Log(min(max(p, eps), 1-eps))
	}
	if binary {
		t = max(0, t)
	}
	r := math.Abs(t - p)
	if loss == "huber" && r > delta {
		return delta * (r - delta/2)
	}
	return r * r / 2
}

// sliceColumns are the columns searched for bad slices: those named, or all
// without another role, of few levels enough to be read.
func (o *auditOptions) sliceColumns(f *data.Frame, scores []string, rows []int) ([]eval.Column, error) {
	var out []eval.Column
	for _, c := range f.Columns {
		name := c.Name
		if slices.Contains(o.drop, name) || name == o.label || name == o.measure.weight || slices.Contains(scores, name) {
			continue
		}
		if len(o.columns) > 0 && !slices.Contains(o.columns, name) {
			continue
		}
		c, err := c.Load(context.Background())
		if err != nil {
			return nil, err
		}
		if len(o.columns) == 0 && (c.Kind == data.Categorical && len(c.Level) > data.DefaultMaxLevels || name == "row") {
			continue
		}
		if col, ok := rawColumn(c, rows); ok {
			out = append(out, col)
		}
	}
	return out, nil
}
