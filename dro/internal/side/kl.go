package side

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// KL is the simplex with the Kullback-Leibler penalty
//
//	ψ(y) = ν Σ_j y_j log(n y_j) = ν·KL(y ‖ 1/n),
//
// ν-strongly convex in ‖·‖₁, and the geometry of relative entropy. Nu = 0 is
// the unpenalised maximum over the simplex in the same geometry.
type KL struct {
	Nu float64 // ν ≥ 0, in loss units

	rows *ranks.Rows // where the samples lie; nil: here
}

var _ saddle.Mirror = KL{}

// Unpriced implements Unpriced: ψ(1/n) = 0.
func (KL) Unpriced(of saddle.Dual) bool {
	_, same := of.(KL)
	return same
}

// Modulus implements Dual.
func (k KL) Modulus() float64 { return k.Nu }

// Value implements Dual: ν Σ y_j log(n y_j), with 0·log 0 = 0.
func (k KL) Value(y []float64) float64 {
	if k.Nu == 0 {
		return 0
	}
	n := float64(len(y))
	return k.Nu / n * k.rows.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for _, v := range y[lo:hi] {
			s += entropy(n * v)
		}
		return s
	})
}

// entropy returns r log r − r + 1 ≥ 0, whose mean over r = n y is KL(y ‖ 1/n) on
// the simplex: of second order near r = 1, where a large ν would magnify a
// rounding error of first order.
func entropy(r float64) float64 {
	if r <= 0 {
		return 1
	}
	return r*math.Log(r) - (r - 1)
}

// Divergence returns Δ(y, z) = Σ y_j log(y_j/z_j) on the simplex, +Inf where z
// vanishes and y does not.
func (KL) Divergence(y, z []float64) float64 {
	s := 0.0
	for j, v := range y {
		if v > 0 {
			s += v * math.Log(v/z[j])
		}
	}
	return s
}

// BestResponseTo implements Dual: y_j ∝ exp(f_j/ν) and
// risk = τ = ν log mean exp(f/ν), through a shifted log-sum-exp (math: §2).
func (k KL) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := len(f)
	top := k.rows.Max(n, func(lo, hi int) float64 { return kernel.Max(f[lo:hi]) })
	if k.Nu == 0 {
		return top, uniformOnMax(k.rows, y, f, top)
	}
	sum := k.rows.Sum(n, func(lo, hi int) float64 { return kernel.ExpTo(y[lo:hi], f[lo:hi], top, k.Nu) })
	scale(k.rows, y, 1/sum)
	risk, _ = klRisk(k.rows, f, nil, k.Nu, top, sum)
	return risk, risk
}

// klRisk returns ν log mean exp(f/ν), the mean by the weights w or, nil, of equal ones, for
// the largest loss top and the sum of the w·exp((f − top)/ν), and a bound of what rounding
// did to it: to the risk of these losses, and to what weights proportional to these
// exponentials make of them, which is less by ν·KL, of second order in their rounding.
//
// The logarithm of a mean close to 1 cancels, and so does a risk far below top, with ν to
// magnify the error. There the mean loss c takes the place of top: c + ν log(1 + mean
// expm1((f − c)/ν)), exact to a few γ·mean|f − c|.
func klRisk(rows *ranks.Rows, f, w []float64, nu, top, sum float64) (risk, rounding float64) {
	const (
		response     = 1e-25 // the square of 2000 u and more: of |log y_j| ≤ 745
		mostExponent = 700   // (top − c)/ν: exp does not overflow
	)
	n := len(f)
	gamma := saddle.SumGamma(rows, n)
	total := float64(n)
	if w != nil {
		total = totalOf(rows, w)
	}
	logMean := logRatio(sum, total)
	risk = top + nu*logMean
	underflow := 0x1p-1000 * (total + float64(n)) / sum * 0x1p-74 // of exponentials and of their products with w
	rounding = nu*(gamma+response+underflow) + 8*saddle.UnitRoundoff*(math.Abs(top)+math.Abs(risk))
	if logMean <= -0.5 && nu <= math.Abs(risk) && math.Abs(top) <= 2*math.Abs(risk) {
		return risk, rounding
	}
	c := meanLoss(rows, f, w, total)
	if !((top-c)/nu <= mostExponent) || math.IsInf(c, 0) {
		return risk, rounding
	}
	part, size := rows.Scalars(n), rows.Scalars(n)
	rows.Run(n, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			v := 1.0
			if w != nil {
				if v = w[j]; v == 0 {
					continue
				}
			}
			a := (f[j] - c) / nu
			e := math.Expm1(a)
			part[s] += v * e
			size[s] += v * (math.Abs(e) + math.Abs(a)*(1+e))
		}
	})
	rows.Share(part, size)
	q, terms := 0.0, 0.0
	for s := range part {
		q += part[s]
		terms += size[s]
	}
	q, terms = q/total, terms/total
	lift := nu * math.Log1p(q)
	about := nu*((1+1e-6)*gamma*terms/(1+q)+response) + 8*saddle.UnitRoundoff*(math.Abs(c)+math.Abs(lift))
	if !(about <= rounding) {
		return risk, rounding
	}
	return c + lift, about
}

// logRatio returns log(a/b), also where the quotient is no normal number: math.Log is off by
// up to 35 there (Go 1.26, amd64).
func logRatio(a, b float64) float64 {
	if r := a / b; r >= 0x1p-1022 {
		return math.Log(r)
	}
	x, i := math.Frexp(a)
	y, j := math.Frexp(b)
	return math.Log(x/y) + float64(i-j)*math.Ln2
}

// meanLoss returns Σ wf/total; w may be nil.
func meanLoss(rows *ranks.Rows, f, w []float64, total float64) float64 {
	return rows.Sum(len(f), func(lo, hi int) float64 {
		if w == nil {
			return kernel.Sum(f[lo:hi])
		}
		s := 0.0
		for j := lo; j < hi; j++ {
			if w[j] > 0 {
				s += w[j] * f[j]
			}
		}
		return s
	}) / total
}

// CoordsTo implements Mirror: u = log(n y), of weights that underflowed the
// smallest that does not.
func (KL) CoordsTo(u, y []float64) {
	const leastLog = -700 // exp of it is not yet subnormal
	n := float64(len(y))
	for j, v := range y {
		u[j] = math.Max(math.Log(n*v), leastLog)
	}
}

// StartingWeights implements StartedDual: uniform.
func (KL) StartingWeights(y []float64) { vec.Fill(y, 1/float64(len(y))) }

// ProxTo implements Mirror: a weighted mean of the losses and the coordinates,
// then the normaliser.
func (k KL) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	n := len(f)
	inv := 1 / (a*k.Nu + e)
	ca, cp, ch := a*inv, e*(1-w)*inv, e*w*inv
	largest := shard.Max(n, func(lo, hi int) float64 { return kernel.Max(f[lo:hi]) })
	top := shard.Max(n, func(lo, hi int) float64 {
		m := math.Inf(-1)
		for j := lo; j < hi; j++ {
			v := ca*below(f[j], largest) + cp*prev[j]
			if w != 0 {
				v += ch * hist[j]
			}
			u[j] = v
			m = max(m, v)
		}
		return m
	})
	sum := shard.Sum(n, func(lo, hi int) float64 { return kernel.ExpTo(y[lo:hi], u[lo:hi], top, 1) })
	norm := top + math.Log(sum/float64(n))
	shard.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			u[j] -= norm
			y[j] /= sum
		}
	})
}

// below returns f − largest ≤ 0, bounded where the difference or a multiple of it
// would overflow. A proximal step on the simplex depends on these alone.
func below(f, largest float64) float64 { return max(f-largest, -0x1p900) }

// Region implements OnSimplex.
func (KL) Region() saddle.Region { return saddle.Whole }

// NormScale implements Normed: ‖·‖₁ ≥ ‖·‖₂.
func (KL) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (KL) WeightCap(int) float64 { return 1 }

// TotalWeight implements Normed.
func (KL) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (KL) SumNorm() bool { return true }

// ResponseTo implements Responsive: y_j/ν.
func (k KL) ResponseTo(response, y []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		response[j] = y[j] / k.Nu
	}
}

// FusedTo implements fusible. Every shard weighs by exp((f − top)/ν) with the
// largest loss so far, and shrinks its sums when it meets a larger one.
func (k KL) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	if k.Nu == 0 {
		return e.RespondTwice(g, y, x)
	}
	top, total := e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)
	for s := range top {
		top[s] = math.Inf(-1)
	}
	e.Partials.Clear()
	e.EachBlock(x, func(s, lo, hi int) {
		f := e.Value[lo:hi]
		if m := kernel.Max(f); !(m <= top[s]) {
			shrink := math.Exp((top[s] - m) / k.Nu)
			top[s], total[s] = m, total[s]*shrink
			floats.Scale(shrink, e.Partials.Of(s))
		}
		e.Largest[lo/e.BlockRows+s] = top[s]
		total[s] += kernel.ExpTo(y[lo:hi], f, top[s], k.Nu)
		e.Problem.Oracle.AddGradTo(e.Partials.Of(s), y, e.Slope, lo, hi)
	})
	e.Rows.Share(top, total)
	largest, sum := slices.Max(top), 0.0
	for s := range top {
		sum += total[s] * math.Exp((top[s]-largest)/k.Nu)
	}
	if e.Rows != nil {
		e.Rows.Run(e.N, func(s, _, _ int) { floats.Scale(math.Exp((top[s]-largest)/k.Nu)/sum, e.Partials.Of(s)) })
		e.Rows.SumTo(g, e.Partials)
	} else {
		clear(g)
		for s := range top {
			share := math.Exp((top[s]-largest)/k.Nu) / sum
			for i, v := range e.Partials.Of(s) {
				g[i] += share * v
			}
		}
	}
	e.Rows.Run(e.N, func(s, lo, hi int) {
		for ; lo < hi; lo += e.BlockRows {
			share := math.Exp((e.Largest[lo/e.BlockRows+s]-largest)/k.Nu) / sum
			for j := lo; j < min(lo+e.BlockRows, hi); j++ {
				y[j] *= share
			}
		}
	})
	risk, e.Own = klRisk(e.Rows, e.Value, nil, k.Nu, largest, sum)
	return risk, risk
}

var _ saddle.Liftable = KL{}

// Separated implements Liftable; the simplex implies y_j ≤ 1.
func (k KL) Separated(int) saddle.Separable { return OrthantKL{Nu: k.Nu, Cap: 1} }

// Smoothed implements Smoothable: Σ y log(n y) ≤ log n.
func (KL) Smoothed(nu float64, n int) (saddle.Dual, float64) { return KL{Nu: nu}, math.Log(float64(n)) }

// CoresetOffset implements Coreset: ν log(1/p), so that exp(f/ν) counts 1/p times.
func (k KL) CoresetOffset(p float64) float64 { return -k.Nu * math.Log(p) }

// Restricted implements Restrictable: Σ y log(n y) = Σ y log(m y) + log(n/m).
func (k KL) Restricted(n, m int) (d saddle.Dual, offset float64) {
	return KL{Nu: k.Nu}, k.Nu * math.Log(float64(n)/float64(m))
}
