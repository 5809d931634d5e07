package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// A ranking computes from how often each row was drawn what depends on the
// order of the scores: the AUC and the average precision of each model, or for
// a regression the median absolute error.
type ranking struct {
	task   measure.Task
	weight []float64 // by position; nil: equal
	models []rankedModel
}

type rankedModel struct {
	order []int32 // positions by descending score, or by ascending |error|
	flag  []uint8 // binary, along order: those of measure.Ties
	size  []float64
}

// newRanking ranks the rows of whole; positions are those of the rows of one
// stratum after another.
func newRanking(in *measure.Rows, whole *measure.Stratum, strata []measure.Stratum) ranking {
	rows := make([]int32, 0, len(whole.Rows))
	place := make(map[int32]int32, len(whole.Rows))
	for s := range strata {
		for _, i := range strata[s].Rows {
			place[i] = int32(len(rows))
			rows = append(rows, i)
		}
	}
	r := ranking{task: in.Task}
	if in.Weight != nil {
		r.weight = make([]float64, len(rows))
		for p, i := range rows {
			r.weight[p] = in.Weight[i]
		}
	}
	if in.Task == measure.Multiclass {
		return r // none of its measures depends on ranks
	}
	for k, m := range in.Models {
		key := func(p int32) float64 { return -m.Score[rows[p]] }
		if in.Task == measure.Regression {
			key = func(p int32) float64 { return math.Abs(m.Score[rows[p]] - in.Target[rows[p]]) }
		}
		q := rankedModel{order: make([]int32, len(rows))}
		for p := range q.order {
			if in.Task == measure.Regression {
				q.order[p] = place[whole.Size[k][p]]
			} else {
				q.order[p] = place[whole.Order[k][len(rows)-1-p]]
			}
		}
		for p, a := range q.order {
			if in.Task == measure.Regression {
				q.size = append(q.size, key(a))
				continue
			}
			var f uint8
			if in.Target[rows[a]] > 0 {
				f |= measure.Positive
			}
			if p+1 == len(q.order) || key(q.order[p+1]) != key(a) {
				f |= measure.TieEnd
			}
			q.flag = append(q.flag, f)
		}
		r.models = append(r.models, q)
	}
	return r
}

func (r *ranking) empty() bool { return len(r.models) == 0 || len(r.models[0].order) == 0 }

// put writes the statistics of every model for the rows as drawn.
func (r *ranking) put(dst []float64, count []uint8) {
	for k := range r.models {
		if r.task == measure.Regression {
			dst[k] = r.median(&r.models[k], count)
		} else {
			dst[2*k], dst[2*k+1] = r.curves(&r.models[k], count)
		}
	}
}

// curves returns the area under the ROC curve and the average precision.
func (r *ranking) curves(m *rankedModel, count []uint8) (auc, ap float64) {
	var tp, fp, p, q, wins, steps float64
	for j, at := range m.order {
		f := m.flag[j]
		if c := count[at]; c != 0 {
			x := float64(c)
			if r.weight != nil {
				x *= r.weight[at]
			}
			if f&measure.Positive != 0 {
				p += x
			} else {
				q += x
			}
		}
		if f&measure.TieEnd == 0 || p == 0 && q == 0 {
			continue
		}
		wins += float64(q * (tp + p/2))
		tp += p
		fp += q
		if p > 0 {
			steps += float64(p * (tp / (tp + fp)))
		}
		p, q = 0, 0
	}
	return wins / (tp * fp), steps / tp
}

// median returns the value at half of the weight drawn, the mean of two where the
// half falls between them.
func (r *ranking) median(m *rankedModel, count []uint8) float64 {
	half := float64(len(m.order)) / 2
	if r.weight != nil {
		half = 0
		for p, c := range count {
			half += float64(float64(c) * r.weight[p])
		}
		half /= 2
	}
	run := 0.0
	last := math.NaN()
	for j, at := range m.order {
		c := count[at]
		if c == 0 {
			continue
		}
		if run == half {
			return last/2 + m.size[j]/2
		}
		x := float64(c)
		if r.weight != nil {
			x *= r.weight[at]
		}
		if run += x; run > half {
			return m.size[j]
		}
		last = m.size[j]
	}
	return last
}
