package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// errIncomplete reports a nil Model, or one that this package did not make.
var errIncomplete = errors.New("train: the model is incomplete: train or read a model")

// errNil reports a context or a table that is nil.
var errNil = errors.New("train: the context or the table is nil")

// A Prediction holds the predictions of a model for the rows of a table.
type Prediction struct {
	Rows []int // row numbers in the frame; some rows are missing if Impute is drop

	Margin []float64 // z·x, in encoded units; nil if there are more than two classes
	// P(positive) for a binary target; otherwise the value in the units of the target (for models with an
	// exposure, see Predict)
	Score []float64

	// For K > 2 classes, Probability holds n·K probabilities, row after row; Class holds the most probable
	// class; and Rank holds the rank of the actual class by its probability, counted from 1, or is nil if the
	// frame has no target. Score is then the probability of the actual class or, if there is no target, of the
	// most probable class.
	Probability []float64
	Class, Rank []int32

	// training loss of each row; nil if the frame has no target or the loss is unknown (see UnregisteredLoss)
	Loss []float64

	Dataset *encode.Dataset // the encoded rows
	Report  encode.Report
}

// Predict applies the model to the rows of f. To predict with a different variant, such as ERM, call Variant first.
// A model with an exposure predicts counts for the exposures of the rows, whereas PredictDataset returns rates, for
// an exposure of 1. Losses refer to rates. If a prediction is not finite, Predict returns it with a *data.Error.
func (m *Model) Predict(ctx context.Context, f *data.Frame) (*Prediction, error) {
	if m == nil || m.Encoder == nil || m.loss == nil && m.unregistered == "" {
		return nil, errIncomplete
	}
	if ctx == nil || f == nil {
		return nil, errNil
	}
	d, report, err := m.Encoder.Encode(ctx, f, nil)
	if err != nil {
		return nil, err
	}
	p, err := m.PredictDataset(d, m.ScoringCoefficients())
	if err != nil {
		return nil, err
	}
	p.Report = report
	p.scaleToExposures()
	return p, p.checkFinite(f, 0)
}

// scaleToExposures converts the rates of a model with an exposure to counts.
func (p *Prediction) scaleToExposures() {
	for i, x := range p.Dataset.Exposure {
		p.Score[i] *= x
	}
}

// checkFinite returns an error if a prediction is NaN or infinite. The predicted rows are those of f from row first
// on.
func (p *Prediction) checkFinite(f *data.Frame, first int) error {
	for i, r := range p.Rows {
		if !p.isFinite(i) {
			path, row := f.Where(first + r)
			return &data.Error{Path: path, Row: row, Msg: beyondPrecision,
				Hint: "correct the values of this row, or leave the row out"}
		}
	}
	return nil
}

// beyondPrecision explains why a prediction is not finite.
const beyondPrecision = "the prediction exceeds the range of double precision: values in this row are too far from " +
	"the training values"

// isFinite reports whether the i-th prediction is finite.
func (p *Prediction) isFinite(i int) bool {
	m, v := 0.0, p.Score[i]
	if p.Margin != nil { // nil if there are more than two classes
		m = p.Margin[i]
	}
	return m-m == 0 && v-v == 0
}

// link returns the link of the loss, which is known if this program knows the loss or the link.
func (m *Model) link() (losses.Link, error) {
	if m.loss != nil {
		return m.loss.Meaning().Link, nil
	}
	link, known := losses.LinkNamed(m.Link)
	if !known {
		return link, &UnregisteredLossError{Loss: m.unregistered, Link: m.Link}
	}
	return link, nil
}

// PredictDataset applies coefficients x of the encoded columns, such as ScoringCoefficients or Baseline, to
// rows encoded by the model's Encoder.
func (m *Model) PredictDataset(d *encode.Dataset, x []float64) (*Prediction, error) {
	if m == nil || d == nil {
		return nil, errIncomplete
	}
	if m.Encoder == nil || m.loss == nil && m.unregistered == "" || d.X == nil {
		return nil, errIncomplete
	}
	if rows, columns := d.X.Dims(); rows != d.N || columns != d.D || d.Target != nil && len(d.Target) != rows {
		return nil, errors.New("train: the matrix does not have the stated numbers of rows and columns, or there is not " +
			"exactly one target per row")
	}
	if m.Classes() != nil {
		return m.predictClasses(d, x)
	}
	link, err := m.link()
	if err != nil {
		return nil, err
	}
	if err := m.checkTargets(nil, d); err != nil {
		return nil, err
	}
	if d.D != len(x) {
		return nil, fmt.Errorf("train: the rows have %d encoded columns, but the model has %d coefficients", d.D, len(x))
	}
	var arena *memory.Arena
	if z, ok := d.X.(interface{ Arena() *memory.Arena }); ok {
		arena = z.Arena()
	}
	p := &Prediction{Rows: d.Rows, Dataset: d, Margin: memory.Make[float64](arena, d.N),
		Score: memory.Make[float64](arena, d.N)}
	if d.Target != nil && m.loss != nil {
		p.Loss = memory.Make[float64](arena, d.N)
	}
	t := m.Encoder.Target
	shard.Run(d.N, func(_, lo, hi int) {
		d.X.MarginsTo(p.Margin, x, lo, hi)
		for i, v := range p.Margin[lo:hi] {
			if link.Predict != nil {
				p.Score[lo+i] = link.Predict(v)
			} else {
				p.Score[lo+i] = t.Predicted(v)
			}
		}
		if p.Loss != nil {
			m.loss.EvalTo(p.Loss[lo:hi], make([]float64, hi-lo), p.Margin[lo:hi], d.Target[lo:hi])
		}
	})
	return p, nil
}
