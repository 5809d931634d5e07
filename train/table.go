package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/shard"
)

// BlockOptions configures PredictBlocks. The zero value uses the threshold of the model.
type BlockOptions struct {
	Keep      []string // columns of the table to copy
	Threshold *float64 // minimum probability of rows that are predicted positive; nil selects Model.Threshold
	Margins   bool     // whether margins are added; see PredictBlocks

	// NullInvalid makes the predictions of rows that cannot be scored null, and adds a last column, reason,
	// that explains why. Otherwise such a row is an error. Problems of whole columns are errors in either case.
	NullInvalid bool

	size int // rows in a block; 0 selects a size of some megabytes
}

// PredictBlocks predicts the rows of f block by block and calls put with the columns of each block, at least once:
// row (counted from 1), the columns of f that o keeps, the probability of the positive class (for two classes) or the
// probabilities of the classes (for more; if there are more than 20, only those of the five most probable classes), and
// the prediction, as Predict returns it. Only one block of a Parquet file is in memory at a time. The report covers
// all rows.
//
// If o.Margins is set, a column margin follows: the log-odds of the positive class or, for a numeric target and a
// loss with a link, the value before the link is applied. For more than two classes there is a column margin_CLASS
// for each class; the probabilities are the softmax of these margins. Margins stay finite even if a probability
// rounds to 0 or 1. o.Margins is an error for a model whose predictions are its margins, and o.Threshold for a target
// that does not have two classes.
func (m *Model) PredictBlocks(
	ctx context.Context, f *data.Frame, o BlockOptions, put func([]data.Column) error,
) (report encode.Report, err error) {
	if m == nil || m.Encoder == nil {
		return report, errIncomplete
	}
	if ctx == nil || f == nil {
		return report, errNil
	}
	if o.Margins {
		if err := m.checkMargins(); err != nil {
			return report, err
		}
	}
	if o.Threshold != nil && m.Encoder.Target.Task != encode.Binary {
		return report, fmt.Errorf("a threshold needs a target with two classes; %q is not one: leave out the threshold",
			m.Encoder.Target.Name)
	}
	if err := m.checkKeptColumns(&o); err != nil {
		return report, err
	}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	exact, err := f.Exact(ctx, o.Keep)
	if err != nil {
		return report, err
	}
	unfit := 0 // number of rows whose prediction is not finite
	do := func(b encode.Block) error {
		p, err := m.PredictDataset(b.Rows, m.ScoringCoefficients())
		if err != nil {
			return err
		}
		p.scaleToExposures()
		if o.NullInvalid {
			unfit -= len(b.Invalid)
			p.addNonFiniteTo(b.Invalid)
			unfit += len(b.Invalid)
		} else if err := p.checkFinite(f, b.First); err != nil {
			return err
		}
		kept, err := exact.Rows(ctx, b.First, b.Last)
		if err != nil {
			return err
		}
		columns, err := m.predictionColumns(p, b.First, kept, &o)
		if err != nil {
			return err
		}
		if o.NullInvalid {
			columns = addInvalidRows(columns, &b, kept, p)
		}
		return put(columns)
	}
	if !o.NullInvalid {
		return m.Encoder.EncodeBlocks(ctx, f, nil, o.size, false, do)
	}
	report, err = m.Encoder.EncodeValidBlocks(ctx, f, o.size, do)
	report.Invalid += unfit
	return report, err
}

// addNonFiniteTo adds the rows whose prediction is not finite to invalid, the invalid rows of a block.
func (p *Prediction) addNonFiniteTo(invalid map[int]string) {
	for i, r := range p.Rows {
		if !p.isFinite(i) {
			invalid[r] = beyondPrecision
		}
	}
}

// addInvalidRows returns the prediction columns for all rows of a block. columns holds the values for the rows that
// p scored; the invalid rows have nulls. The last column states the reasons.
func addInvalidRows(columns []data.Column, b *encode.Block, kept []*data.Column, p *Prediction) []data.Column {
	n := b.Last - b.First
	all := make([]int, n)
	numbers := make([]float64, n)
	reason := data.Column{Name: reasonName, Type: "string", Kind: data.Categorical, Code: make([]int32, n),
		Level: []string{}, Null: make([]bool, n)}
	place := map[string]int32{}
	for r := range n {
		all[r], numbers[r] = r, float64(b.First+r+1)
		why, invalid := b.Invalid[r]
		if reason.Null[r] = !invalid; !invalid {
			reason.Code[r] = -1
			continue
		}
		k, known := place[why]
		if !known {
			k = int32(len(reason.Level))
			place[why], reason.Level = k, append(reason.Level, why)
		}
		reason.Code[r] = k
	}
	out := []data.Column{columns[0]}
	out[0].Number = numbers
	for _, c := range kept {
		out = append(out, copyRows(c, all))
	}
	for _, c := range columns[1+len(kept):] {
		wide := c
		wide.Null = make([]bool, n)
		for r := range n {
			wide.Null[r] = true
		}
		if c.Kind == data.Categorical {
			wide.Code = slices.Repeat([]int32{-1}, n)
		} else {
			wide.Number = make([]float64, n)
		}
		for i, r := range p.Rows {
			if _, invalid := b.Invalid[r]; invalid {
				continue
			}
			if wide.Null[r] = c.IsNull(i); c.Kind == data.Categorical {
				wide.Code[r] = c.Code[i]
			} else {
				wide.Number[r] = c.Number[i]
			}
		}
		out = append(out, wide)
	}
	return append(out, reason)
}

// Columns of a prediction in addition to the columns that are kept.
const (
	rowName, probabilityName, predictionName, marginName, reasonName = "row", "probability", "prediction", "margin",
		"reason"
)

// checkMargins returns an error for a model whose predictions are its margins.
func (m *Model) checkMargins() error {
	if m.Encoder.Target.Task != encode.Regression {
		return nil
	}
	link, err := m.link()
	if err == nil && link.Predict == nil {
		return errors.New("the predictions of this model are its margins: leave out the margins")
	}
	return err
}

// checkKeptColumns returns an error that lists the columns to keep which have the name of a prediction column.
func (m *Model) checkKeptColumns(o *BlockOptions) error {
	reserved := m.predictionNames(o)
	var taken []string
	for _, name := range o.Keep {
		if slices.Contains(reserved, name) {
			taken = append(taken, strconv.Quote(name))
		}
	}
	if taken == nil {
		return nil
	}
	return fmt.Errorf("%s cannot be kept, because the predictions have columns with the same names: rename these "+
		"columns in the table",
		strings.Join(taken, " and "))
}

// predictionColumns returns the columns of the rows that p scored, which belong to a block that begins at row first of
// the table: row, the kept columns, the probabilities, the prediction and the margins.
func (m *Model) predictionColumns(
	p *Prediction, first int, kept []*data.Column, o *BlockOptions,
) ([]data.Column, error) {
	rows := data.Column{Name: rowName, Type: "int64", Kind: data.Numeric, Number: []float64{}}
	for _, r := range p.Rows {
		rows.Number = append(rows.Number, float64(first+r+1))
	}
	out := []data.Column{rows}
	for _, c := range kept {
		out = append(out, copyRows(c, p.Rows))
	}
	switch t := m.Encoder.Target; t.Task {
	case encode.Multiclass:
		out = append(out, classColumns(t.Classes, p)...)
	case encode.Binary:
		label := data.Column{
			Name: predictionName, Type: "string", Kind: data.Categorical,
			Level: []string{t.Negative, t.Positive}, Code: make([]int32, len(p.Score)),
		}
		threshold := m.Threshold()
		if o.Threshold != nil {
			threshold = *o.Threshold
		}
		for i, s := range p.Score {
			if s >= threshold {
				label.Code[i] = 1
			}
		}
		out = append(out, numberColumn(probabilityName, p.Score), label)
	default:
		out = append(out, numberColumn(predictionName, p.Score))
	}
	if o.Margins {
		out = append(out, m.marginColumns(p)...)
	}
	return out, nil
}

// numberColumn returns a column of numbers.
func numberColumn(name string, values []float64) data.Column {
	return data.Column{Name: name, Type: "double", Kind: data.Numeric, Number: values}
}

// marginColumns returns the margins of a prediction as one column or, for more than two classes, one column for
// each class.
func (m *Model) marginColumns(p *Prediction) []data.Column {
	classes := m.Classes()
	if classes == nil {
		return []data.Column{numberColumn(marginName, p.Margin)}
	}
	var out []data.Column
	all, x := m.ScoringCoefficients(), make([]float64, p.Dataset.D)
	for c, class := range classes {
		for i := range x {
			x[i] = all[i*len(classes)+c]
		}
		margin := make([]float64, p.Dataset.N)
		shard.Run(p.Dataset.N, func(_, lo, hi int) { p.Dataset.X.MarginsTo(margin, x, lo, hi) })
		out = append(out, numberColumn(marginName+"_"+class, margin))
	}
	return out
}

// copyRows copies the given rows of a column.
func copyRows(c *data.Column, rows []int) data.Column {
	return data.Column{
		Name: c.Name, Type: c.Type, Kind: c.Kind, Level: c.Level,
		Number: entriesAt(c.Number, rows), Int: entriesAt(c.Int, rows), Code: entriesAt(c.Code, rows), Null: entriesAt(c.Null,
			rows),
	}
}

// entriesAt returns the entries of v at the given rows, or nil if v is nil.
func entriesAt[T any](v []T, rows []int) (out []T) {
	if v == nil {
		return nil
	}
	for _, r := range rows {
		out = append(out, v[r])
	}
	return out
}
