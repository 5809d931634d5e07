package eval

import (
	"cmp"
	"math"
	"slices"
)

// eceBins is the number of equal-width probability bins of the ECE.
const eceBins = 10

// logLossClip is the machine epsilon, the bound scikit-learn clips
// probabilities to.
const logLossClip = 2.220446049250313e-16

func measureBinary(target, score, loss []float64, threshold float64, rows []int32, b *scratch) Values {
	var v Values
	if len(rows) == 0 {
		for _, m := range binaryMeasures {
			v.set(m.Key, math.NaN(), "no rows")
		}
		return v
	}
	n := float64(len(rows))
	var risk, ll, brier summer
	var tp, fp, tn, fn float64
	var binN, binPos [eceBins]float64
	var binP [eceBins]summer
	for _, i := range rows {
		p, pos := score[i], target[i] > 0
		risk.add(loss[i])
		q := min(max(p, logLossClip), 1-logLossClip)
		y := 0.0
		if pos {
			y = 1
			ll.add(-math.Log(q))
		} else {
			ll.add(-math.Log(1 - q))
		}
		brier.add((p - y) * (p - y))
		switch yes := p >= threshold; {
		case yes && pos:
			tp++
		case yes:
			fp++
		case pos:
			fn++
		default:
			tn++
		}
		k := min(int(p*eceBins), eceBins-1)
		binN[k]++
		binPos[k] += y
		binP[k].add(p)
	}
	var ece, gap summer
	for k := range binN {
		gap.add(binP[k].sum() - binPos[k])
		if binN[k] > 0 {
			ece.add(math.Abs(binP[k].sum() - binPos[k]))
		}
	}
	v.set("risk", risk.sum()/n, "")
	v.set("accuracy", (tp+tn)/n, "")
	v.set("log_loss", ll.sum()/n, "")
	v.set("brier", brier.sum()/n, "")
	v.set("ece", ece.sum()/n, "")
	v.set("calibration_gap", gap.sum()/n, "")
	v.set("selection_rate", (tp+fp)/n, "")
	v.set("prevalence", (tp+fn)/n, "")
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
	v.set("tpr", tp/(tp+fn), noPos)
	v.set("fpr", fp/(tn+fp), noNeg)
	v.set("ppv", tp/(tp+fp), noSel)
	v.set("balanced_accuracy", (tp/(tp+fn)+tn/(tn+fp))/2, oneClass)
	if oneClass != "" {
		v.set("auc", 0, oneClass)
		v.set("auprc", 0, oneClass)
		return v
	}
	order := b.sortedBy(score, rows)
	v.set("auc", auc(target, score, order), "")
	v.set("auprc", averagePrecision(target, score, order), "")
	return v
}

// sortedBy returns rows in ascending order of key; the slice is reused.
func (b *scratch) sortedBy(key []float64, rows []int32) []int32 {
	b.idx = append(b.idx[:0], rows...)
	slices.SortFunc(b.idx, func(i, j int32) int { return cmp.Compare(key[i], key[j]) })
	return b.idx
}

// auc is the Mann–Whitney statistic over rows sorted by ascending score, a tie
// between a positive and a negative counting one half.
func auc(target, score []float64, order []int32) float64 {
	var neg, pos, wins float64
	for lo := 0; lo < len(order); {
		hi := lo
		var p, q float64
		for hi < len(order) && score[order[hi]] == score[order[lo]] {
			if target[order[hi]] > 0 {
				p++
			} else {
				q++
			}
			hi++
		}
		wins += p * (neg + q/2)
		pos += p
		neg += q
		lo = hi
	}
	return wins / (pos * neg)
}

// averagePrecision is Σ_k (R_k − R_{k−1}) P_k over descending distinct scores.
func averagePrecision(target, score []float64, order []int32) float64 {
	var pos float64
	for _, i := range order {
		if target[i] > 0 {
			pos++
		}
	}
	var tp, all float64
	var ap summer
	for hi := len(order); hi > 0; {
		lo := hi
		var p float64
		for lo > 0 && score[order[lo-1]] == score[order[hi-1]] {
			if target[order[lo-1]] > 0 {
				p++
			}
			lo--
		}
		tp += p
		all += float64(hi - lo)
		ap.add(p / pos * (tp / all))
		hi = lo
	}
	return ap.sum()
}
