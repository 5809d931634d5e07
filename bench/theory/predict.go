package theory

import "math"

// A theoryMethod is one of the five methods with a complexity theorem.
type theoryMethod int

const (
	fullVector            theoryMethod = iota // Alg. 2, thm. nonsep:full
	stochasticHistorical                      // Alg. 3, thm. stochastic:historic
	stochasticReplacement                     // Alg. 4, thm. stochastic:minty
	separableHistorical                       // Alg. 5, thm. sep:historic
	separableReplacement                      // Alg. 6, thm. sep:minty
	theoryMethods
)

func (m theoryMethod) separable() bool { return m >= separableHistorical }

// String names the method and its algorithm.
func (m theoryMethod) String() string {
	return [...]string{"full (Alg. 2)", "stochastic, historical (Alg. 3)", "stochastic, replacement (Alg. 4)",
		"separable, historical (Alg. 5)", "separable, replacement (Alg. 6)"}[m]
}

// blockConstants are G, L of the whole and G_J, L_J, λ_J of the blocks.
type blockConstants struct {
	g, l       float64
	gs, ls, la []float64
}

// blocks returns the constants of assumption 1 for consecutive blocks of b samples: G_J the
// spectral norm of the Jacobian, √Σ H_j² in the norms of games, and L_J = sup_y Σ y_j M_j.
func (in *instance) blocks(b int) blockConstants {
	var c blockConstants
	weighted := func(m []float64) float64 {
		s := 0.0
		for _, v := range m {
			if in.sum {
				s = math.Max(s, v)
			} else {
				s += in.weightCap * v
			}
		}
		return s
	}
	for lo := 0; lo < in.n; lo += b {
		hi := min(lo+b, in.n)
		g := in.spectral(lo, hi)
		l := weighted(in.smoothness[lo:hi])
		c.gs, c.ls, c.la = append(c.gs, g), append(c.ls, l), append(c.la, math.Hypot(g, l))
	}
	c.g, c.l = in.spectral(0, in.n), weighted(in.smoothness)
	if in.sum {
		c.g = norm(in.lipschitz, math.Inf(1))
	}
	return c
}

// spectral is the spectral norm of the rows [lo, hi), by power iteration, or √Σ H_j².
func (in *instance) spectral(lo, hi int) float64 {
	if in.rows == nil {
		return norm(in.lipschitz[lo:hi], 2)
	}
	v, w := make([]float64, in.d), make([]float64, in.d)
	for i := range v {
		v[i] = 1 + 1/float64(i+2)
	}
	size := 0.0
	for range 300 {
		clear(w)
		for j := lo; j < hi; j++ {
			z, m := in.rows[j*in.d:(j+1)*in.d], 0.0
			for i, a := range z {
				m += a * v[i]
			}
			for i, a := range z {
				w[i] += m * a
			}
		}
		if size = norm(w, 2); size == 0 {
			return 0
		}
		for i := range v {
			v[i] = w[i] / size
		}
	}
	return math.Sqrt(size)
}

// norm is the ℓ_p (quasi-)norm.
func norm(v []float64, p float64) float64 {
	s := 0.0
	for _, a := range v {
		if math.IsInf(p, 1) {
			s = math.Max(s, math.Abs(a))
			continue
		}
		s += math.Pow(math.Abs(a), p)
	}
	if math.IsInf(p, 1) {
		return s
	}
	return math.Pow(s, 1/p)
}

// A scheme holds the distributions p, q, r, s over the blocks and the weights γ
// of one method.
type scheme struct{ p, q, r, s, gamma []float64 }

// scheme returns the uniform scheme or the one that the theorem of m adapts to
// the constants. The theorems with block replacement assume min r, min s ≥
// 1/(2N): with floor, half of the mass of r and s is spread evenly, as package
// dro does; without, the scheme is that of the paper's tables, which do not.
func (c blockConstants) scheme(m theoryMethod, uniform, floor bool) scheme {
	n := float64(len(c.gs))
	even := make([]float64, len(c.gs))
	for i := range even {
		even[i] = 1 / n
	}
	out := scheme{even, even, even, even, even}
	if uniform || m == fullVector {
		return out
	}
	power := func(v []float64, p, mix float64) []float64 {
		w, total := make([]float64, len(v)), 0.0
		for i, a := range v {
			w[i] = math.Pow(a, p)
			total += w[i]
		}
		for i := range w {
			if total == 0 {
				w[i] = 1 / n
				continue
			}
			w[i] = (1-mix)*w[i]/total + mix/n
		}
		return w
	}
	half := 0.0
	if floor {
		half = 0.5
	}
	switch m {
	case stochasticHistorical:
		out.p, out.gamma, out.q = power(c.la, 1, 0), power(c.la, 1, 0), power(c.gs, 1, 0)
	case separableHistorical:
		out.p, out.gamma = power(c.la, 1, 0), power(c.ls, 1, 0)
	case stochasticReplacement:
		out.p, out.q = power(c.la, 0.5, 0), power(c.gs, 0.5, 0)
		out.r, out.s = power(c.la, 0.5, half), power(c.gs, 0.5, half)
	case separableReplacement:
		out.p, out.r = power(c.la, 0.5, 0), power(c.ls, 0.5, half)
	}
	return out
}

// mixedAndPrimal returns the constants in front of 1/√(μν) and of 1/μ in the
// iteration complexity for μ, ν > 0, of theorems nonsep:full … sep:minty.
func (c blockConstants) mixedAndPrimal(m theoryMethod, s scheme) (mixed, primal float64) {
	if m == fullVector {
		return c.g, c.l
	}
	worst := func(v []float64, weights ...[]float64) float64 { // √max v²/Πw
		top := 0.0
		for i, a := range v {
			r := a * a
			for _, w := range weights {
				r /= w[i]
			}
			if a > 0 {
				top = math.Max(top, r)
			}
		}
		return math.Sqrt(top)
	}
	total := func(v, p, r []float64) float64 { // √Σ v²/(p r²)
		sum := 0.0
		for i, a := range v {
			sum += a * a / (p[i] * r[i] * r[i])
		}
		return math.Sqrt(sum)
	}
	root := math.Sqrt(float64(len(c.gs)))
	switch m {
	case stochasticHistorical:
		return root * math.Max(worst(c.gs, s.p), worst(c.gs, s.q, s.gamma)), root * worst(c.ls, s.p, s.gamma)
	case stochasticReplacement:
		return math.Max(worst(c.gs, s.p, s.s, s.s), total(c.gs, s.q, s.r)), total(c.ls, s.p, s.r)
	case separableHistorical:
		return root * worst(c.gs, s.p), root * worst(c.ls, s.p, s.gamma)
	}
	return root * worst(c.gs, s.p), total(c.ls, s.p, s.r)
}
