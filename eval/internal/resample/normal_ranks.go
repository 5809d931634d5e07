package resample

import (
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/memory"
)

// A rankLimit is the normal approximation of the rank statistics of all models over one
// stratum, or over several together, of which each is resampled on its own.
type rankLimit struct {
	task  measure.Task
	value []float64       // binary: AUC and average precision of each model
	root  []triangle      // binary: one of the AUCs, one of the average precisions; regression: of the shares below the medians
	at    []errorQuantile // regression, by model
}

// newRankLimit takes the statistics over the rows of a whole that the strata
// divide. place is where a row stands among those of the whole.
func newRankLimit(in *measure.Rows, whole *measure.Stratum, place func(row int32) int32, strata []measure.Stratum) rankLimit {
	r := rankLimit{task: in.Task}
	if in.Task == measure.Multiclass {
		return r // none of its measures depends on ranks
	}
	M := len(in.Models)
	kinds := 2
	if in.Task == measure.Regression {
		kinds = 1
		r.at = make([]errorQuantile, M)
	} else {
		r.value = make([]float64, 2*M)
	}
	n := len(whole.Rows)
	along := memory.Make[float64](in.Arena, n)
	influence := make([][]float64, M)
	defer func() { memory.Release(in.Arena, append(influence, along)...) }()
	for kind := range kinds {
		for k, m := range in.Models {
			x := influence[k]
			if x == nil {
				x = memory.Make[float64](in.Arena, n)
				influence[k] = x
			}
			var order []int32
			switch {
			case in.Task == measure.Regression:
				order = whole.Size[k]
				med := measure.MedianError(in.Target, m.Score, in.Weight, order)
				r.at[k] = newErrorQuantile(in.Arena, in.Target, m.Score, in.Weight, order, med)
				belowInfluence(along, in, k, order, med, r.at[k].at)
			case kind == 0:
				order = whole.Order[k]
				r.value[2*k] = whole.Ties(in, k).AUC()
				AUCInfluence(along, whole.Ties(in, k), r.value[2*k])
			default:
				order = whole.Order[k]
				r.value[2*k+1] = whole.Ties(in, k).AveragePrecision()
				averagePrecisionInfluence(along, whole.Ties(in, k), r.value[2*k+1])
			}
			for p, i := range order {
				x[place(i)] = along[p]
			}
		}
		r.root = append(r.root, cholesky(covarianceWithin(influence, place, strata), M))
	}
	return r
}

// belowInfluence writes the influence of each row, along order, on the share of the weight
// at or below the median.
func belowInfluence(dst []float64, in *measure.Rows, k int, order []int32, median, share float64) {
	total := measure.SumAt(in.Weight, order)
	for p, i := range order {
		w := 1.0
		if in.Weight != nil {
			w = in.Weight[i]
		}
		below := 0.0
		if math.Abs(in.Models[k].Score[i]-in.Target[i]) <= median {
			below = 1
		}
		dst[p] = w * (below - share) / total
	}
}

// covarianceWithin returns the covariance of sums of x over resamples of every stratum by
// itself, lower triangle by rows.
func covarianceWithin(x [][]float64, place func(row int32) int32, strata []measure.Stratum) []float64 {
	mean := make([][]float64, len(x)) // by stratum
	var out []float64
	for k := range x {
		for s := range strata {
			t := 0.0
			for _, i := range strata[s].Rows {
				t += x[k][place(i)]
			}
			mean[k] = append(mean[k], t/float64(len(strata[s].Rows)))
		}
		for q := range k + 1 {
			sum := 0.0
			for s := range strata {
				t := 0.0
				for _, i := range strata[s].Rows {
					t += (x[k][place(i)] - mean[k][s]) * (x[q][place(i)] - mean[q][s])
				}
				sum += t
			}
			out = append(out, sum)
		}
	}
	return out
}

// draw writes the statistics of one resample, given normal numbers.
func (r *rankLimit) draw(dst, z []float64) {
	if r.root == nil {
		return
	}
	M := r.root[0].n
	if r.task == measure.Regression {
		clear(dst[:M])
		r.root[0].addTo(dst, z)
		for k := range M {
			dst[k] = r.at[k].shiftedMedian(dst[k])
		}
		return
	}
	for kind, root := range r.root {
		x := make([]float64, M)
		root.addTo(x, z[kind*M:])
		for k := range M {
			dst[2*k+kind] = min(1, max(0, r.value[2*k+kind]+x[k]))
		}
	}
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
