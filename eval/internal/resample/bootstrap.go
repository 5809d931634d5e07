package resample

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/memory"
)

// Resamples are those of a multiplier bootstrap: the sums of the rows' columns (columns.go) are their
// values plus Σ z_i (x_i − mean) with independent standard normal z, for every group on its own and the
// same z for every model (paired). A statistic moves by its derivative along the sums, those of the ranks by
// their influences (influence.go). In a group of many rows the sums are drawn from their covariance
// (normal.go), which is the same distribution at a cost that does not grow with the rows.
//
// Resample b of stratum s has a generator of its own, seeded by (seed, grouping, s, b), and is summed by
// one goroutine in the order of the rows: the result does not depend on the number of workers.

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

func (r *rng) nextUint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// IntBelow returns a uniform integer in [0, n) by Lemire's method, exactly.
func (r *rng) IntBelow(n uint32) uint32 {
	for {
		x := r.nextUint64()
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
}

// A Resampler draws the sums of the strata of one grouping.
type Resampler struct {
	Plan
	in     *measure.Rows
	salt   uint64
	C      *Columns
	strata []measure.Stratum
	sums   [][]float64 // of the columns, by stratum
	limit  []*triangle // root of their covariance, of strata with many rows
	normal []bool      // these whose sums are near normal: the errors of measures follow from the covariance
	ranks  []rankLimit
	whole  *rankLimit // of all strata together, where it is wanted
	all    *measure.Stratum

	LossAtLeast0 []bool // by model: no row of the input has a loss below 0
}

// New prepares the strata of a grouping; all is their union, nil if
// the statistics of its ranks are not wanted.
func New(ctx context.Context, in *measure.Rows, p Plan, salt uint64, strata []measure.Stratum, all *measure.Stratum, tailQ []float64, centre float64) (*Resampler, error) {
	r := &Resampler{in: in, Plan: p, salt: salt, strata: strata, all: all, ranks: make([]rankLimit, len(strata))}
	r.C = newColumns(in, tailQ, centre)
	for _, m := range in.Models {
		r.LossAtLeast0 = append(r.LossAtLeast0, slices.Min(m.Loss) >= 0)
	}
	if err := r.sumUp(ctx); err != nil {
		return nil, err
	}
	place := memory.Make[int32](in.Arena, len(in.Target))
	defer memory.Release(in.Arena, place)
	for s := range strata {
		for p, i := range strata[s].Rows {
			place[i] = int32(p)
		}
	}
	err := measure.Parallel(ctx, in.Workers, len(strata), func(s int, _ *measure.Scratch) error {
		r.ranks[s] = newRankLimit(in, &strata[s], func(i int32) int32 { return place[i] }, strata[s:s+1])
		return nil
	})
	if err == nil && all != nil {
		w := newRankLimit(in, all, func(i int32) int32 { return i }, strata)
		r.whole = &w
	}
	return r, err
}

// A Result is what a pass over the strata leaves.
type Result struct {
	Overall []float64 // Resamples × width sums over all strata, with their ranks
	MaxT    []float64 // Resamples: the largest studentised deviation, see family
}

// quantileMethod names intervals that are quantiles of values in resamples.
const quantileMethod = "influence percentile"

// Run resamples every stratum and hands its sums (Resamples × width) to each,
// which may run concurrently for the strata of a batch; then calls batch, once
// for every batch in order.
func (r *Resampler) Run(ctx context.Context, name string, eligible []bool, each func(s int, sums []float64), batch func(lo, hi int)) (*Result, error) {
	in, w := r.in, r.C.width
	B := r.Resamples
	out := &Result{Overall: make([]float64, B*w), MaxT: make([]float64, B)}
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
				r.draw(dst[:end-first], s, first, work)
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
	r.wholeRanks(out)
	return out, nil
}

// wholeRanks adds the statistics of the ranks of all rows together.
func (r *Resampler) wholeRanks(out *Result) {
	if r.whole == nil {
		return
	}
	w := r.C.width
	z := make([]float64, w-r.C.rank)
	for b := range r.Resamples {
		g := NewRNG(r.Seed, r.salt, wholeStratum, uint64(b))
		g.normals(z)
		r.whole.draw(out.Overall[b*w+r.C.rank:(b+1)*w], z)
	}
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

// draw writes the sums and the statistics of the ranks of stratum s in the resamples from first on.
func (r *Resampler) draw(dst [][]float64, s, first int, work *measure.Scratch) {
	c, rows := r.C, r.strata[s].Rows
	n := float64(len(rows))
	generators := make([]*rand.Rand, len(dst))
	for k, d := range dst {
		g := NewRNG(r.Seed, r.salt, uint64(s), uint64(first+k))
		generators[k] = rand.New(&g)
		copy(d, r.sums[s])
	}
	fill := func(z []float64, k int) {
		for i := range z {
			z[i] = generators[k].NormFloat64()
		}
	}
	z := work.Floats(max(c.width, len(dst)))
	if root := r.limit[s]; root != nil {
		for k, d := range dst {
			fill(z[:c.width], k)
			root.addTo(d[:c.rank], z)
			r.ranks[s].draw(d[c.rank:], z[c.rank:])
		}
		return
	}
	row := c.newRow()
	mean := make([]float64, len(dst)) // Σ z / n of every resample
	for _, i := range rows {
		c.fill(r.in, &row, i)
		for k, d := range dst {
			m := generators[k].NormFloat64()
			mean[k] += m / n
			for j, x := range row.v {
				d[j] += float64(m * x)
			}
			for q, b := range row.bin {
				d[c.bins+q*measure.ECEBins+int(b)] += float64(m * row.gap[q])
			}
		}
	}
	for k, d := range dst {
		for j, x := range r.sums[s] {
			d[j] -= float64(mean[k] * x)
		}
		fill(z[:c.width-c.rank], k)
		r.ranks[s].draw(d[c.rank:], z)
	}
}
