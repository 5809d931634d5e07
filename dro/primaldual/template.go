package primaldual

import (
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/dro/saddle"
)

// An estimator provides the gradient estimates in which the methods of the paper differ.
type estimator interface {
	// estimatePrimal is subroutine 1. It stores ḡ_{k−1} in the template.
	estimatePrimal(t *template)

	// mixCenter replaces the template's center, the coordinates of x_{k−1}, by (1−w^P)x_{k−1} + w^P Σ_I γ_I
	// x̂_{k−1,I}.
	mixCenter(t *template)

	// stepDual is subroutine 2 and the dual update. It computes y_k from x_k.
	stepDual(t *template)

	// refresh is subroutine 3. It replaces comparison points.
	refresh(t *template)
}

// A template is the state of Alg. 1 of the paper: averaging weights, a primal and a dual proximal step, and three
// subroutines that the estimator of a method provides. An index that is negative refers to the initial value.
type template struct {
	problem   *saddle.Problem // the saddle-point problem to solve: that of the run, or its τ-lift
	estimator estimator
	prox      func(dst, g, center []float64, a, c float64) // the primal update, Equation (10)
	m         moduli
	theory    *theory // nil for the practical schedule
	stretch   float64 // step relative to the largest one that the conditions of the theory allow
	alpha     float64 // α of the practical schedule

	k        int
	a, aPrev float64 // a_k, a_{k−1}
	A        float64 // A_{k−1} during step k, and A_k afterwards

	x, xPrev []float64 // x_k, x_{k−1}
	u        []float64 // coordinates of x_k, which are x_k itself in the Euclidean geometry
	g        []float64 // ḡ_{k−1}
	center   []float64 // the mixed comparison point, in coordinates
	averageX []float64 // A_k⁻¹ Σ a_i x_i

	// drawn is x_t̂ for the random t̂ in §5 of the paper, where t̂ = k has probability a_k/A_t. It is updated
	// during the sequence: x_k replaces it with probability a_k/A_k.
	drawn     []float64
	drawSeed  *rand.PCG
	drawCoins *rand.Rand
}

func newTemplate(p *saddle.Problem, x0 []float64, seed uint64) *template {
	const stream = 0x7468617400
	d := len(x0)
	t := &template{problem: p, prox: p.Primal.ProxTo, stretch: 1, drawSeed: rand.NewPCG(seed, stream)}
	t.drawCoins = rand.New(t.drawSeed)
	for _, v := range []*[]float64{&t.x, &t.xPrev, &t.u, &t.g, &t.center, &t.averageX, &t.drawn} {
		*v = make([]float64, d)
	}
	t.begin(x0)
	return t
}

// begin restarts the sequences at x0.
func (t *template) begin(x0 []float64) {
	copy(t.x, x0)
	copy(t.xPrev, x0)
	copy(t.averageX, x0)
	copy(t.drawn, x0)
	t.coordsTo(t.u, t.x)
	t.k, t.a, t.aPrev, t.A = 0, 0, 0, 0
}

func (t *template) coordsTo(u, x []float64) {
	if geo, ok := t.problem.Primal.(saddle.Geometry); ok {
		geo.CoordsTo(u, x)
		return
	}
	copy(u, x)
}

// step performs one iteration of Alg. 1.
func (t *template) step() {
	t.k++
	t.aPrev, t.a = t.a, t.nextWeight()
	t.estimator.estimatePrimal(t)
	copy(t.center, t.u)
	t.estimator.mixCenter(t)
	copy(t.xPrev, t.x)
	t.prox(t.x, t.g, t.center, t.a, t.primalWeight())
	t.coordsTo(t.u, t.x)
	t.estimator.stepDual(t)
	t.estimator.refresh(t)
	t.A += t.a
	for i, v := range t.x {
		t.averageX[i] += t.a / t.A * (v - t.averageX[i])
	}
	if t.drawCoins.Float64()*t.A < t.a {
		copy(t.drawn, t.x)
	}
	t.rescale()
}

// primalWeight returns c_k = (A_{k−1}μ + μ₀)/2, and dualWeight e_k = (A_{k−1}ν + ν₀)/2.
func (t *template) primalWeight() float64 { return (t.A*t.m.mu + t.m.mu0) / 2 }

func (t *template) dualWeight() float64 { return (t.A*t.m.nu + t.m.nu0) / 2 }

func (t *template) nextWeight() float64 {
	// limit for the case that the constants are zero or nearly zero, so that hardly any condition bounds a step
	const most = 1e30
	if t.theory != nil {
		return min(t.stretch*t.theory.nextWeight(t.k, t.A, t.a), most*(t.A+1))
	}
	switch {
	case t.m.mu > 0 && t.m.nu > 0:
		return t.alpha * (t.A + t.m.mu0/t.m.mu) // A₀ is μ₀/μ = ν₀/ν, which is 1 at the start
	case t.m.mu > 0:
		return t.alpha * float64(t.k)
	}
	return t.alpha
}

// rescale divides every weight by the same number before they overflow, since only their ratios matter. It panics
// if they have overflowed already.
func (t *template) rescale() {
	const large = 1e120 // far from overflow, even when squared
	if t.A < large {
		return
	}
	for _, v := range []*float64{&t.a, &t.aPrev, &t.A, &t.m.mu0, &t.m.nu0} {
		*v /= large
	}
	if t.theory != nil {
		t.theory.rescale(large)
	}
	if math.IsInf(t.A, 1) {
		panic("dro: averaging weights overflowed")
	}
}

// A comparison holds the primal historical regularisation: the table x̂_{k,I} and its weighted mean, in coordinates
// (Equation (42)). The practical schedule also keeps it if there is no regularisation.
type comparison struct {
	d     int       // coordinates
	w     float64   // w^P
	gamma []float64 // γ
	hat   []float64 // of length N·d; nil if not kept
	mean  []float64 // Σ γ_I x̂_I
}

func newComparison(w float64, gamma []float64, d int, kept bool) *comparison {
	c := &comparison{d: d, w: w, gamma: gamma}
	if w > 0 || kept {
		c.hat, c.mean = make([]float64, len(gamma)*d), make([]float64, d)
	}
	return c
}

func (c *comparison) begin(u []float64) {
	if c.hat == nil {
		return
	}
	for i := range c.gamma {
		copy(c.hat[i*len(u):], u)
	}
	copy(c.mean, u)
}

func (c *comparison) mixCenter(center []float64) {
	if c.w == 0 {
		return
	}
	for i, v := range center {
		center[i] = (1-c.w)*v + c.w*c.mean[i]
	}
}

// replace sets the comparison point of block I to u.
func (c *comparison) replace(block int, u []float64) {
	if c.hat == nil {
		return
	}
	hat := c.hat[block*len(u) : (block+1)*len(u)]
	for i, v := range u {
		c.mean[i] += c.gamma[block] * (v - hat[i])
		hat[i] = v
	}
}
