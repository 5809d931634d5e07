package hunt

import (
	"math"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// A composed is a problem of sides that the commands do not offer, and of parts that a
// program might bring itself. There is no exact arithmetic for it.
type composed struct {
	problem  *dro.Problem
	onWord   bool // nobody says how the oracle rounds
	unit     bool // weights sum to one
	positive bool // weights are ≥ 0
}

// compose puts together an oracle, a dual and a primal, each of the library or with the
// required methods alone.
func (d *drawing) compose() {
	c := &composed{unit: true, positive: true}
	simplex := d.one(5)
	oracle, err := d.oracle(c, simplex)
	if err != nil {
		panic(err)
	}
	c.problem = &dro.Problem{Oracle: oracle, Dual: d.side(c), Primal: d.regulariser(oracle, simplex)}
	d.own, d.X0, d.Kind, d.Wide, d.Loss = c, nil, "composed", true, "own"
	if simplex && d.one(3) {
		d.X0 = make([]float64, d.D)
		d.X0[d.IntN(d.D)] = 1
	}
	d.tell("composed of %T, %T %+.6g, %T %+v", oracle, c.problem.Dual, d.Nu, c.problem.Primal, c.problem.Primal)
}

// mild returns as many numbers of moderate size.
func (d *drawing) mild(n int) []float64 {
	v, size := make([]float64, n), d.power(-2, 2)
	for i := range v {
		v[i] = size * d.NormFloat64()
	}
	return v
}

func (d *drawing) oracle(c *composed, simplex bool) (dro.Oracle, error) {
	rows := d.mild(d.N * d.D)
	kind := d.IntN(6)
	if kind == 5 {
		rows = d.Rows // as they are, for an oracle that says how it rounds
	} else {
		c.onWord, d.Intercept = true, false
	}
	switch kind {
	case 0:
		return dro.NewBilinear(d.N, d.D, rows, d.mild(d.N), simplex)
	case 1:
		return distances{d.D, rows, d.IntN(3)}, nil
	}
	z, err := design.NewDense(d.N, d.D, rows)
	if err != nil {
		return nil, err
	}
	if kind == 2 {
		target := make([]float64, d.N)
		for j := range target {
			target[j] = float64(d.IntN(5))
		}
		return losses.NewLinear(poisson{}, z, target)
	}
	loss, err := losses.Parse(d.Loss, d.Delta)
	if err != nil {
		return nil, err
	}
	target := d.Target
	if kind != 5 && d.Loss != "logistic" {
		target = d.mild(d.N)
	}
	o, err := losses.NewLinear(loss, z, target)
	switch kind {
	case 3:
		return bare{o}, err
	case 4:
		return curved{bare{o}, o}, err
	}
	return o, err
}

func (d *drawing) side(c *composed) dro.Dual {
	if d.Nu = 0; !d.one(3) {
		d.Nu = d.power(-4, 3)
	}
	limit := math.Inf(1)
	if d.one(2) {
		limit = d.power(-3, 1)
	}
	positive := max(d.Nu, 1e-3)
	switch d.IntN(14) {
	case 0, 1:
		c.unit, d.Nu = false, positive
		return dro.Box{Upper: limit, Nu: positive}
	case 2:
		c.unit = false
		return dro.Box{Upper: d.power(-3, 1), Nu: d.Nu}
	case 3:
		c.unit = false
		return dro.OrthantKL{Nu: positive, Cap: d.power(-3, 1)}
	case 4:
		c.unit, d.Nu = false, positive
		return dro.OrthantChiSquare{Nu: positive, Cap: limit}
	case 5:
		c.unit = false
		return dro.OrthantChiSquare{Nu: d.Nu, Cap: d.power(-3, 1)}
	case 6, 7:
		groups := 1 + d.IntN(min(d.N, 4))
		g := spread{nu: positive, group: make([]int, d.N), size: make([]float64, groups)}
		for j := range g.group {
			if g.group[j] = d.IntN(groups); j < groups {
				g.group[j] = j
			}
			g.size[g.group[j]]++
		}
		return g
	case 8:
		return changed{dro.KL{Nu: positive}}
	}
	d.Group, d.Share, d.Other, d.Adjust, d.Weights, d.Radius, d.Alpha, d.Cap = nil, nil, nil, nil, nil, 0, 0, 0
	for d.adversary(); d.Kind == "separate"; {
		d.adversary()
	}
	dual, err := d.dual()
	if err != nil {
		panic(err)
	}
	return dual
}

func (d *drawing) regulariser(o dro.Oracle, simplex bool) dro.Primal {
	switch _, _, slope := o.Dims(); {
	case simplex:
		return dro.Entropy{Mu: d.Mu}
	case d.one(3):
		return centred{mu: max(d.Mu, 1e-6), at: d.mild(d.D)}
	case d.one(3):
		return ball{mu: d.Mu, most: d.power(-2, 2)}
	case slope == 1 && d.Intercept:
		return dro.L2{Mu: d.Mu, Intercept: true, FreeModulus: d.power(-3, 3)}
	}
	return dro.L2{Mu: d.Mu}
}

// bare has the methods of an oracle alone.
type bare struct{ dro.Oracle }

// curved has second derivatives besides, and no more.
type curved struct {
	bare
	of *losses.Linear
}

func (c curved) CurvatureTo(curvature, slope []float64, lo, hi int) {
	c.of.CurvatureTo(curvature, slope, lo, hi)
}
func (c curved) AddGramTo(dst, weight []float64, lo, hi int) { c.of.AddGramTo(dst, weight, lo, hi) }

// distances are from points: √(1 + ‖x − c‖²), half the square, or the largest coordinate of
// |x − c|, which has kinks. A slope is a gradient.
type distances struct {
	d       int
	centres []float64
	kind    int
}

func (o distances) Dims() (n, d, slope int) { return len(o.centres) / o.d, o.d, o.d }

func (o distances) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		g, square, far := slope[j*o.d:(j+1)*o.d], 0.0, 0
		for i := range g {
			g[i] = x[i] - o.centres[j*o.d+i]
			square += g[i] * g[i]
			if math.Abs(g[i]) > math.Abs(g[far]) {
				far = i
			}
		}
		switch o.kind {
		case 0:
			value[j] = math.Sqrt(1 + square)
			for i := range g {
				g[i] /= value[j]
			}
		case 1:
			value[j] = square / 2
		default:
			v := g[far]
			clear(g)
			value[j], g[far] = math.Abs(v), math.Copysign(1, v)
		}
	}
}

func (o distances) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		for i := range dst {
			dst[i] += weight[j] * slope[j*o.d+i]
		}
	}
}

// poisson is e^m − tm, less its minimum: a loss without a largest curvature.
type poisson struct{}

func (poisson) Name() string { return "poisson" }

func (poisson) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		t, least := target[i], 0.0
		if t > 0 {
			least = t - t*math.Log(t)
		}
		value[i] = max(0, math.Exp(m)-t*m-least)
		slope[i] = math.Exp(m) - t
	}
}

func (poisson) CurvatureTo(curvature, slope, target []float64) {
	for i := range slope {
		curvature[i] = slope[i] + target[i]
	}
}

func (poisson) CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64) {
	for i := range slope {
		curvature[i] = 0.95 * max(0, slope[i]+target[i]-1e-12*target[i])
	}
	return math.Inf(1), 1
}

func (poisson) Lipschitz() float64  { return math.Inf(1) }
func (poisson) Smoothness() float64 { return math.Inf(1) }

// spread weighs groups of samples by relative entropy, with the methods of a dual alone.
type spread struct {
	nu    float64
	group []int
	size  []float64
}

func (g spread) Modulus() float64 { return g.nu }

func (g spread) Value(y []float64) float64 {
	q, s := make([]float64, len(g.size)), 0.0
	for j, v := range y {
		q[g.group[j]] += v
	}
	for _, v := range q {
		if v > 0 {
			s += v * math.Log(float64(len(q))*v)
		}
	}
	return g.nu * s
}

func (g spread) BestResponseTo(y, f []float64) (risk, tau float64) {
	mean, top, sum := make([]float64, len(g.size)), math.Inf(-1), 0.0
	for j, v := range f {
		mean[g.group[j]] += v / g.size[g.group[j]]
	}
	for _, m := range mean {
		top = max(top, m)
	}
	for _, m := range mean {
		sum += math.Exp((m - top) / g.nu)
	}
	for j := range y {
		k := g.group[j]
		y[j] = math.Exp((mean[k]-top)/g.nu) / sum / g.size[k]
	}
	risk = top + g.nu*math.Log(sum/float64(len(g.size)))
	return risk, risk
}

// changed has every method of KL, with twice its penalty in those of every dual.
type changed struct{ dro.KL }

func (c changed) Modulus() float64          { return 2 * c.Nu }
func (c changed) Value(y []float64) float64 { return dro.KL{Nu: 2 * c.Nu}.Value(y) }
func (c changed) BestResponseTo(y, f []float64) (risk, tau float64) {
	return dro.KL{Nu: 2 * c.Nu}.BestResponseTo(y, f)
}

// centred is (μ/2)‖x − a‖², with the methods of a primal alone.
type centred struct {
	mu float64
	at []float64
}

func (p centred) Modulus() float64 { return p.mu }

func (p centred) Value(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += (v - p.at[i]) * (v - p.at[i])
	}
	return p.mu / 2 * s
}

func (p centred) ProxTo(dst, g, center []float64, a, c float64) {
	for i := range dst {
		dst[i] = (c*center[i] + a*p.mu*p.at[i] - a*g[i]) / (a*p.mu + c)
	}
}

func (p centred) FenchelYoung(x, g []float64) float64 {
	s := 0.0
	for i, v := range x {
		r := g[i] + p.mu*(v-p.at[i])
		s += r * r
	}
	return s / (2 * p.mu)
}

// ball is (μ/2)‖x‖² where |x_i| ≤ most.
type ball struct{ mu, most float64 }

func (p ball) Modulus() float64 { return p.mu }

func (p ball) Value(x []float64) float64 {
	for _, v := range x {
		if math.Abs(v) > p.most {
			return math.Inf(1)
		}
	}
	return dro.L2{Mu: p.mu}.Value(x)
}

func (p ball) ProxTo(dst, g, center []float64, a, c float64) {
	for i := range dst {
		dst[i] = max(-p.most, min(p.most, (c*center[i]-a*g[i])/(a*p.mu+c)))
	}
}

func (p ball) FenchelYoung(x, g []float64) float64 {
	s := 0.0
	for i, v := range g {
		at := -math.Copysign(p.most, v)
		if p.mu > 0 {
			at = max(-p.most, min(p.most, -v/p.mu))
		}
		s += v*(x[i]-at) + p.mu/2*(x[i]*x[i]-at*at)
	}
	return max(0, s)
}
