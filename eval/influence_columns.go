package eval

import (
	"math"
)

// influenceColumns is the layout of the numbers of a row; measures are functions of their sums. The columns
// of each model come first, then the shared ones.
type influenceColumns struct {
	in     *measuredRows
	per    int // columns of a model
	shared int // where the shared columns start, with the weight
	width  int // columns of a row

	tailQ  []float64 // by model, the quantile that colTail is linearised at
	centre float64   // regression: taken off the target
}

// Columns of a model, each times the weight of the row.
const (
	colLoss = iota
	colTail // q + (ℓ − q)₊/α: its mean is CVaR_α, linearised at the sample quantile
	colA    // binary, multiclass: log-loss; regression: squared error
	colB    // binary: squared probability error; multiclass: correct; regression: |error|
	colC    // binary: predicted and positive; multiclass: among the five most probable; regression: error
	colD    // binary: predicted and negative; regression: target at most the prediction
	colGap  // binary: predicted probability − observed
	binaryColumns
)

// Shared columns, after the weight; binary: the weight of a positive; regression:
// the target (centred) and its square, times the weight.
const (
	columnShared1 = iota + 1
	columnShared2 // regression
	regressionShared
)

// newInfluenceColumns returns the layout for the models of in; tailQ holds the quantile of their losses at TailAlpha.
func newInfluenceColumns(in *measuredRows, tailQ []float64, centre float64) *influenceColumns {
	c := &influenceColumns{in: in, per: binaryColumns, tailQ: tailQ, centre: centre}
	shared := columnShared2
	switch in.Task {
	case Multiclass:
		c.per = colD
	case Regression:
		c.per, shared = colGap, regressionShared
	}
	c.shared = c.per * len(in.Models)
	c.width = c.shared + shared
	return c
}

// fill computes the columns of row i.
func (c *influenceColumns) fill(row []float64, i int32) {
	in, w := c.in, c.in.Weight.weightOf(i)
	t := in.Target[i]
	for k := range in.Models {
		m := &in.Models[k]
		l, s := m.Loss[i], m.Score[i]
		v := row[k*c.per:][:c.per]
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
			v[colA], v[colB], v[colC] = -w*math.Log(max(s, logLossClip)), 0, 0
			if float64(m.Class[i]) == t {
				v[colB] = w
			}
			if m.Place[i] <= 5 {
				v[colC] = w
			}
			continue
		}
		p := min(max(s, logLossClip), 1-logLossClip)
		y, of, tp, fp := 0.0, 1-p, 0.0, 0.0
		if t > 0 {
			y, of = 1, p
		}
		if s >= in.Threshold {
			tp, fp = w*y, w*(1-y)
		}
		v[colA], v[colB], v[colC], v[colD], v[colGap] = -w*math.Log(of), w*(s-y)*(s-y), tp, fp, w*(s-y)
	}
	shared := row[c.shared:]
	shared[0] = w
	if in.Task == Regression {
		d := t - c.centre
		shared[columnShared1], shared[columnShared2] = w*d, w*d*d
	} else if in.Task == Binary {
		shared[columnShared1] = w * max(0, t)
	}
}

// A columnTerm is a column with a factor.
type columnTerm struct {
	column int
	by     float64
}

// A derivative collects by·(the derivative of a measure of a model by the sums of the columns). The influence of a
// row is the derivative applied to its columns; influences sum to 0.
type derivative struct {
	c     *influenceColumns
	sums  []float64
	model int
	by    float64
	form  []columnTerm
}

// own returns a column of the model with a factor.
func (d *derivative) own(column int, by float64) columnTerm {
	return columnTerm{d.model*d.c.per + column, by}
}

// sum returns the sum of a column of the model.
func (d *derivative) sum(column int) float64 { return d.sums[d.model*d.c.per+column] }

// weight returns the sum of the weights.
func (d *derivative) weight() float64 { return d.sums[d.c.shared] }

// all returns the column of the weights; positives and negatives return the columns of the weights of one class.
func (d *derivative) all() []columnTerm       { return []columnTerm{{d.c.shared, 1}} }
func (d *derivative) positives() []columnTerm { return []columnTerm{{d.c.shared + columnShared1, 1}} }
func (d *derivative) negatives() []columnTerm {
	return []columnTerm{{d.c.shared + columnShared1, -1}, {d.c.shared, 1}}
}

// add appends a term.
func (d *derivative) add(column int, by float64) {
	d.form = append(d.form, columnTerm{column, d.by * by})
}

// ratio appends the derivative of f·N/D, where N and D are linear forms of the sums.
func (d *derivative) ratio(f float64, num, den []columnTerm) {
	var above, below float64
	for _, t := range num {
		above += t.by * d.sums[t.column]
	}
	for _, t := range den {
		below += t.by * d.sums[t.column]
	}
	f *= d.by
	for _, t := range num {
		d.form = append(d.form, columnTerm{t.column, f * t.by / below})
	}
	for _, t := range den {
		d.form = append(d.form, columnTerm{t.column, -f * t.by * above / (below * below)})
	}
}

// deriveMean returns the derivative of a weighted mean of a column.
func deriveMean(column int) func(d *derivative) {
	return func(d *derivative) { d.ratio(1, []columnTerm{d.own(column, 1)}, d.all()) }
}
