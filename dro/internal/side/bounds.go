package side

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
)

// RiskBounds implements Adversary. For all τ and ν ≥ Nu,
//
//	R(f) ≤ τ + (ν − Nu)·Radius + Σ_j w_j ν φ*((f_j − τ)/ν).
//
// The rounding error of the sum is at most γ times the sum of the absolute terms. A term has a
// relative error of a few units of roundoff. So has its argument (f_j − τ)/ν, which adds a few units of r|f_j − τ|,
// where r is the ratio y_j/w_j that attains φ*. For KL without bounds and m = Σ_j w_j exp((f_j − τ)/ν) the right-hand
// side is τ + ν(m − 1), and R(f) = τ + ν log m ≥ τ + ν(m − 1)/m (math: §11).
func (s Simplex) RiskBounds(f []float64, at engine.Multipliers) (below, above float64, sums engine.Sums) {
	r := newReference(s.rows, s.Weights, len(f))
	if s.Alpha == 1 {
		at = engine.Multipliers{} // the risk is the mean
	}
	var parts [6][]float64
	for i := range parts {
		parts[i] = r.rows.Scalars(len(f))
	}
	r.rows.Run(len(f), func(k, lo, hi int) {
		// sums of block sums have smaller rounding errors
		for parts[5][k] = r.largestOf(f, lo, hi); lo < hi; lo += boundsBlock {
			c := s.conjugateSum(&r, f, at, lo, min(lo+boundsBlock, hi))
			for i, v := range []float64{c.terms, c.size, c.units, c.Linear, c.Mass} {
				parts[i][k] += v
			}
		}
	})
	r.rows.AllGather(parts[:]...)
	total := func(i int) float64 { return engine.Sum(parts[i]) / r.total }
	sums = engine.Sums{Linear: total(3), Size: total(3), Mass: total(4), Top: slices.Max(parts[5])}
	ball := 0.0
	if at.Nu > s.Nu {
		ball = (at.Nu - s.Nu) * s.Radius
	}
	shards := s.rows.Shards(len(f))
	gamma := engine.Gamma(min(len(f), boundsBlock) + len(f)/shards/boundsBlock + shards + 64)
	if s.Weights != nil {
		gamma += engine.SumGamma(s.rows, len(f)) // rounding of the sum of all parts
	}
	rounding := gamma*total(1) + 8*engine.UnitRoundoff*(math.Abs(at.Tau)+ball+total(2))
	below = math.Inf(-1)
	if s.Divergence.arithmetic().balances && s.Alpha == 0 && !s.HasBall() && at.Nu > 0 && math.Abs(sums.Mass-1) < 0.1 {
		below = at.Tau + total(0)/sums.Mass - 2.5*rounding - engine.Underflow
	}
	return below, at.Tau + ball + total(0) + rounding + engine.Underflow, sums
}

// boundsBlock is the maximum number of samples in a partial sum of RiskBounds.
const boundsBlock = 512

// conjugateSums holds sums over some samples, where r_j is the ratio that attains φ*.
type conjugateSums struct {
	terms        float64 // Σ w_j ν φ*((f_j − τ)/ν)
	size         float64 // bound of the sum of the absolute values of the terms, for the error with factor γ
	units        float64 // magnitude of which 8 units of roundoff are added to the error
	Linear, Mass float64 // Σ w_j r_j f_j and Σ w_j r_j
}

// conjugateSum returns the sums of RiskBounds over [lo, hi), which must have at most boundsBlock samples.
func (s Simplex) conjugateSum(r *reference, f []float64, at engine.Multipliers, lo, hi int) (c conjugateSums) {
	const few = 16 // factor by which a larger rounding error is accepted for speed
	limit := s.largestRatio()
	if r.w == nil && math.IsInf(limit, 1) && at.Nu > 0 && at.Nu <= few*math.Abs(at.Tau) {
		var ratio [boundsBlock]float64
		return s.Divergence.arithmetic().conjugates(ratio[:hi-lo], f[lo:hi], at)
	}
	of := s.Divergence.arithmetic()
	for j := lo; j < hi; j++ {
		w := r.weightAt(j)
		if w == 0 {
			continue
		}
		away := f[j] - at.Tau
		var term, ratio float64
		switch {
		case s.Alpha == 1:
			term, ratio = away, 1
		case at.Nu > 0:
			term, ratio = of.conjugate(away/at.Nu, limit)
			term *= at.Nu
		case away > 0:
			term, ratio = limit*away, limit
		case away != away:
			term = away
		}
		c.terms += w * term
		c.size += w * (math.Abs(term) + ratio*math.Abs(away))
		if ratio > 0 {
			c.Linear += w * ratio * f[j]
			c.Mass += w * ratio
		}
	}
	return c
}

// ValueBelow implements Adversary. It divides y by its sum and mixes it with enough of the reference weights for
// the result to be in the ball and below the caps, since ψ is convex and is 0 at the reference weights.
func (s Simplex) ValueBelow(y, f, _ []float64, relative float64) (p engine.Proof) {
	r := newReference(s.rows, s.Weights, len(y))
	parts := [4][]float64{r.rows.Scalars(len(y)), r.rows.Scalars(len(y)), r.rows.Scalars(len(y)), r.rows.Scalars(len(y))}
	r.rows.Run(len(y), func(k, lo, hi int) {
		parts[0][k], parts[1][k] = kernel.Sum(y[lo:hi]), r.weightedLoss(y, f, lo, hi)
		parts[2][k] = r.weightedAbsoluteLoss(y, f, lo, hi)
		if s.Nu > 0 || s.HasBall() || s.Weights != nil {
			parts[3][k] = r.divergence(y, s.Divergence, lo, hi)
		}
	})
	r.rows.AllGather(parts[:]...)
	p.Mass, p.Linear, p.Size = engine.Sum(parts[0]), engine.Sum(parts[1]), engine.Sum(parts[2])
	divergence, gamma := engine.Sum(parts[3])/r.total, engine.SumGamma(s.rows, len(y))
	p.Off = relative + math.Abs(p.Mass-1) + gamma*p.Mass + 16*engine.UnitRoundoff
	if s.HasBall() {
		rounding := gamma*(2*divergence+3*math.Sqrt(2*divergence)) + 4*gamma*gamma
		p.Off += r.largestChange(ballMixingShare(divergence+rounding, s.Radius), y)
	}
	p.Off += r.largestChange(s.capMixingShare(&r, y, p.Mass), y)
	if !(p.Off <= 1) || math.IsInf(divergence, 1) { // for example, a sample without a reference weight has weight
		p.Value, p.Off = math.Inf(-1), math.Inf(1)
		return p
	}
	psi := s.Nu * divergence
	rounding := engine.PenaltyRounding(p.Size, psi, s.Nu, gamma+p.Off)
	p.Value = p.Linear - psi - rounding - 8*engine.UnitRoundoff*(p.Size+psi)
	return p
}

// weightedAbsoluteLoss returns Σ y|f| over [lo, hi). Losses of samples without a reference weight are ignored.
func (r *reference) weightedAbsoluteLoss(y, f []float64, lo, hi int) (sum float64) {
	if r.w == nil {
		return kernel.DotAbs(y[lo:hi], f[lo:hi])
	}
	for j := lo; j < hi; j++ {
		if y[j] != 0 {
			sum += y[j] * math.Abs(f[j])
		}
	}
	return sum
}

// ballMixingShare returns the proportion of w that must be mixed with weights of divergence d for the result to be in a
// ball, since D is convex and is 0 at w.
func ballMixingShare(d, radius float64) float64 {
	if !(d > radius) {
		return 0
	}
	return (d - radius) / d
}

// capMixingShare returns the proportion of w that must be mixed with y/mass, whose sum is one, so that no weight
// exceeds w/Alpha.
func (s Simplex) capMixingShare(r *reference, y []float64, mass float64) float64 {
	if s.Alpha == 0 || s.Alpha == 1 {
		return 0
	}
	most := r.rows.Max(len(y), func(lo, hi int) float64 {
		m := 0.0
		for j := lo; j < hi; j++ {
			if y[j] > 0 {
				m = max(m, y[j]/(r.weightAt(j)/r.total))
			}
		}
		return m
	})
	excess := max(0, most/mass/s.largestRatio()-1) + 4*engine.UnitRoundoff
	return min(1, excess/(1+excess-s.Alpha))
}

// largestChange bounds the largest relative change of a weight if the proportion share of y is replaced by w. The bound
// is at most share, and much smaller if a small ball or caps keep y close to w.
func (r *reference) largestChange(share float64, y []float64) float64 {
	const small = 1e-12 // proportion for which it is not worthwhile to read the weights
	if share <= small {
		return share
	}
	apart := r.rows.Max(len(y), func(lo, hi int) float64 {
		most := 0.0
		for j := lo; j < hi; j++ {
			if w := r.weightAt(j); w != 0 || y[j] != 0 {
				most = max(most, math.Abs(w/r.total/y[j]-1))
			}
		}
		return most
	})
	return share * min(1, apart+8*engine.Gamma(len(y)))
}

// RiskBounds implements Adversary. The upper bound is the risk at upper bounds of the exact group means. The
// largest mean replaces the largest loss, since rounding of the losses changes a mean by at most the amount by
// which it may change a loss of the same size.
func (g *Groups) RiskBounds(f []float64, at engine.Multipliers) (below, above float64, sums engine.Sums) {
	s := g.meansOf(f)
	for i := range s.loss {
		s.loss[i] += g.meanRounding(s, i, len(f))
	}
	_, above, sums = s.near.RiskBounds(s.loss, at)
	return math.Inf(-1), above, sums
}

// ValueBelow implements Adversary. The bound is the value of the weights over groups at lower bounds of the exact
// group means. The weights of the samples agree with these weights over groups up to rounding.
func (g *Groups) ValueBelow(y, f, groups []float64, relative float64) engine.Proof {
	relative += 4 * engine.SumGamma(g.rows, len(y))
	if groups == nil {
		if g.ways > 1 {
			return g.valueOfUnknownGroups(y, f, relative)
		}
		groups = g.groupWeights(y)
	}
	s := g.meansOf(f)
	linear, size := 0.0, 0.0
	for i := range s.loss {
		s.q[i] = groups[s.id[i]]
		linear += s.q[i] * s.mean[i]
		size += s.q[i] * s.size[i]
		s.loss[i] -= g.meanRounding(s, i, len(f))
	}
	p := s.near.ValueBelow(s.q, s.loss, nil, relative)
	p.Linear, p.Size = linear, size
	return p
}

// valueOfUnknownGroups works like ValueBelow if groups overlap and their weights are unknown. Value is then an upper
// bound of the penalty. If there is a ball, the weights may be outside of it, and the bound is −Inf.
func (g *Groups) valueOfUnknownGroups(y, f []float64, relative float64) engine.Proof {
	p := Simplex{rows: g.rows}.ValueBelow(y, f, nil, relative)
	psi := g.Value(y)
	if p.Value -= psi + 8*engine.UnitRoundoff*(p.Size+math.Abs(psi)); g.Near.HasBall() {
		p.Value, p.Off = math.Inf(-1), math.Inf(1)
	}
	return p
}

// meanRounding bounds the rounding error of the mean loss of group i, including its adjustment.
func (g *Groups) meanRounding(s *groupedLosses, i, n int) float64 {
	return 4*engine.SumGamma(g.rows, n)*(s.size[i]+math.Abs(s.loss[i])) + engine.Underflow
}
