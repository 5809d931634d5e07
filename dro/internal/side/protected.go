package side

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Protected is the adversary of CVaR around reference weights w:
//
//	Y = {y ∈ Δ : y_j ≤ w_j/Share},   ψ(y) = (Nu/2)·Σ (y_j − w_j)²/w_j.
//
// With Nu = 0 its risk is the largest mean loss of any subgroup that is a share of
// Share of the reference weight, or more. It is CVaR with weights.
type Protected struct {
	Share   float64   // in (0, 1]
	Nu      float64   // ≥ 0, in loss units
	Weights []float64 // w, as of Ball; nil: equal

	rows *ranks.Rows // where the samples lie; nil: here
}

var (
	_ saddle.Dual          = Protected{}
	_ saddle.LocalResponse = Protected{}
	_ saddle.Smoothable    = Protected{}
)

// Valid says why the dual cannot weigh n samples.
func (p Protected) Valid(n int) error {
	if err := validAlpha(p.Share); err != nil {
		return err
	}
	return validWeights(p.rows, p.Weights, n)
}

// Unpriced implements Unpriced: ψ(w) = 0.
func (Protected) Unpriced(of saddle.Dual) bool {
	_, same := of.(Protected)
	return same
}

// Modulus implements Dual.
func (p Protected) Modulus() float64 { return p.Nu }

// Value implements Dual.
func (p Protected) Value(y []float64) float64 {
	return Ball{Divergence: PearsonChi2, Nu: p.Nu, Weights: p.Weights, rows: p.rows}.Value(y)
}

// Smoothed implements Smoothable: y/w ≤ 1/Share.
func (p Protected) Smoothed(nu float64, _ int) (d saddle.Dual, most float64) {
	p.Nu = nu
	return p, (1/p.Share - 1) / 2
}

// BestResponseTo implements Dual: y_j = w_j·min(1/Share, (1 + (f_j − τ)/ν)₊); with
// ν = 0, w_j/Share on the largest losses and what is left on those equal to τ.
func (p Protected) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := len(f)
	weight := func(int) float64 { return 1 / float64(n) }
	if p.Weights != nil {
		w := p.Weights[:n]
		total := totalOf(p.rows, w)
		weight = func(j int) float64 { return w[j] / total }
	}
	limit := 1 / p.Share
	level := func() float64 {
		tau, _, _ := p.quantile(f, weight)
		return tau
	}
	if p.Nu == 0 || penaltyVanishes(p.rows, f, p.Weights, p.Nu, level) {
		tau, above, ties := p.quantile(f, weight)
		rest := math.Max(0, math.Min(limit, (1-above*limit)/ties))
		p.rows.Run(n, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				switch v := f[j]; {
				case v > tau:
					y[j] = limit * weight(j)
				case v == tau:
					y[j] = rest * weight(j)
				case v != v && weight(j) > 0: // no number: the risk is none either
					y[j] = v
				default:
					y[j] = 0
				}
			}
		})
		return lossOf(p.rows, y, f) - p.Value(y), tau
	}
	top := largestOf(p.rows, f, p.Weights)
	t := p.threshold(f, top, weight)
	p.rows.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = 0
			if w := weight(j); w > 0 {
				y[j] = w * t.weight((f[j]-top)/p.Nu, limit, linearLevel)
			}
		}
	})
	return lossOf(p.rows, y, f) - p.Value(y), top + p.Nu*(t.lo+1)
}

// lossOf returns ⟨y, f⟩ where y is not 0.
func lossOf(rows *ranks.Rows, y, f []float64) float64 {
	return rows.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if y[j] != 0 {
				s += y[j] * f[j]
			}
		}
		return s
	})
}

// threshold solves Σ w·min(1/Share, (v − t)₊) = 1 in v = (f − top)/ν ≤ 0: a decreasing,
// piecewise linear function of t, by Newton's method within a bracket. The weights are to
// sum to one without being scaled, which would take them above their caps: where one step
// of t moves more than rounding may, they are those of the mixture of two.
func (p Protected) threshold(f []float64, top float64, weight func(int) float64) thresholdCut {
	limit := 1 / p.Share
	of := func(t float64) (mass, slope float64) {
		total, steep := p.rows.Scalars(len(f)), p.rows.Scalars(len(f))
		p.rows.Run(len(f), func(s, from, to int) {
			for j := from; j < to; j++ {
				v := (f[j]-top)/p.Nu - t
				switch w := weight(j); {
				case !(w > 0):
				case v >= limit:
					total[s] += w * limit
				case v > 0:
					total[s] += w * v
					steep[s] += w
				}
			}
		})
		p.rows.Share(total, steep)
		return vec.Sum(total), vec.Sum(steep)
	}
	lo, hi := math.Inf(-1), 0.0 // the mass is above 1 at lo, and below at hi
	low, high := limit, 0.0
	t := -1.0
	for range 300 {
		mass, slope := of(t)
		if mass == 1 || slope == 0 && math.Abs(mass-1) <= 1e-15 { // all at their caps
			return thresholdCut{t, t, 1}
		}
		if mass > 1 {
			lo, low = t, mass
		} else {
			hi, high = t, mass
		}
		next := t + (mass-1)/slope
		if !(slope > 0) || !(next > lo && next < hi) {
			switch {
			case math.IsInf(lo, -1): // where all are at their caps, and the mass is above 1
				next = min(max((leastOf(p.rows, f, p.Weights)-top)/p.Nu, -0x1p1000)-limit-1, 2*t)
			case next == t: // the root is nearer than a step can say
				next = math.Nextafter(t, lo+hi-t)
			}
			switch {
			case next > lo && next < hi:
			case hi < 0 && lo < 4*hi: // far apart: halve the exponent
				next = -math.Sqrt(-lo) * math.Sqrt(-hi)
			default:
				next = lo + (hi-lo)/2
			}
		}
		if !(next > lo && next < hi) {
			break
		}
		t = next
	}
	if math.IsInf(lo, -1) {
		return thresholdCut{t, t, 1}
	}
	return thresholdCut{lo, hi, (1 - high) / (low - high)}
}

// quantile returns the largest τ such that losses of at least τ have a weight of Share, NaN
// where no sample has weight, as among the first samples alone; and the weight of the losses
// above it, and of those equal to it.
func (p Protected) quantile(f []float64, weight func(int) float64) (tau, above, ties float64) {
	if p.rows != nil {
		return p.quantileDealt(f, weight)
	}
	tau = math.NaN()
	if p.Weights == nil {
		tau = quantileFromTop(append([]float64(nil), f...), p.Share*float64(len(f)))
	} else {
		order := make([]int, 0, len(f))
		for j := range f {
			if weight(j) > 0 {
				order = append(order, j)
			}
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(f[j], f[i]) })
		mass := 0.0
		for _, j := range order {
			tau = f[j]
			if mass += weight(j); mass >= p.Share*(1-1e-14) {
				break
			}
		}
	}
	for j, v := range f {
		switch w := weight(j); {
		case v > tau:
			above += w
		case v == tau:
			ties += w
		}
	}
	return tau, above, ties
}

// orderOf returns the place of a number among all: the bits of those ≥ 0 are in their order.
func orderOf(v float64) uint64 {
	const sign = 1 << 63
	bits := math.Float64bits(v)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// quantileDealt is quantile of losses that lie with several ranks. The range of all numbers from
// the least to the largest is cut into equal parts, and that which has the quantile again, two
// rounds each time, until those within are one number, or few in every shard.
func (p Protected) quantileDealt(f []float64, weight func(int) float64) (tau, above, ties float64) {
	const parts = 1 << 11
	lo, hi := uint64(0), uint64(math.MaxUint64)
	for ties = 1.0; ; {
		least, most := p.rows.Scalars(len(f)), p.rows.Scalars(len(f))
		p.rows.Run(len(f), func(s, from, to int) {
			least[s], most[s] = math.Inf(1), math.Inf(-1)
			for j := from; j < to; j++ {
				if bits := orderOf(f[j]); bits >= lo && bits <= hi && weight(j) > 0 {
					least[s], most[s] = min(least[s], f[j]), max(most[s], f[j])
				}
			}
		})
		p.rows.Share(least, most)
		first, last := slices.Min(least), slices.Max(most)
		if first == last {
			return first, above, ties
		}
		if !(first < last) { // no weight, or no numbers
			return math.NaN(), above, 0
		}
		lo, hi = orderOf(first), orderOf(last)
		width := (hi-lo)/parts + 1
		part := p.rows.Partials(p.rows.Shards(len(f)), parts)
		part.Clear()
		p.rows.Run(len(f), func(s, from, to int) {
			sums := part.Of(s)
			for j := from; j < to; j++ {
				if bits := orderOf(f[j]); bits >= lo && bits <= hi {
					sums[(bits-lo)/width] += weight(j)
				}
			}
		})
		mass := make([]float64, parts)
		p.rows.SumTo(mass, part)
		k := int((hi - lo) / width)
		for ; k > 0 && above+mass[k] < p.Share*(1-1e-12); k-- {
			above += mass[k]
		}
		lo, ties = lo+uint64(k)*width, mass[k]
		hi = min(hi, lo+width-1)
		if few := p.between(f, lo, hi, weight, ties); few != nil {
			return p.among(few, above)
		}
	}
}

// between returns the losses whose bits lie in a range, of this weight together, each with its
// own; nil of many.
func (p Protected) between(f []float64, lo, hi uint64, weight func(int) float64, mass float64) (out [][2]float64) {
	const few = 1 << 12
	shards := p.rows.Shards(len(f))
	most := max(4, few/shards) // of a shard
	if mass*float64(len(f)) > float64(most*shards/4) {
		return nil
	}
	width := 1 + 2*most
	all := make([]float64, width*shards)
	p.rows.Run(len(f), func(s, from, to int) {
		own := all[s*width : (s+1)*width]
		for j := from; j < to; j++ {
			if bits := orderOf(f[j]); bits >= lo && bits <= hi {
				if k := int(own[0]); k < most {
					own[1+2*k], own[2+2*k] = f[j], weight(j)
				}
				own[0]++
			}
		}
	})
	p.rows.ShareEach(width, func(s int) []float64 { return all[s*width : (s+1)*width] })
	out = [][2]float64{}
	for ; len(all) > 0; all = all[width:] {
		if int(all[0]) > most {
			return nil
		}
		for k := range int(all[0]) {
			out = append(out, [2]float64{all[1+2*k], all[2+2*k]})
		}
	}
	return out
}

// among is quantile of losses, each with its weight, above which there is this much.
func (p Protected) among(all [][2]float64, above float64) (tau, over, ties float64) {
	slices.SortStableFunc(all, func(a, b [2]float64) int { return cmp.Compare(b[0], a[0]) })
	for k := 0; k < len(all); {
		tau, ties = all[k][0], 0
		for ; k < len(all) && all[k][0] == tau; k++ {
			ties += all[k][1]
		}
		if above+ties >= p.Share*(1-1e-12) || k == len(all) {
			break
		}
		above += ties
	}
	return tau, above, ties
}

// RespondingAt implements local.
func (p Protected) RespondingAt(e *saddle.Evaluator) saddle.Responsive {
	if p.Weights == nil {
		return CappedChiSquare{Alpha: p.Share, Nu: p.Nu}
	}
	return protectedResponse{p, totalOf(p.rows, p.Weights[:e.N])}
}

// A protectedResponse is how the best response of weighted samples moves.
type protectedResponse struct {
	Protected
	total float64
}

// ResponseTo implements Responsive: w_j/ν strictly between 0 and the cap.
func (p protectedResponse) ResponseTo(response, y []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		w := p.Weights[j] / p.total
		response[j] = 0
		if y[j] > 0 && y[j] < w/p.Share*(1-1e-12) {
			response[j] = w / p.Nu
		}
	}
}
