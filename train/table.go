package train

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

// PredictBlocks predicts the rows of f block by block and calls put with the columns of each block, at least
// once: row (counted from 1), the columns of f named in keep, the probability of the positive class (for two
// classes) and the prediction. Rows with a probability of at least threshold are predicted positive. Only one
// block of a Parquet file is in memory at a time. The report covers all rows.
func (m *Model) PredictBlocks(ctx context.Context, f *data.Frame, keep []string, threshold float64, put func([]data.Column) error) (report encode.Report, err error) {
	if m.Encoder == nil {
		return report, errIncomplete
	}
	return m.predictBlocks(ctx, f, keep, blockOptions{threshold: threshold}, put)
}

// PredictValidBlocks works like PredictBlocks, but rows that cannot be scored are no error: their probability and
// prediction are null, and the last column, reason, is the text that says why (null for the other rows). Faults of
// whole columns remain errors.
func (m *Model) PredictValidBlocks(ctx context.Context, f *data.Frame, keep []string, threshold float64, put func([]data.Column) error) (report encode.Report, err error) {
	if m.Encoder == nil {
		return report, errIncomplete
	}
	return m.predictBlocks(ctx, f, keep, blockOptions{threshold: threshold, reasons: true}, put)
}

// blockOptions holds how rows are predicted in blocks.
type blockOptions struct {
	threshold float64
	size      int  // of a block in rows; 0 chooses a size of some megabytes
	reasons   bool // rows that cannot be scored have a reason instead of being an error
}

// predictBlocks works like PredictBlocks or, with reasons, like PredictValidBlocks.
func (m *Model) predictBlocks(ctx context.Context, f *data.Frame, keep []string, o blockOptions, put func([]data.Column) error) (report encode.Report, err error) {
	if err := m.checkKeptColumns(keep); err != nil {
		return report, err
	}
	if o.reasons && slices.Contains(keep, reasonName) {
		return report, fmt.Errorf("%q cannot be kept: it is the column with the reasons of rows that cannot be scored; rename it in the table", reasonName)
	}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	exact, err := f.Exact(ctx, keep)
	if err != nil {
		return report, err
	}
	unfit := 0 // rows whose prediction is not finite
	do := func(b encode.Block) error {
		p, err := m.PredictDataset(b.Rows, m.ScoringCoefficients())
		if err != nil {
			return err
		}
		if o.reasons {
			unfit -= len(b.Invalid)
			p.setInvalid(b.Invalid)
			unfit += len(b.Invalid)
		} else if err := p.checkFinite(f, b.First); err != nil {
			return err
		}
		kept, err := exact.Rows(ctx, b.First, b.Last)
		if err != nil {
			return err
		}
		columns, err := m.predictionColumns(p, b.First, kept, o.threshold)
		if err != nil {
			return err
		}
		if o.reasons {
			columns = addInvalidRows(columns, &b, kept, p)
		}
		return put(columns)
	}
	if !o.reasons {
		return m.Encoder.EncodeBlocks(ctx, f, nil, o.size, false, do)
	}
	report, err = m.Encoder.EncodeValidBlocks(ctx, f, o.size, do)
	report.Invalid += unfit
	return report, err
}

// setInvalid adds the rows whose prediction is not finite to the invalid rows of a block.
func (p *Prediction) setInvalid(invalid map[int]string) {
	for i, r := range p.Rows {
		if !p.isFinite(i) {
			invalid[r] = beyondPrecision
		}
	}
}

// addInvalidRows returns the prediction columns of all rows of a block: those of columns, which p has scored, and
// the invalid ones with nulls. The last column gives the reasons.
func addInvalidRows(columns []data.Column, b *encode.Block, kept []*data.Column, p *Prediction) []data.Column {
	n := b.Last - b.First
	all := make([]int, n)
	numbers := make([]float64, n)
	reason := data.Column{Name: reasonName, Type: "string", Kind: data.Categorical, Code: make([]int32, n), Level: []string{}, Null: make([]bool, n)}
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

// Columns of a prediction other than those kept.
const (
	rowName, probabilityName, predictionName, reasonName = "row", "probability", "prediction", "reason"
)

// checkKeptColumns returns an error for columns that have the name of a prediction column.
func (m *Model) checkKeptColumns(keep []string) error {
	var taken []string
	for _, name := range keep {
		if slices.Contains(m.predictionNames(), name) {
			taken = append(taken, strconv.Quote(name))
		}
	}
	if taken == nil {
		return nil
	}
	return fmt.Errorf("%s cannot be kept: predictions have columns of their own called so; rename them in the table", strings.Join(taken, " and "))
}

// predictionColumns returns the prediction columns of consecutive rows that begin at row first of the table,
// and the same rows of the kept columns.
func (m *Model) predictionColumns(p *Prediction, first int, kept []*data.Column, threshold float64) ([]data.Column, error) {
	rows := data.Column{Name: rowName, Type: "int64", Kind: data.Numeric, Number: []float64{}}
	for _, r := range p.Rows {
		rows.Number = append(rows.Number, float64(first+r+1))
	}
	out := []data.Column{rows}
	for _, c := range kept {
		out = append(out, copyRows(c, p.Rows))
	}
	t := m.Encoder.Target
	if t.Task == encode.Multiclass {
		return append(out, classColumns(t.Classes, p)...), nil
	}
	if t.Task != encode.Binary {
		return append(out, data.Column{Name: predictionName, Type: "double", Kind: data.Numeric, Number: p.Score}), nil
	}
	label := data.Column{
		Name: predictionName, Type: "string", Kind: data.Categorical,
		Level: []string{t.Negative, t.Positive}, Code: make([]int32, len(p.Score)),
	}
	for i, s := range p.Score {
		if s >= threshold {
			label.Code[i] = 1
		}
	}
	return append(out, data.Column{Name: probabilityName, Type: "double", Kind: data.Numeric, Number: p.Score}, label), nil
}

// copyRows copies the given rows of a column.
func copyRows(c *data.Column, rows []int) data.Column {
	return data.Column{
		Name: c.Name, Type: c.Type, Kind: c.Kind, Level: c.Level,
		Number: entriesAt(c.Number, rows), Int: entriesAt(c.Int, rows), Code: entriesAt(c.Code, rows), Null: entriesAt(c.Null, rows),
	}
}

// entriesAt returns the entries of v at the given rows; nil of nil.
func entriesAt[T any](v []T, rows []int) (out []T) {
	if v == nil {
		return nil
	}
	for _, r := range rows {
		out = append(out, v[r])
	}
	return out
}
