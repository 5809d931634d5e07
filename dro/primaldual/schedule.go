package primaldual

import (
	"math"
	"slices"
)

// A Schedule chooses the averaging sequence a_k of the template.
type Schedule int

const (
	// Practical follows the advice of the paper (end of §3.1): a_k = α·A_{k−1} if μ, ν > 0, a_k ∝ k if only μ >
	// 0, and constant a_k otherwise, where the program determines α. It is the default.
	Practical Schedule = iota

	// Theory is the largest a_k that the conditions of the method's proposition allow (Propositions 1 to 5).
	// The growth of a_k follows from the conditions: (1+α)^k if μ, ν > 0, k if only μ > 0, and constant in the
	// end otherwise.
	Theory
)

// A rate is the condition a_k² ≤ c·(A_k·now + now0)(A_{k−1}·prev + prev0).
type rate struct {
	c          float64
	now, now0  float64 // modulus and offset of the factor at A_k
	prev, prv0 float64 // values of the factor at A_{k−1}
}

// A growth is the condition a_k²/(A_k·m + m0) ≤ (1+g)·a_{k−1}²/(A_{k−1}·m + m0).
type growth struct{ g, m, m0 float64 }

// A theory holds the conditions of one proposition.
type theory struct {
	first  float64 // a_1
	rates  []rate
	growth []growth

	// cap bounds a_k ≤ cap·A_{k−1} for k ≥ 2: the decay conditions of historical
	// regularisation, Equation (45); +Inf if none.
	cap float64

	// slow, slow0 bound a_k ≤ A_{k−1}·slow + slow0: Lemma 6,
	// a_k ν ≤ (A_{k−1}ν + ν₀)/(4(N−1)); +Inf if none.
	slow, slow0 float64
}

// largestWeight returns the largest a with a² ≤ c((A+a)·m + m0): the root of a
// quadratic.
func largestWeight(c, A, m, m0 float64) float64 {
	if math.IsInf(c, 1) {
		return c // a constant of zero imposes no condition, regardless of m
	}
	return (c*m + math.Sqrt(c*c*m*m+4*c*(A*m+m0))) / 2
}

// nextWeight returns a_k given k ≥ 1, A_{k−1} and a_{k−1}.
func (t *theory) nextWeight(k int, A, prev float64) float64 {
	if k == 1 {
		return min(t.first, t.slow0)
	}
	a := math.Inf(1)
	for _, r := range t.rates {
		a = min(a, largestWeight(r.c*(A*r.prev+r.prv0), A, r.now, r.now0))
	}
	for _, g := range t.growth {
		a = min(a, largestWeight((1+g.g)*prev*prev/(A*g.m+g.m0), A, g.m, g.m0))
	}
	a = min(a, A*t.slow+t.slow0)
	return min(a, max(prev, A*t.cap)) // a constant sequence always meets the decay conditions
}

// moduli holds the moduli of strong convexity of the two sides, and the offsets μ₀, ν₀ > 0 by which one analysis
// covers moduli of zero.
type moduli struct{ mu, mu0, nu, nu0 float64 }

func (m moduli) primalDual(c float64) rate { return rate{c, m.mu, m.mu0, m.nu, m.nu0} }

func (m moduli) primalPrimal(c float64) rate { return rate{c, m.mu, m.mu0, m.mu, m.mu0} }

func (m moduli) dualPrimal(c float64) rate { return rate{c, m.nu, m.nu0, m.mu, m.mu0} }

// squaredRatio returns (num/den)², or +Inf if den = 0, since a zero constant imposes no condition.
func squaredRatio(num, den float64) float64 {
	if den == 0 {
		return math.Inf(1)
	}
	return (num / den) * (num / den)
}

// fullConditions returns the conditions of Proposition 1.
func fullConditions(m moduli, c constants) *theory {
	return &theory{
		first: 0.25 * min(math.Sqrt(m.mu0*m.nu0)/c.g, m.mu0/(math.Sqrt2*c.l)),
		rates: []rate{m.primalDual(squaredRatio(0.25, c.g)), m.primalPrimal(squaredRatio(0.25, math.Sqrt2*c.l))},
		cap:   math.Inf(1), slow0: math.Inf(1),
	}
}

// historicConditions returns the conditions of Proposition 2 for w^P and w^D and for the sampling probabilities p,
// q and weights γ.
func historicConditions(m moduli, c constants, s *sampler, wP, wD float64) *theory {
	gp := maxRatio(c.gs, s.p.p, nil)
	lpg := maxRatio(c.ls, s.p.p, s.gamma)
	gqg := maxRatio(c.gs, s.q.p, s.gamma)
	k := 1 / (4 * math.Sqrt2)
	return &theory{
		first: min(math.Sqrt(wD*m.mu0*m.nu0)/(4*gp), math.Sqrt(wP)*m.mu0/(4*math.Sqrt2*lpg),
			math.Sqrt(wP*m.mu0*m.nu0)/(4*gqg)),
		rates: []rate{
			m.primalDual(wD * squaredRatio(k, gp)), m.primalPrimal(wP * squaredRatio(k, lpg)),
			m.dualPrimal(wP * squaredRatio(k, gqg)),
		},
		cap: 1 / (2 * float64(len(c.gs))), slow0: math.Inf(1),
	}
}

// replacementConditions returns the conditions of Proposition 3.
func replacementConditions(m moduli, c constants, s *sampler) *theory {
	gps := maxRatio2(c.gs, s.p.p, s.s.p)
	lpr := sumRatio2(c.ls, s.p.p, s.r.p)
	gqr := sumRatio2(c.gs, s.q.p, s.r.p)
	r := slices.Min(s.r.p)
	return &theory{
		first: min(math.Sqrt(m.mu0*m.nu0)/max(gps, gqr), m.mu0/lpr) / 15,
		rates: []rate{
			m.primalDual(squaredRatio(1.0/30, gps)), m.primalPrimal(squaredRatio(1.0/40, lpr)),
			m.dualPrimal(squaredRatio(1.0/30, gqr)),
		},
		growth: []growth{{min(slices.Min(s.s.p), r) / 5, m.mu, m.mu0}, {r / 5, m.nu, m.nu0}},
		cap:    math.Inf(1), slow0: math.Inf(1),
	}
}

// separableHistoricConditions returns the conditions of Proposition 4 and of Lemma 6.
func separableHistoricConditions(m moduli, c constants, s *sampler, wP float64) *theory {
	n := float64(len(c.gs))
	gp := maxRatio(c.gs, s.p.p, nil)
	lpg := maxRatio(c.ls, s.p.p, s.gamma)
	t := &theory{
		first: min(math.Sqrt((1-wP)*m.mu0*m.nu0)/(4*math.Sqrt(n)*gp), math.Sqrt(wP*(1-wP))*m.mu0/(4*lpg)),
		rates: []rate{
			m.primalDual((1 - wP) * squaredRatio(0.25, math.Sqrt(n)*gp)),
			m.primalPrimal(wP * (1 - wP) * squaredRatio(0.25, lpg)),
		},
		cap: 1 / (2 * n),
	}
	t.slow, t.slow0 = blockUpdateLimits(m, n)
	return t
}

// separableReplacementConditions returns the conditions of Proposition 5 and of Lemma 6.
func separableReplacementConditions(m moduli, c constants, s *sampler) *theory {
	n := float64(len(c.gs))
	gp := maxRatio(c.gs, s.p.p, nil)
	lpr := sumRatio2(c.ls, s.p.p, s.r.p)
	t := &theory{
		first: min(math.Sqrt(m.mu0*m.nu0)/(4*math.Sqrt2*math.Sqrt(n)*gp), m.mu0/(30*lpr)),
		rates: []rate{
			m.primalDual(squaredRatio(1/(4*math.Sqrt2), math.Sqrt(n)*gp)), m.primalPrimal(squaredRatio(1.0/30, lpr)),
		},
		growth: []growth{{slices.Min(s.r.p) / 5, m.mu, m.mu0}},
		cap:    math.Inf(1),
	}
	t.slow, t.slow0 = blockUpdateLimits(m, n)
	return t
}

// blockUpdateLimits returns slow and slow0 of a theory for the condition of Lemma 6 with n blocks.
func blockUpdateLimits(m moduli, n float64) (slow, slow0 float64) {
	if m.nu == 0 || n == 1 {
		return 0, math.Inf(1)
	}
	return 1 / (4 * (n - 1)), m.nu0 / (4 * (n - 1) * m.nu)
}

// maxRatio returns √max_I c_I²/(p_I γ_I); the factor γ_I is omitted if gamma is nil.
func maxRatio(c, p, gamma []float64) float64 {
	m := 0.0
	for i, v := range c {
		if v == 0 {
			continue
		}
		r := v * v / p[i]
		if gamma != nil {
			r /= gamma[i]
		}
		m = max(m, r)
	}
	return math.Sqrt(m)
}

// maxRatio2 returns √max_I c_I²/(p_I s_I²).
func maxRatio2(c, p, s []float64) float64 {
	m := 0.0
	for i, v := range c {
		m = max(m, v*v/(p[i]*s[i]*s[i]))
	}
	return math.Sqrt(m)
}

// sumRatio2 returns √Σ_I c_I²/(p_I r_I²).
func sumRatio2(c, p, r []float64) float64 {
	m := 0.0
	for i, v := range c {
		m += v * v / (p[i] * r[i] * r[i])
	}
	return math.Sqrt(m)
}

// rescale adapts the conditions to weights a_k that are divided by the given number.
func (t *theory) rescale(by float64) {
	t.slow0 /= by
	for i := range t.rates {
		t.rates[i].now0 /= by
		t.rates[i].prv0 /= by
	}
	for i := range t.growth {
		t.growth[i].m0 /= by
	}
}
