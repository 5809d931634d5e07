package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An interiorPoint is an iterate of the primal-dual interior-point method on a quadratic, with a predictor
// and a corrector (Mehrotra 1992). With multipliers m, p ≥ 0 of the lower and upper bounds of q,
// q·m = (u − q)·p = 0 and v + JΔ − τ = p − m at the solution.
type interiorPoint struct {
	*quadratic
	low, high []float64 // K: m and p; p is 0 for weights without a cap
	tau       float64

	r, weight    []float64 // K: v + JΔ − τ, and the derivative of q with respect to it
	resid, cross []float64 // d: g + HΔ + Jᵀq, and Jᵀ·weight
	lack, total  float64   // mass − Σq, and Σ weight
	reduced      *cholesky // factor of H + Jᵀ diag(weight) J − cross·crossᵀ/total

	dDelta           []float64 // d: the step
	dq, dLow, dHigh  []float64 // K
	dTau             float64
	jd, hold, scaled []float64 // K: scratch for JΔ, the right-hand side, and weight times it
	scaledTo         []float64 // d: scratch for Jᵀ·scaled
}

// newInterior starts at the weights q and Δ = 0, with multipliers of the size of the spread of the values.
func (s *quadratic) newInterior(tolerance float64) *interiorPoint {
	k, d := len(s.v), len(s.g)
	in := &interiorPoint{quadratic: s}
	for _, v := range []*[]float64{&in.low, &in.high, &in.r, &in.weight, &in.dq, &in.dLow, &in.dHigh, &in.jd, &in.hold, &in.scaled} {
		*v = make([]float64, k)
	}
	for _, v := range []*[]float64{&in.resid, &in.cross, &in.dDelta, &in.scaledTo} {
		*v = make([]float64, d)
	}
	in.tau = floats.Dot(s.q, s.v) / s.mass
	size := 0.0
	for _, v := range s.v {
		size += math.Abs(v-in.tau) / float64(k)
	}
	size = max(size, s.expectedDecrease(), tolerance/s.mass, 1e-300)
	for i, v := range s.v {
		in.low[i] = max(0, in.tau-v) + size
		if !math.IsInf(s.u[i], 1) {
			in.high[i] = max(0, v-in.tau) + size
		}
	}
	return in
}

// solve runs the predictor-corrector iteration until the residuals and the complementarity are within
// tolerance. It reports whether they are.
func (in *interiorPoint) solve(tolerance float64) bool {
	for range 60 {
		gap, off := in.residuals()
		if gap+off <= tolerance && math.Abs(in.lack) <= 1e-9*in.mass && in.isStationary(in.resid, tolerance) {
			return in.makeFeasible()
		}
		if !in.factorise() {
			return false
		}
		in.direction(0, false)
		after := in.complementarity(in.stepLength())
		mean := gap / float64(2*len(in.q))
		in.direction(mean*math.Pow(after/gap, 3), true)
		t := min(1, 0.995*in.stepLength())
		if !(t > 1e-10) {
			return false
		}
		floats.AddScaled(in.delta, t, in.dDelta)
		floats.AddScaled(in.q, t, in.dq)
		floats.AddScaled(in.low, t, in.dLow)
		floats.AddScaled(in.high, t, in.dHigh)
		in.tau += t * in.dTau
	}
	return false
}

// slack returns the difference between the cap of a weight and the weight.
func (in *interiorPoint) slack(i int) float64 { return in.u[i] - in.q[i] }

// residuals stores the residuals of the optimality conditions. It returns the sum of the complementarities and
// the weighted difference of the values from p − m.
func (in *interiorPoint) residuals() (gap, off float64) {
	k := len(in.q)
	in.j.TimesTo(in.jd, in.delta)
	least := 1e-3 * in.mass / float64(k)
	for i := range in.q {
		in.r[i] = in.v[i] + in.jd[i] - in.tau
		gap += in.q[i] * in.low[i]
		if in.high[i] > 0 {
			gap += in.slack(i) * in.high[i]
		}
		off += math.Max(in.q[i], least) * math.Abs(in.r[i]-in.high[i]+in.low[i])
	}
	in.lack = in.mass - in.gradientTo(in.resid)
	return gap, off
}

// factorise eliminates q, m, p and τ from the equations of a step.
func (in *interiorPoint) factorise() bool {
	for i := range in.weight {
		curve := in.low[i] / in.q[i]
		if in.high[i] > 0 {
			curve += in.high[i] / in.slack(i)
		}
		in.weight[i] = 1 / curve
	}
	clear(in.cross)
	in.total = in.j.AddTransposedTo(in.cross, in.weight)
	if in.rounds++; in.spend != nil {
		in.spend()
	}
	d := len(in.g)
	m := mat.NewSymDense(d, nil)
	m.CopySym(in.h)
	in.j.AddGramTo(m, in.weight)
	m.SymRankOne(m, -1/in.total, mat.NewVecDense(d, in.cross))
	in.reduced = factorOf(m)
	return in.reduced != nil
}

// direction stores the step to complementarities equal to target. If corrected is set, it subtracts the
// products of the changes of the predictor step, which must be stored.
func (in *interiorPoint) direction(target float64, corrected bool) {
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
	held := in.j.AddTransposedTo(in.scaledTo, in.scaled)
	for i, c := range in.cross {
		in.dDelta[i] = -in.resid[i] + c/in.total*(held-in.lack)
	}
	floats.Sub(in.dDelta, in.scaledTo)
	in.reduced.Solve(in.dDelta)
	in.dTau = (floats.Dot(in.cross, in.dDelta) - in.lack + held) / in.total
	in.j.TimesTo(in.jd, in.dDelta)
	for i := range in.dq {
		change := in.weight[i] * (in.jd[i] - in.dTau + in.hold[i])
		low, high := targets(i)
		in.dLow[i] = (low - in.q[i]*in.low[i] - in.low[i]*change) / in.q[i]
		if in.high[i] > 0 {
			in.dHigh[i] = (high - in.slack(i)*in.high[i] + in.high[i]*change) / in.slack(i)
		}
		in.dq[i] = change
	}
}

// stepLength returns the largest step length up to 1 that leaves no variable below zero.
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

// complementarity returns the sum of q·m and (u − q)·p after the proportion t of the step.
func (in *interiorPoint) complementarity(t float64) (sum float64) {
	for i := range in.q {
		sum += (in.q[i] + t*in.dq[i]) * (in.low[i] + t*in.dLow[i])
		if in.high[i] > 0 {
			sum += (in.slack(i) - t*in.dq[i]) * (in.high[i] + t*in.dHigh[i])
		}
	}
	return sum
}
