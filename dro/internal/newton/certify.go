package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

const (
	// maxBoundPasses is the maximum cost, in passes, of H with a bound of ρ, and that of computing ρ itself.
	maxBoundPasses = 1

	// safetyFactor is a factor for the expected number of samples that a bound needs.
	safetyFactor = 1.2
)

// CertifyAtDecrement tries CertifyByCurvature at a point whose objective exceeds the optimum by about decrement/2,
// where decrement is the squared Newton decrement. It uses as many samples as the required gap is expected to need,
// judging by earlier bounds in this solve, provided that there are enough samples and they cost less than another
// step.
func CertifyAtDecrement(r *engine.Run, decrement float64) {
	c := r.Cert
	goal := requiredGap(r)
	if c.Objective-c.Best.Lower <= goal || c.D > MaxColumns || !(decrement >= 0) {
		return
	}
	if c.Shortfall == 0 {
		c.Shortfall = estimateShortfall(c)
	}
	affordable := affordableSamples(c)
	for range 3 {
		needs := c.Shortfall * decrement / 2 / goal * float64(c.N)
		if !(needs <= float64(c.N)) {
			return
		}
		count := min(c.N, max(int(needs), engine.RowsPerColumn*c.D))
		switch shortfall := CertifyByCurvature(c, count, affordable, maxBoundPasses); {
		case math.IsInf(shortfall, 1):
			return
		case shortfall > 1:
			c.Shortfall *= min(16, safetyFactor*shortfall)
			continue
		}
		gap := c.Objective - c.Best.Lower
		if gap <= goal {
			return
		}
		c.Shortfall = safetyFactor * max(c.Shortfall, 2*gap/decrement*float64(count)/float64(c.N))
	}
}

// requiredGap returns the absolute gap that corresponds to the required relative gap.
func requiredGap(r *engine.Run) float64 {
	return r.Settings.RelativeGap * r.Cert.Best.Magnitude(r.Cert.Objective)
}

// affordableSamples returns the maximum number of samples that CertifyAtDecrement may use.
func affordableSamples(c *engine.Certifier) int {
	return SamplesFor(c, max(maxBoundPasses, c.Passes/5))
}

// RequiredDecrement returns the squared decrement below which CertifyAtDecrement is expected to prove the required
// gap, judging by earlier bounds in this solve: twice the gap divided by the expected shortfall, if that is known to
// exceed 1. If enough samples may be used to prove a bound, this is multiplied by the proportion of the samples that
// may be used.
func RequiredDecrement(r *engine.Run) float64 {
	c := r.Cert
	enough := 2 * requiredGap(r) / max(1, c.Shortfall)
	if may := affordableSamples(c); may >= min(c.N, engine.RowsPerColumn*c.D) && c.D <= MaxColumns {
		enough *= float64(may) / float64(c.N)
	}
	return enough
}

// estimateShortfall estimates the ratio of the weight of all samples in the Hessian of P to their weight in a lower
// bound of the curvature. It returns 1 if the ratio is unknown.
func estimateShortfall(c *engine.Certifier) float64 {
	o, ok := c.Problem.Oracle.(engine.LinearModel)
	dual, responds := c.Problem.Dual.(engine.Curved)
	if !ok || !responds {
		return 1
	}
	v, has, wants := c.ScratchSpace(), c.Rows.Scalars(c.N), c.Rows.Scalars(c.N)
	c.Rows.Run(c.N, func(s, lo, hi int) {
		for ; lo < hi; lo += c.BlockRows {
			end := min(lo+c.BlockRows, hi)
			o.CurvatureLowerBoundTo(v, c.Slope, lo, end)
			has[s] += kernel.Dot(c.Y[lo:end], v[lo:end])
			o.CurvatureTo(v, c.Slope, lo, end)
			wants[s] += kernel.Dot(c.Y[lo:end], v[lo:end])
			dual.ResponseDerivativesTo(v, &c.Response, lo, end)
			for j := lo; j < end; j++ {
				wants[s] += v[j] * c.Slope[j] * c.Slope[j]
			}
		}
	})
	c.Rows.AllGather(has, wants)
	if all := engine.Sum(has); all > 0 {
		return safetyFactor * engine.Sum(wants) / all
	}
	return 1
}

// SamplesFor returns the number of samples that CertifyByCurvature can use for the given number of passes.
func SamplesFor(c *engine.Certifier, passes float64) int {
	pass, sums := engine.WorkOf(c.Problem.Oracle)
	return int(min(1, passes*pass/(sums+pass)) * float64(c.N))
}

// curvatureWeights returns some of the samples and their weights in the lower bound, y_j κ_j. These are the first
// count samples or, if the adversary's weights are uneven and few of the first samples have weight, the samples of
// the largest weights that make up the proportion count/n of the total. ok is false if that requires more than
// limit samples.
func curvatureWeights(
	c *engine.Certifier, o engine.LinearModel, count, limit int,
) (of engine.LinearModel, rows *ranks.Rows, weight []float64, radius, decay float64, ok bool) {
	all, selectable := c.Problem.Oracle.(engine.Model)
	uneven := selectable && count < c.N && c.EffectiveShare() < alikeShare
	until := c.N
	if c.Rows != nil {
		return shardedCurvatureWeights(c, o, all, count, limit, uneven)
	}
	if !uneven {
		if until = count; count > limit {
			return nil, nil, nil, 0, 0, false
		}
	}
	weight = c.ScratchSpace()[:until]
	shard.Run(until, func(_, lo, hi int) {
		o.CurvatureLowerBoundTo(weight, c.Slope, lo, hi)
		for j := lo; j < hi; j++ {
			weight[j] *= c.Y[j]
		}
	})
	radius, decay = o.CurvatureLowerBoundTo(nil, nil, 0, 0)
	if !uneven {
		return o, nil, weight, radius, decay, true
	}
	portion := float64(count) / float64(c.N)
	if first := weight[:count]; count <= limit &&
		engine.StripesOf(count).EffectiveNumber(first) >= engine.RowsPerColumn*float64(c.D) {
		return o, nil, first, radius, decay, true
	}
	heavy := engine.HeaviestSamples(nil, weight, portion, engine.RowsPerColumn*c.D)
	if len(heavy) == 0 || len(heavy) > min(limit, engine.MaxSelected(c.Problem.Oracle)) {
		return nil, nil, nil, 0, 0, false
	}
	for k, j := range heavy {
		weight[k] = weight[j] // j ≥ k
	}
	of, ok = all.Select(heavy).(engine.LinearModel)
	return of, nil, weight[:len(heavy)], radius, decay, ok
}

// shardedCurvatureWeights works like curvatureWeights for samples distributed over MPI ranks. It returns copies of
// the heaviest samples or of some samples of every shard. If there would be too many copies, it returns all
// samples, without copying them, and the rows that describe their distribution.
func shardedCurvatureWeights(
	c *engine.Certifier, o engine.LinearModel, all engine.Model, count, limit int, uneven bool,
) (of engine.LinearModel, rows *ranks.Rows, weight []float64, radius, decay float64, ok bool) {
	weight = c.ScratchSpace()
	c.Rows.Run(c.N, func(_, lo, hi int) {
		o.CurvatureLowerBoundTo(weight, c.Slope, lo, hi)
		for j := lo; j < hi; j++ {
			weight[j] *= c.Y[j]
		}
	})
	radius, decay = o.CurvatureLowerBoundTo(nil, nil, 0, 0)
	most := min(limit, engine.MaxSelected(c.Problem.Oracle))
	samples := c.Rows.StratifiedSample(c.N, count)
	if uneven {
		samples = engine.HeaviestSamples(c.Rows, weight, float64(count)/float64(c.N), engine.RowsPerColumn*c.D)
		if len(samples) > min(count, most) {
			samples = c.Rows.StratifiedSample(c.N, count)
		}
	}
	if all != nil && len(samples) > 0 && len(samples) <= most && len(samples) < c.N {
		of, ok = all.Select(samples).(engine.LinearModel)
		return of, nil, ranks.GatherAt(c.Rows, samples, weight)[0], radius, decay, ok
	}
	return o, c.Rows, weight, radius, decay, c.N <= limit
}
