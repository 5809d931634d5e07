package resample

import (
	"context"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
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

// NewRNG returns a generator whose stream the seed and the parts decide.
func NewRNG(seed uint64, part ...uint64) rng {
	for _, p := range part {
		seed = mix(seed+0x9e3779b97f4a7c15) ^ mix(p*0x9e3779b97f4a7c15+0xd1b54a32d192ed03)
	}
	return rng(mix(seed))
}

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// Below returns a uniform integer in [0, n) by Lemire's method, exactly.
func (r *rng) Below(n uint32) uint32 {
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

// A Plan says how resamples are drawn.
type Plan struct {
	Resamples  int     // 0 for none
	Confidence float64 // of every interval
	Seed       uint64
	ByRows     bool // draw rows, however many: the tests compare
}

// A Resampler draws the strata of one grouping: the rows of small groups, the
// sums of large ones (normal.go).
type Resampler struct {
	Plan
	in     *measure.Rows
	salt   uint64
	C      *Columns
	strata []measure.Stratum
	limit  []*limit
	start  []int // of each stratum in c; those with a limit are empty there
	ranks  []ranking

	// The statistics of ranks over all strata together, where they are wanted:
	// by their limit, or from the rows.
	wholeLimit *rankLimit
	whole      *ranking
	all        *measure.Stratum

	LossAtLeast0 []bool // by model: no row of the input has a loss below 0
}

// New prepares the strata of a grouping; all is their union, nil if
// the statistics of its ranks are not wanted.
func New(ctx context.Context, in *measure.Rows, p Plan, salt uint64, strata []measure.Stratum, all *measure.Stratum, tailQ []float64, centre float64) (*Resampler, error) {
	r := &Resampler{in: in, Plan: p, salt: salt, strata: strata, all: all, start: make([]int, len(strata)+1), ranks: make([]ranking, len(strata))}
	r.C = newColumns(in, tailQ, centre)
	for _, m := range in.Models {
		r.LossAtLeast0 = append(r.LossAtLeast0, slices.Min(m.Loss) >= 0)
	}
	var err error
	if r.limit, err = r.C.limits(ctx, in, strata, p.ByRows); err != nil {
		return nil, err
	}
	kept := 0
	for s := range strata {
		if r.limit[s] == nil {
			kept += len(strata[s].Rows)
		}
	}
	r.C.reserve(in, kept)
	for s := range strata {
		r.start[s+1] = r.start[s]
		if r.limit[s] == nil {
			r.start[s+1] += len(strata[s].Rows)
			r.C.keep(in, strata[s].Rows, r.start[s])
			r.ranks[s] = newRanking(in, &strata[s], strata[s:s+1])
		}
	}
	if all == nil {
		return r, nil
	}
	if nearNormalRanks(in) && !p.ByRows {
		l := newRankLimit(in, all, func(i int32) int32 { return i }, strata)
		r.wholeLimit = &l
	} else {
		w := newRanking(in, all, strata)
		r.whole = &w
	}
	return r, nil
}

// nearNormalRanks reports whether the statistics of ranks over all rows are near
// normal: there are rows enough, of both classes.
func nearNormalRanks(in *measure.Rows) bool {
	pos := 0
	for _, t := range in.Target {
		if t > 0 {
			pos++
		}
	}
	n := len(in.Target)
	return n >= normalRows && (in.Task == measure.Regression || min(pos, n-pos) >= 1/(lyapunov*lyapunov))
}

// A Result is what a pass over the strata leaves.
type Result struct {
	Overall []float64 // Resamples × width sums over all strata, with their ranks
	MaxT    []float64 // Resamples: the largest studentised deviation, see family
	Method  string    // of the intervals over all strata
}

// How the intervals of a statistic were made that are quantiles of its values
// in resamples: of rows, or of the sums that rows and influences have.
const (
	fromRows = "bootstrap percentile"
	fromSums = "influence percentile"
)

// Method returns how stratum s is resampled.
func (r *Resampler) Method(s int) string {
	if r.limit[s] != nil {
		return fromSums
	}
	return fromRows
}

// Run resamples every stratum and hands its sums (Resamples × width) to each,
// which may run concurrently for the strata of a batch; then calls batch, once
// for every batch in order.
func (r *Resampler) Run(ctx context.Context, name string, eligible []bool, each func(s int, sums []float64), batch func(lo, hi int)) (*Result, error) {
	in, w := r.in, r.C.width
	B := r.Resamples
	out := &Result{Overall: make([]float64, B*w), MaxT: make([]float64, B), Method: fromSums}
	for s := range r.strata {
		if r.limit[s] == nil {
			out.Method = fromRows
		}
	}
	fam := newFamily(r, eligible)
	tasks := (B + resampleTask - 1) / resampleTask
	perBatch := max(1, maxBatch/(B*w))
	batches := (len(r.strata) + perBatch - 1) / perBatch
	step := in.Steps("resampling by "+name, tasks*batches)
	for lo := 0; lo < len(r.strata); lo += perBatch {
		hi := min(lo+perBatch, len(r.strata))
		sums := make([]float64, (hi-lo)*B*w)
		err := measure.Parallel(ctx, in.Workers, tasks, step(func(task int, work *measure.Scratch) error {
			first, end := task*resampleTask, min(B, (task+1)*resampleTask)
			var dst [resampleTask][]float64
			for s := lo; s < hi && ctx.Err() == nil; s++ {
				for b := first; b < end; b++ {
					dst[b-first] = sums[((s-lo)*B+b)*w:][:w]
				}
				if l := r.limit[s]; l != nil {
					for b := first; b < end; b++ {
						g := NewRNG(r.Seed, r.salt, uint64(s), uint64(b))
						l.draw(dst[b-first], r.C, &g, work)
					}
					r.gather(out, fam, s, first, dst[:end-first])
					continue
				}
				n := len(r.strata[s].Rows)
				count := work.Counts((end - first) * n)
				r.draw(count, s, first, end)
				r.C.addCounted(dst[:end-first], count, r.start[s], n)
				if eligible[s] {
					for k, d := range dst[:end-first] {
						r.ranks[s].put(d[r.C.rank:], count[k*n:][:n])
					}
				}
				r.gather(out, fam, s, first, dst[:end-first])
			}
			return nil
		}))
		if err != nil {
			return nil, err
		}
		err = measure.Parallel(ctx, in.Workers, hi-lo, func(k int, _ *measure.Scratch) error {
			each(lo+k, sums[k*B*w:(k+1)*B*w])
			return nil
		})
		if err != nil {
			return nil, err
		}
		batch(lo, hi)
	}
	return out, r.wholeRanks(ctx, out)
}

// wholeRanks adds the statistics of the ranks of all rows together.
func (r *Resampler) wholeRanks(ctx context.Context, out *Result) error {
	in, w := r.in, r.C.width
	if r.wholeLimit != nil {
		z := make([]float64, w-r.C.rank)
		for b := range r.Resamples {
			g := NewRNG(r.Seed, r.salt, wholeStratum, uint64(b))
			g.normals(z)
			r.wholeLimit.draw(out.Overall[b*w+r.C.rank:(b+1)*w], z)
		}
		return nil
	}
	if r.whole == nil || r.whole.empty() {
		return nil
	}
	// They need the draws of all strata at once.
	return in.Parallel(ctx, "resampling all rows", r.Resamples, func(b int, work *measure.Scratch) error {
		count := work.Counts(len(in.Target))
		at := 0
		for s := range r.strata {
			n := len(r.strata[s].Rows)
			r.draw(count[at:at+n], s, b, b+1)
			at += n
		}
		r.whole.put(out.Overall[b*w+r.C.rank:], count)
		return ctx.Err()
	})
}

// wholeStratum seeds the draws over all rows; no stratum has that number.
const wholeStratum = 1 << 40

// gather adds the sums of stratum s in the resamples first … to those over all
// strata, and to the family's largest deviations.
func (r *Resampler) gather(out *Result, fam *family, s, first int, dst [][]float64) {
	w := r.C.width
	for k, d := range dst {
		b := first + k
		for j, x := range d[:r.C.rank] {
			out.Overall[b*w+j] += x
		}
		out.MaxT[b] = math.Max(out.MaxT[b], fam.deviation(s, d))
	}
}

// draw counts how often each row of stratum s is drawn in each of the
// resamples first … end−1. A count is near Poisson(1), so it stays below 256
// (probability of more: below 1e-500).
func (r *Resampler) draw(count []uint8, s, first, end int) {
	n := len(r.strata[s].Rows)
	for b := first; b < end; b++ {
		g := NewRNG(r.Seed, r.salt, uint64(s), uint64(b))
		c := count[(b-first)*n:][:n]
		for range n {
			c[g.Below(uint32(n))]++
		}
	}
}
