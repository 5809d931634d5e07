package theory

import (
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// A comparator is a fixed point (u, v) with which iterates are compared.
type comparator struct{ u, v []float64 }

// A ledger accumulates the quantities that the propositions bound in one run, so that the inequality
//
//	Σ_{k≤t} a_k Gap^{u,v}(x_k, ȳ_k) + c^P·(A_tμ+μ₀)Δ(u, x_t) + c^D·(A_tν+ν₀)Δ(v, y_t)
//	    ≤ C_X Δ(u, x₀) + C_Y Δ(v, y₀),    Gap^{u,v}(x, y) = L(x, v) − L(u, y),
//
// can be evaluated at any comparator after every step, with its own right-hand side. ȳ_k is y_k except in the
// separable methods, whose propositions refer to all block updates that step k could have made.
type ledger struct {
	in     *instance
	method theoryMethod
	blocks int

	k        int
	a        float64   // A_k
	f, y     []float64 // Σ a_k f(x_k), Σ a_k ȳ_k
	phi, psi float64   // Σ a_k φ(x_k), Σ a_k ψ(ȳ_k)
	cx, cy   float64   // C_X and C_Y: sums up to the last step, for the historical methods
	mu0, nu0 float64
	old      float64 // (1 − 1/N)^k
	size     float64 // Σ of the magnitudes of the terms, which bounds the effect of rounding
	finite   bool

	x0, y0, x, last []float64 // last: y_k
	now, slope      []float64
	bar, scratch    []float64
	g, u            []float64
}

func (in *instance) ledger(m theoryMethod, block int) *ledger {
	l := &ledger{in: in, method: m, blocks: (in.n + block - 1) / block, old: 1, finite: true}
	for _, v := range []*[]float64{&l.f, &l.y, &l.y0, &l.last, &l.now, &l.slope, &l.bar, &l.scratch} {
		*v = make([]float64, in.n)
	}
	for _, v := range []*[]float64{&l.x0, &l.x, &l.g, &l.u} {
		*v = make([]float64, in.d)
	}
	if s, ok := in.primal.(dro.Entropy); ok {
		s.StartingPoint(l.x0)
	}
	in.oracle.EvalTo(l.now, l.slope, l.x0, 0, in.n)
	in.dual.BestResponseTo(l.y0, l.now)
	copy(l.last, l.y0)
	return l
}

// weights returns w^P and w^D of the historical methods, computed from their definition (math: §7).
func (l *ledger) weights() (wP, wD float64) {
	n := float64(l.blocks)
	half := func(modulus float64) float64 {
		if modulus > 0 {
			return min(0.5, 0.5/n)
		}
		return min(0.5, 1/n)
	}
	switch l.method {
	case stochasticHistorical:
		return half(l.in.mu), half(l.in.nu)
	case separableHistorical:
		return half(l.in.mu), 0
	}
	return 0, 0
}

// follow takes in an iterate.
func (l *ledger) follow(it dro.Iterate) {
	in := l.in
	before := it.Total - it.Weight // A_{k−1}
	l.k, l.a, l.mu0, l.nu0 = it.K, it.Total, it.Mu0, it.Nu0
	if it.K == 1 {
		l.cx, l.cy = it.Mu0/2, it.Nu0/2
	}
	wP, wD := l.weights()
	l.cx += wP * (before*in.mu + it.Mu0) * l.old / 2
	l.cy += wD * (before*in.nu + it.Nu0) * l.old / 2
	l.old *= 1 - 1/float64(l.blocks)
	copy(l.x, it.X)
	in.oracle.EvalTo(l.now, l.slope, it.X, 0, in.n)
	copy(l.bar, it.Y)
	if s, ok := in.dual.(primaldual.Box); ok && l.method.separable() {
		s.CoordsTo(l.scratch, l.last)
		eta := it.Weight * float64(l.blocks) / (it.Weight*in.nu + (before*in.nu+it.Nu0)/2)
		s.BlockStepTo(l.scratch, l.bar, l.now, l.scratch, eta, 0, in.n)
	}
	copy(l.last, it.Y)
	phi, psi := in.primal.Value(it.X), in.dual.Value(l.bar)
	l.phi += it.Weight * phi
	l.psi += it.Weight * psi
	l.size += it.Weight * (math.Abs(phi) + math.Abs(psi))
	for j, v := range l.now {
		l.f[j] += it.Weight * v
		l.y[j] += it.Weight * l.bar[j]
		l.size += it.Weight * math.Abs(v) * in.weightCap
	}
	l.finite = l.finite && !math.IsNaN(l.size) && !math.IsInf(l.size, 0)
}

// relativeEntropy returns Σ u_i log(u_i/x_i) of two points on the simplex.
func relativeEntropy(u, x []float64) float64 {
	s := 0.0
	for i, v := range u {
		if r := v / x[i]; r > 0 {
			s += x[i] * (r*math.Log(r) - r + 1)
		} else {
			s += x[i]
		}
	}
	return s
}

// divergences returns Δ_X(u, x) and Δ_Y(v, y).
func (l *ledger) divergences(u, x, v, y []float64) (primal, dual float64) {
	if _, simplex := l.in.primal.(dro.Entropy); simplex {
		primal = relativeEntropy(u, x)
	} else {
		for i := range u {
			primal += (u[i] - x[i]) * (u[i] - x[i]) / 2
		}
	}
	for j := range v {
		dual += (v[j] - y[j]) * (v[j] - y[j]) / 2
	}
	return primal, dual
}

// sides returns both sides of the inequality at a comparator, and a bound of the rounding error of the left side.
func (l *ledger) sides(c comparator) (left, right, rounding float64) {
	in := l.in
	in.oracle.EvalTo(l.now, l.slope, c.u, 0, in.n)
	phi, psi := in.primal.Value(c.u), in.dual.Value(c.v)
	left = l.phi + l.psi - l.a*(phi+psi)
	for j, v := range c.v {
		left += v*l.f[j] - l.y[j]*l.now[j]
	}
	start, startDual := l.divergences(c.u, l.x0, c.v, l.y0)
	end, endDual := l.divergences(c.u, l.x, c.v, l.last)
	wP, _ := l.weights()
	cP, cD := 0.25, 0.25
	switch l.method {
	case fullVector:
		cD = 0.5
	case separableHistorical:
		cP *= 1 - wP
	}
	left += cP*(l.a*in.mu+l.mu0)*end + cD*(l.a*in.nu+l.nu0)*endDual
	return left, l.cx*start + l.cy*startDual, 1e-13 * (l.size + l.a*(math.Abs(phi)+math.Abs(psi)))
}

// worst returns the comparator for which the left side, without its last two terms, exceeds the right side most, or
// one close to it if f is not linear.
func (l *ledger) worst() comparator {
	in := l.in
	c := comparator{make([]float64, in.d), make([]float64, in.n)}
	box := in.dual.(primaldual.Box)
	for j := range c.v {
		c.v[j] = min(box.Upper, max(box.Lower, (l.f[j]+l.cy*l.y0[j])/(l.a*in.nu+l.cy)))
	}
	copy(c.u, l.x0)
	steps, steep := 1, 0.0
	if !in.bilinear {
		steps, steep = 200, in.curvature()
	}
	coords := func(u, x []float64) {
		if geo, ok := in.primal.(dro.Entropy); ok {
			geo.CoordsTo(u, x)
			return
		}
		copy(u, x)
	}
	center, start := make([]float64, in.d), make([]float64, in.d)
	coords(start, l.x0)
	for range steps { // proximal steps for ⟨y, f(u)⟩ + Aφ(u) + C_X Δ(u, x₀)
		in.oracle.EvalTo(l.now, l.slope, c.u, 0, in.n)
		clear(l.g)
		in.oracle.AddGradTo(l.g, l.y, l.slope, 0, in.n)
		coords(center, c.u)
		for i := range l.g {
			l.g[i] = (l.g[i] + l.cx*(center[i]-start[i])) / l.a
		}
		in.primal.ProxTo(c.u, l.g, center, l.a, l.a*steep+l.cx)
	}
	return c
}

// gap returns the primal-dual gap of the averages over all of X and Y; f must be linear.
func (l *ledger) gap() float64 {
	x, y := make([]float64, l.in.d), make([]float64, l.in.n)
	return gapOf(l.in, l.f, l.y, l.phi, l.psi, l.a, x, y)
}

// gapOf returns the supremum of Σ a_k Gap^{u,v}/A, given sums of a_k f(x_k) and a_k ȳ_k. g and mean are scratch
// memory of lengths d and n.
func gapOf(in *instance, f, y []float64, phi, psi, a float64, g, mean []float64) float64 {
	for j, v := range f {
		mean[j] = v / a
	}
	risk, _ := in.dual.BestResponseTo(make([]float64, in.n), mean)
	zero := make([]float64, in.d)
	value, slope := make([]float64, in.n), make([]float64, in.n)
	in.oracle.EvalTo(value, slope, zero, 0, in.n) // f(0) and the slopes, which do not depend on x
	clear(g)
	constant := 0.0
	for j, v := range y {
		mean[j] = v / a
		constant += mean[j] * value[j]
	}
	in.oracle.AddGradTo(g, mean, slope, 0, in.n)
	if s, ok := in.primal.(dro.Entropy); ok {
		s.StartingPoint(zero)
	}
	inner := in.primal.Value(zero) - in.primal.FenchelYoung(zero, g)
	for i, v := range g {
		inner += v * zero[i]
	}
	return risk + phi/a - (constant + inner - psi/a)
}
