package newton

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A quadratic is the subproblem of a step at a nonsmooth point. There are K pieces with values v and gradients in
// the rows of J. Their weights q are at most the caps u, and the weights of each part of the pieces have a given
// sum. The subproblem is
//
//	min_Δ  ⟨g, Δ⟩ + ½ΔᵀHΔ + max { ⟨q, v + JΔ⟩ : 0 ≤ q ≤ u, Σ_{i in part k} q_i = mass_k }.
type quadratic struct {
	h    *mat.SymDense // d×d
	g    []float64     // d
	j    jacobian
	v, u []float64 // K values and caps; a cap may be +Inf
	ends []int     // end of the pieces of every part
	mass []float64 // total weight of every part

	base     *cholesky // Cholesky factor of H
	delta, q []float64 // the solution of the problem
	value    float64   // value of the maximum at the solution
	rounds   int       // number of factorisations so far
	spend    func()    // called before each factorisation; may be nil
}

// solve stores the solution in delta and q, with a gap of at most tolerance in the objective. It returns false if
// that is impossible due to rounding.
func (s *quadratic) solve(tolerance float64) bool {
	switch {
	case !s.initWeights():
		return true
	case s.base == nil:
		return false
	}
	in := s.newInterior(tolerance)
	if in.solve(tolerance) {
		return true
	}
	if in.few == nil || !s.initWeights() {
		return false
	}
	in = s.newInterior(tolerance) // H may be too ill-conditioned to be inverted on its own
	in.few = nil
	return in.solve(tolerance)
}

// eachPart calls do with every part and its range of pieces.
func (s *quadratic) eachPart(do func(part, lo, hi int)) {
	lo := 0
	for k, hi := range s.ends {
		do(k, lo, hi)
		lo = hi
	}
}

// initWeights stores weights within their bounds in q. It returns false if the bounds determine the weights; it
// then stores the solution for these weights.
func (s *quadratic) initWeights() (hasChoice bool) {
	k, d := len(s.v), len(s.g)
	s.delta, s.q, s.base = make([]float64, d), make([]float64, k), factorOf(s.h)
	s.eachPart(func(part, lo, hi int) {
		caps, mass := 0.0, s.mass[part]
		for _, u := range s.u[lo:hi] {
			caps += min(u, mass)
		}
		for i, u := range s.u[lo:hi] { // start with weights proportional to the caps
			s.q[lo+i] = mass * min(u, mass) / caps
		}
		hasChoice = hasChoice || mass < caps*(1-1e-12)
	})
	if hasChoice {
		return true
	}
	s.gradientTo(s.delta)
	if s.base != nil {
		s.base.Solve(s.delta)
	}
	floats.Scale(-1, s.delta)
	s.makeFeasible()
	return false
}

// gradientTo stores g + HΔ + Jᵀq in dst.
func (s *quadratic) gradientTo(dst []float64) {
	d := len(s.g)
	var hd mat.VecDense
	hd.MulVec(s.h, mat.NewVecDense(d, s.delta))
	floats.AddTo(dst, s.g, hd.RawVector().Data)
	s.j.AddTransposedTo(dst, s.q)
}

// expectedDecrease returns the scale of the expected decrease: a tenth of the squared decrement at the start
// divided by the mass.
func (s *quadratic) expectedDecrease() float64 {
	v := make([]float64, len(s.g))
	s.gradientTo(v)
	g := append([]float64(nil), v...)
	s.base.Solve(v)
	return 0.1 * floats.Dot(g, v) / floats.Sum(s.mass)
}

// isStationary reports whether a step along the gradient can decrease the model by at most tolerance.
func (s *quadratic) isStationary(resid []float64, tolerance float64) bool {
	v := append([]float64(nil), resid...)
	s.base.Solve(v)
	return floats.Dot(v, resid)/2 <= tolerance
}

// makeFeasible moves the weights into their bounds and scales them to their sum, up to rounding, and stores the
// value of the maximum.
func (s *quadratic) makeFeasible() {
	s.eachPart(func(part, lo, hi int) {
		q, caps, mass := s.q[lo:hi], s.u[lo:hi], s.mass[part]
		total, slack := 0.0, 0.0
		for i, u := range caps {
			q[i] = max(0, min(u, q[i]))
			total += q[i]
			slack += min(u, mass) - min(q[i], mass)
		}
		if lack := mass - total; lack > 0 && slack > 0 {
			for i, u := range caps {
				q[i] = min(u, q[i]+lack/slack*(min(u, mass)-min(q[i], mass)))
			}
		} else if total > 0 {
			floats.Scale(mass/total, q)
		}
	})
	jd := make([]float64, len(s.v))
	s.j.TimesTo(jd, s.delta)
	s.value = floats.Dot(s.q, s.v) + floats.Dot(s.q, jd)
}

// modelDecrease returns the decrease of the model, where start is the value of its maximum at Δ = 0.
func (s *quadratic) modelDecrease(start float64) float64 {
	var hd mat.VecDense
	hd.MulVec(s.h, mat.NewVecDense(len(s.g), s.delta))
	return start - s.value - floats.Dot(s.g, s.delta) - floats.Dot(s.delta, hd.RawVector().Data)/2
}

// factorOf returns the Cholesky factor of a matrix, or nil if it has none.
func factorOf(m *mat.SymDense) *cholesky {
	scaled := mat.NewSymDense(m.SymmetricDim(), nil)
	scaled.CopySym(m)
	f := new(cholesky)
	if _, err := f.Factorise(scaled, nil); err != nil {
		return nil
	}
	return f
}

// A jacobian multiplies by the matrix whose rows are the gradients of K pieces of an objective. If pieces are
// distributed over MPI ranks, vectors of K entries hold the pieces of this rank, and sums are over all ranks.
type jacobian interface {
	TimesTo(dst, delta []float64)             // stores Jδ, of length K
	AddTransposedTo(dst, q []float64)         // adds Jᵀq, of length d
	AddGramTo(dst *mat.SymDense, w []float64) // adds Σ_k w_k j_k j_kᵀ
}
