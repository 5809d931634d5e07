package primaldual

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
)

// A proposition restates the conditions on (a_k) of one of the five methods, as
// the paper writes them.
type proposition struct {
	name   string
	theory *theory
	first  float64
	// slack returns right-hand side over left-hand side of every condition on a_k
	// (≥ 1: satisfied), k ≥ 2.
	slack func(a, A, prev, prevA float64) []float64
}

func sq(v float64) float64 { return v * v }

func maximum(c, p, gamma []float64) float64 { // √max_I c²/(p γ)
	m := 0.0
	for i, v := range c {
		m = math.Max(m, v*v/(p[i]*gamma[i]))
	}
	return math.Sqrt(m)
}

func propositions(m moduli, c constants, hist, repl, sepHist, sepRepl *sampler) []proposition {
	n := float64(len(c.gs))
	N := len(c.gs)
	one := make([]float64, N)
	engine.Fill(one, 1)
	wP, wD := historicalWeights(m, N)
	P := func(A float64) float64 { return A*m.mu + m.mu0 }
	D := func(A float64) float64 { return A*m.nu + m.nu0 }
	squares := func(v []float64) []float64 {
		w := make([]float64, len(v))
		for i, a := range v {
			w[i] = a * a
		}
		return w
	}
	total := func(c, p, r []float64) float64 {
		s := 0.0
		for i, v := range c {
			s += v * v / (p[i] * r[i] * r[i])
		}
		return math.Sqrt(s)
	}
	least := func(v []float64) float64 {
		m := math.Inf(1)
		for _, a := range v {
			m = math.Min(m, a)
		}
		return m
	}
	slow := func(a, prevA float64) float64 { // Lemma 6
		if m.nu == 0 {
			return math.Inf(1)
		}
		return D(prevA) / (4 * (n - 1)) / (a * m.nu)
	}
	var list []proposition
	// Proposition 1
	list = append(list, proposition{"full", fullConditions(m, c),
		math.Min(math.Sqrt(m.mu0*m.nu0)/(4*c.g), m.mu0/(4*math.Sqrt(2)*c.l)),
		func(a, A, prev, prevA float64) []float64 {
			return []float64{math.Sqrt(P(A)*D(prevA)) / (4 * c.g) / a, math.Sqrt(P(A)*P(prevA)) / (4 * math.Sqrt(2) * c.l) / a}
		}})
	// Proposition 2
	gp, lpg, gqg := maximum(c.gs, hist.p.p, one), maximum(c.ls, hist.p.p, hist.gamma), maximum(c.gs, hist.q.p, hist.gamma)
	list = append(list, proposition{"Proposition 2", historicConditions(m, c, hist, wP, wD),
		math.Min(math.Sqrt(wD*m.mu0*m.nu0)/(4*gp), math.Min(math.Sqrt(wP)*m.mu0/(4*math.Sqrt(2)*lpg),
			math.Sqrt(wP*m.mu0*m.nu0)/(4*gqg))),
		func(a, A, prev, prevA float64) []float64 {
			k := 4 * math.Sqrt(2) * a
			return []float64{math.Sqrt(wD*P(A)*D(prevA)) / gp / k, math.Sqrt(wP*P(A)*P(prevA)) / lpg / k,
				math.Sqrt(wP*D(A)*P(prevA)) / gqg / k,
				math.Max(prev, prevA/(2*n)) / a} // the growth that the decay conditions allow
		}})
	// Proposition 3
	gps, lpr, gqr := maximum(c.gs, repl.p.p, squares(repl.s.p)), total(c.ls, repl.p.p, repl.r.p), total(c.gs, repl.q.p,
		repl.r.p)
	rho := least(repl.r.p)
	both := math.Min(rho, least(repl.s.p))
	list = append(list, proposition{"Proposition 3", replacementConditions(m, c, repl),
		math.Min(math.Sqrt(m.mu0*m.nu0)/math.Max(gps, gqr), m.mu0/lpr) / 15,
		func(a, A, prev, prevA float64) []float64 {
			return []float64{math.Sqrt(P(A)*D(prevA)) / (30 * gps) / a, math.Sqrt(P(A)*P(prevA)) / (40 * lpr) / a,
				math.Sqrt(D(A)*P(prevA)) / (30 * gqr) / a,
				math.Sqrt((1+both/5)*sq(prev)/P(prevA)) / math.Sqrt(sq(a)/P(A)), math.Sqrt((1+rho/5)*sq(prev)/D(prevA)) / math.Sqrt(
					sq(a)/D(A))}
		}})
	// Proposition 4
	gp2, lpg2 := maximum(c.gs, sepHist.p.p, one), maximum(c.ls, sepHist.p.p, sepHist.gamma)
	list = append(list, proposition{"Proposition 4", separableHistoricConditions(m, c, sepHist, wP),
		math.Min(math.Sqrt((1-wP)*m.mu0*m.nu0)/(4*math.Sqrt(n)*gp2), math.Sqrt(wP*(1-wP))*m.mu0/(4*lpg2)),
		func(a, A, prev, prevA float64) []float64 {
			return []float64{math.Sqrt((1-wP)*P(A)*D(prevA)) / (4 * math.Sqrt(n) * gp2) / a,
				math.Sqrt(wP*(1-wP)*P(A)*P(prevA)) / (4 * lpg2) / a,
				slow(a, prevA), math.Max(prev, prevA/(2*n)) / a}
		}})
	// Proposition 5
	gp3, lpr3 := maximum(c.gs, sepRepl.p.p, one), total(c.ls, sepRepl.p.p, sepRepl.r.p)
	list = append(list, proposition{"Proposition 5", separableReplacementConditions(m, c, sepRepl),
		math.Min(math.Sqrt(m.mu0*m.nu0)/(4*math.Sqrt(2*n)*gp3), m.mu0/(30*lpr3)),
		func(a, A, prev, prevA float64) []float64 {
			return []float64{math.Sqrt(P(A)*D(prevA)) / (4 * math.Sqrt(2*n) * gp3) / a,
				math.Sqrt(P(A)*P(prevA)) / (30 * lpr3) / a,
				math.Sqrt((1+least(sepRepl.r.p)/5)*sq(prev)/P(prevA)) / math.Sqrt(sq(a)/P(A)), slow(a, prevA)}
		}})
	return list
}

func testConstants(gs, ls []float64) constants {
	c := constants{gs: gs, ls: ls}
	for i := range gs {
		c.lambdas = append(c.lambdas, math.Hypot(gs[i], ls[i]))
		c.g, c.l = math.Hypot(c.g, gs[i]), math.Max(c.l, ls[i])
	}
	return c
}

func scheduleCases(t *testing.T, each func(name string, m moduli, c constants, p proposition)) {
	t.Helper()
	scheduleCasesOf(t, testConstants([]float64{1, 3, 0.2, 1, 8}, []float64{0.5, 4, 0.1, 2, 0.7}), nil, []moduli{
		{0.1, 0.1, 0.2, 0.2}, {2, 2, 0.001, 0.001}, {0.1, 0.1, 0, 0.3}, {0, 0.4, 0.2, 0.2}, {0, 1, 0, 2},
		{1000, 1000, 1000, 1000}, {1000, 1000, 0, 1000}, {0, 1000, 1000, 1000}, // the growth is bound by the other conditions
	}, each)
}

func scheduleCasesOf(
	t *testing.T, c constants, draw *alias, of []moduli, each func(name string, m moduli, c constants, p proposition),
) {
	t.Helper()
	var s [4]*sampler
	for i, st := range []Strategy{Historical, Replacement, Historical, Replacement} {
		var err error
		if s[i], err = newSampler(st, draw != nil, c, i >= 2); err != nil {
			t.Fatal(err)
		}
		if draw != nil {
			s[i].s = draw
		}
	}
	for _, m := range of {
		for _, p := range propositions(m, c, s[0], s[1], s[2], s[3]) {
			each(fmt.Sprintf("%s, %+v", p.name, m), m, c, p)
		}
	}
}

// Every a_k satisfies the conditions of its proposition and is the largest: a
// millionth more violates one. Each condition is that one somewhere.
func TestSchedule_LargestAdmissible(t *testing.T) {
	binds := map[string][]bool{}
	each := func(name string, m moduli, c constants, p proposition) {
		first := p.first
		if m.nu > 0 && (p.name == "Proposition 4" || p.name == "Proposition 5") {
			first = math.Min(first, m.nu0/(4*float64(len(c.gs)-1)*m.nu)) // Lemma 6 at k = 1
		}
		a := p.theory.nextWeight(1, 0, 0)
		if !drotest.IsNear(a, first, drotest.ClosedForm, first) {
			t.Errorf("%s: a₁ = %v, want %v", name, a, first)
		}
		A := a
		for k := 2; k < 400 && A < 1e60; k++ {
			next := p.theory.nextWeight(k, A, a)
			worst := math.Inf(1)
			for i, s := range p.slack(next, A+next, a, A) {
				if s < 1-1e-9 {
					t.Fatalf("%s: a_%d = %v violates condition %d by %.3g", name, k, next, i, 1-s)
				}
				worst = min(worst, s)
			}
			more := next * (1 + 1e-6)
			violated := false
			slacks := p.slack(more, A+more, a, A)
			if binds[p.name] == nil {
				binds[p.name] = make([]bool, len(slacks))
			}
			for i, s := range slacks {
				violated = violated || s < 1-1e-9
				binds[p.name][i] = binds[p.name][i] || s < 1-1e-9
			}
			if !violated {
				t.Fatalf("%s: a_%d = %v is not the largest: every condition has slack ≥ %v", name, k, next, worst)
			}
			a, A = next, A+next
		}
	}
	scheduleCases(t, each)
	rare, err := newAlias([]float64{0.96, 0.01, 0.01, 0.01, 0.01}) // blocks that are hardly ever refreshed
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ gs, ls float64 }{{1, 1e-3}, {1e-3, 1}, {1e-3, 1e-3}} {
		for _, draw := range []*alias{nil, rare} {
			scheduleCasesOf(t, testConstants([]float64{1 * c.gs, 3 * c.gs, 0.2 * c.gs, 1 * c.gs, 8 * c.gs},
				[]float64{0.5 * c.ls, 4 * c.ls, 0.1 * c.ls, 2 * c.ls, 0.7 * c.ls}), draw, []moduli{
				{0.1, 0.1, 0.2, 0.2}, {0.001, 0.001, 2, 2}, {0.1, 0.1, 0, 0.3}, {0, 0.4, 0.2, 0.2}, {0, 1, 0, 2},
				{50, 0.1, 0.2, 0.2},
			}, each)
		}
	}
	for _, two := range []float64{1, 1e-3} { // blocks are the fewest that the lemma says something of
		scheduleCasesOf(t, testConstants([]float64{two, 3 * two}, []float64{two, 0.2 * two}), nil,
			[]moduli{{0.1, 0.1, 0.2, 0.2}, {50, 0.1, 0.2, 0.2}, {0, 0.4, 3, 3}}, each)
	}
	for name, of := range binds {
		for i, b := range of {
			if !b {
				t.Errorf("%s: condition %d binds nowhere", name, i)
			}
		}
	}
}

// The decay conditions, Equations (45) and (46), summing the
// series until its tail is negligible.
func TestDecay_MeetsTheConditions(t *testing.T) {
	scheduleCases(t, func(name string, m moduli, c constants, p proposition) {
		if p.name != "Proposition 2" && p.name != "Proposition 4" {
			return
		}
		const n, steps, tail = 5, 300, 600
		wP, wD := historicalWeights(m, n)
		As, as := []float64{0}, []float64{0}
		for k := 1; k <= steps+tail; k++ {
			as = append(as, p.theory.nextWeight(k, As[k-1], as[k-1]))
			As = append(As, As[k-1]+as[k])
		}
		check := func(side string, w, modulus float64) {
			if modulus == 0 {
				return
			}
			for l := 1; l < steps; l++ {
				s, weight := 0.0, 1.0
				for k := range tail {
					s += w * As[l+k] * weight
					weight *= 1 - 1./n
				}
				if s /= n; s > (w*As[l]+as[l])*(1+1e-9) {
					t.Fatalf("%s, %s: the sum at ℓ = %d is %v > %v", name, side, l, s, w*As[l]+as[l])
				}
			}
		}
		check("primal", wP, m.mu)
		if p.name == "Proposition 2" {
			check("dual", wD, m.nu)
		}
	})
}

// A constant that is zero imposes nothing: a bilinear coupling has L = 0.
func TestSchedule_BilinearCoupling(t *testing.T) {
	c := testConstants([]float64{1, 3, 0.2}, []float64{0, 0, 0})
	s, err := newSampler(Replacement, false, c, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []moduli{{0, 1, 0, 1}, {0.1, 0.1, 0, 1}, {0, 1, 0.1, 0.1}, {1, 1, 1, 1}} {
		for i, th := range []*theory{fullConditions(m, c), historicConditions(m, c, s, 0.1, 0.1),
			replacementConditions(m, c, s),
			separableHistoricConditions(m, c, s, 0.1), separableReplacementConditions(m, c, s)} {
			a, A := 0.0, 0.0
			for k := 1; k < 50; k++ {
				a = th.nextWeight(k, A, a)
				A += a
				if !(a > 0) || math.IsInf(a, 0) {
					t.Fatalf("method %d, %+v: a_%d = %v", i, m, k, a)
				}
			}
		}
	}
}

// So it is in the middle of a solve, where they have grown too large: the step after is as
// long.
func TestTemplate_RescalesLargeWeights(t *testing.T) {
	scheduleCases(t, func(name string, m moduli, _ constants, p proposition) {
		w := &template{theory: p.theory, m: m, k: 50, A: 2e120, a: 1e60}
		want := w.nextWeight() / w.A
		w.rescale()
		if got := w.nextWeight() / w.A; w.A != 2 || !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: A = %v after rescaling, a step of %v, %v before", name, w.A, got, want)
		}
	})
}
