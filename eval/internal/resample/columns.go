package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// Columns lays out the numbers of a row whose sums are resampled: for each model its own
// columns, then the shared ones. A vector of resampled sums has the same layout
// followed by the bins of the ECE (a row falls into one of them, so they are
// not columns) and by the statistics of ranks, which are no sums.
type Columns struct {
	task   measure.Task
	models int
	per    int // columns of a model
	shared int // where the shared columns start, with the weight
	width0 int // columns of a row
	bins   int // where the bins start: eceBins a model
	rank   int // where the ranks start: rankStats a model
	width  int

	tailQ     []float64 // by model, the quantile that colTail is linearised at
	centre    float64   // regression: taken off the target
	threshold float64
}

// Columns of a model, each times the weight of the row; see loss.
const (
	colLoss = iota
	colTail // q + (ℓ − q)₊/α: its mean is CVaR_α, linearised at the sample quantile
	colA    // binary, multiclass: log-loss; regression: squared error
	colB    // binary: squared probability error; multiclass: correct; regression: |error|
	colC    // binary: predicted and positive; multiclass: among the five most probable; regression: error
	colD    // binary: predicted and negative
	binaryColumns
)

// Shared columns, after the weight; binary: the weight of a positive; regression:
// the target (centred) and its square, times the weight.
const (
	sharedA = iota + 1
	sharedB // regression
	regressionShared
)

// loss returns the first column of model k.
func (c *Columns) loss(k int) int { return k * c.per }

// newColumns returns the layout for the models of in; tailQ holds the quantile of their losses at TailAlpha.
func newColumns(in *measure.Rows, tailQ []float64, centre float64) *Columns {
	task, models := in.Task, len(in.Models)
	c := &Columns{task: task, models: models, per: binaryColumns, tailQ: tailQ, centre: centre, threshold: in.Threshold}
	shared, bins, ranks := sharedB, measure.ECEBins, 2
	if task == measure.Multiclass {
		c.per, bins, ranks = colD, 0, 0
	}
	if task == measure.Regression {
		c.per, shared, bins, ranks = colD, regressionShared, 0, 1
	}
	c.shared = c.per * models
	c.width0 = c.shared + shared
	c.bins = c.width0
	c.rank = c.bins + bins*models
	c.width = c.rank + ranks*models
	return c
}

// A columnRow is the columns of one row, the first width0 of them as they are
// and those of the ECE as the bin and what falls into it, by model.
type columnRow struct {
	v   []float64
	bin []uint8
	gap []float64
}

func (c *Columns) newRow() columnRow {
	r := columnRow{v: make([]float64, c.width0)}
	if c.task == measure.Binary {
		r.bin, r.gap = make([]uint8, c.models), make([]float64, c.models)
	}
	return r
}

// fill computes the columns of row i.
func (c *Columns) fill(in *measure.Rows, r *columnRow, i int32) {
	w, t := 1.0, in.Target[i]
	if in.Weight != nil {
		w = in.Weight[i]
	}
	for k := range in.Models {
		m := &in.Models[k]
		l, s := m.Loss[i], m.Score[i]
		v := r.v[k*c.per:][:c.per]
		v[colLoss] = w * l
		v[colTail] = w * (c.tailQ[k] + math.Max(0, l-c.tailQ[k])/measure.TailAlpha)
		if in.Task == measure.Regression {
			e := s - t
			v[colA], v[colB], v[colC] = w*e*e, w*math.Abs(e), w*e
			continue
		}
		if in.Task == measure.Multiclass {
			v[colA], v[colB], v[colC] = -w*math.Log(max(s, measure.LogLossClip)), 0, 0
			if float64(m.Class[i]) == t {
				v[colB] = w
			}
			if m.Place[i] <= 5 {
				v[colC] = w
			}
			continue
		}
		y, p, tp, fp := 0.0, 1-min(max(s, measure.LogLossClip), 1-measure.LogLossClip), 0.0, 0.0
		if t > 0 {
			y, p = 1, min(max(s, measure.LogLossClip), 1-measure.LogLossClip)
		}
		if s >= c.threshold {
			tp, fp = w*y, w*(1-y)
		}
		v[colA], v[colB], v[colC], v[colD] = -w*math.Log(p), w*(s-y)*(s-y), tp, fp
		r.gap[k] = w * (s - y)
		r.bin[k] = uint8(measure.ECEBin(s))
	}
	shared := r.v[c.shared:]
	shared[0] = w
	if in.Task == measure.Regression {
		d := t - c.centre
		shared[sharedA], shared[sharedB] = w*d, w*d*d
	} else if in.Task == measure.Binary {
		shared[sharedA] = w * max(0, t)
	}
}

// value returns a measure of model k from resampled sums; NaN where it is undefined.
func (c *Columns) value(key string, s []float64, k int) float64 {
	m, w := s[k*c.per:], s[c.shared]
	switch key {
	case "risk":
		return m[colLoss] / w
	case "cvar":
		return m[colTail] / w
	}
	if c.task == measure.Regression {
		switch key {
		case "rmse":
			return math.Sqrt(m[colA] / w)
		case "mae":
			return m[colB] / w
		case "bias":
			return m[colC] / w
		case "r2":
			t := s[c.shared+sharedA]
			return 1 - m[colA]/(s[c.shared+sharedB]-t*t/w)
		case "median_ae":
			return s[c.rank+k]
		}
		return math.NaN()
	}
	if c.task == measure.Multiclass {
		switch key {
		case "log_loss":
			return m[colA] / w
		case "accuracy":
			return m[colB] / w
		case "top5":
			return m[colC] / w
		}
		return math.NaN()
	}
	pos, tp, fp := s[c.shared+sharedA], m[colC], m[colD]
	neg := w - pos
	bins := s[c.bins+k*measure.ECEBins:][:measure.ECEBins]
	switch key {
	case "log_loss":
		return m[colA] / w
	case "brier":
		return m[colB] / w
	case "accuracy":
		return (tp + neg - fp) / w
	case "balanced_accuracy":
		return (tp/pos + (neg-fp)/neg) / 2
	case "tpr":
		return tp / pos
	case "fpr":
		return fp / neg
	case "ppv":
		return tp / (tp + fp)
	case "selection_rate":
		return (tp + fp) / w
	case "prevalence":
		return pos / w
	case "calibration_gap":
		g := 0.0
		for _, x := range bins {
			g += x
		}
		return g / w
	case "ece":
		g := 0.0
		for _, x := range bins {
			g += math.Abs(x)
		}
		return g / w
	case "auc":
		return s[c.rank+2*k]
	case "auprc":
		return s[c.rank+2*k+1]
	}
	return math.NaN()
}
