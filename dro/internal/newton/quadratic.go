package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A quadratic is a step's problem at a kink: of K pieces with values v, gradients the rows
// of J, and weights q of given mass below caps,
//
//	min_Δ  ⟨g, Δ⟩ + ½ΔᵀHΔ + max { ⟨q, v + JΔ⟩ : 0 ≤ q ≤ u, Σq = mass }.
type quadratic struct {
	h    *mat.SymDense // d×d
	g    []float64     // d
	j    saddle.Jacobian
	v, u []float64 // K; a cap may be +Inf
	mass float64
	lie  *lie // where the pieces are

	rows [][]float64 // of J, where pieces are few; nil: not
	warm []float64   // K: weights to begin with where they are few; nil: those of the largest value

	base     *hessian.Cholesky // of H
	delta, q []float64         // the solution
	value    float64           // of the maximum there
	rounds   int               // factorisations so far
	spend    func()            // called before each; may be nil
}

// solve stores the solution in delta and q, to a gap of tolerance in the objective, by a
// primal-dual interior method with a predictor and a corrector (Mehrotra 1992): with
// m, p ≥ 0 below and above, q·m = (u − q)·p = 0 and v + JΔ − τ = p − m. It reports false
// where rounding ends it before.
func (s *quadratic) solve(tolerance float64) bool {
	const most = 60
	k, count, d := len(s.v), float64(s.lie.of(len(s.v))), len(s.g)
	if !s.start() {
		return true
	}
	if s.base == nil {
		return false
	}
	if s.rows != nil && s.solveFew(tolerance) {
		return true
	}
	slackLow, slackHigh := make([]float64, k), make([]float64, k) // m, p
	r, jd := make([]float64, k), make([]float64, k)
	tau := s.lie.sum(k, func(lo, hi int) float64 { return floats.Dot(s.q[lo:hi], s.v[lo:hi]) }) / s.mass
	size := s.lie.sum(k, func(lo, hi int) float64 {
		t := 0.0
		for _, v := range s.v[lo:hi] {
			t += math.Abs(v-tau) / count
		}
		return t
	})
	size = max(size, s.reach(), tolerance/s.mass, 1e-300)
	for i, v := range s.v {
		slackLow[i] = max(0, tau-v) + size
		if slackHigh[i] = max(0, v-tau) + size; math.IsInf(s.u[i], 1) {
			slackHigh[i] = 0
		}
	}
	weight, hold, dq, dr := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	dLow, dHigh := make([]float64, k), make([]float64, k)
	cross, rhs, resid, step := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	room := func(i int) float64 { return s.u[i] - s.q[i] }
	for range most {
		s.j.TimesTo(jd, s.delta)
		both := s.lie.sums(k, 2, func(sum []float64, lo, hi int) {
			for i := lo; i < hi; i++ {
				r[i] = s.v[i] + jd[i] - tau
				sum[0] += s.q[i] * slackLow[i]
				if slackHigh[i] > 0 {
					sum[0] += room(i) * slackHigh[i]
				}
				sum[1] += math.Max(s.q[i], 1e-3*s.mass/count) * math.Abs(r[i]-slackHigh[i]+slackLow[i])
			}
		})
		gap, off := both[0], both[1]
		lack := s.mass - s.gradientTo(resid)
		if gap+off <= tolerance && math.Abs(lack) <= 1e-9*s.mass && s.settled(resid, tolerance) {
			return s.finish()
		}
		for i := range weight {
			curve := slackLow[i] / s.q[i]
			if slackHigh[i] > 0 {
				curve += slackHigh[i] / room(i)
			}
			weight[i] = 1 / curve
		}
		clear(cross)
		total := s.j.AddTransposedTo(cross, weight)
		if s.rounds++; s.spend != nil {
			s.spend()
		}
		m := mat.NewSymDense(d, nil)
		m.CopySym(s.h)
		s.j.AddGramTo(m, weight)
		m.SymRankOne(m, -1/total, mat.NewVecDense(d, cross))
		f := factorOf(m)
		if f == nil {
			return false
		}
		var dTau float64
		// direction solves for the complementarities target + cross terms.
		direction := func(target float64, corrected bool) {
			for i := range hold {
				low := target
				if corrected {
					low -= dq[i] * dLow[i]
				}
				hold[i] = r[i] + low/s.q[i]
				if slackHigh[i] > 0 {
					high := target
					if corrected {
						high += dq[i] * dHigh[i]
					}
					hold[i] -= high / room(i)
				}
				dr[i] = weight[i] * hold[i]
			}
			clear(step)
			held := s.j.AddTransposedTo(step, dr)
			for i := range rhs {
				rhs[i] = -resid[i] + cross[i]/total*(held-lack)
			}
			floats.Sub(rhs, step)
			f.Solve(rhs)
			dTau = (floats.Dot(cross, rhs) - lack + held) / total
			s.j.TimesTo(jd, rhs)
			for i := range dq {
				change := weight[i] * (jd[i] - dTau + hold[i])
				low, high := target, target
				if corrected {
					low, high = low-dq[i]*dLow[i], high+dq[i]*dHigh[i]
				}
				dLow[i] = (low - s.q[i]*slackLow[i] - slackLow[i]*change) / s.q[i]
				if dHigh[i] = 0; slackHigh[i] > 0 {
					dHigh[i] = (high - room(i)*slackHigh[i] + slackHigh[i]*change) / room(i)
				}
				dq[i] = change
			}
		}
		longest := func() float64 {
			t := 1.0
			bound := func(v, dv float64) {
				if dv < 0 {
					t = min(t, -v/dv)
				}
			}
			for i := range dq {
				bound(s.q[i], dq[i])
				bound(slackLow[i], dLow[i])
				if slackHigh[i] > 0 {
					bound(room(i), -dq[i])
					bound(slackHigh[i], dHigh[i])
				}
			}
			return s.lie.least(t)
		}
		mean := gap / (2 * count)
		direction(0, false)
		t := longest()
		after := s.lie.sum(k, func(lo, hi int) (sum float64) {
			for i := lo; i < hi; i++ {
				sum += (s.q[i] + t*dq[i]) * (slackLow[i] + t*dLow[i])
				if slackHigh[i] > 0 {
					sum += (room(i) - t*dq[i]) * (slackHigh[i] + t*dHigh[i])
				}
			}
			return sum
		})
		direction(mean*math.Pow(after/gap, 3), true)
		t = min(1, 0.995*longest())
		if !(t > 1e-10) {
			return false
		}
		floats.AddScaled(s.delta, t, rhs)
		floats.AddScaled(s.q, t, dq)
		floats.AddScaled(slackLow, t, dLow)
		floats.AddScaled(slackHigh, t, dHigh)
		tau += t * dTau
	}
	return false
}

// start stores weights within their bounds in q, and reports whether there is a choice.
func (s *quadratic) start() bool {
	k, d := len(s.v), len(s.g)
	s.delta, s.q, s.base = make([]float64, d), make([]float64, k), factorOf(s.h)
	caps := s.lie.sum(k, func(lo, hi int) (sum float64) {
		for _, u := range s.u[lo:hi] {
			sum += min(u, s.mass)
		}
		return sum
	})
	s.even(caps)
	if s.mass < caps*(1-1e-12) {
		return true
	}
	s.gradientTo(s.delta)
	if s.base != nil {
		s.base.Solve(s.delta)
	}
	floats.Scale(-1, s.delta)
	s.finish()
	return false
}

// even stores the share of the mass in q that the caps have of all.
func (s *quadratic) even(caps float64) {
	for i, u := range s.u {
		s.q[i] = s.mass * min(u, s.mass) / caps
	}
}

// gradientTo stores g + HΔ + Jᵀq, and returns Σq.
func (s *quadratic) gradientTo(dst []float64) (mass float64) {
	d := len(s.g)
	var hd mat.VecDense
	hd.MulVec(s.h, mat.NewVecDense(d, s.delta))
	floats.AddTo(dst, s.g, hd.RawVector().Data)
	return s.j.AddTransposedTo(dst, s.q)
}

// reach is what the objective may fall by: half the squared decrement at the start.
func (s *quadratic) reach() float64 {
	v := make([]float64, len(s.g))
	s.gradientTo(v)
	g := append([]float64(nil), v...)
	s.base.Solve(v)
	return 0.1 * floats.Dot(g, v) / s.mass
}

// settled reports that the gradient is worth less than the tolerance.
func (s *quadratic) settled(resid []float64, tolerance float64) bool {
	v := append([]float64(nil), resid...)
	s.base.Solve(v)
	return floats.Dot(v, resid)/2 <= tolerance
}

// finish makes the weights feasible to the last bit but one, and takes the maximum's value.
func (s *quadratic) finish() bool {
	k := len(s.v)
	both := s.lie.sums(k, 2, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.q[i] = max(0, min(s.u[i], s.q[i]))
			sum[0] += s.q[i]
			sum[1] += min(s.u[i], s.mass) - min(s.q[i], s.mass)
		}
	})
	total, room := both[0], both[1]
	if lack := s.mass - total; lack > 0 && room > 0 {
		for i, u := range s.u {
			s.q[i] = min(u, s.q[i]+lack/room*(min(u, s.mass)-min(s.q[i], s.mass)))
		}
	} else if total > 0 {
		floats.Scale(s.mass/total, s.q)
	}
	jd := make([]float64, k)
	s.j.TimesTo(jd, s.delta)
	s.value = s.lie.sum(k, func(lo, hi int) float64 {
		return floats.Dot(s.q[lo:hi], s.v[lo:hi]) + floats.Dot(s.q[lo:hi], jd[lo:hi])
	})
	return true
}

// fall is by how much the model is below start, what its maximum is at Δ = 0.
func (s *quadratic) fall(start float64) float64 {
	var hd mat.VecDense
	hd.MulVec(s.h, mat.NewVecDense(len(s.g), s.delta))
	return start - s.value - floats.Dot(s.g, s.delta) - floats.Dot(s.delta, hd.RawVector().Data)/2
}

// factorOf factorises a copy of a matrix; nil where it has no factor.
func factorOf(m *mat.SymDense) *hessian.Cholesky {
	scaled := mat.NewSymDense(m.SymmetricDim(), nil)
	scaled.CopySym(m)
	f := new(hessian.Cholesky)
	if _, err := f.Factorise(scaled, nil); err != nil {
		return nil
	}
	return f
}
