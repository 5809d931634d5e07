package eval

import (
	"context"
	"math"
)

// The bootstrap is stratified: every resample draws n_g rows with replacement
// within each group g, the same rows for every model (paired). Statistics are
// functions of sums of per-row columns (columns.go) or of the ranks of the
// scores (ranks.go), so one draw serves them all.
//
// Resample b of stratum s has a generator of its own, seeded by (seed,
// grouping, s, b), and is summed by one goroutine in the order of the rows:
// the result does not depend on the number of workers.

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

// resampleTask is the number of resamples one task of the pool takes.
const resampleTask = 8

// maxBatch bounds the resampled sums held at once (float64s).
const maxBatch = 4 << 20

// A resampler draws the strata of one grouping.
type resampler struct {
	in     *Input
	salt   uint64
	c      *columns
	strata [][]int32
	start  []int // of each stratum in c
	ranks  []ranking
	whole  *ranking // of all strata together; nil if not wanted
}

func newResampler(in *Input, salt uint64, strata [][]int32, tailQ []float64, center float64, whole bool) *resampler {
	r := &resampler{in: in, salt: salt, strata: strata, start: make([]int, len(strata)+1)}
	r.c = buildColumns(in, strata, tailQ, center)
	r.ranks = make([]ranking, len(strata))
	for s, rows := range strata {
		r.start[s+1] = r.start[s] + len(rows)
		r.ranks[s] = newRanking(in, rows)
	}
	if whole {
		all := make([]int32, 0, r.start[len(strata)])
		for _, rows := range strata {
			all = append(all, rows...)
		}
		w := newRanking(in, all)
		r.whole = &w
	}
	return r
}

// A booted is what a pass over the strata leaves.
type booted struct {
	overall []float64 // Resamples × width sums over all strata, with their ranks
	maxT    []float64 // Resamples: the largest studentised deviation, see family
}

// run resamples every stratum and hands its sums (Resamples × width) to each,
// which may run concurrently for the strata of a batch; then calls batch, once
// for every batch in order.
func (r *resampler) run(ctx context.Context, eligible []bool, each func(s int, sums []float64), batch func(lo, hi int)) (*booted, error) {
	in, w := r.in, r.c.width
	B := in.Resamples
	out := &booted{overall: make([]float64, B*w), maxT: make([]float64, B)}
	fam := newFamily(r.c, r.start, eligible)
	tasks := (B + resampleTask - 1) / resampleTask
	perBatch := max(1, maxBatch/(B*w))
	for lo := 0; lo < len(r.strata); lo += perBatch {
		hi := min(lo+perBatch, len(r.strata))
		sums := make([]float64, (hi-lo)*B*w)
		err := parallel(ctx, in.Workers, tasks, func(task int, work *scratch) error {
			first, end := task*resampleTask, min(B, (task+1)*resampleTask)
			var dst [resampleTask][]float64
			for s := lo; s < hi && ctx.Err() == nil; s++ {
				for b := first; b < end; b++ {
					dst[b-first] = sums[((s-lo)*B+b)*w:][:w]
				}
				n := len(r.strata[s])
				count := work.counts((end - first) * n)
				r.draw(count, s, first, end)
				r.c.addCounted(dst[:end-first], count, r.start[s], n)
				if eligible[s] {
					for k, d := range dst[:end-first] {
						r.ranks[s].put(d[r.c.rank:], count[k*n:][:n])
					}
				}
				for b := first; b < end; b++ {
					d := dst[b-first]
					for k, x := range d[:r.c.rank] {
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
		batch(lo, hi)
	}
	if r.whole == nil || r.whole.empty() {
		return out, nil
	}
	// The ranks of all rows together need the draws of all strata at once.
	err := parallel(ctx, in.Workers, B, func(b int, work *scratch) error {
		count := work.counts(r.start[len(r.strata)])
		for s := range r.strata {
			r.draw(count[r.start[s]:r.start[s+1]], s, b, b+1)
		}
		r.whole.put(out.overall[b*w+r.c.rank:], count)
		return ctx.Err()
	})
	return out, err
}

// draw counts how often each row of stratum s is drawn in each of the
// resamples first … end−1. A count is near Poisson(1), so it stays below 256
// (probability of more: below 1e-500).
func (r *resampler) draw(count []uint8, s, first, end int) {
	n := len(r.strata[s])
	for b := first; b < end; b++ {
		g := newRNG(r.in.Seed, r.salt, uint64(s), uint64(b))
		c := count[(b-first)*n:][:n]
		for range n {
			c[g.below(uint32(n))]++
		}
	}
}

// counts returns n zeros, reusing the memory.
func (b *scratch) counts(n int) []uint8 {
	if cap(b.count) < n {
		b.count = make([]uint8, n)
	}
	c := b.count[:n]
	clear(c)
	return c
}
