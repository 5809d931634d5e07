package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// rmseMeasure is the leading measure of a regression.
var rmseMeasure = Measure{Key: RootMeanSquare, Label: "RMSE", Unit: "target",
	About: "square root of the mean squared error", Better: Less, Low: 0, High: inf,
	value: func(s *rowSums) (float64, string) { return math.Sqrt(s.squaredError / s.weight), "" },
	derive: func(d *interval.Derivative) {
		d.AddRatio(1/(2*math.Sqrt(d.OwnSum(colA)/d.Total(columnWeight))), []interval.Term{d.OwnTerm(colA, 1)}, totalWeight(d))
	}, hasBaseline: true}

// regressionMeasures lists the measures of a numeric target.
var regressionMeasures = []Measure{
	riskMeasure,
	rmseMeasure,
	{Key: "mae", Label: "MAE", Unit: "target", About: "mean absolute error", Better: Less, Low: 0, High: inf,
		value: perWeight(func(s *rowSums) float64 { return s.absoluteError }), derive: deriveMean(colB), hasBaseline: true},
	{Key: r2Key, Label: "R²",
		About: "1 − (sum of squared errors ÷ sum of squared deviations from the mean of these rows)", Better: More,
		Low: -inf, High: 1, Tile: "share of the variance that is explained", hasBaseline: true,
		value: func(s *rowSums) (float64, string) {
			switch {
			case s.rows < 2:
				return 0, "one row"
			case s.constant:
				return 0, "the target is constant"
			}
			return 1 - s.squaredError/s.deviation, ""
		},
		derive: func(d *interval.Derivative) {
			w, t := d.Total(columnWeight), d.Total(columnShared1)
			dev := d.Total(columnShared2) - t*t/w
			e := d.OwnSum(colA) / (dev * dev)
			d.Add(d.OwnTerm(colA, -1/dev))
			d.Add(d.SharedTerm(columnShared2, e))
			d.Add(d.SharedTerm(columnShared1, -e*2*t/w))
			d.Add(d.SharedTerm(columnWeight, e*(t/w)*(t/w)))
		}, interval: intervalStrategy{exact: explainedInterval}},
	{Key: medianError, Label: "Median absolute error", Unit: "target", About: "median of |prediction − target|",
		Better: Less, Low: 0, High: inf, Tile: "half of the errors are smaller", hasBaseline: true,
		value: func(s *rowSums) (float64, string) { return s.median, "" },
		interval: intervalStrategy{exact: medianInterval, exactOnly: true, ranks: interval.MedianError,
			changeMethod: "order statistics"}},
	{Key: "bias", Label: "Bias", Unit: "target", About: "mean of prediction − target", Better: Neither, Low: -inf,
		High: inf, SignedError: "Predictions are", hasBaseline: true,
		value: perWeight(func(s *rowSums) float64 { return s.signedError }), derive: deriveMean(colC)},
	{Key: "total_ratio", Label: "Predicted ÷ observed", About: "sum of predictions ÷ sum of targets; shown only if no " +
		"target is negative", Better: Neither, Low: -inf, High: inf,
		value: func(s *rowSums) (float64, string) {
			switch {
			case s.negative:
				return 0, negativeTargets
			case !(s.total > 0):
				return 0, "all targets are 0"
			}
			return 1 + s.signedError/s.total, ""
		},
		derive: func(d *interval.Derivative) {
			// the targets are centred
			total := []interval.Term{d.SharedTerm(columnShared1, 1), d.SharedTerm(columnWeight, d.Centre)}
			d.AddRatio(1, []interval.Term{d.OwnTerm(colC, 1)}, total)
		}},
	{Key: CoverageKey, Label: "Targets at or below the prediction", Unit: "share",
		About:  "share of rows whose target is at most the prediction; for a predicted quantile, this should be its level",
		Better: Neither, Low: 0, High: 1, isProportion: true,
		value: perWeight(func(s *rowSums) float64 { return s.below }), derive: deriveMean(colD),
		interval: intervalStrategy{exact: wilsonOf(func(c *countedRows) interval.Trials { return c.below })}},
}

// CoverageKey is the key of the share of targets at or below the prediction.
const CoverageKey = "coverage"

// negativeTargets is the reason given when the ratio of totals is undefined. isNoWorry excludes it from warnings.
const negativeTargets = "some target is negative"

// Keys of the median absolute error and of R², which sentences mention in addition to the RMSE.
const (
	medianError = "median_ae"
	r2Key       = "r2"
)

// sumRegression returns the sums over rows of a numeric target; order holds the same rows in ascending order of
// |error|.
func sumRegression(in *measuredRows, m *Model, rows, order []int32) rowSums {
	w, target := in.Weight.Of, in.Target
	var total, risk, sse, sae, bias, sum, below compensated.Sum
	negative := false
	for _, i := range rows {
		r := m.Score[i] - target[i]
		total.Add(w(i))
		risk.Add(w(i) * m.Loss[i])
		sse.Add(w(i) * r * r)
		sae.Add(w(i) * math.Abs(r))
		bias.Add(w(i) * r)
		sum.Add(w(i) * target[i])
		if target[i] <= m.Score[i] {
			below.Add(w(i))
		}
		negative = negative || target[i] < 0
	}
	s := rowSums{rows: len(rows), weight: total.Value(), risk: risk.Value(), squaredError: sse.Value(),
		absoluteError: sae.Value(), signedError: bias.Value(), constant: true,
		total: sum.Value(), below: below.Value(), negative: negative}
	mean := sum.Value() / s.weight
	var sst compensated.Sum
	for _, i := range rows {
		sst.Add(w(i) * (target[i] - mean) * (target[i] - mean))
		s.constant = s.constant && target[i] == target[rows[0]]
	}
	s.deviation, s.median = sst.Value(), medianErrorOf(target, m.Score, in.Weight, order)
	return s
}

// medianErrorOf returns the median of |score − target| over rows given in ascending order of |score − target|.
func medianErrorOf(target, score []float64, weight interval.Weights, order []int32) float64 {
	return weight.Median(order, func(i int32) float64 { return math.Abs(score[i] - target[i]) })
}
