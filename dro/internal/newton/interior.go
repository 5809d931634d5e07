package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An interiorPoint is an iterate of the primal-dual interior-point method for a quadratic, with a predictor and a
// corrector (Mehrotra 1992). m, p ≥ 0 are the multipliers of the lower and upper bounds of q. At the solution, q·m
// = (u − q)·p = 0 and v + JΔ − τ = p − m.
type interiorPoint struct {
	*quadratic
	low, high []float64 // K multipliers m and p; p is 0 for weights without a cap
	tau       []float64 // multiplier τ of every part

	r, weight   []float64   // K numbers: v + JΔ − τ, and the derivative of q with respect to it
	resid       []float64   // d numbers: g + HΔ + Jᵀq
	cross       [][]float64 // Jᵀ·weight of every part, of length d
	lack, total []float64   // for every part: mass − Σq, and Σ weight
	reduced     solver      // solver for H + Jᵀ diag(weight) J − Σ cross·crossᵀ/total
	few         *fewPieces  // nil if there are too many pieces

	dDelta           []float64 // the step, of length d
	dq, dLow, dHigh  []float64 // K
	dTau             []float64 // step of τ for every part
	jd, hold, scaled []float64 // K numbers of scratch memory: JΔ, the right-hand side, and weight times it
	scaledTo         []float64 // scratch memory for Jᵀ·scaled, of length d
}

// newInterior starts at the weights q and Δ = 0, with multipliers of the magnitude of the spread of the values.
func (s *quadratic) newInterior(tolerance float64) *interiorPoint {
	k, d := len(s.v), len(s.g)
	in := &interiorPoint{quadratic: s}
	if _, ok := s.j.(dense); ok && fewPieceColumns*k <= d {
		in.few = newFewPieces(s)
	}
	for _, v := range []*[]float64{&in.low, &in.high, &in.r, &in.weight, &in.dq, &in.dLow, &in.dHigh, &in.jd, &in.hold,
		&in.scaled} {
		*v = make([]float64, k)
	}
	for _, v := range []*[]float64{&in.resid, &in.dDelta, &in.scaledTo} {
		*v = make([]float64, d)
	}
	for _, v := range []*[]float64{&in.tau, &in.lack, &in.total, &in.dTau} {
		*v = make([]float64, len(s.mass))
	}
	for range s.mass {
		in.cross = append(in.cross, make([]float64, d))
	}
	size := 0.0
	s.eachPart(func(part, lo, hi int) {
		in.tau[part] = floats.Dot(s.q[lo:hi], s.v[lo:hi]) / s.mass[part]
		for _, v := range s.v[lo:hi] {
			size += math.Abs(v-in.tau[part]) / float64(k)
		}
	})
	size = max(size, s.expectedDecrease(), tolerance/floats.Sum(s.mass), 1e-300)
	s.eachPart(func(part, lo, hi int) {
		for i := lo; i < hi; i++ {
			away := s.v[i] - in.tau[part]
			in.low[i] = max(0, -away) + size
			if !math.IsInf(s.u[i], 1) {
				in.high[i] = max(0, away) + size
			}
		}
	})
	return in
}

// solve runs the predictor-corrector iteration until the residuals and the complementarity are within tolerance. It
// returns false if that fails.
func (in *interiorPoint) solve(tolerance float64) bool {
	for range 60 {
		gap, off := in.computeResiduals()
		if gap+off <= tolerance && in.hasMass() && in.isStationary(in.resid, tolerance) {
			in.makeFeasible()
			return true
		}
		if !in.factorise() {
			return false
		}
		in.computeDirection(0, false)
		after := in.complementarity(in.stepLength())
		mean := gap / float64(2*len(in.q))
		in.computeDirection(mean*math.Pow(after/gap, 3), true)
		t := min(1, 0.995*in.stepLength())
		if !(t > 1e-10) {
			return false
		}
		floats.AddScaled(in.delta, t, in.dDelta)
		floats.AddScaled(in.q, t, in.dq)
		floats.AddScaled(in.low, t, in.dLow)
		floats.AddScaled(in.high, t, in.dHigh)
		floats.AddScaled(in.tau, t, in.dTau)
	}
	return false
}

// hasMass reports whether every part has its mass.
func (in *interiorPoint) hasMass() bool {
	for k, lack := range in.lack {
		if !(math.Abs(lack) <= 1e-9*in.mass[k]) {
			return false
		}
	}
	return true
}

// slack returns the difference between the cap of a weight and the weight.
func (in *interiorPoint) slack(i int) float64 { return in.u[i] - in.q[i] }

// computeResiduals stores the residuals of the optimality conditions. It returns the sum of the complementarities,
// and the weighted difference between the values and p − m.
func (in *interiorPoint) computeResiduals() (gap, off float64) {
	in.j.TimesTo(in.jd, in.delta)
	in.eachPart(func(part, lo, hi int) {
		least := 1e-3 * in.mass[part] / float64(hi-lo)
		for i := lo; i < hi; i++ {
			in.r[i] = in.v[i] + in.jd[i] - in.tau[part]
			gap += in.q[i] * in.low[i]
			if in.high[i] > 0 {
				gap += in.slack(i) * in.high[i]
			}
			off += math.Max(in.q[i], least) * math.Abs(in.r[i]-in.high[i]+in.low[i])
		}
		in.lack[part] = in.mass[part] - floats.Sum(in.q[lo:hi])
	})
	in.gradientTo(in.resid)
	return gap, off
}

// factorise eliminates q, m, p and τ from the equations of a step and factorises the remaining d×d system. It
// returns false if the system is not positive definite.
func (in *interiorPoint) factorise() bool {
	for i := range in.weight {
		curve := in.low[i] / in.q[i]
		if in.high[i] > 0 {
			curve += in.high[i] / in.slack(i)
		}
		in.weight[i] = 1 / curve
	}
	in.eachPart(func(part, lo, hi int) {
		clear(in.scaled)
		copy(in.scaled[lo:hi], in.weight[lo:hi])
		clear(in.cross[part])
		in.j.AddTransposedTo(in.cross[part], in.scaled)
		in.total[part] = floats.Sum(in.weight[lo:hi])
	})
	if in.rounds++; in.spend != nil {
		in.spend()
	}
	if in.few != nil {
		in.reduced = in.few
		return in.few.factorise(in)
	}
	d := len(in.g)
	m := mat.NewSymDense(d, nil)
	m.CopySym(in.h)
	in.j.AddGramTo(m, in.weight)
	for k, cross := range in.cross {
		m.SymRankOne(m, -1/in.total[k], mat.NewVecDense(d, cross))
	}
	factor := factorOf(m)
	in.reduced = factor
	return factor != nil
}

// A solver replaces v by the solution of a linear system whose right-hand side is v.
type solver interface{ Solve(v []float64) }

// computeDirection stores the step towards complementarities equal to target. If corrected is set, it subtracts the
// products of the changes in the predictor step, which must be stored.
func (in *interiorPoint) computeDirection(target float64, corrected bool) {
	targets := func(i int) (low, high float64) {
		if corrected {
			return target - in.dq[i]*in.dLow[i], target + in.dq[i]*in.dHigh[i]
		}
		return target, target
	}
	for i := range in.hold {
		low, high := targets(i)
		in.hold[i] = in.r[i] + low/in.q[i]
		if in.high[i] > 0 {
			in.hold[i] -= high / in.slack(i)
		}
		in.scaled[i] = in.weight[i] * in.hold[i]
	}
	clear(in.scaledTo)
	in.j.AddTransposedTo(in.scaledTo, in.scaled)
	floats.ScaleTo(in.dDelta, -1, in.resid)
	in.eachPart(func(part, lo, hi int) {
		in.dTau[part] = (floats.Sum(in.scaled[lo:hi]) - in.lack[part]) / in.total[part]
		floats.AddScaled(in.dDelta, in.dTau[part], in.cross[part])
	})
	floats.Sub(in.dDelta, in.scaledTo)
	in.reduced.Solve(in.dDelta)
	in.j.TimesTo(in.jd, in.dDelta)
	in.eachPart(func(part, lo, hi int) {
		in.dTau[part] += floats.Dot(in.cross[part], in.dDelta) / in.total[part]
		for i := lo; i < hi; i++ {
			change := in.weight[i] * (in.jd[i] - in.dTau[part] + in.hold[i])
			low, high := targets(i)
			in.dLow[i] = (low - in.q[i]*in.low[i] - in.low[i]*change) / in.q[i]
			if in.high[i] > 0 {
				in.dHigh[i] = (high - in.slack(i)*in.high[i] + in.high[i]*change) / in.slack(i)
			}
			in.dq[i] = change
		}
	})
}

// stepLength returns the maximum step length up to 1 for which no variable is negative.
func (in *interiorPoint) stepLength() float64 {
	t := 1.0
	bound := func(v, dv float64) {
		if dv < 0 {
			t = min(t, -v/dv)
		}
	}
	for i := range in.dq {
		bound(in.q[i], in.dq[i])
		bound(in.low[i], in.dLow[i])
		if in.high[i] > 0 {
			bound(in.slack(i), -in.dq[i])
			bound(in.high[i], in.dHigh[i])
		}
	}
	return t
}

// complementarity returns the sum of q·m and (u − q)·p after a step of length t.
func (in *interiorPoint) complementarity(t float64) (sum float64) {
	for i := range in.q {
		sum += (in.q[i] + t*in.dq[i]) * (in.low[i] + t*in.dLow[i])
		if in.high[i] > 0 {
			sum += (in.slack(i) - t*in.dq[i]) * (in.high[i] + t*in.dHigh[i])
		}
	}
	return sum
}
