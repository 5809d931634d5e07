package eval

import (
	"cmp"
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// logLossClip is the machine epsilon: scikit-learn clips probabilities to it.
const logLossClip = 2.220446049250313e-16

// riskMeasure is the first measure of every task.
var riskMeasure = Measure{Key: "risk", Label: "Risk", Unit: "loss", About: "mean training loss", Better: Less,
	Low: -inf, High: inf,
	value: perWeight(func(s *rowSums) float64 { return s.risk }), derive: deriveMean(colLoss), hasBaseline: true}

// tailMeasure is the mean of the largest losses. Files store it separately, so it is not in the lists of measures.
var tailMeasure = Measure{Key: "cvar", derive: deriveMean(colTail)}

// binaryMeasures lists the measures of two classes.
var binaryMeasures = []Measure{
	riskMeasure,
	{Key: accuracyKey, Label: "Accuracy", Unit: "share", About: "share of rows that are classified correctly",
		Better: More, Low: 0, High: 1, IsRate: true,
		value: perWeight(func(s *rowSums) float64 { return s.tp + s.tn }),
		derive: func(d *interval.Derivative) {
			d.AddRatio(1, append([]interval.Term{d.OwnTerm(colC, 1), d.OwnTerm(colD, -1)}, negativeClassWeight(d)...),
				totalWeight(d))
		},
		interval:     intervalStrategy{exact: wilsonOf(func(c *countedRows) interval.Trials { return c.right })},
		isProportion: true, hasBaseline: true},
	{Key: "balanced_accuracy", Label: "Balanced accuracy", Unit: "share",
		About:  "mean of the true positive rate and the true negative rate",
		Better: More, Low: 0, High: 1,
		value: func(s *rowSums) (float64, string) { return (s.tp/(s.tp+s.fn) + s.tn/(s.tn+s.fp)) / 2, s.lacksClass() },
		derive: func(d *interval.Derivative) {
			d.AddRatio(0.5, []interval.Term{d.OwnTerm(colC, 1)}, positiveClassWeight(d))
			d.AddRatio(-0.5, []interval.Term{d.OwnTerm(colD, 1)}, negativeClassWeight(d))
		},
		interval: intervalStrategy{exact: balancedInterval}, rows: scarcerClass},
	{Key: logLossKey, Label: "Log loss", Unit: "nats", About: "mean of −log p, where p is the predicted probability of " +
		"the actual class, clipped at a distance of 2.2\u00a0×\u00a010⁻¹⁶ from 0 and 1", Better: Less, Low: 0, High: inf,
		value: perWeight(func(s *rowSums) float64 { return s.logLoss }), derive: deriveMean(colA), hasBaseline: true},
	{Key: "brier", Label: "Brier score", About: "mean squared difference between the predicted probability and the " +
		"0/1 outcome",
		Better: Less, Low: 0, High: 1,
		value: perWeight(func(s *rowSums) float64 { return s.squared }), derive: deriveMean(colB)},
	{Key: "brier_skill", Label: "Brier skill score",
		About: "1 − (Brier score ÷ Brier score of the best constant prediction for these rows); 0 means no better than " +
			"this constant", Better: More, Low: -inf, High: 1,
		value: func(s *rowSums) (float64, string) {
			return 1 - s.squared*s.weight/((s.tp+s.fn)*(s.tn+s.fp)), s.lacksClass()
		},
		derive: func(d *interval.Derivative) {
			w, p := d.Total(columnWeight), d.Total(columnShared1)
			n := w - p
			d.Add(d.OwnTerm(colB, -w/(p*n)))
			d.Add(d.SharedTerm(columnWeight, d.OwnSum(colB)/(n*n)))
			d.Add(d.SharedTerm(columnShared1, d.OwnSum(colB)*w*(n-p)/(p*n*p*n)))
		}, interval: intervalStrategy{needsBothClasses: true}, rows: scarcerClass},
	{Key: "mcc", Label: "Matthews correlation",
		About: "correlation between predicted and actual class; 0 means no better than " +
			"chance", Better: More, Low: -1, High: 1,
		value: func(s *rowSums) (float64, string) {
			return matthews(s.tp, s.fp, s.tp+s.fn, s.tn+s.fp),
				cmp.Or(s.lacksClass(), undefinedIfEmpty((s.tp+s.fp)*(s.tn+s.fn), "all rows have the same predicted class"))
		},
		derive: func(d *interval.Derivative) {
			w, p, tp, fp := d.Total(columnWeight), d.Total(columnShared1), d.OwnSum(colC), d.OwnSum(colD)
			n, yes := w-p, tp+fp
			m, root := matthews(tp, fp, p, n), math.Sqrt(yes*p*n*(w-yes))
			d.Add(d.OwnTerm(colC, n/root-m/2*(1/yes-1/(w-yes))))
			d.Add(d.OwnTerm(colD, -p/root-m/2*(1/yes-1/(w-yes))))
			d.Add(d.SharedTerm(columnShared1, -yes/root-m/2*(1/p-1/n)))
			d.Add(d.SharedTerm(columnWeight, tp/root-m/2*(1/n+1/(w-yes))))
		},
		interval: intervalStrategy{exact: matthewsInterval}, rows: scarcerClass},
	{Key: aucKey, Label: "AUC", About: "area under the ROC curve; tied scores count half", Better: More, Low: 0, High: 1,
		value:    func(s *rowSums) (float64, string) { return s.rankMeasure(interval.Ties.AUC) },
		interval: intervalStrategy{exact: extremeAreaInterval, ranks: interval.AUCError, onLogit: true}, rows: scarcerClass},
	{Key: "auprc", Label: "Average precision", About: "Σ (increase in the true positive rate) × precision over all " +
		"thresholds; an estimate of the area under the precision-recall curve (AUPRC)", Better: More, Low: 0, High: 1,
		value: func(s *rowSums) (float64, string) { return s.rankMeasure(interval.Ties.AveragePrecision) },
		interval: intervalStrategy{ranks: interval.AveragePrecisionError, onLogit: true,
			needsBothClasses: true}, rows: scarcerClass},
	{Key: TruePositiveRate, Label: "True positive rate", Unit: "share", About: "share of positive rows that are " +
		"predicted positive; also called recall",
		Better: More, Low: 0, High: 1, IsRate: true,
		Criterion: "Are actual positives recognised equally often? Largest difference in true positive rates",
		value: func(s *rowSums) (float64, string) {
			return s.tp / (s.tp + s.fn), undefinedIfEmpty(s.tp+s.fn, "no positive rows")
		},
		derive: func(d *interval.Derivative) {
			d.AddRatio(1, []interval.Term{d.OwnTerm(colC, 1)}, positiveClassWeight(d))
		},
		interval: intervalStrategy{exact: wilsonOf(func(
			c *countedRows) interval.Trials {
			return c.positives
		})}, isProportion: true, hasBaseline: true,
		rows: func(v *Values, n float64) float64 { return math.Round(n * v.prevalence()) }},
	{Key: FalsePositiveRate, Label: "False positive rate", Unit: "share",
		About: "share of negative rows that are predicted positive", Better: Less, Low: 0, High: 1, IsRate: true,
		// 1 − FPR is the rate at which a deserved favourable outcome is given
		Criterion:  "Are actual negatives misclassified equally often? Largest difference in false positive rates",
		ifNegative: true,
		value: func(s *rowSums) (float64, string) {
			return s.fp / (s.tn + s.fp), undefinedIfEmpty(s.tn+s.fp, "no negative rows")
		},
		derive: func(d *interval.Derivative) {
			d.AddRatio(1, []interval.Term{d.OwnTerm(colD, 1)}, negativeClassWeight(d))
		},
		interval: intervalStrategy{exact: wilsonOf(func(
			c *countedRows) interval.Trials {
			return c.negatives
		})}, isProportion: true, hasBaseline: true,
		rows: func(v *Values, n float64) float64 { return math.Round(n * (1 - v.prevalence())) }},
	{Key: "ppv", Label: "Precision", Unit: "share",
		About:  "share of the predicted positives that are positive; also called positive predictive value (PPV)",
		Better: More, Low: 0, High: 1,
		value: func(s *rowSums) (float64, string) {
			return s.tp / (s.tp + s.fp), undefinedIfEmpty(s.tp+s.fp, "no row is predicted positive")
		},
		derive: func(d *interval.Derivative) {
			d.AddRatio(1, []interval.Term{d.OwnTerm(colC, 1)}, []interval.Term{d.OwnTerm(colC, 1), d.OwnTerm(colD, 1)})
		},
		interval: intervalStrategy{exact: wilsonOf(func(
			c *countedRows) interval.Trials {
			return c.selected
		})}, isProportion: true, hasBaseline: true,
		rows: func(v *Values, n float64) float64 { return math.Round(n * float64(v.Of[SelectionRate])) }},
	{Key: CalibrationError, Label: "Calibration error (ECE)", Unit: "share",
		About: "mean over 10 equal-width bins of |mean probability − share of positives|, weighted by rows", Better: Less,
		Low: 0, High: 1,
		value:    perWeight(func(s *rowSums) float64 { return s.binned }),
		interval: intervalStrategy{resampled: (*measuredPart).calibrationInterval}},
	{Key: "calibration_gap", Label: "Predicted − observed", Unit: "share", About: "mean probability − share of positives",
		Better: Neither, Low: -1, High: 1, IsRate: true, SignedError: "Probabilities are",
		value: perWeight(func(s *rowSums) float64 { return s.gap }), derive: deriveMean(colGap)},
	{Key: SelectionRate, Label: "Selection rate", Unit: "share", About: "share of rows predicted positive",
		Better: Neither, Low: 0, High: 1, IsRate: true,
		Criterion: "Are the groups predicted positive equally often? Largest difference in selection rates",
		value:     perWeight(func(s *rowSums) float64 { return s.tp + s.fp }),
		derive: func(d *interval.Derivative) {
			d.AddRatio(1, []interval.Term{d.OwnTerm(colC, 1), d.OwnTerm(colD, 1)}, totalWeight(d))
		},
		interval:     intervalStrategy{exact: wilsonOf(func(c *countedRows) interval.Trials { return c.all })},
		isProportion: true,
		hasBaseline:  true},
	{Key: Prevalence, Label: "Prevalence", Unit: "share", About: "share of rows that are positive", Better: Neither,
		Low: 0, High: 1,
		value:  perWeight(func(s *rowSums) float64 { return s.tp + s.fn }),
		derive: func(d *interval.Derivative) { d.AddRatio(1, positiveClassWeight(d), totalWeight(d)) },
		interval: intervalStrategy{exact: wilsonOf(func(
			c *countedRows) interval.Trials {
			return c.actual
		})}, isProportion: true, hasBaseline: true},
}

// Keys of measures on which other measures, criteria, tiles or sentences depend.
const (
	SelectionRate     = "selection_rate"
	Prevalence        = "prevalence"
	TruePositiveRate  = "tpr"
	FalsePositiveRate = "fpr"
	CalibrationError  = "ece"
	accuracyKey       = "accuracy"
	logLossKey        = "log_loss"
	aucKey            = "auc"
)

// prevalence returns the proportion of positive rows, or 0 if it is unknown.
func (v *Values) prevalence() float64 { return float64(v.Of[Prevalence]) }

// scarcerClass returns the number of rows, of n, in the class with fewer rows.
func scarcerClass(v *Values, n float64) float64 { return n * min(v.prevalence(), 1-v.prevalence()) }

// perWeight returns a function that divides a sum over rows by their total weight.
func perWeight(sum func(s *rowSums) float64) func(s *rowSums) (float64, string) {
	return func(s *rowSums) (float64, string) { return sum(s) / s.weight, "" }
}

// undefinedIfEmpty returns the reason why a measure that depends on rows of total weight w is undefined, or "" if
// there are such rows.
func undefinedIfEmpty(w float64, why string) string {
	if w == 0 {
		return why
	}
	return ""
}

// lacksClass returns a text that names the class without rows, or "" if both classes have rows.
func (s *rowSums) lacksClass() string {
	if s.tn+s.fp == 0 {
		return "no negative rows"
	}
	return undefinedIfEmpty(s.tp+s.fn, "no positive rows")
}

// rankMeasure returns a measure of the order of the scores, or the reason why it is undefined.
func (s *rowSums) rankMeasure(of func(t interval.Ties) float64) (float64, string) {
	if why := s.lacksClass(); why != "" {
		return 0, why
	}
	return of(s.ties), ""
}

// matthews returns the correlation of predicted and actual class. tp of the p positive rows and fp of the n
// negative rows are predicted positive.
func matthews(tp, fp, p, n float64) float64 {
	yes := tp + fp
	return (tp*n - fp*p) / math.Sqrt(yes*p*n*(p+n-yes))
}

// sumBinary returns the sums over rows of two classes; ties holds the same rows in ascending order of score.
func sumBinary(in *measuredRows, k int, rows []int32, ties interval.Ties) rowSums {
	m := &in.Models[k]
	var risk, ll, squared, tp, fp, tn, fn compensated.Sum
	var bin [interval.Bins]compensated.Sum // Σ w (p − y) of each bin
	for _, i := range rows {
		p, pos, w := m.Score[i], in.Target[i] > 0, in.Weight.Of(i)
		risk = risk.Plus(w * m.Loss[i])
		ll = ll.Plus(w * in.LogLoss[k][i])
		y := 0.0
		if pos {
			y = 1
		}
		squared = squared.Plus(w * (p - y) * (p - y))
		switch yes := p >= in.Threshold; {
		case yes && pos:
			tp.Add(w)
		case yes:
			fp.Add(w)
		case pos:
			fn.Add(w)
		default:
			tn.Add(w)
		}
		bin[interval.BinOf(p)].Add(w * (p - y))
	}
	var ece, gap compensated.Sum
	for k := range bin {
		gap.Add(bin[k].Value())
		ece.Add(math.Abs(bin[k].Value()))
	}
	s := countSums(tp.Value(), fp.Value(), tn.Value(), fn.Value())
	s.rows, s.risk, s.logLoss, s.squared = len(rows), risk.Value(), ll.Value(), squared.Value()
	s.binned, s.gap, s.ties = ece.Value(), gap.Value(), ties
	return s
}

// countSums returns sums with the four cells of the confusion matrix.
func countSums(tp, fp, tn, fn float64) rowSums {
	return rowSums{weight: tp + fp + tn + fn, tp: tp, fp: fp, tn: tn, fn: fn}
}
