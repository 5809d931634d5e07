package eval

import (
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Task says what the target is.
type Task string

const (
	Binary     Task = "binary"     // Target is ±1, Score is P(positive)
	Regression Task = "regression" // Target and Score are in original units
	Multiclass Task = "multiclass" // Target is the index of a class, Score the probability of it
)

// A Measure describes one of the numbers reported for a model.
type Measure struct {
	Key   string // JSON key, e.g. "balanced_accuracy"
	Label string // for people, e.g. "Balanced accuracy"
	Unit  string // "loss", "share", "target" (the target's own unit), "log-loss", ""
	About string // one sentence: the definition

	Better    Direction // which values are better
	Low, High float64   // smallest and largest possible value
}

// A Direction says which values of a measure are better.
type Direction string

// The directions.
const (
	Less    Direction = "less"    // smaller values are better
	More    Direction = "more"    // larger values are better
	Neither Direction = "neither" // descriptive, or best at 0
)

var inf = math.Inf(1)

// Bounds returns the smallest and the largest possible value of the measure.
func (m Measure) Bounds() (lo, hi float64) { return m.Low, m.High }

// Measures returns the measures of a task in the order of tables. The first is always "risk".
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

var binaryMeasures = []Measure{
	{"risk", "Risk", "loss", "mean training loss", Less, -inf, inf},
	{"accuracy", "Accuracy", "share", "share of rows classified correctly at the threshold", More, 0, 1},
	{"balanced_accuracy", "Balanced accuracy", "share", "mean of the recall of the two classes", More, 0, 1},
	{"log_loss", "Log-loss", "nats", "mean of −log of the probability given to the class that occurred, probabilities clipped to [2.2e-16, 1 − 2.2e-16]", Less, 0, inf},
	{"brier", "Brier score", "", "mean squared distance between the probability and the 0/1 outcome", Less, 0, 1},
	{"auc", "AUC", "", "area under the ROC curve, ties by midranks", More, 0, 1},
	{"auprc", "AUPRC", "", "average precision: Σ (recall step) × precision, tied scores in one step", More, 0, 1},
	{"tpr", "True positive rate", "share", "share of the positives predicted positive", More, 0, 1},
	{"fpr", "False positive rate", "share", "share of the negatives predicted positive", Less, 0, 1},
	{"ppv", "Precision (PPV)", "share", "share of the predicted positives that are positive", More, 0, 1},
	{"ece", "Calibration error (ECE)", "share", "mean over 10 equal-width bins of |mean probability − share of positives|, weighted by rows", Less, 0, 1},
	{"calibration_gap", "Predicted − observed", "share", "mean probability − share of positives", Neither, -1, 1},
	{"selection_rate", "Selection rate", "share", "share of rows predicted positive", Neither, 0, 1},
	{"prevalence", "Prevalence", "share", "share of rows that are positive", Neither, 0, 1},
}

var regressionMeasures = []Measure{
	{"risk", "Risk", "loss", "mean training loss", Less, -inf, inf},
	{"rmse", "RMSE", "target", "square root of the mean squared error", Less, 0, inf},
	{"mae", "MAE", "target", "mean absolute error", Less, 0, inf},
	{"r2", "R²", "", "1 − squared error / squared deviation from the group's own mean", More, -inf, 1},
	{"median_ae", "Median absolute error", "target", "median of |prediction − target|", Less, 0, inf},
	{"bias", "Bias", "target", "mean of prediction − target", Neither, -inf, inf},
}

// Values holds one number per measure, keyed by Measure.Key. A measure that
// could not be computed is NaN here (null in JSON) and has its reason in Why.
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

// withoutNumbers returns v with every measure undefined for the given reason.
func (v Values) withoutNumbers(why string) (out Values) {
	for key := range v.Of {
		out.set(key, 0, why)
	}
	return out
}

// measureStratum computes every measure of model k over the rows of a stratum.
func measureStratum(in *measuredRows, k int, s *stratum) Values {
	m := &in.Models[k]
	switch in.Task {
	case Multiclass:
		return measureMulticlass(in, m, s.Rows)
	case Binary:
		return measureBinary(in, m, s.Rows, s.Ties(in, k))
	}
	return measureRegression(in, m, s.Rows, s.Size[k])
}

// Trials returns the number of rows that a proportion refers to, or 0 if the measure is not a proportion.
func (v *Values) Trials(key string, n float64) float64 {
	switch key {
	case "accuracy", "top5", "selection_rate", "prevalence":
		return n
	case "tpr":
		return math.Round(n * float64(v.Of["prevalence"]))
	case "fpr":
		return math.Round(n * (1 - float64(v.Of["prevalence"])))
	case "ppv":
		return math.Round(n * float64(v.Of["selection_rate"]))
	}
	return 0
}

// An Interval is a confidence interval with its method: "skewness-adjusted t", "t of the logit", "wilson",
// "wilson, combined", "order statistics", "bootstrap, bins bounded" or "simultaneous".
type Interval struct {
	Low    Num    `json:"low"`
	High   Num    `json:"high"`
	Method string `json:"method"`
}

// Intervals are those of several numbers, by their keys.
type Intervals map[string]Interval

// Find returns the interval of a key, or nil.
func (m Intervals) Find(key string) *Interval {
	if iv, ok := m[key]; ok {
		return &iv
	}
	return nil
}

// Text formats the interval as "low to high" with the decimals of scale; it returns "" for nil.
func (iv *Interval) Text(scale float64) string {
	if iv == nil || !iv.Low.Defined() || !iv.High.Defined() {
		return ""
	}
	return printable.NumberAtScale(float64(iv.Low), scale) + " to " + printable.NumberAtScale(float64(iv.High), scale)
}
