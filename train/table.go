package train

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
)

// PredictBlocks predicts the rows of f block by block and calls put with the columns of each block, at least
// once: row (counted from 1), the columns of f named in keep, the probability of the positive class (for two
// classes) and the prediction. Rows with a probability of at least threshold are predicted positive. Only one
// block of a Parquet file is in memory at a time. The report covers all rows.
func (m *Model) PredictBlocks(ctx context.Context, f *data.Frame, keep []string, threshold float64, put func([]data.Column) error) (report data.EncodeReport, err error) {
	if m.Encoder == nil {
		return report, errIncomplete
	}
	return m.predictBlocks(ctx, f, keep, threshold, 0, put)
}

// predictBlocks works like PredictBlocks with blocks of size rows; 0 chooses a size of some megabytes.
func (m *Model) predictBlocks(ctx context.Context, f *data.Frame, keep []string, threshold float64, size int, put func([]data.Column) error) (report data.EncodeReport, err error) {
	if err := m.checkKeptColumns(keep); err != nil {
		return report, err
	}
	exact, err := f.Exact(ctx, keep)
	if err != nil {
		return report, err
	}
	return m.Encoder.EncodeBlocks(ctx, f, nil, size, false, func(b data.Block) error {
		p, err := m.PredictDataset(b.Rows, m.ScoringCoefficients())
		if err != nil {
			return err
		}
		if err := p.checkFinite(f, b.First); err != nil {
			return err
		}
		kept, err := exact.Rows(ctx, b.First, b.Last)
		if err != nil {
			return err
		}
		columns, err := m.predictionColumns(p, b.First, kept, threshold)
		if err != nil {
			return err
		}
		return put(columns)
	})
}

// Columns of a prediction other than those kept.
const (
	rowName, probabilityName, predictionName = "row", "probability", "prediction"
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
	if t.Task == data.Multiclass {
		return append(out, classColumns(t.Classes, p)...), nil
	}
	if t.Task != data.Binary {
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
