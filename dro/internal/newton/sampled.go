package newton

import "github.com/drotrain/drotrain/dro/internal/engine"

// alikeShare is the effective proportion of the samples above which any subset of them is assumed to be
// representative.
const alikeShare = 0.5

// updateSampled works like update for about w.Samples of the samples: the last ones of each shard. It uses more if
// weights are uneven, so that their effective number is about w.Samples.
func (w *weights) updateSampled(r *engine.Response, slope []float64, count int, add func(s, lo, hi int)) {
	e := w.evaluator
	of := engine.Stripes{N: e.N, Count: count, Share: float64(w.Samples) / float64(e.N), Rows: e.Rows}
	w.total = of.Sum(func(lo, hi int) float64 { return w.updateWeights(r, slope, lo, hi) })
	if even := min(engine.ShardedStripes(e.Rows, e.N).EffectiveNumber(r.Y)/float64(e.N),
		of.EffectiveNumber(w.weight)/of.Size()); even < alikeShare {
		of.Share = min(1, of.Share/even)
		w.total = of.Sum(func(lo, hi int) float64 { return w.updateWeights(r, slope, lo, hi) })
	}
	e.Spend(of.Size() / float64(e.N))
	chunk, scale := max(e.BlockRows, chunkRows), float64(e.N)/of.Size()
	e.Partials.Clear()
	of.Run(func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			for j := lo; j < end; j++ {
				w.weight[j] *= scale
				w.response[j] *= scale
			}
			add(s, lo, end)
			e.Problem.Oracle.AddGradTo(e.Partials.Shard(s), w.response, slope, lo, end)
		}
		e.Partials.Complete(s)
	})
	w.total *= scale
	e.Rows.SumTo(w.cross, e.Partials)
}
