package train

import (
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/spearman"
)

// The functions below compute statistics of vectors with one entry for each training row. With several ranks they
// are collective calls, and return the same bits for any number of ranks. If rows is nil, this process has all
// rows.

// weightedMean returns the mean of v under weights; nil means equal weights.
func weightedMean(rows *ranks.Rows, v, weight []float64) float64 {
	total := rows.Sum(len(v), func(lo, hi int) (sum float64) {
		if weight == nil {
			return float64(hi - lo)
		}
		for _, w := range weight[lo:hi] {
			sum += w
		}
		return sum
	})
	return rows.Sum(len(v), func(lo, hi int) (sum float64) {
		for j := lo; j < hi; j++ {
			w := 1.0
			if weight != nil {
				w = weight[j]
			}
			sum += w * v[j]
		}
		return sum
	}) / total
}

// groupRisks returns the unweighted mean loss of each group that has rows.
func groupRisks(rows *ranks.Rows, g encode.Grouping, loss []float64) []SummaryGroup {
	k := len(g.Labels)
	sums := rows.Totals(len(loss), 2*k, func(sums []float64, lo, hi int) {
		for j := lo; j < hi; j++ {
			sums[g.Index[j]] += loss[j]
			sums[k+int(g.Index[j])]++
		}
	})
	out := []SummaryGroup{}
	for i, label := range g.Labels {
		if n := sums[k+i]; n > 0 {
			out = append(out, SummaryGroup{Name: label, Count: int(n), Risk: sums[i] / n})
		}
	}
	return out
}

// rankCorrelation returns Spearman's rank correlation of two scores on a sample of about count rows.
func rankCorrelation(rows *ranks.Rows, first, second []float64, count int) float64 {
	sample := ranks.GatherAt(rows, rows.StratifiedSample(len(first), count), first, second)
	return spearman.Correlation(sample[0], sample[1])
}
