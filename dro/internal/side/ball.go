package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Divergence measures how far weights y are from reference weights w.
type Divergence int

const (
	KullbackLeibler Divergence = iota // Σ y_j log(y_j/w_j)
	PearsonChi2                       // ½ Σ (y_j − w_j)²/w_j
)

// A Ball is the adversary near reference weights w:
//
//	Y = {y ∈ Δ : D(y‖w) ≤ Radius},   ψ(y) = Nu·D(y‖w).
//
// Its robust risk is R(f) = min_{ν ≥ Nu} (ν − Nu)·Radius + R_ν(f), R_ν that of the
// penalty ν·D alone, jointly convex in f and ν; the minimising ν makes the best
// response. With an infinite radius it is the penalised adversary around w, and with
// Nu = 0 the ball alone, the risk of which has a gradient unless the ball reaches a
// vertex of largest loss. NewBall and NewPenalty are the two.
type Ball struct {
	Divergence Divergence
	Radius     float64   // > 0, in units of D; +Inf: no bound
	Nu         float64   // ≥ 0, in loss units
	Weights    []float64 // w ≥ 0, one a sample, of any positive sum; nil: equal. A prefix of the samples has the prefix of w

	rows *ranks.Rows // where the samples lie; nil: here
}

// NewBall returns the adversary of all weights within radius of w, nil for equal.
func NewBall(d Divergence, radius float64, w []float64) Ball {
	return Ball{Divergence: d, Radius: radius, Weights: w}
}

// NewPenalty returns the adversary that pays nu for every unit of divergence from w,
// nil for equal: KL and ChiSquare with sample weights.
func NewPenalty(d Divergence, nu float64, w []float64) Ball {
	return Ball{Divergence: d, Radius: math.Inf(1), Nu: nu, Weights: w}
}

var (
	_ saddle.Dual               = Ball{}
	_ saddle.LocalResponse      = Ball{}
	_ saddle.CoupledResponse    = Ball{}
	_ saddle.Smoothable         = Ball{}
	_ saddle.Fusible            = Ball{}
	_ saddle.DifferentiableDual = Ball{}
	_ saddle.Contained          = Ball{}
)

// Valid says why the dual cannot weigh n samples.
func (b Ball) Valid(n int) error {
	if b.Divergence != KullbackLeibler && b.Divergence != PearsonChi2 {
		return fmt.Errorf("unknown divergence %d", b.Divergence)
	}
	if !(b.Radius > 0) {
		return fmt.Errorf("a radius of %v: it must be > 0", b.Radius)
	}
	return validWeights(b.rows, b.Weights, n)
}

// Unpriced implements Unpriced: ψ(w) = 0.
func (Ball) Unpriced(of saddle.Dual) bool {
	_, same := of.(Ball)
	return same
}

// Modulus implements Dual.
func (b Ball) Modulus() float64 { return b.Nu }

// Value implements Dual: Nu·D(y‖w).
func (b Ball) Value(y []float64) float64 {
	if b.Nu == 0 {
		return 0
	}
	return b.Nu * b.Of(y)
}

// Of returns D(y‖w).
func (b Ball) Of(y []float64) float64 {
	if b.Weights == nil {
		if b.Divergence == KullbackLeibler {
			return KL{Nu: 1, rows: b.rows}.Value(y)
		}
		return ChiSquare{Nu: 1, rows: b.rows}.Value(y)
	}
	w := b.Weights[:len(y)]
	total := totalOf(b.rows, w)
	return b.rows.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			v := w[j] / total
			switch {
			case v == 0 && y[j] > 0:
				return math.Inf(1)
			case v == 0:
			case b.Divergence == KullbackLeibler:
				s += v * entropy(y[j]/v)
			default:
				s += (y[j] - v) * (y[j] - v) / v / 2
			}
		}
		return s
	})
}

// BestResponseTo implements Dual.
func (b Ball) BestResponseTo(y, f []float64) (risk, tau float64) {
	a := b.respond(y, f, math.NaN())
	return a.risk, a.tau
}

// A priced response is one at the price ν that keeps it in the ball.
type pricedResponse struct {
	risk, tau, nu, top float64
	rounding, logMean  float64 // of KL's risk; log of the mean of its exp((f − top)/ν)
	unsolved           float64 // of χ²: what its weights summed to above one, before they were scaled
	still              bool    // the weights are the reference weights: rounding bounds the risk
}

// respond is BestResponseTo with a guess of ν, NaN for none.
func (b Ball) respond(y, f []float64, guess float64) (a pricedResponse) {
	still := b.Radius < b.stillRadius(len(f))
	if a.nu = b.Nu; !math.IsInf(b.Radius, 1) {
		const least, most = 0x1p-1000, 0x1p1020 // of a price: it has all its digits, and its products with D do not overflow
		price := b.price(y, f, guess)
		a.nu, still = max(a.nu, min(price, most)), still || price > most || price < least
	}
	var w []float64
	if b.Weights != nil {
		w = b.Weights[:len(f)]
	}
	a.top = largestOf(b.rows, f, w)
	switch {
	case a.nu == 0 && w == nil:
		a.risk, a.tau = a.top, uniformOnMax(b.rows, y, f, a.top)
	case a.nu == 0:
		a.risk, a.tau = a.top, weightedOnMax(b.rows, y, f, w, a.top)
	case b.Divergence == KullbackLeibler:
		a.risk, a.rounding, a.logMean = weightedKL(b.rows, y, f, w, a.nu, a.top)
		a.tau = a.risk
	case w == nil:
		r := ChiSquare{Nu: a.nu, rows: b.rows}.respond(y, f, math.NaN())
		a.risk, a.tau, a.unsolved = r.risk, r.tau, r.total/float64(len(f))-1
	default:
		a.risk, a.tau, a.unsolved = weightedChi2(b.rows, y, f, w, a.nu, a.top)
	}
	if a.nu > b.Nu { // (ν − Nu)·Radius + R_ν is above R for any ν
		a.risk += (a.nu - b.Nu) * b.Radius
		if still {
			b.rest(&a, y, f)
		}
	}
	return a
}

// RespondingAt implements local.
func (b Ball) RespondingAt(e *saddle.Evaluator) saddle.Responsive {
	r := ballResponse{Ball: b, price: e.Threshold}
	if b.Weights != nil {
		r.total = totalOf(b.rows, b.Weights[:e.N])
	}
	return r
}

// A ballResponse is how the best response of a Ball moves at price ν, but for what
// keeps the divergence as it is.
type ballResponse struct {
	Ball
	price, total float64
}

// ResponseTo implements Responsive: y_j/ν, and w_j/ν on the active set y > 0.
func (r ballResponse) ResponseTo(response, y []float64, lo, hi int) {
	switch {
	case !(r.price > 0): // on a vertex
		clear(response[lo:hi])
	case r.Divergence == KullbackLeibler:
		KL{Nu: r.price}.ResponseTo(response, y, lo, hi)
	case r.Weights == nil:
		ChiSquare{Nu: r.price}.ResponseTo(response, y, lo, hi)
	default:
		inverse := 1 / (r.price * r.total)
		for j := lo; j < hi; j++ {
			response[j] = 0
			if y[j] > 0 {
				response[j] = inverse * r.Weights[j]
			}
		}
	}
}

// CoupleTo implements coupled. Where the ball binds, weights cannot move along the
// losses: with responses c, of mean m = Σcf/Σc, the Hessian of R in f loses
// bbᵀ/Σc(f−m)², b = c(f − m).
func (b Ball) CoupleTo(e *saddle.Evaluator, response []float64, total float64, slope []float64) (along [][]float64, share []float64) {
	if !(e.Threshold > b.Nu) || math.IsInf(b.Radius, 1) || !(total > 0) {
		return nil, nil
	}
	mean := b.rows.Sum(e.N, func(lo, hi int) float64 { return kernel.Dot(response[lo:hi], e.Value[lo:hi]) }) / total
	scatter := b.rows.Sum(e.N, func(lo, hi int) float64 {
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

// Differentiable reports that the risk without a penalty has a gradient at an optimum of d parameters:
// the ball is so small that the adversary rests on several samples a parameter.
func (b Ball) Differentiable(n, d int) bool {
	const rows = 4              // a parameter and one: several
	left := math.Exp(-b.Radius) // the least effective share of the samples
	if b.Divergence == PearsonChi2 {
		left = 1 / (1 + 2*b.Radius)
	}
	return left*float64(n) >= float64(rows*(d+1))
}

// Smoothed implements Smoothable.
func (b Ball) Smoothed(nu float64, n int) (d saddle.Dual, most float64) { return b.smoothed(nu, n) }

func (b Ball) smoothed(nu float64, n int) (d Ball, most float64) {
	least := 1 / float64(n)
	if b.Weights != nil {
		w := b.Weights[:n]
		total := totalOf(b.rows, w)
		least = -b.rows.Max(n, func(lo, hi int) float64 {
			m := math.Inf(-1)
			for _, v := range w[lo:hi] {
				if v > 0 {
					m = max(m, -v/total)
				}
			}
			return m
		})
	}
	most = -math.Log(least)
	if b.Nu = nu; b.Divergence == PearsonChi2 {
		most = (1/least - 1) / 2
	}
	return b, min(b.Radius, most)
}

// FusedTo implements fusible, in two readings: the price of the evaluation before is
// where the search for the next begins.
func (b Ball) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	e.Eval(x)
	guess := math.NaN()
	if e.HasThreshold {
		guess = e.Threshold
	}
	a := b.respond(y, e.Value, guess)
	e.Threshold, e.HasThreshold = a.nu, a.nu > 0
	if a.nu > 0 { // else a vertex: the largest loss, as it is
		e.Price = a.price()
		e.Own, e.Outside = b.rounding(a, y, e.Value)
		e.Outside = b.changed(e.Outside, y)
	}
	e.GradTo(g, y)
	return a.risk, a.tau
}

// rounding bounds what it may have done to the response a, of weights y to losses f, at a
// price ν > 0: to its risk, and to its weights, as the share of the reference weights that
// brings them into the ball. The risk is that of the price, above R for any; the weights
// prove as much less as their divergence D is off the radius, times the price.
func (b Ball) rounding(a pricedResponse, y, f []float64) (own, outside float64) {
	n := len(f)
	gamma := saddle.SumGamma(b.rows, n)
	if a.still {
		return a.rounding, 0
	}
	bounded := !math.IsInf(b.Radius, 1) && a.nu > b.Nu
	const small = 1e-2 // a divergence that cancels
	linear, base := b.losses(y, f)
	var divergence, off float64
	if b.Divergence == KullbackLeibler {
		own = a.rounding + 4*saddle.UnitRoundoff*math.Abs(a.risk)
		below := b.rows.Sum(n, func(lo, hi int) float64 {
			s := 0.0
			for j := lo; j < hi; j++ {
				if y[j] > 0 {
					s += y[j] * ((f[j] - a.top) / a.nu)
				}
			}
			return s
		})
		divergence = below - a.logMean
		off = 2 * gamma * (1 - below + math.Abs(a.logMean))
		if !(divergence > small) {
			divergence, off = b.divergence(y)
		}
	} else {
		divergence, off = b.divergence(y)
		shifted := saddle.UnitRoundoff * (1 + math.Abs(a.top-a.tau)/a.nu)
		own = 3*gamma*(math.Abs(linear)+4*a.nu*(divergence+math.Sqrt(divergence))) + a.nu*(36*gamma*gamma+18*shifted*shifted)
		miss := math.Abs(a.unsolved) + 2*gamma // (ν/2 + ψ) times its square is what scaling costs
		own += a.nu * (1 + 2*divergence) * miss * miss
	}
	if bounded {
		own += (a.nu - b.Nu) * (math.Abs(divergence-b.Radius) + off)
	}
	if outside = b.beyond(divergence + off); outside > 0 {
		own += outside * (math.Abs(linear-base) + 4*gamma*(math.Abs(linear)+math.Abs(base)))
	}
	return own, outside
}

// changed bounds what a share of w in the place of y changes any of the weights y by, as a share of
// it: that share at most, and next to nothing in a small ball.
func (b Ball) changed(share float64, y []float64) float64 {
	const small = 1e-9 // a share that is not worth a reading
	if share <= small {
		return share
	}
	total := float64(len(y))
	if b.Weights != nil {
		total = totalOf(b.rows, b.Weights[:len(y)])
	}
	apart := b.rows.Max(len(y), func(lo, hi int) float64 {
		most := 0.0
		for j := lo; j < hi; j++ {
			w := 1.0
			if b.Weights != nil {
				w = b.Weights[j]
			}
			if w != 0 || y[j] != 0 {
				most = max(most, math.Abs(w/total/y[j]-1))
			}
		}
		return most
	})
	return share * min(1, apart+8*saddle.Gamma(len(y)))
}

// losses returns the mean losses by the weights y and by the reference weights.
func (b Ball) losses(y, f []float64) (by, base float64) {
	own, reference, total := b.rows.Scalars(len(f)), b.rows.Scalars(len(f)), b.rows.Scalars(len(f))
	b.rows.Run(len(f), func(s, lo, hi int) {
		var of, at, mass float64
		for j := lo; j < hi; j++ {
			w := 1.0
			if b.Weights != nil {
				w = b.Weights[j]
			}
			if y[j] != 0 {
				of += y[j] * f[j]
			}
			if w != 0 {
				at += w * f[j]
				mass += w
			}
		}
		own[s], reference[s], total[s] = of, at, mass
	})
	b.rows.Share(own, reference, total)
	if by, base = vec.Sum(own), vec.Sum(reference)/vec.Sum(total); math.IsInf(base, 0) || math.IsNaN(base) {
		base = 0 // the products may overflow where the losses are ≥ 0
	}
	return by, base
}

// divergence returns D(y‖w) and what rounding may have done to it.
func (b Ball) divergence(y []float64) (divergence, off float64) {
	n := len(y)
	gamma := saddle.SumGamma(b.rows, n)
	divergence = b.Of(y)
	return divergence, gamma*(2*divergence+3*math.Sqrt(2*divergence)) + 4*gamma*gamma
}

// beyond is the share of w that brings weights of divergence d into the ball: D is convex, and
// 0 at w.
func (b Ball) beyond(d float64) float64 {
	if !(d > b.Radius) {
		return 0
	}
	return (d - b.Radius) / d
}

// OutsideShare implements Contained.
func (b Ball) OutsideShare(y []float64) float64 {
	if math.IsInf(b.Radius, 1) {
		return 0
	}
	divergence, off := b.divergence(y)
	return b.changed(b.beyond(divergence+off), y)
}

// Price returns the ν of the best response to the losses f: the penalty ν·D alone has
// the same.
func (b Ball) Price(f []float64) float64 {
	return b.respond(make([]float64, len(f)), f, math.NaN()).nu
}
