package train

import (
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/spearman"
)

// Statistics of vectors of one entry a training row. Over several ranks they are collective calls,
// with the same bits for any number of ranks; nil rows are all in this process.

// weightedMean returns the mean of v under weights; nil means equal weights.
func weightedMean(rows *ranks.Rows, v, weight []float64) float64 {
	weighted := func(of func(j int) float64) float64 {
		return rows.Sum(len(v), func(lo, hi int) float64 {
			sum := 0.0
			for j := lo; j < hi; j++ {
				w := 1.0
				if weight != nil {
					w = weight[j]
				}
				sum += w * of(j)
			}
			return sum
		})
	}
	return weighted(func(j int) float64 { return v[j] }) / weighted(func(int) float64 { return 1 })
}

// groupRisks returns the mean losses by group.
func groupRisks(rows *ranks.Rows, g data.Grouping, loss []float64) []data.GroupRisk {
	k := len(g.Labels)
	sums := rows.Totals(len(loss), 2*k, func(sums []float64, lo, hi int) {
		for j := lo; j < hi; j++ {
			sums[g.Index[j]] += loss[j]
			sums[k+int(g.Index[j])]++
		}
	})
	var out []data.GroupRisk
	for i, label := range g.Labels {
		if n := sums[k+i]; n > 0 {
			out = append(out, data.GroupRisk{Label: label, Rows: int(n), Risk: sums[i] / n})
		}
	}
	return out
}

// rankCorrelation returns Spearman's rank correlation of margin and score on about count rows; score(lo, hi)
// returns the scores of the rows [lo, hi).
func rankCorrelation(rows *ranks.Rows, margin []float64, count int, score func(lo, hi int) []float64) float64 {
	at := rows.LocalStratifiedSample(len(margin), count)
	first, second := make([]float64, 0, len(at)), make([]float64, 0, len(at))
	for k := 0; k < len(at); {
		end := k + 1
		for end < len(at) && at[end] == at[end-1]+1 {
			end++
		}
		first = append(first, margin[at[k]:at[end-1]+1]...)
		second = append(second, score(at[k], at[end-1]+1)...)
		k = end
	}
	first, _ = ranks.GatherAll(rows.Comm(), first)
	second, _ = ranks.GatherAll(rows.Comm(), second)
	found := []float64{0}
	if rows.Comm().Rank() == 0 {
		found[0] = spearman.Correlation(first, second)
	}
	rows.Comm().Sum(found)
	return found[0]
}
