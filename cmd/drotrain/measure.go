package main

import (
	"context"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// Names of the models in every table and figure.
const (
	baselineName = "ERM"
	robustName   = "robust"
	balancedName = "balanced ERM" // every group of the last grouping weighs the same
)

// What the rows of an evaluation are.
const (
	splitHoldout  = "hold-out"
	splitTraining = "training rows"
	splitFile     = "evaluation file"
)

// measureOptions say how an evaluation is made.
type measureOptions struct {
	minGroupSize int
	resamples    int
	confidence   float64
	threshold    float64
	unit         string // of the target
	showRows     bool
	weight       string // column of row weights, or ""
}

func defaultMeasure() measureOptions {
	return measureOptions{minGroupSize: 20, resamples: 1000, confidence: 0.95, threshold: 0.5}
}

// manyRows is where fewer resamples keep an evaluation that nobody tuned
// within seconds.
const manyRows = 100_000

func (o *trainOptions) measureFor(rows int) measureOptions {
	m := defaultMeasure()
	if rows > manyRows {
		m.resamples = 200
	}
	m.unit = o.unit
	return m
}

// measure evaluates a model and its baseline on rows of f that the model's
// encoder has encoded. trained holds the training rows if they are known.
func measure(ctx context.Context, m *train.Model, f *data.Frame, rows, trained *data.Dataset, split string, o measureOptions) (*eval.Input, *eval.Evaluation, error) {
	if rows.Target == nil {
		return nil, nil, withHint(fmt.Errorf("the data has no column %q, the target of the model", m.Encoder.Target.Name),
			"drotrain predict needs no target")
	}
	in := eval.Input{
		Task: eval.Regression, LossName: lossName(m.Config), LossUnit: lossUnit(m.Config),
		TargetName: m.Encoder.Target.Name, TargetUnit: o.unit, Target: rows.Target,
		Groups: rows.Groups, RowID: rowNumbers(rows.Rows), Columns: rawColumns(m, f, rows.Rows),
		MinGroupSize: o.minGroupSize, Resamples: o.resamples, Confidence: o.confidence,
		Seed: m.Config.Seed, Split: split,
	}
	if o.weight != "" {
		all, err := weights(f, o.weight)
		if err != nil {
			return nil, nil, err
		}
		in.Weight = make([]float64, rows.N)
		for i, r := range rows.Rows {
			in.Weight[i] = all[r]
		}
	}
	if m.Encoder.Target.Task == data.Binary {
		in.Task = eval.Binary
		in.Positive = fmt.Sprintf("%s = %s", in.TargetName, m.Encoder.Target.Positive)
		in.Threshold = &o.threshold
	} else {
		column, err := f.Column(in.TargetName)
		if err != nil {
			return nil, nil, err
		}
		in.Target = make([]float64, rows.N)
		for i, r := range rows.Rows {
			in.Target[i] = column.Number[r]
		}
	}
	for _, v := range []struct {
		name string
		x    []float64
	}{{baselineName, m.Baseline}, {robustName, m.Coefficients}, {balancedName, m.GroupWeighted}} {
		if v.x == nil {
			continue
		}
		p, err := m.PredictDataset(rows, v.x)
		if err != nil {
			return nil, nil, err
		}
		in.Models = append(in.Models, eval.Model{Name: v.name, Score: p.Score, Loss: p.Loss})
	}
	if trained != nil {
		in.TrainShare = groupShares(rows.Groups, trained)
	}
	e, err := eval.Evaluate(ctx, in)
	return &in, e, err
}

// lossName names the loss with its parameter.
func lossName(c train.Config) string {
	if c.Loss == "huber" {
		return fmt.Sprintf("huber(δ=%g)", c.HuberDelta)
	}
	return c.Loss
}

// lossUnit is the unit that losses and bounds are in.
func lossUnit(c train.Config) string {
	if c.Loss == "logistic" {
		return "nats"
	}
	if c.ScaleTarget {
		return fmt.Sprintf("(standard deviations of %s)²", c.Target)
	}
	return fmt.Sprintf("(units of %s)²", c.Target)
}

// rawColumns gives the source columns of the features, as they are in the
// table, at the given rows. Values are read when they are needed.
func rawColumns(m *train.Model, f *data.Frame, rows []int) []eval.Column {
	var out []eval.Column
	for _, in := range m.Encoder.Inputs {
		if kind, err := f.Kind(in.Name); err != nil || kind == data.Other {
			continue // the encoder has refused such a table already
		}
		out = append(out, eval.Column{Name: in.Name, Load: func() (eval.Column, error) {
			c, err := f.Column(in.Name)
			if err != nil {
				return eval.Column{}, err
			}
			if in.Kind != data.Numeric && c.Kind == data.Numeric { // categories by choice
				levels, code := levelsAt(c, rows)
				return eval.Column{Name: in.Name, Levels: levels, Code: code}, nil
			}
			col, _ := rawColumn(c, rows)
			return col, nil
		}})
	}
	return out
}

// rawColumn gives a column as it is in the table; ok is false where its values
// are neither numbers nor levels.
func rawColumn(c *data.Column, rows []int) (col eval.Column, ok bool) {
	switch c.Kind {
	case data.Numeric:
		return eval.Column{Name: c.Name, Value: numbersAt(c, rows)}, true
	case data.Categorical, data.Bool:
		levels, code := levelsAt(c, rows)
		return eval.Column{Name: c.Name, Levels: levels, Code: code}, true
	}
	return eval.Column{}, false
}

// rowNumbers counts rows from 1, as everything shown to people does.
func rowNumbers(rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = r + 1
	}
	return out
}

func numbersAt(c *data.Column, rows []int) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = c.Number[r]
		if c.IsNull(r) {
			out[i] = math.NaN()
		}
	}
	return out
}

func levelsAt(c *data.Column, rows []int) (levels []string, code []int32) {
	levels, code = []string{}, make([]int32, len(rows))
	index := map[string]int32{}
	for i, r := range rows {
		if c.IsNull(r) {
			code[i] = -1
			continue
		}
		text := c.Text(r)
		k, ok := index[text]
		if !ok {
			k = int32(len(levels))
			index[text], levels = k, append(levels, text)
		}
		code[i] = k
	}
	return levels, code
}

// groupShares gives the share of every group among the training rows, for the
// groupings that the training rows have too.
func groupShares(groups []data.Grouping, trained *data.Dataset) []map[string]float64 {
	out := make([]map[string]float64, len(groups))
	shares := eval.Shares(trained.Groups)
	for k, g := range groups {
		for j, t := range trained.Groups {
			if t.Name == g.Name {
				out[k] = shares[j]
			}
		}
	}
	return out
}
