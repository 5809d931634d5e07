package hessian

import (
	"github.com/drotrain/drotrain/dro/internal/sampling"
	"github.com/drotrain/drotrain/internal/tuning"
)

var (
	// AlikeShare is the effective share from which weights are as good as equal.
	AlikeShare = tuning.New("hessian: effective share of the weights from which a part of the samples is like any other", "of them", 0.52, 0.25, 0.8)
	drawnFrom  = tuning.New("hessian: stripes that are drawn from", "× the effective number wanted", 3, 1.5, 6)
)

// updateSampled is update by about w.sample of the samples: a part of all, where they have
// about the same weight; else a draw from a part of several times the effective number
// of a sample, or from all of them.
func (w *weights) updateSampled(y, slope []float64, count int, add func(s, lo, hi int)) {
	e := w.evaluator
	of := sampling.Stripes{N: e.N, Count: count, Share: float64(w.Samples) / float64(e.N), Rows: e.Rows}
	w.total = of.Sum(func(lo, hi int) float64 { return w.weigh(y, slope, lo, hi) })
	even := min(sampling.AllOf(e.Rows, e.N).EffectiveNumber(y)/float64(e.N), of.EffectiveNumber(w.weight)/of.Size())
	drawn := even < AlikeShare.Value
	chunk := max(e.BlockRows, chunkRows.Int())
	if drawn {
		if of.Share *= drawnFrom.Value / even; !(of.Share < 1) {
			of.Share = 1
		}
		w.total = of.Sum(func(lo, hi int) float64 { return w.weigh(y, slope, lo, hi) })
		w.sample(slope, of, w.Samples)
		chunk = max(chunk, int(float64(chunk)*of.Size()/float64(w.Samples)))
	}
	taken := of.Size()
	if drawn {
		taken = of.Sum(func(lo, hi int) (k float64) {
			for j := lo; j < hi; j++ {
				if w.weight[j] != 0 || w.response[j] != 0 {
					k++
				}
			}
			return k
		})
	}
	e.Spend(taken / float64(e.N))
	scale := float64(e.N) / of.Size()
	e.Partials.Clear()
	of.Run(func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			for j := lo; j < end; j++ {
				w.weight[j] *= scale
				w.response[j] *= scale
			}
			add(s, lo, end)
			if !drawn {
				e.Problem.Oracle.AddGradTo(e.Partials.Of(s), w.response, slope, lo, end)
				continue
			}
			for j := lo; j < end; j++ {
				if w.weight[j] != 0 || w.response[j] != 0 {
					e.Problem.Oracle.AddGradTo(e.Partials.Of(s), w.response, slope, j, j+1)
				}
			}
		}
	})
	w.total *= scale
	e.Rows.SumTo(w.cross, e.Partials)
}

// sample keeps about count of the samples of a part, and divides their weights and
// responses by their probability, so that the sums are the same on average; those of the
// others become 0. The score of a sample is its weight and what it may add to the mean
// slope, w_j + c_j·Σcℓ'²/Σc.
func (w *weights) sample(slope []float64, of sampling.Stripes, count int) {
	mean := 0.0
	if w.total > 0 {
		mean = of.Sum(func(lo, hi int) float64 {
			s := 0.0
			for j, c := range w.response[lo:hi] {
				s += c * slope[lo+j] * slope[lo+j]
			}
			return s
		}) / w.total
		of.Run(func(_, lo, hi int) {
			weight := w.weight[lo:hi]
			for j, c := range w.response[lo:hi] {
				weight[j] += mean * c
			}
		})
	}
	d := sampling.NewSystematic(of, w.weight, count)
	w.total = of.Sum(func(lo, hi int) (total float64) {
		for passed := 0.5; lo < hi; lo++ {
			j, p := d.Next(w.weight, lo, hi, &passed)
			clear(w.weight[lo:j])
			clear(w.response[lo:j])
			if lo = j; j == hi {
				break
			}
			w.weight[j] = max(0, w.weight[j]-mean*w.response[j]) / p
			w.response[j] /= p
			total += w.response[j]
		}
		return total
	})
}
