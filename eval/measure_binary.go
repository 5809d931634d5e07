package eval

import "math"

// eceBins is the number of equal-width probability bins of the ECE.
const eceBins = 10

// logLossClip is the machine epsilon, to which scikit-learn clips probabilities.
const logLossClip = 2.220446049250313e-16

// measureBinary returns the measures of rows of two classes; ties holds the same rows by ascending score.
func measureBinary(in *measuredRows, m *Model, rows []int32, ties tiedScores) Values {
	var v Values
	var risk, ll, brier, tp, fp, tn, fn compensatedSum
	var bin [eceBins]compensatedSum // Σ w (p − y)
	for _, i := range rows {
		p, pos, w := m.Score[i], in.Target[i] > 0, in.Weight.weightOf(i)
		risk.Add(w * m.Loss[i])
		q := min(max(p, logLossClip), 1-logLossClip)
		y := 0.0
		if pos {
			y = 1
			ll.Add(-w * math.Log(q))
		} else {
			ll.Add(-w * math.Log(1-q))
		}
		brier.Add(w * (p - y) * (p - y))
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
		bin[eceBinOf(p)].Add(w * (p - y))
	}
	var ece, gap compensatedSum
	for k := range bin {
		gap.Add(bin[k].Sum())
		ece.Add(math.Abs(bin[k].Sum()))
	}
	v.setCounts(tp.Sum(), fp.Sum(), tn.Sum(), fn.Sum())
	n := tp.Sum() + fp.Sum() + tn.Sum() + fn.Sum()
	v.set("risk", risk.Sum()/n, "")
	v.set("log_loss", ll.Sum()/n, "")
	v.set("brier", brier.Sum()/n, "")
	v.set("ece", ece.Sum()/n, "")
	v.set("calibration_gap", gap.Sum()/n, "")
	if why := v.Why["balanced_accuracy"]; why != "" {
		v.set("auc", 0, why)
		v.set("auprc", 0, why)
		return v
	}
	v.set("auc", ties.AUC(), "")
	v.set("auprc", ties.AveragePrecision(), "")
	return v
}

// eceBinOf returns the bin of a probability.
func eceBinOf(p float64) int { return min(int(p*eceBins), eceBins-1) }

// setCounts sets the measures that follow from the confusion matrix.
func (v *Values) setCounts(tp, fp, tn, fn float64) {
	n := tp + fp + tn + fn
	oneClass, noPos, noNeg, noSel := "", "", "", ""
	if tp+fn == 0 {
		noPos = "no positive rows"
		oneClass = noPos
	}
	if tn+fp == 0 {
		noNeg = "no negative rows"
		oneClass = noNeg
	}
	if tp+fp == 0 {
		noSel = "no row is predicted positive"
	}
	v.set("accuracy", (tp+tn)/n, "")
	v.set("selection_rate", (tp+fp)/n, "")
	v.set("prevalence", (tp+fn)/n, "")
	v.set("tpr", tp/(tp+fn), noPos)
	v.set("fpr", fp/(tn+fp), noNeg)
	v.set("ppv", tp/(tp+fp), noSel)
	v.set("balanced_accuracy", (tp/(tp+fn)+tn/(tn+fp))/2, oneClass)
}
