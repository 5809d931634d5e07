package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// influenceColumns computes the numbers of a row; measures are functions of their sums.
type influenceColumns struct {
	in     *measuredRows
	layout interval.Columns

	tailQ []float64 // for each model, the quantile at which colTail is linearised
}

// Columns of a model, each multiplied by the weight of the row.
const (
	colLoss = iota
	colTail // q + (ℓ − q)₊/α, whose mean is CVaR_α, linearised at the sample quantile q
	colA    // log loss for classes; squared error for regression
	// squared probability error for two classes; whether the prediction is right for more classes; |error| for
	// regression
	colB
	// whether a row is positive and predicted positive; whether the class is among the five most probable;
	// error for regression
	colC
	// whether a row is negative and predicted positive; for regression, whether the target is at most the
	// prediction
	colD
	colGap // for two classes, predicted probability − observed
	binaryColumns
)

// Shared columns: the weight; binary: the weight of a positive; regression: the target (centred) and its square, times
// the weight.
const (
	columnWeight = iota
	columnShared1
	columnShared2 // regression
	regressionShared
)

// newInfluenceColumns returns the columns for the models of in; tailQ holds the quantile of their losses at TailAlpha.
func newInfluenceColumns(in *measuredRows, tailQ []float64, centre float64) *interval.Columns {
	c := &influenceColumns{in: in, tailQ: tailQ, layout: interval.Columns{Models: len(in.Models), PerModel: binaryColumns,
		Shared: columnShared2, Centre: centre}}
	switch in.Task {
	case Multiclass:
		c.layout.PerModel = colD
	case Regression:
		c.layout.PerModel, c.layout.Shared = colGap, regressionShared
	}
	c.layout.Fill = c.fill
	return &c.layout
}

// fill computes the columns for row i.
func (c *influenceColumns) fill(row []float64, i int32) {
	in, w := c.in, c.in.Weight.Of(i)
	t := in.Target[i]
	for k := range in.Models {
		m := &in.Models[k]
		l, s := m.Loss[i], m.Score[i]
		v := row[k*c.layout.PerModel:][:c.layout.PerModel]
		v[colLoss] = w * l
		v[colTail] = w * (c.tailQ[k] + math.Max(0, l-c.tailQ[k])/TailAlpha)
		if in.Task == Regression {
			e := s - t
			v[colA], v[colB], v[colC], v[colD] = w*e*e, w*math.Abs(e), w*e, 0
			if t <= s {
				v[colD] = w
			}
			continue
		}
		if in.Task == Multiclass {
			v[colA], v[colB], v[colC] = w*in.LogLoss[k][i], 0, 0
			if float64(m.Class[i]) == t {
				v[colB] = w
			}
			if m.Place[i] <= 5 {
				v[colC] = w
			}
			continue
		}
		y, tp, fp := 0.0, 0.0, 0.0
		if t > 0 {
			y = 1
		}
		if s >= in.Threshold {
			tp, fp = w*y, w*(1-y)
		}
		v[colA], v[colB], v[colC], v[colD], v[colGap] = w*in.LogLoss[k][i], w*(s-y)*(s-y), tp, fp, w*(s-y)
	}
	shared := row[len(row)-c.layout.Shared:]
	shared[columnWeight] = w
	if in.Task == Regression {
		d := t - c.layout.Centre
		shared[columnShared1], shared[columnShared2] = w*d, w*d*d
	} else if in.Task == Binary {
		shared[columnShared1] = w * max(0, t)
	}
}

// totalWeight returns the term for the weight of a row.
func totalWeight(d *interval.Derivative) []interval.Term {
	return []interval.Term{d.SharedTerm(columnWeight, 1)}
}

// positiveClassWeight returns the term for the weight of a row of the positive class; other rows have 0.
func positiveClassWeight(d *interval.Derivative) []interval.Term {
	return []interval.Term{d.SharedTerm(columnShared1, 1)}
}

// negativeClassWeight returns the terms for the weight of a row of the negative class; other rows have 0.
func negativeClassWeight(d *interval.Derivative) []interval.Term {
	return []interval.Term{d.SharedTerm(columnShared1, -1), d.SharedTerm(columnWeight, 1)}
}

// deriveMean returns the derivative of a weighted mean of a column.
func deriveMean(column int) func(d *interval.Derivative) {
	return func(d *interval.Derivative) { d.AddRatio(1, []interval.Term{d.OwnTerm(column, 1)}, totalWeight(d)) }
}
