package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
)

// respondLimited stores in y the best response to losses f under the penalty nu·D of weights
// y_j ≤ limit·w_j that sum to one, limit ≥ 1, and returns its risk and threshold:
//
//	χ²: y_j = w_j·min(limit, (1 + (f_j − τ)/ν)₊)    KL: y_j = w_j·min(limit, exp((f_j − τ)/ν))
//
// and limit·w_j on the largest losses without a penalty. Losses are taken less their quantile q of
// share 1/limit: those above q can never have all the weight, and those from q on always suffice, so
// that the search for τ begins within a bracket and is as exact however far apart the losses are.
func (r *reference) respondLimited(y, f []float64, d Divergence, nu, limit float64) (risk, tau float64) {
	n := len(f)
	q, above, ties := r.quantile(f, 1/limit)
	if nu == 0 {
		return r.respondAbove(y, f, q, limit, max(0, min(limit, (1-above*limit)/ties))), q
	}
	const farthest = 0x1p1000 // of (f_j − q)/ν
	var s, t float64
	if d == KullbackLeibler {
		r.rows.Run(n, func(_, lo, hi int) {
			kernel.ExpTo(y[lo:hi], f[lo:hi], q, nu)
			for j := lo; j < hi; j++ {
				if !(y[j] <= farthest) && f[j] == f[j] {
					y[j] = farthest
				}
			}
		})
		s = r.scale(y, limit)
		tau = q - nu*math.Log(s)
	} else {
		r.rows.Run(n, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				y[j] = max(-farthest, min((f[j]-q)/nu, farthest))
			}
		})
		t = r.shift(y, limit)
		tau = q + nu*(t+1)
	}
	linear, penalty, bound := r.rows.Scalars(n), r.rows.Scalars(n), r.rows.Scalars(n)
	r.rows.Run(n, func(k, lo, hi int) {
		var first, second float64
		for j := lo; j < hi; j++ {
			w, a := r.at(j), 0.0
			if w == 0 {
				y[j] = 0
				continue
			}
			if d == KullbackLeibler {
				a = min(limit, y[j]*s)
				second += w * entropy(a)
			} else {
				a = min(limit, max(0, y[j]-t))
				second += w * (a - 1) * (a - 1) / 2
			}
			if !(a < limit) || a == 0 {
				bound[k] = 1
			}
			if y[j] = w * a / r.total; a != 0 {
				first += y[j] * f[j]
			}
		}
		linear[k], penalty[k] = first, second
	})
	r.rows.Share(linear, penalty, bound)
	psi := nu * (vec.Sum(penalty) / r.total)
	risk = vec.Sum(linear) - psi
	if vec.Sum(bound) == 0 { // without a limit in force the threshold is known without cancellation
		if tau = risk; d == PearsonChi2 {
			tau = risk - psi
		}
	}
	return risk, tau
}

// respondAbove stores in y the weights limit·w_j of the losses above q and left·w_j of those equal to
// q, and returns the mean loss.
func (r *reference) respondAbove(y, f []float64, q, limit, left float64) (mean float64) {
	return r.rows.Sum(len(f), func(lo, hi int) float64 {
		sum := 0.0
		for j := lo; j < hi; j++ {
			y[j] = 0
			v := f[j]
			if v < q {
				continue
			}
			w := r.at(j)
			if w == 0 {
				continue
			}
			switch {
			case v > q:
				w = w * limit / r.total
			case v == q:
				w = w * left / r.total
			default: // no number: the risk is none either
				w = v
			}
			if y[j] = w; w != 0 {
				sum += w * v
			}
		}
		return sum
	})
}

// mostSteps bounds the steps of a search for a threshold, of which there are a few.
const mostSteps = 200

// solved is the distance of a sum of weights from one that the step after it closes.
const solved = 2e-15

// scale returns the s in (0, limit] with Σ w·min(limit, e·s) = 1, for e ≥ 0 of which those from 1
// on have a weight of 1/limit: Newton's method on a concave function, from the left after one step.
func (r *reference) scale(e []float64, limit float64) (s float64) {
	s = 1
	if few, of := r.sampled(e, firstSample); few != nil {
		s = few.scale(of, limit)
	}
	for range mostSteps {
		mass, slope := r.rows.Scalars(len(e)), r.rows.Scalars(len(e))
		r.rows.Run(len(e), func(k, lo, hi int) {
			m, b := 0.0, 0.0
			if r.w == nil {
				for _, v := range e[lo:hi] {
					if a := v * s; a <= limit {
						b += v
					} else {
						m++
					}
				}
			} else {
				for j, v := range e[lo:hi] {
					if a := v * s; a <= limit {
						b += r.w[lo+j] * v
					} else {
						m += r.w[lo+j]
					}
				}
			}
			mass[k], slope[k] = m, b
		})
		r.rows.Share(mass, slope)
		rise := vec.Sum(slope) / r.total
		over := vec.Sum(mass)/r.total*limit + rise*s - 1
		next := min(limit, s-over/rise)
		if !(next > 0) || next == s { // also of losses that are not numbers
			break
		}
		if s = next; math.Abs(over) <= solved {
			break
		}
	}
	return s
}

// limitedSum returns Σ min(limit, (v − t)₊) and the number of entries between the two limits.
func limitedSum(v []float64, t, limit float64) (sum, between float64) {
	var below, above int // entries, in this order
	for _, x := range v {
		a := x - t
		c := min(max(a, 0), limit)
		sum += c
		if c == 0 {
			below++
		}
		if c == limit {
			above++
		}
	}
	return sum, float64(len(v) - below - above)
}

// sampled returns up to count entries of v and their weights, evenly spread, where all samples are
// in this process and many more.
func (r *reference) sampled(v []float64, count int) (*reference, []float64) {
	if r.rows != nil || len(v) < 16*count {
		return nil, nil
	}
	few, of := make([]float64, count), reference{total: float64(count)}
	if r.w != nil {
		of.w, of.total = make([]float64, count), 0
	}
	for i := range few {
		j := i * len(v) / count
		if few[i] = v[j]; r.w != nil {
			of.w[i] = r.w[j]
			of.total += r.w[j]
		}
	}
	if !(of.total > 0) {
		return nil, nil
	}
	return &of, few
}

// firstSample is the number of entries that the search for a threshold begins with.
const firstSample = 1 << 12

// shift returns the t in [−limit, 0] with Σ w·min(limit, (v − t)₊) = 1, for v of which those from 0
// on have a weight of 1/limit: Newton's method within a bracket.
func (r *reference) shift(v []float64, limit float64) (t float64) {
	left, right := -limit, 0.0 // the sum is at least 1 at left, at most 1 at right
	t = -1
	if few, of := r.sampled(v, firstSample); few != nil {
		t = few.shift(of, limit)
	}
	for range mostSteps {
		mass, slope := r.rows.Scalars(len(v)), r.rows.Scalars(len(v))
		r.rows.Run(len(v), func(k, lo, hi int) {
			if r.w == nil {
				mass[k], slope[k] = limitedSum(v[lo:hi], t, limit)
				return
			}
			m, b := 0.0, 0.0
			for j, x := range v[lo:hi] {
				w := r.w[lo+j]
				switch a := x - t; {
				case a >= limit:
					m += w * limit
				case a > 0:
					m += w * a
					b += w
				case a != a && w > 0:
					m = a
				}
			}
			mass[k], slope[k] = m, b
		})
		r.rows.Share(mass, slope)
		over, fall := vec.Sum(mass)/r.total-1, vec.Sum(slope)/r.total
		if over >= 0 {
			left = t
		} else {
			right = t
		}
		next := t + over/fall
		if math.Abs(over) <= solved {
			if fall > 0 && next >= left && next <= right {
				t = next
			}
			break
		}
		if !(next > left && next < right) {
			next = left + (right-left)/2
		}
		if math.IsNaN(over) || !(next > left && next < right) {
			break
		}
		t = next
	}
	return t
}
