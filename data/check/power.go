package check

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/internal/spearman"
)

// powerName returns the name of the statistic that predictivePower computes.
func (x *examination) powerName() string {
	if x.binary {
		return "AUC"
	}
	return "R²"
}

// predictivePower returns how well scores predict the target in the rows that have both: the area under the ROC curve,
// in either direction, for classes, and the proportion of variance explained for numbers.
func (x *examination) predictivePower(score, y []float64) float64 {
	a, b := borrow(len(x.known)), borrow(len(x.known))
	defer giveBack(a, b)
	s, t := (*a)[:0], (*b)[:0]
	for _, i := range x.known {
		if !math.IsNaN(score[i]) && !math.IsNaN(y[i]) {
			s, t = append(s, score[i]), append(t, y[i])
		}
	}
	if len(s) < fewRows {
		return 0
	}
	if x.binary {
		return areaUnderCurve(s, t)
	}
	residual, total, mean := 0.0, 0.0, stat.Mean(t, nil)
	for i := range s {
		residual += (t[i] - s[i]) * (t[i] - s[i])
		total += (t[i] - mean) * (t[i] - mean)
	}
	if total == 0 {
		return 0
	}
	return 1 - residual/total
}

// areaUnderCurve returns the area under the ROC curve of the scores or of the reversed scores, whichever is larger.
func areaUnderCurve(score, y []float64) float64 {
	p, q := borrow(len(y)), borrow(len(y))
	defer giveBack(p, q)
	one, zero := (*p)[:0], (*q)[:0]
	for i, v := range y {
		if v > 0 {
			one = append(one, score[i])
		} else {
			zero = append(zero, score[i])
		}
	}
	radix.Sort(one)
	radix.Sort(zero)
	// pairs in which a one is above a zero; a tie counts one half
	ones, zeros, pairs := float64(len(one)), float64(len(zero)), 0.0
	below, upTo := 0, 0
	for _, s := range one {
		for below < len(zero) && zero[below] < s {
			below++
		}
		for upTo = max(upTo, below); upTo < len(zero) && zero[upTo] == s; {
			upTo++
		}
		pairs += float64(below+upTo) / 2
	}
	if ones == 0 || zeros == 0 {
		return 0.5
	}
	a := pairs / (ones * zeros)
	return max(a, 1-a)
}

// areaByValue works like areaUnderCurve for a numeric column, whose values are already sorted.
func (x *examination) areaByValue(c *column, y []float64) float64 {
	var all struct{ one, zero float64 }
	p, q := borrow(len(c.values)), borrow(len(c.values))
	defer giveBack(p, q)
	one, zero := *p, *q
	for _, i := range x.known {
		switch k := c.index[i]; {
		case k < 0 || math.IsNaN(y[i]):
		case y[i] > 0:
			one[k]++
			all.one++
		default:
			zero[k]++
			all.zero++
		}
	}
	if all.one+all.zero < fewRows {
		return 0
	}
	if all.one == 0 || all.zero == 0 {
		return 0.5
	}
	below, pairs := 0.0, 0.0
	for k, ones := range one {
		pairs += ones * (below + zero[k]/2)
		below += zero[k]
	}
	a := pairs / (all.one * all.zero)
	return max(a, 1-a)
}

// rateColumn returns how well column c alone predicts the target, as AUC or R². The result is the largest of three: for
// predictions by the order of the numbers, by the average target of equal values in other folds, and by the average
// target of neighbouring values. For several classes, it refers to the class that is predicted worst.
func (x *examination) rateColumn(c *column) (power float64) {
	power = math.Inf(1)
	for _, y := range x.y {
		best := 0.0
		if c.number != nil {
			best = x.rateNumbers(c, y)
			if len(c.values) >= 20 {
				best = max(best, x.predictivePower(x.neighbourScores(c, y), y))
			}
		}
		if 10*len(c.values) <= len(x.known) {
			best = max(best, x.predictivePower(x.valueScores(c.index, len(c.values), y), y))
		}
		power = min(power, best)
	}
	return power
}

// rateNumbers returns how well the numbers of a column predict the target, by their order if it is a class and
// linearly otherwise.
func (x *examination) rateNumbers(c *column, y []float64) float64 {
	if x.binary {
		return x.areaByValue(c, y)
	}
	number := c.number
	var v, t []float64
	for _, i := range x.known {
		if !math.IsNaN(number[i]) {
			v, t = append(v, number[i]), append(t, y[i])
		}
	}
	if len(v) < fewRows {
		return 0
	}
	best := 0.0
	for _, r := range []float64{spearman.Correlation(v, t), stat.Correlation(v, t, nil)} {
		if !math.IsNaN(r) {
			best = max(best, r*r)
		}
	}
	return best
}

// valueScores returns, for every row, the average target in other folds of the rows with the same value; a null
// counts as a value.
func (x *examination) valueScores(index []int32, values int, y []float64) []float64 {
	type sum struct{ n, y float64 }
	all, of := make([]sum, values+1), make([][folds]sum, values+1)
	var total sum
	for _, i := range x.known {
		k := index[i] + 1
		all[k].n++
		all[k].y += y[i]
		of[k][x.fold[i]].n++
		of[k][x.fold[i]].y += y[i]
		total.n++
		total.y += y[i]
	}
	score := make([]float64, len(index))
	mean := total.y / total.n
	for i, k := range index {
		f := of[k+1][x.fold[i]]
		score[i] = (all[k+1].y - f.y + mean/8) / (all[k+1].n - f.n + 1.0/8)
	}
	return score
}

// neighbourScores returns, for every row, the average target of the three values below its number and the three
// above it. It thereby detects columns in which ranges of numbers have a single class each, such as row numbers of
// a table that is sorted by class.
func (x *examination) neighbourScores(c *column, y []float64) []float64 {
	p, q := borrow(len(c.values)), borrow(len(c.values))
	defer giveBack(p, q)
	n, sum := *p, *q
	for _, i := range x.known {
		if k := c.index[i]; k >= 0 {
			n[k]++
			sum[k] += y[i]
		}
	}
	score := make([]float64, len(c.index))
	for i, k := range c.index {
		score[i] = math.NaN()
		if k < 0 {
			continue
		}
		var rows, total float64
		for at := max(0, int(k)-3); at <= min(len(n)-1, int(k)+3); at++ {
			if at != int(k) && n[at] > 0 {
				rows++
				total += sum[at] / n[at]
			}
		}
		if rows > 0 {
			score[i] = total / rows
		}
	}
	return score
}
