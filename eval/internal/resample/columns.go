package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// columns lays out the numbers of a row of whose sums the measures are functions: for each model
// its own columns, then the shared ones.
type columns struct {
	in     *measure.Rows
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
	colD    // binary: predicted and negative
	colGap  // binary: predicted probability − observed
	binaryColumns
)

// Shared columns, after the weight; binary: the weight of a positive; regression:
// the target (centred) and its square, times the weight.
const (
	sharedA = iota + 1
	sharedB // regression
	regressionShared
)

// newColumns returns the layout for the models of in; tailQ holds the quantile of their losses at TailAlpha.
func newColumns(in *measure.Rows, tailQ []float64, centre float64) *columns {
	c := &columns{in: in, per: binaryColumns, tailQ: tailQ, centre: centre}
	shared := sharedB
	switch in.Task {
	case measure.Multiclass:
		c.per = colD
	case measure.Regression:
		c.per, shared = colD, regressionShared
	}
	c.shared = c.per * len(in.Models)
	c.width = c.shared + shared
	return c
}

// fill computes the columns of row i.
func (c *columns) fill(row []float64, i int32) {
	in, w := c.in, c.in.WeightOf(i)
	t := in.Target[i]
	for k := range in.Models {
		m := &in.Models[k]
		l, s := m.Loss[i], m.Score[i]
		v := row[k*c.per:][:c.per]
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
		p := min(max(s, measure.LogLossClip), 1-measure.LogLossClip)
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
	if in.Task == measure.Regression {
		d := t - c.centre
		shared[sharedA], shared[sharedB] = w*d, w*d*d
	} else if in.Task == measure.Binary {
		shared[sharedA] = w * max(0, t)
	}
}

// A term is a column and what it is multiplied by.
type term struct {
	column int
	by     float64
}

// meanColumns are, by task, the columns whose weighted mean is a measure.
var meanColumns = map[measure.Task]map[string]int{
	measure.Binary:     {"log_loss": colA, "brier": colB, "calibration_gap": colGap},
	measure.Multiclass: {"log_loss": colA, "accuracy": colB, "top5": colC},
	measure.Regression: {"mae": colB, "bias": colC},
}

// addDerivative appends to form the derivative of f times a measure of model k by the sums s; false
// for what is no smooth function of them. The derivative times the columns of a row is the row's
// influence; the influences sum to 0.
func (c *columns) addDerivative(form []term, key string, s []float64, k int, f float64) ([]term, bool) {
	at := k * c.per
	all := []term{{c.shared, 1}}
	// ratio appends the derivative of f·N/D, of linear forms N and D of the sums.
	ratio := func(f float64, num, den []term) {
		var n, d float64
		for _, t := range num {
			n += t.by * s[t.column]
		}
		for _, t := range den {
			d += t.by * s[t.column]
		}
		for _, t := range num {
			form = append(form, term{t.column, f * t.by / d})
		}
		for _, t := range den {
			form = append(form, term{t.column, -f * t.by * n / (d * d)})
		}
	}
	column, mean := meanColumns[c.in.Task][key]
	switch key {
	case "risk":
		column, mean = colLoss, true
	case "cvar":
		column, mean = colTail, true
	}
	pos, neg := []term{{c.shared + sharedA, 1}}, []term{{c.shared + sharedA, -1}, {c.shared, 1}}
	tp, fp := term{at + colC, 1}, term{at + colD, 1}
	switch task := c.in.Task; {
	case mean:
		ratio(f, []term{{at + column, 1}}, all)
	case task == measure.Regression && key == "rmse":
		ratio(f/(2*math.Sqrt(s[at+colA]/s[c.shared])), []term{{at + colA, 1}}, all)
	case task == measure.Regression && key == "r2":
		w, t := s[c.shared], s[c.shared+sharedA]
		d := s[c.shared+sharedB] - t*t/w
		e := s[at+colA] / (d * d)
		form = append(form, term{at + colA, -f / d}, term{c.shared + sharedB, f * e},
			term{c.shared + sharedA, -f * e * 2 * t / w}, term{c.shared, f * e * (t / w) * (t / w)})
	case task != measure.Binary:
		return form, false
	case key == "accuracy":
		ratio(f, append([]term{tp, {at + colD, -1}}, neg...), all)
	case key == "balanced_accuracy":
		ratio(f/2, []term{tp}, pos)
		ratio(-f/2, []term{fp}, neg)
	case key == "tpr":
		ratio(f, []term{tp}, pos)
	case key == "fpr":
		ratio(f, []term{fp}, neg)
	case key == "ppv":
		ratio(f, []term{tp}, []term{tp, fp})
	case key == "selection_rate":
		ratio(f, []term{tp, fp}, all)
	case key == "prevalence":
		ratio(f, pos, all)
	default:
		return form, false
	}
	return form, true
}
