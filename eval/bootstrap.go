package eval

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/data"
)

// The bootstrap is stratified: every resample draws n_g rows with replacement
// within each group g, the same rows for every model (paired). All statistics
// are functions of means of per-row columns, so one draw serves them all.
//
// Resample b of stratum s has a generator of its own, seeded by (seed,
// grouping, s, b), and is summed by one goroutine in the order drawn: the
// result does not depend on the number of workers.

// rng is SplitMix64: 2⁶⁴ period, passes BigCrush, a few instructions.
type rng uint64

func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func newRNG(seed uint64, part ...uint64) rng {
	for _, p := range part {
		seed = mix(seed+0x9e3779b97f4a7c15) ^ mix(p*0x9e3779b97f4a7c15+0xd1b54a32d192ed03)
	}
	return rng(mix(seed))
}

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// below returns a uniform integer in [0, n) by Lemire's method, exactly.
func (r *rng) below(n uint32) uint32 {
	for {
		x := r.next()
		m := uint64(uint32(x)) * uint64(n)
		if low := uint32(m); low >= n || low >= -n%n {
			return uint32(m >> 32)
		}
	}
}

// columns is the table that is resampled: row-major, width columns.
type columns struct {
	width int
	v     []float64 // rows of one stratum after another
}

// Layout of a row: for each model, its own columns; then the target (centred)
// and its square for a regression.
const (
	colLoss = iota
	colA    // binary: log-loss; regression: squared error
	colB    // binary: squared probability error; regression: |error|
	colC    // binary: correct (0/1); regression: error
	colTail // q + (ℓ − q)₊/α: its mean is CVaR_α, linearised at the sample quantile
	colGap  // binary: probability − outcome; regression: 0
	perModel
)

// tailAlpha is the level of the tail measure compared between models.
const tailAlpha = 0.1

func buildColumns(in *Input, strata [][]int32, tailQ []float64, center float64) columns {
	width := perModel * len(in.Models)
	if in.Task == Regression {
		width += 2
	}
	c := columns{width: width, v: make([]float64, 0, width*len(in.Target))}
	for _, rows := range strata {
		for _, i := range rows {
			for k, m := range in.Models {
				l, s, t := m.Loss[i], m.Score[i], in.Target[i]
				tail := tailQ[k] + math.Max(0, l-tailQ[k])/tailAlpha
				if in.Task == Binary {
					y, p := 0.0, min(max(s, logLossClip), 1-logLossClip)
					ll := -math.Log(1 - p)
					if t > 0 {
						y, ll = 1, -math.Log(p)
					}
					hit := 0.0
					if (s >= in.threshold()) == (t > 0) {
						hit = 1
					}
					c.v = append(c.v, l, ll, (s-y)*(s-y), hit, tail, s-y)
				} else {
					e := s - t
					c.v = append(c.v, l, e*e, math.Abs(e), e, tail, 0)
				}
			}
			if in.Task == Regression {
				t := in.Target[i] - center
				c.v = append(c.v, t, t*t)
			}
		}
	}
	return c
}

// resampleTask is the number of resamples one task of the pool takes.
const resampleTask = 8

// maxBatch bounds the resampled sums held at once (float64s).
const maxBatch = 8 << 20

// A booted is what a pass over the strata leaves.
type booted struct {
	overall []float64 // Resamples × width sums over all strata
	maxT    []float64 // Resamples: the largest studentised deviation, see family
}

// bootstrap resamples every stratum and hands its sums (Resamples × width) to
// each, which may run concurrently for different strata.
func bootstrap(ctx context.Context, in *Input, salt uint64, c columns, strata [][]int32, eligible []bool,
	each func(s int, sums []float64)) (*booted, error) {

	B, w := in.Resamples, c.width
	out := &booted{overall: make([]float64, B*w), maxT: make([]float64, B)}
	start := make([]int, len(strata)+1)
	for s, r := range strata {
		start[s+1] = start[s] + len(r)
	}
	fam := newFamily(c, len(in.Models), start, eligible)
	perBatch := max(1, maxBatch/(B*w))
	for lo := 0; lo < len(strata); lo += perBatch {
		hi := min(lo+perBatch, len(strata))
		sums := make([]float64, (hi-lo)*B*w)
		err := parallel(ctx, in.Workers, (B+resampleTask-1)/resampleTask, func(task int, work *scratch) error {
			first, end := task*resampleTask, min(B, (task+1)*resampleTask)
			var dst [resampleTask][]float64
			for s := lo; s < hi && ctx.Err() == nil; s++ {
				for b := first; b < end; b++ {
					dst[b-first] = sums[((s-lo)*B+b)*w:][:w]
				}
				rows := c.v[start[s]*w : start[s+1]*w]
				seed := func(b int) rng { return newRNG(in.Seed, salt, uint64(s), uint64(first+b)) }
				if len(strata[s]) <= cachedRows {
					for b, d := range dst[:end-first] {
						r := seed(b)
						drawSums(d, rows, uint32(len(strata[s])), &r)
					}
				} else {
					countSums(dst[:end-first], rows, uint32(len(strata[s])), seed, work)
				}
				for b := first; b < end; b++ {
					d := dst[b-first]
					for k, x := range d {
						out.overall[b*w+k] += x
					}
					out.maxT[b] = math.Max(out.maxT[b], fam.deviation(s, d))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		err = parallel(ctx, in.Workers, hi-lo, func(k int, _ *scratch) error {
			each(lo+k, sums[k*B*w:(k+1)*B*w])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// drawSums adds n of the n rows, drawn with replacement, into dst.
func drawSums(dst, v []float64, n uint32, r *rng) {
	w := len(dst)
	for range n {
		row := v[int(r.below(n))*w:][:w]
		for k, x := range row {
			dst[k] += x
		}
	}
}

// cachedRows is the size from which a stratum no longer fits the caches, and
// counting draws before one pass over the rows is faster than jumping about.
const cachedRows = 1 << 13

// countSums is drawSums for several resamples at once: it counts how often
// each row is drawn, then passes over the rows once. A count is near Poisson(1),
// so it stays below 256 (probability of more: below 1e-500).
func countSums(dst [][]float64, v []float64, n uint32, seed func(b int) rng, work *scratch) {
	const chunk = 1 << 10 // rows a cache holds while all resamples use them
	m := len(dst)
	if cap(work.count) < m*int(n) {
		work.count = make([]uint8, m*int(n))
	}
	count := work.count[:m*int(n)]
	clear(count)
	for b := range dst {
		r := seed(b)
		c := count[b*int(n):][:n]
		for range n {
			c[r.below(n)]++
		}
	}
	for lo := 0; lo < int(n); lo += chunk {
		hi := min(lo+chunk, int(n))
		for b, d := range dst {
			w := len(d)
			for i, c := range count[b*int(n)+lo : b*int(n)+hi] {
				if c == 0 {
					continue
				}
				f := float64(c)
				row := v[(lo+i)*w:][:w]
				for k, x := range row {
					d[k] += float64(f * x) // rounded: the same bits where multiply and add could fuse
				}
			}
		}
	}
}

// A family is the set of numbers the simultaneous intervals cover together:
// the risk of every model on every eligible group, and its difference from the
// baseline's. Their deviations are studentised by √(variance/n).
type family struct {
	models int
	n      []float64
	mean   [][]float64 // per stratum: models risks, then models−1 differences
	se     [][]float64
}

func newFamily(c columns, models int, start []int, eligible []bool) *family {
	f := &family{models: models}
	m := 2*models - 1
	for s := range eligible {
		n := start[s+1] - start[s]
		f.n = append(f.n, float64(n))
		if !eligible[s] || n < 2 {
			f.mean, f.se = append(f.mean, nil), append(f.se, nil)
			continue
		}
		mu, se := make([]float64, m), make([]float64, m)
		value := func(i, k int) float64 {
			row := c.v[i*c.width:]
			if k < models {
				return row[k*perModel]
			}
			return row[(k-models+1)*perModel] - row[0]
		}
		for k := range mu {
			var a, q summer
			for i := start[s]; i < start[s+1]; i++ {
				a.add(value(i, k))
			}
			mu[k] = a.sum() / float64(n)
			for i := start[s]; i < start[s+1]; i++ {
				d := value(i, k) - mu[k]
				q.add(d * d)
			}
			se[k] = math.Sqrt(q.sum()) / float64(n)
		}
		f.mean, f.se = append(f.mean, mu), append(f.se, se)
	}
	return f
}

// deviation is the largest |mean* − mean|/se of the stratum in one resample.
func (f *family) deviation(s int, sums []float64) float64 {
	mu, se, n := f.mean[s], f.se[s], f.n[s]
	t := 0.0
	for k := range mu {
		x := sums[0] / n
		if k < f.models {
			x = sums[k*perModel] / n
		} else {
			x = sums[(k-f.models+1)*perModel]/n - x
		}
		if d := math.Abs(x - mu[k]); se[k] > 0 && d > t*se[k] {
			t = d / se[k]
		}
	}
	return t
}

// strataOf returns the non-empty groups of g, or all rows as one.
func strataOf(in *Input, g *data.Grouping) [][]int32 {
	if g == nil {
		all := make([]int32, len(in.Target))
		for i := range all {
			all[i] = int32(i)
		}
		return [][]int32{all}
	}
	var out [][]int32
	for _, r := range rowsByGroup(*g) {
		if len(r) > 0 {
			out = append(out, r)
		}
	}
	return out
}
