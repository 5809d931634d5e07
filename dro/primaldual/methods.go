package primaldual

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/saddle"
)

// FullVector is the full vector update method (Alg. 2). Each step takes one pass.
type FullVector struct {
	Schedule Schedule
}

// Stochastic is the method for any dual set (Alg. 3 with Historical, Alg. 4 with Replacement). A step costs O(b·d +
// n) for blocks of b samples, so blocks should have at least n/d samples. The practical schedule requires the
// Hessian of the objective; for problems without one, FullVector takes far fewer passes.
type Stochastic struct {
	Strategy Strategy
	Schedule Schedule
	Block    int  // number of samples in a block; 0 means the larger of n/64 and min(d, n/8)
	Uniform  bool // blocks are drawn uniformly instead of according to their constants
}

// SeparableBlock is the method for dual-separable problems (Alg. 5 with Historical, Alg. 6 with Replacement). A
// problem on the simplex is solved through its τ-lift. A step costs O(b·d) for blocks of b samples and does not
// access any vector of length n as a whole. The practical schedule requires the Hessian of the objective; for problems
// without one, FullVector takes far fewer passes.
type SeparableBlock struct {
	Strategy Strategy
	Schedule Schedule
	// number of samples in a block; 0 means the larger of n/512 and min(d/2, n/8) if a step touches one block, and
	// otherwise the larger of n/64 and min(d, n/8)
	Block   int
	Uniform bool // blocks are drawn uniformly instead of according to their constants

	// ThreeTouches keeps the independent blocks P, Q and R of the paper in the practical schedule, which
	// otherwise sets P_{k+1} = Q_k = R_k and visits the blocks in shuffled order. The theoretical schedule
	// always uses independent blocks.
	ThreeTouches bool
}

var (
	_ saddle.Method = FullVector{}
	_ saddle.Method = Stochastic{}
	_ saddle.Method = SeparableBlock{}
)

// Name implements Method.
func (FullVector) Name() string { return "full" }

// Name implements Method.
func (Stochastic) Name() string { return "stochastic" }

// Name implements Method.
func (SeparableBlock) Name() string { return "separable" }

const (
	// separableBlocks is the default number of blocks of the separable method if a step touches one block, and
	// stochasticBlocks that of the stochastic method and of a step that touches three blocks.
	stochasticBlocks = 64
	separableBlocks  = 512
)

// partition divides the samples into blocks of size b, or of the default size if b = 0.
func partition(n, d, b int) (blocks, error) {
	if b == 0 {
		b = min(n, max((n+stochasticBlocks-1)/stochasticBlocks, min(d, (n+7)/8)))
	}
	return evenBlocks(n, b)
}

// defaultBlockSize returns the default block size of the separable method if a step touches one block: n/512, but
// enough rows that evaluating them costs more than a step in a metric with d columns.
func defaultBlockSize(n, d int) int {
	return min(n, max((n+separableBlocks-1)/separableBlocks, min((d+1)/2, (n+7)/8)))
}

// Start implements Method.
func (m FullVector) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	p := r.Problem
	isAdaptive := m.Schedule == Practical && !newton.IsFormable(p)
	if isAdaptive {
		p = withEuclideanGeometry(p)
	}
	mirror, ok := mirrorOf(p.Dual)
	if !ok {
		return nil, errors.New("dro: " + m.Name() + " needs " + needMirror.What)
	}
	estimator := newFullEstimator(mirror, r.Cert.Evaluator)
	t := newTemplate(p, r.Start, r.Settings.Seed)
	offerDrawn(r, t)
	r.UseDualAsResultWeights()
	t.estimator = estimator
	w := &iteration{Run: r, template: t, y: func() []float64 { return estimator.y }, averageY: estimator.averageY,
		linearisation: estimator.linearisation,
		begin:         func(_, y, g []float64) { estimator.begin(y, g) }}
	if m.Schedule == Practical && !isAdaptive {
		return newPractical(w, false, 1, 1, 1), nil
	}
	c, err := constantsOf(r, p, blocks{[]int{0, r.Cert.N}}, r.Start, true)
	if err != nil {
		return nil, err
	}
	if isAdaptive {
		restarted := newRestarted(w, estimator)
		w.useTheory(c, fullConditions)
		return restarted, nil
	}
	w.useTheory(c, fullConditions)
	return w, nil
}

// Start implements Method.
func (m Stochastic) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	mirror, ok := mirrorOf(r.Problem.Dual)
	if !ok {
		return nil, errors.New("dro: " + m.Name() + " needs " + needMirror.What)
	}
	b, err := partition(r.Cert.N, r.Cert.D, m.Block)
	if err != nil {
		return nil, err
	}
	theoretical := m.Schedule == Theory
	c, err := constantsOf(r, r.Problem, b, r.Start, theoretical)
	if err != nil {
		return nil, err
	}
	s, err := newSampler(m.Strategy, m.Uniform, c, false)
	if err != nil {
		return nil, err
	}
	mo := moduliOf(r.Problem, c)
	wP, wD := 0.0, 0.0
	if m.Strategy == Historical {
		wP, wD = historicalWeights(mo, b.count())
	}
	estimator := newStochasticEstimator(newWorker(r.Problem.Oracle, r.Cert.Evaluator), mirror, b, s, r.Rng(),
		newComparison(wP, s.gamma, r.Cert.Evaluator.D, !theoretical))
	estimator.wD = wD
	t := newTemplate(r.Problem, r.Start, r.Settings.Seed)
	offerDrawn(r, t)
	r.UseDualAsResultWeights()
	t.estimator = estimator
	w := &iteration{Run: r, template: t, y: func() []float64 { return estimator.y }, averageY: estimator.averageY,
		linearisation: estimator.linearisation,
		begin:         estimator.begin}
	if theoretical {
		w.useTheory(c, func(mo moduli, c constants) *theory {
			if m.Strategy == Historical {
				return historicConditions(mo, c, s, wP, wD)
			}
			return replacementConditions(mo, c, s)
		})
		return w, nil
	}
	return newPractical(w, false, 0.25/float64(b.count()), b.count(), 1), nil
}

// Start implements Method.
func (m SeparableBlock) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	p, lifted := r.Problem, false
	separable, ok := p.Dual.(saddle.Separable)
	if !ok {
		var err error
		if p, separable, err = lift(p); err != nil {
			return nil, fmt.Errorf("%w: %s cannot be used", err, m.Name())
		}
		lifted = true
	}
	theoretical := m.Schedule == Theory
	tied := !theoretical && !m.ThreeTouches
	size := m.Block
	if size == 0 && tied {
		size = defaultBlockSize(r.Cert.N, r.Cert.D)
	}
	b, err := partition(r.Cert.N, r.Cert.D, size)
	if err != nil {
		return nil, err
	}
	c := equalConstants(b.count()) // tied blocks are visited equally often
	if theoretical || m.ThreeTouches {
		if c, err = constantsOf(r, p, b, r.Start, theoretical); err != nil {
			return nil, err
		}
	}
	s, err := newSampler(m.Strategy, m.Uniform, c, true)
	if err != nil {
		return nil, err
	}
	mo := moduliOf(p, c)
	wP := 0.0
	if m.Strategy == Historical {
		wP, _ = historicalWeights(mo, b.count())
	}
	x0 := r.Start
	if lifted {
		x0 = append(append([]float64(nil), x0...), 0) // τ is set when the iteration begins
	}
	estimator := newSeparableEstimator(newWorker(p.Oracle, r.Cert.Evaluator), separable, b, s, r.Rng(),
		newComparison(wP, s.gamma, len(x0), !theoretical))
	t := newTemplate(p, x0, r.Settings.Seed)
	offerDrawn(r, t)
	r.UseDualAsResultWeights()
	t.estimator = estimator
	w := &iteration{Run: r, template: t, lifted: lifted, begin: estimator.begin, linearisation: estimator.linearisation}
	w.y = func() []float64 { return estimator.y }
	if mirror, ok := mirrorOf(r.Problem.Dual); ok && lifted {
		w.y = func() []float64 { return projectWeights(mirror, estimator.y) }
	}
	if tied {
		estimator.tieBlocks()
	}
	if theoretical {
		w.useTheory(c, func(mo moduli, c constants) *theory {
			if m.Strategy == Historical {
				return separableHistoricConditions(mo, c, s, wP)
			}
			return separableReplacementConditions(mo, c, s)
		})
		return w, nil
	}
	maxWeight := 1.0
	if tied {
		maxWeight = min(4*firstWeight, float64(b.count())/4)
	}
	return newPractical(w, lifted, 0.5/float64(b.count()), b.count(), max(1, maxWeight)), nil
}

// projectWeights returns the point of the dual set nearest to y ≥ 0 in its geometry, computed by a proximal step
// without losses.
func projectWeights(dual saddle.Mirror, y []float64) []float64 {
	n := len(y)
	u, out := make([]float64, n), make([]float64, n)
	dual.CoordsTo(u, y)
	dual.ProxTo(u, out, make([]float64, n), u, u, 0, 1, 0)
	return out
}

// historicalWeights returns w^P and w^D of Theorems 2 and 4. The weight is 1/N for a side without a modulus, on which
// no condition is imposed, and 1/(2N) for a side with a modulus (math: §7). For a side with a modulus, the paper has
// 1/N up to constants, but 1/N² for Alg. 3 if the other side has no modulus; its schedule does not require the smaller
// weight.
func historicalWeights(m moduli, blocks int) (wP, wD float64) {
	n := float64(blocks)
	wP, wD = 1/n, 1/n
	if m.mu > 0 {
		wP /= 2
	}
	if m.nu > 0 {
		wD /= 2
	}
	return min(wP, 0.5), min(wD, 0.5)
}

// constantsOf returns the Lipschitz constants of p at x. G_J is a bound of a spectral norm if spectral is set, and
// √(Σ H_j²) otherwise. It takes one pass for the constants of the samples, in addition to the passes for the norms.
func constantsOf(r *engine.Run, p *saddle.Problem, b blocks, x []float64, spectral bool) (constants, error) {
	h, m, err := sampleConstants(r, x)
	if err != nil {
		return constants{}, err
	}
	norm, ok := p.Dual.(saddle.Normed)
	if !ok {
		return constants{}, fmt.Errorf("dro: the dual does not state its norm")
	}
	o := r.Problem.Oracle
	if !spectral {
		o = struct{ saddle.Oracle }{o} // hides the methods with which the norms are computed
	}
	c := newConstants(o, norm, spectral && p != r.Problem, b, constantsOfSamples{h, m}, r.Cert.Spend)
	if !spectral { // in the practical schedule, where G_J, L_J and the constant of τ have different units
		c.lambdas = c.gs
	}
	if math.IsInf(norm.TotalWeight(r.Cert.N), 1) && (math.IsInf(c.l, 1) || math.IsInf(c.g, 1)) {
		return constants{}, fmt.Errorf(
			"dro: the theoretical step sizes require a bound on the adversary's weights if a loss is not linear: bound the " +
				"weights")
	}
	for _, v := range append([]float64{c.g, c.l}, slices.Concat(c.gs, c.ls, c.lambdas)...) {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			largest := r.Cert.Rows.Max(r.Cert.N, func(lo, hi int) float64 { return slices.Max(h[lo:hi]) })
			return constants{}, fmt.Errorf(
				"dro: the losses have Lipschitz constants of up to %.3g, whose squares overflow, so the theoretical step sizes "+
					"do not exist (for a Huber δ far above all residuals, use the squared loss)", largest)
		}
	}
	return c, nil
}

// sampleConstants returns H_j and M_j at x. It takes one pass.
func sampleConstants(r *engine.Run, x []float64) (h, m []float64, err error) {
	o, ok := r.Problem.Oracle.(saddle.Conditioned)
	if !ok {
		return nil, nil, errors.New("dro: " + needConstants.What + " is needed")
	}
	r.Cert.Spend(1)
	h, m = r.Cert.Vector(r.Cert.N), r.Cert.Vector(r.Cert.N)
	o.ConstantsTo(h, m, x)
	for j := range h {
		if math.IsNaN(h[j]) || math.IsNaN(m[j]) || math.IsInf(h[j], 0) || math.IsInf(m[j], 0) {
			if err := newton.CheckOverflow(r.Problem.Oracle); err != nil {
				return nil, nil, err
			}
			return nil, nil, fmt.Errorf("dro: the constants of sample %d are not finite: H = %v, M = %v", j, h[j], m[j])
		}
	}
	return h, m, nil
}

// moduliOf returns the moduli of p as the analysis of the method defines them, with offsets μ₀, ν₀ that balance the two
// terms of a_1.
func moduliOf(p *saddle.Problem, c constants) moduli {
	m := moduli{mu: p.Primal.Modulus(), nu: p.Dual.Modulus()}
	if engine.FreeCount(p.Primal) > 0 {
		m.mu = 0 // not strongly convex in the free coordinate
	}
	m.mu0, m.nu0 = m.mu, m.nu
	balance := 1.0
	if c.l > 0 && c.g > 0 {
		balance = c.g * c.g / (2 * c.l * c.l) // ν₀/μ₀
	}
	switch {
	case m.mu0 == 0 && m.nu0 == 0:
		m.mu0, m.nu0 = 1, balance
	case m.mu0 == 0:
		m.mu0 = m.nu0 / balance
	case m.nu0 == 0:
		m.nu0 = m.mu0 * balance
	}
	return m
}

// scheduleNeeds returns the conditions that a schedule imposes on a problem.
func scheduleNeeds(s Schedule) []saddle.Need {
	if s == Theory {
		return []saddle.Need{needConstants, needNorm}
	}
	return []saddle.Need{newton.UnlessFormable(needConstants), newton.UnlessFormable(needNorm)}
}

// Needs implements Method.
func (m FullVector) Needs() []saddle.Need {
	return append([]saddle.Need{needMirror, needLocalRows}, scheduleNeeds(m.Schedule)...)
}

// needMetric is the condition of the adaptive schedule with blocks: a Hessian. Without a Hessian, its steps would be as
// short as in the theory and would take many times the passes of FullVector.
var needMetric = saddle.Need{What: "a Hessian of the objective (second derivatives, ν > 0 or given weights, the L2 " +
	"regulariser, at most 2000 parameters); without one, full (primaldual.FullVector) takes far fewer passes",
	Holds: newton.IsFormable}

// Needs implements Method. The sampling of blocks requires the constants with either schedule.
func (m Stochastic) Needs() []saddle.Need {
	needs := []saddle.Need{needMirror, needLocalRows, needConstants, needNorm}
	if m.Schedule == Practical {
		needs = append(needs, needMetric)
	}
	return needs
}

// Needs implements Method.
func (m SeparableBlock) Needs() []saddle.Need {
	needs := []saddle.Need{needBlocks, needLocalRows}
	if m.Schedule == Theory || m.ThreeTouches {
		needs = append(needs, needConstants)
	}
	if m.Schedule == Practical {
		needs = append(needs, needMetric)
	}
	return needs
}
