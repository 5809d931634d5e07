package side

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// FusedTo implements Adversary: in one reading of the samples where weights are exponentials without a
// bound, else in two.
func (s Simplex) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	var a response
	switch {
	case s.Alpha == 1:
		a = s.fuseFixed(e, g, y, x)
	case s.Divergence == KullbackLeibler && s.Nu > 0 && s.Region() == saddle.Whole:
		a = s.fuseExponentials(e, g, y, x)
	default:
		e.Eval(x)
		a = s.respond(y, e.Value, e.Last)
		e.GradTo(g, y)
	}
	e.Last, e.Reference = saddle.Multipliers{Nu: a.nu, Tau: a.tau, Known: true}, a.total
	e.Known, e.Mass, e.Linear, e.Top = true, a.mass, a.linear, a.top
	s.recordResponse(e, &a, y, e.Value)
	return a.risk, a.tau
}

// fuseFixed evaluates where the weights are known.
func (s Simplex) fuseFixed(e *saddle.Evaluator, g, y, x []float64) (a response) {
	s.StartingWeights(y)
	parts := [3][]float64{e.Rows.Scalars(e.N), e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)}
	for k := range parts[2] {
		parts[2][k] = math.Inf(-1)
	}
	e.Partials.Clear()
	e.EachBlock(x, func(k, lo, hi int) {
		r := reference{w: s.Weights}
		parts[0][k] += kernel.Sum(y[lo:hi])
		parts[1][k] += r.weightedLoss(y, e.Value, lo, hi)
		parts[2][k] = max(parts[2][k], kernel.Max(e.Value[lo:hi]))
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
	})
	e.Rows.SumTo(g, e.Partials)
	e.Rows.Share(parts[:]...)
	a.mass, a.linear, a.top = vec.Sum(parts[0]), vec.Sum(parts[1]), slices.Max(parts[2])
	a.risk, a.tau = a.linear, a.linear
	return a
}

// fuseExponentials evaluates weights proportional to exp(f/ν). Every shard weighs by exp((f − top)/ν)
// with the largest loss so far, and shrinks its sums when it meets a larger one.
func (s Simplex) fuseExponentials(e *saddle.Evaluator, g, y, x []float64) (a response) {
	top, total := e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)
	for k := range top {
		top[k] = math.Inf(-1)
	}
	e.Partials.Clear()
	e.EachBlock(x, func(k, lo, hi int) {
		f := e.Value[lo:hi]
		if m := kernel.Max(f); !(m <= top[k]) {
			shrink := math.Exp((top[k] - m) / s.Nu)
			top[k], total[k] = m, total[k]*shrink
			floats.Scale(shrink, e.Partials.Shard(k))
		}
		e.Largest[lo/e.BlockRows+k] = top[k]
		total[k] += kernel.ExpTo(y[lo:hi], f, top[k], s.Nu)
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
	})
	e.Rows.Share(top, total)
	largest, sum := slices.Max(top), 0.0
	for k := range top {
		sum += total[k] * math.Exp((top[k]-largest)/s.Nu)
	}
	e.Rows.Run(e.N, func(k, lo, hi int) {
		floats.Scale(math.Exp((top[k]-largest)/s.Nu)/sum, e.Partials.Shard(k))
		for ; lo < hi; lo += e.BlockRows {
			share := math.Exp((e.Largest[lo/e.BlockRows+k]-largest)/s.Nu) / sum
			for j := lo; j < min(lo+e.BlockRows, hi); j++ {
				y[j] *= share
			}
		}
	})
	e.Rows.SumTo(g, e.Partials)
	a.nu, a.total = s.Nu, float64(e.N)
	a.tau = largest + s.Nu*math.Log(sum/float64(e.N))
	if s.Nu > math.Abs(a.tau) || math.Abs(largest) > 2*math.Abs(a.tau) { // the logarithm may cancel
		r := newReference(s.rows, nil, e.N)
		a.moments = r.moments(y, e.Value, s.Divergence, nil)
		a.completeRisk(s)
		return a
	}
	mass, linear := e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)
	e.Rows.Run(e.N, func(k, lo, hi int) { mass[k], linear[k] = kernel.Sum(y[lo:hi]), kernel.Dot(y[lo:hi], e.Value[lo:hi]) })
	e.Rows.Share(mass, linear)
	a.risk, a.top, a.mass, a.linear = a.tau, largest, vec.Sum(mass), vec.Sum(linear)
	a.divergence = max(0, (a.linear-a.tau)/s.Nu)
	e.DirectRounding = s.Nu*saddle.SumGamma(e.Rows, e.N) + 8*saddle.UnitRoundoff*(math.Abs(largest)+math.Abs(a.tau))
	return a
}

// recordResponse records what e has to know of the rounding of a response (math: §11). At a multiplier above Nu
// the risk is above what the weights prove by as much as their divergence is off the radius, times the
// multiplier, and what bringing them into the ball costs.
func (s Simplex) recordResponse(e *saddle.Evaluator, a *response, y, f []float64) {
	e.Psi, e.Multiplier = a.nu*a.divergence, a.nu
	if !s.bounded() || a.nu == 0 {
		e.Infeasibility = s.capInfeasibility(a.mass)
		return
	}
	gamma := saddle.SumGamma(s.rows, len(y))
	off := s.divergenceRounding(a.divergence, gamma)
	if a.nu > s.Nu {
		e.ResponseRounding = (a.nu - s.Nu) * (math.Abs(a.divergence-s.Radius) + off)
	}
	if share := excessShare(a.divergence+off, s.Radius); share > 0 {
		r := newReference(s.rows, s.Weights, len(f))
		base := r.meanLoss(f)
		e.ResponseRounding += share * (math.Abs(a.linear-base) + 4*gamma*(math.Abs(a.linear)+math.Abs(base)))
		e.Infeasibility = r.largestChange(share, y)
	}
	e.Infeasibility += s.capInfeasibility(a.mass)
}

// divergenceRounding bounds what it did to a divergence.
func (s Simplex) divergenceRounding(divergence, gamma float64) float64 {
	return gamma*(2*divergence+3*math.Sqrt(2*divergence)) + 4*gamma*gamma
}

// excessShare returns the proportion of w that must be mixed with weights of divergence d to bring them
// into a ball: D is convex, and 0 at w.
func excessShare(d, radius float64) float64 {
	if !(d > radius) {
		return 0
	}
	return (d - radius) / d
}

// capInfeasibility returns the proportion of w that must be mixed with weights of sum mass, none above
// w/Alpha, so that none is above w/Alpha after division by their sum.
func (s Simplex) capInfeasibility(mass float64) float64 {
	if s.Alpha == 0 || s.Alpha == 1 {
		return 0
	}
	excess := max(0, 1/mass-1) + 4*saddle.UnitRoundoff
	return min(1, excess/(1+excess-s.Alpha))
}

// largestChange bounds the largest relative change of a weight when a proportion share of y is replaced
// by w: at most share, and far less in a small ball.
func (r *reference) largestChange(share float64, y []float64) float64 {
	const small = 1e-9 // a share that is not worth a reading
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
	return share * min(1, apart+8*saddle.Gamma(len(y)))
}

// meanLoss returns the mean loss by the reference weights.
func (r *reference) meanLoss(f []float64) float64 {
	return r.rows.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if w := r.weightAt(j); w > 0 {
				s += w / r.total * f[j]
			}
		}
		return s
	})
}

// Infeasibility implements Adversary.
func (s Simplex) Infeasibility(y []float64) (share float64) {
	r := newReference(s.rows, s.Weights, len(y))
	if s.bounded() {
		d := s.DivergenceOf(y)
		share = r.largestChange(excessShare(d+s.divergenceRounding(d, saddle.SumGamma(s.rows, len(y))), s.Radius), y)
	}
	if s.Alpha > 0 && s.Alpha < 1 {
		most := r.rows.Max(len(y), func(lo, hi int) float64 {
			m := 0.0
			for j := lo; j < hi; j++ {
				if y[j] > 0 {
					m = max(m, y[j]/(r.weightAt(j)/r.total))
				}
			}
			return m
		})
		share += s.capInfeasibility(min(1, s.limit()/most))
	}
	return share
}

// ImpliesPenalty implements Adversary.
func (Simplex) ImpliesPenalty() bool { return false }

// ResponseTo implements Adversary: y_j/ν and, for χ², w_j/ν, strictly between 0 and the limit.
func (s Simplex) ResponseTo(e *saddle.Evaluator, response, y []float64, lo, hi int) {
	nu := s.Nu
	if s.bounded() {
		nu = e.Last.Nu
	}
	s.responseAt(&reference{total: e.Reference, w: s.Weights}, nu, response, y, lo, hi)
}

// responseAt works like ResponseTo at the multiplier nu.
func (s Simplex) responseAt(r *reference, nu float64, response, y []float64, lo, hi int) {
	if !(nu > 0) || s.Alpha == 1 { // on a vertex
		clear(response[lo:hi])
		return
	}
	for j := lo; j < hi; j++ {
		response[j] = s.slopeOf(r, y, j) / nu
	}
}

// slopeOf returns w φ*″ of sample j at its weight: how fast this grows with its loss, in units of 1/ν.
func (s Simplex) slopeOf(r *reference, y []float64, j int) float64 {
	const close = 1 - 1e-12 // to the limit
	v, w := y[j], r.weightAt(j)/r.total
	switch {
	case !(v > 0 && v*s.Alpha < w*close):
		return 0
	case s.Divergence == KullbackLeibler:
		return v
	}
	return w
}

// CoupleTo implements Adversary. Where the ball binds, weights cannot move along the losses: with
// responses c, of mean m = Σcf/Σc, the Hessian of R in f loses bbᵀ/Σc(f−m)², b = c(f − m).
func (s Simplex) CoupleTo(e *saddle.Evaluator, response []float64, total float64, slope []float64) (along [][]float64, share []float64) {
	if !(e.Last.Nu > s.Nu) || !s.bounded() || !(total > 0) {
		return nil, nil
	}
	mean := s.rows.Sum(e.N, func(lo, hi int) float64 { return kernel.Dot(response[lo:hi], e.Value[lo:hi]) }) / total
	scatter := s.rows.Sum(e.N, func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if c := response[j]; c > 0 {
				v := e.Value[j] - mean
				s += c * v * v
				response[j] = c * v
			}
		}
		return s
	})
	if !(scatter > 0) {
		return nil, nil
	}
	row := make([]float64, e.D)
	e.GradOf(row, response, slope)
	return [][]float64{row}, []float64{-1 / scatter}
}
