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
	if p.Nu == 0 || penaltyVanishes(p.rows, f, p.Nu) {
		tau = p.quantile(f, weight)
		above, ties := p.around(f, tau, weight)
		rest := math.Max(0, math.Min(limit, (1-above*limit)/ties))
		p.rows.Run(n, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				switch v := f[j]; {
				case v > tau:
					y[j] = limit * weight(j)
				case v == tau:
					y[j] = rest * weight(j)
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
				next = min((leastOf(p.rows, f)-top)/p.Nu-limit-1, 2*t)
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

// quantile returns the largest τ such that losses of at least τ have a weight of Share; NaN
// where no sample has weight, as among the first samples alone.
func (p Protected) quantile(f []float64, weight func(int) float64) float64 {
	if p.rows != nil {
		return p.quantileDealt(f, weight)
	}
	if p.Weights == nil {
		return quantileFromTop(append([]float64(nil), f...), p.Share*float64(len(f)))
	}
	order := make([]int, 0, len(f))
	for j := range f {
		if weight(j) > 0 {
			order = append(order, j)
		}
	}
	if len(order) == 0 {
		return math.NaN()
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(f[j], f[i]) })
	mass := 0.0
	for _, j := range order {
		if mass += weight(j); mass >= p.Share*(1-1e-14) {
			return f[j]
		}
	}
	return f[order[len(order)-1]]
}

// around returns the weight of the losses above τ, and of those equal to it.
func (p Protected) around(f []float64, tau float64, weight func(int) float64) (above, ties float64) {
	add := func(lo, hi int) (above, ties float64) {
		for j := lo; j < hi; j++ {
			switch w := weight(j); {
			case f[j] > tau:
				above += w
			case f[j] == tau:
				ties += w
			}
		}
		return above, ties
	}
	if p.rows == nil {
		return add(0, len(f))
	}
	over, equal := p.rows.Scalars(len(f)), p.rows.Scalars(len(f))
	p.rows.Run(len(f), func(s, lo, hi int) { over[s], equal[s] = add(lo, hi) })
	p.rows.Share(over, equal)
	return vec.Sum(over), vec.Sum(equal)
}

// quantileDealt is quantile of losses ≥ 0 that lie with several ranks: the bits of a number,
// which are in the order of the numbers, are found eight at a time, a round each, until those
// that agree with them are few.
func (p Protected) quantileDealt(f []float64, weight func(int) float64) float64 {
	const digit, few = 256, 4096
	part := p.rows.Partials(p.rows.Shards(len(f)), digit)
	mass := make([]float64, digit)
	above, found, asked := 0.0, uint64(0), false
	for shift := 56; shift >= 0; shift -= 8 {
		if known := 52 - (shift + 8); known >= 0 && !asked && len(f)>>known <= few/4 { // bits after the exponent
			asked = true
			if all, ok := p.rows.CollectFew(p.agreeing(f, found, shift+8, weight), 2*few); ok {
				return p.among(all, above)
			}
		}
		part.Clear()
		p.rows.Run(len(f), func(s, lo, hi int) {
			sums := part.Of(s)
			for j := lo; j < hi; j++ {
				if bits := math.Float64bits(f[j]); bits>>shift>>8 == found {
					sums[bits>>shift%digit] += weight(j)
				}
			}
		})
		p.rows.SumTo(mass, part)
		k := digit - 1
		for ; k > 0 && above+mass[k] < p.Share*(1-1e-12); k-- {
			above += mass[k]
		}
		found = found<<8 | uint64(k)
	}
	return math.Float64frombits(found)
}

// agreeing returns the losses here whose first bits are these, each with its weight.
func (p Protected) agreeing(f []float64, found uint64, shift int, weight func(int) float64) (out []float64) {
	lo, hi := p.rows.Here(len(f))
	for j := lo; j < hi; j++ {
		if math.Float64bits(f[j])>>shift == found {
			out = append(out, f[j], weight(j))
		}
	}
	return out
}

// among is the quantile where it is among losses, each with its weight, above which there is
// this much.
func (p Protected) among(all []float64, above float64) (tau float64) {
	order := make([]int, len(all)/2)
	for k := range order {
		order[k] = 2 * k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[j], all[i]) })
	for _, k := range order {
		tau = all[k]
		if above += all[k+1]; above >= p.Share*(1-1e-12) {
			break
		}
	}
	return tau
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
