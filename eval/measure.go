package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Task is the kind of the target.
type Task string

const (
	Binary     Task = "binary"     // Target is ±1, and Score is P(positive)
	Regression Task = "regression" // Target and Score are in original units
	Multiclass Task = "multiclass" // Target is the index of a class, and Score the probability of this class
)

// A Measure describes a measure of models: its name, the values it can have, how it is computed, and how its
// interval is computed. Gates, pages, sentences and intervals are derived from the list of measures.
type Measure struct {
	Key   string // JSON key, e.g. "balanced_accuracy"
	Label string // label for people, such as "Balanced accuracy"
	Unit  string // "loss", "share", "target" (the unit of the target), "nats" or ""
	About string // definition in one sentence

	Better    Direction // which values are better
	Low, High float64   // smallest and largest possible value

	// Criterion is the question about the largest difference between groups, or "" if the measure has no
	// criterion. If ifNegative is set, the question only applies if the negative class is favourable.
	Criterion  string
	ifNegative bool
	// IsRate reports whether tables of group rates include the measure.
	IsRate bool
	// SignedError is the beginning of a sentence about the measure, if it is a mean of prediction − outcome:
	// "Probabilities are" or "Predictions are". It is "" for other measures.
	SignedError string
	// Tile is the text beside the measure if it is a key number on the first screen, or "" if it is not.
	Tile string

	// value returns the measure from the sums over rows, or the reason why it is undefined.
	value func(s *rowSums) (x float64, why string)
	// derive appends the derivative with respect to the sums of the influence columns. It is nil if the measure
	// is not a smooth function of them.
	derive func(d *interval.Derivative)
	// interval specifies how intervals are computed.
	interval intervalStrategy
	// rows returns the number of rows, of n rows with the measures v, on which the measure depends; nil means
	// all rows.
	rows func(v *Values, n float64) float64
	// isProportion reports whether the measure is a proportion of those rows.
	isProportion bool
	// hasBaseline reports whether the value of the best constant prediction is a meaningful baseline.
	hasBaseline bool
}

// A Direction states which values of a measure are better.
type Direction string

// The directions.
const (
	Less    Direction = "less"    // smaller values are better
	More    Direction = "more"    // larger values are better
	Neither Direction = "neither" // descriptive, or best at 0
)

var inf = math.Inf(1)

// Bounds returns the least and the greatest possible value of the measure.
func (m Measure) Bounds() (lo, hi float64) { return m.Low, m.High }

// Leading returns the measure that sentences, tiles and tables show first: the accuracy, or the RMSE for a
// regression.
func (t Task) Leading() Measure {
	if t == Regression {
		return rmseMeasure
	}
	return t.Measures()[1]
}

// Leading returns the measure that sentences, tiles and tables show first: that of the task or, if the models predict
// a quantile, the risk.
func (e *Evaluation) Leading() Measure {
	if e.isOfQuantile() {
		return riskMeasure
	}
	return e.Task.Leading()
}

// SignedError returns the measure that is the mean of prediction − outcome. ok is false if the task has no such
// measure.
func (t Task) SignedError() (m Measure, ok bool) {
	for _, m := range t.Measures() {
		if m.SignedError != "" {
			return m, true
		}
	}
	return m, false
}

// Risk returns the mean training loss, which is the first measure of every task.
func (Task) Risk() Measure { return riskMeasure }

// IsRisk reports whether measure m is another name of the evaluation's risk.
func (e *Evaluation) IsRisk(m Measure) bool {
	return m.Key == logLossKey && e.Task != Regression && e.LossUnit == "nats" ||
		m.Key == RootMeanSquare && e.Loss == RootMeanSquare
}

// Measures returns the measures of a task in the order in which tables list them. The first measure is the risk.
func (t Task) Measures() []Measure {
	switch t {
	case Binary:
		return binaryMeasures
	case Multiclass:
		return multiclassMeasures
	}
	return regressionMeasures
}

// Measure returns the measure with the given key.
func (t Task) Measure(key string) (Measure, bool) {
	for _, m := range t.Measures() {
		if m.Key == key {
			return m, true
		}
	}
	return Measure{}, false
}

// Values holds the value of each measure, indexed by Measure.Key. If a measure could not be computed, its value is
// NaN (null in JSON), and Why holds the reason.
type Values struct {
	Of  map[string]Num    `json:"values"`
	Why map[string]string `json:"undefined,omitempty"`
}

// Get returns the value of a measure and whether it is defined.
func (v Values) Get(key string) (float64, bool) {
	x, ok := v.Of[key]
	if !ok || !x.Defined() {
		return math.NaN(), false
	}
	return float64(x), true
}

// set stores the value of a measure, or the reason why it is undefined.
func (v *Values) set(key string, x float64, why string) {
	if v.Of == nil {
		v.Of = make(map[string]Num)
	}
	if why == "" && (math.IsNaN(x) || math.IsInf(x, 0)) {
		why = "not finite"
	}
	if why != "" {
		if v.Why == nil {
			v.Why = make(map[string]string)
		}
		v.Why[key] = why
		v.Of[key] = undefined()
		return
	}
	v.Of[key] = Num(x)
}

// undefineAll returns v with all measures undefined for the given reason.
func (v Values) undefineAll(why string) (out Values) {
	for key := range v.Of {
		out.set(key, 0, why)
	}
	return out
}

// measureStratum computes every measure of model k over the rows of a stratum.
func measureStratum(in *measuredRows, k int, s *interval.Stratum) Values {
	var sums rowSums
	switch in.Task {
	case Multiclass:
		sums = sumMulticlass(in, k, s.Rows)
	case Binary:
		sums = sumBinary(in, k, s.Rows, s.Ties(in.Weight, k))
	default:
		sums = sumRegression(in, &in.Models[k], s.Rows, s.Size[k])
	}
	return sums.measure(in.Task)
}

// rowSums holds sums over the rows of a stratum, from which the measures are computed.
type rowSums struct {
	rows                  int
	weight, risk, logLoss float64 // sums of weights and of weighted losses

	// Two classes.
	tp, fp, tn, fn float64 // weights of the rows by actual and predicted class
	// probability − outcome: sum of squares, sum of the absolute values of the sums of bins, and sum
	squared, binned, gap float64
	ties                 interval.Ties

	// More than two classes.
	right, topFive, f1 float64
	classes, occurring int

	// Regression.
	squaredError, absoluteError, signedError float64
	// sum of squared deviations of the target from its mean; median of |error|
	deviation, median float64
	constant          bool // whether all targets are equal
	// weighted sum of the targets; weight of the rows whose target is at most the prediction
	total, below float64
	negative     bool // whether some target is negative
}

// measure returns the values of all measures of a task.
func (s *rowSums) measure(t Task) (v Values) {
	for _, m := range t.Measures() {
		x, why := m.value(s)
		v.set(m.Key, x, why)
	}
	return v
}

// Risk returns the mean training loss.
func (v Values) Risk() Num { return v.Of[riskMeasure.Key] }

// trials returns the number of rows to which a proportion refers, or 0 if the measure is not a proportion.
func (m *Measure) trials(v *Values, n float64) float64 {
	if !m.isProportion {
		return 0
	}
	return m.rowsOf(v, n)
}

// rowsOf returns the number of rows, of n, on which the measure depends.
func (m *Measure) rowsOf(v *Values, n float64) float64 {
	if m.rows == nil {
		return n
	}
	return m.rows(v, n)
}

// An Interval is a confidence interval with the method by which it was computed: "skewness-adjusted t", that
// interval "inverted" for a ratio, "t of the logit", "wilson", "wilson, combined", "order statistics", "bootstrap, bins bounded" or "simultaneous".
type Interval struct {
	Low    Num    `json:"low"`
	High   Num    `json:"high"`
	Method string `json:"method"`
}

// newInterval returns an interval with the method by which it was computed, or nil if i is nil.
func newInterval(i *interval.Interval, method string) *Interval {
	if i == nil {
		return nil
	}
	return &Interval{Low: Num(i.Low), High: Num(i.High), Method: method}
}

// withoutMethod returns the interval without its method.
func (iv *Interval) withoutMethod() interval.Interval {
	return interval.Interval{Low: float64(iv.Low), High: float64(iv.High)}
}

// Intervals holds intervals of several numbers, indexed by key.
type Intervals map[string]Interval

// Find returns the interval with the given key, or nil if there is none.
func (m Intervals) Find(key string) *Interval {
	if iv, ok := m[key]; ok {
		return &iv
	}
	return nil
}

// Text formats the interval as "low to high", with as many decimals as a number of magnitude scale. It returns ""
// if iv is nil.
func (iv *Interval) Text(scale float64) string {
	if iv == nil || !iv.Low.Defined() || !iv.High.Defined() {
		return ""
	}
	return printable.NumberAtScale(float64(iv.Low), scale) + " to " + printable.NumberAtScale(float64(iv.High), scale)
}
