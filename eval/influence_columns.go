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
	colD    // binary: predicted and negative
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
		c.per, shared = colD, regressionShared
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
			v[colA], v[colB], v[colC] = w*e*e, w*math.Abs(e), w*e
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

// meanColumns lists, by task, the measures that are weighted means of a column.
var meanColumns = map[Task]map[string]int{
	Binary:     {"log_loss": colA, "brier": colB, "calibration_gap": colGap},
	Multiclass: {"log_loss": colA, "accuracy": colB, "top5": colC},
	Regression: {"mae": colB, "bias": colC},
}

// addDerivative appends to form the derivative of f times a measure of model k at the sums s. It returns false
// if the measure is not a smooth function of the sums. The influence of a row is the derivative applied to its
// columns; influences sum to 0.
func (c *influenceColumns) addDerivative(form []columnTerm, key string, s []float64, k int, f float64) ([]columnTerm, bool) {
	at := k * c.per
	all := []columnTerm{{c.shared, 1}}
	// ratio appends the derivative of f·N/D, of linear forms N and D of the sums.
	ratio := func(f float64, num, den []columnTerm) {
		var n, d float64
		for _, t := range num {
			n += t.by * s[t.column]
		}
		for _, t := range den {
			d += t.by * s[t.column]
		}
		for _, t := range num {
			form = append(form, columnTerm{t.column, f * t.by / d})
		}
		for _, t := range den {
			form = append(form, columnTerm{t.column, -f * t.by * n / (d * d)})
		}
	}
	column, mean := meanColumns[c.in.Task][key]
	switch key {
	case "risk":
		column, mean = colLoss, true
	case "cvar":
		column, mean = colTail, true
	}
	pos, neg := []columnTerm{{c.shared + columnShared1, 1}}, []columnTerm{{c.shared + columnShared1, -1}, {c.shared, 1}}
	tp, fp := columnTerm{at + colC, 1}, columnTerm{at + colD, 1}
	switch task := c.in.Task; {
	case mean:
		ratio(f, []columnTerm{{at + column, 1}}, all)
	case task == Regression && key == "rmse":
		ratio(f/(2*math.Sqrt(s[at+colA]/s[c.shared])), []columnTerm{{at + colA, 1}}, all)
	case task == Regression && key == "r2":
		w, t := s[c.shared], s[c.shared+columnShared1]
		d := s[c.shared+columnShared2] - t*t/w
		e := s[at+colA] / (d * d)
		form = append(form, columnTerm{at + colA, -f / d}, columnTerm{c.shared + columnShared2, f * e},
			columnTerm{c.shared + columnShared1, -f * e * 2 * t / w}, columnTerm{c.shared, f * e * (t / w) * (t / w)})
	case task != Binary:
		return form, false
	case key == "accuracy":
		ratio(f, append([]columnTerm{tp, {at + colD, -1}}, neg...), all)
	case key == "balanced_accuracy":
		ratio(f/2, []columnTerm{tp}, pos)
		ratio(-f/2, []columnTerm{fp}, neg)
	case key == "tpr":
		ratio(f, []columnTerm{tp}, pos)
	case key == "fpr":
		ratio(f, []columnTerm{fp}, neg)
	case key == "ppv":
		ratio(f, []columnTerm{tp}, []columnTerm{tp, fp})
	case key == "selection_rate":
		ratio(f, []columnTerm{tp, fp}, all)
	case key == "prevalence":
		ratio(f, pos, all)
	default:
		return form, false
	}
	return form, true
}
