package newton

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// If the adversary is strong, a constant prediction may be optimal. At a constant x₀ whose losses are tied, every y
// in a face of Y is a best response, and x₀ is optimal exactly if one of them has Σ_j y_j ∇f_j(x₀) = 0
// (docs/math.md §10). A descent method finds x₀ slowly and proves nothing there, because the best response that it
// computes is an arbitrary element of the face. Instead, the weights y are found by solving a smooth problem in d
// variables,
//
//	min_v max_{y∈Y} Σ_j y_j (f_j(x₀) + ⟨∇f_j(x₀), v⟩) − ν D(y‖w),
//
// at whose optimum the derivative with respect to v, Σ_j y_j ∇f_j(x₀), is zero. Its value is P(x₀) − ν min D over
// these y, so any v with a value below P(x₀) − ν sup D shows that there are no such y.

const (
	// tiltSteps is the maximum number of Newton steps for finding the weights of a constant prediction.
	tiltSteps = 60

	// tieTolerance is the maximum relative difference of tied losses. tiltShare is the ratio of ν to the
	// distance between the two losses that are not tied; it is so small that the adversary exhausts the larger
	// loss first.
	tieTolerance = 1e-12
	tiltShare    = 1e-3

	// constantRows is the number of samples, or constantRowsPerColumn for each column if that is more, that
	// decide whether all rows are tested.
	constantRows, constantRowsPerColumn = 4096, 256

	// maxMargin bounds the constants that are considered.
	maxMargin = 1 << 30
)

// CertifyConstant certifies the best constant prediction if it is optimal. It does nothing if the theory of constant
// predictions does not apply to the problem, for example because the adversary is penalised or fixed. If quick is
// set, a sample of the rows is tested first. It takes about ten passes if a constant is optimal, and one to three
// otherwise; with quick, these are passes over the sample.
func CertifyConstant(r *engine.Run, quick bool) {
	if !mayBeConstant(r.Problem) || quick && sampleExcludesConstant(r.Ctx, r.Problem) {
		return
	}
	c := r.Cert
	x := constantPoint(c)
	if x == nil {
		return
	}
	t := newTilt(r.Ctx, c, x)
	defer t.free()
	t.solve(requiredGap(r), func(y []float64) bool {
		groups := t.Cert.Groups
		if balanced := c.ScratchSpace(); engine.FreeCount(r.Problem.Primal) == 1 &&
			engine.Balance(c.Rows, balanced, y, c.Slope) {
			y, groups = balanced, nil // exact with respect to the intercept, for losses without curvature
		}
		c.AdoptWeights(y, groups)
		if c.RecordAdoptedBound(); !r.Certified() {
			certifyFromAllSamples(r)
		}
		if !r.Certified() && c.HasClassIntercepts() {
			c.Certify()
		}
		return r.Certified()
	})
	c.Spend(t.Cert.Passes)
	if r.Certified() {
		r.Logf("newton: a constant prediction is optimal (%.4g passes)", c.Passes)
	}
}

// AssessConstant reports whether a constant prediction is optimal for p. It also returns the smallest divergence D
// of weights that prove it, and the limit of x(ν)/ν for optima x(ν) with the penalty ν·D. The divergence is +Inf if
// no constant is optimal.
func AssessConstant(ctx context.Context, p *saddle.Problem) (optimal bool, divergence float64, direction []float64) {
	const accuracy = 1e-9 // relative accuracy of the risk
	if !mayBeConstant(p) {
		return false, math.Inf(1), nil
	}
	c := engine.NewCertifier(p)
	defer c.Free()
	x := constantPoint(c)
	if x == nil {
		return false, math.Inf(1), nil
	}
	t := newTilt(ctx, c, x)
	defer t.free()
	if !t.solve(accuracy*max(t.nu, math.Abs(c.Objective)), func([]float64) bool { return true }) {
		return false, math.Inf(1), nil
	}
	direction = slices.Clone(t.x)
	floats.Scale(1/t.nu, direction)
	return true, (c.Objective - t.value) / t.nu, direction
}

// mayBeConstant reports whether the theory of constant predictions applies to p.
func mayBeConstant(p *saddle.Problem) bool {
	a, ok := p.Dual.(engine.Adversary)
	if !ok || a.Modulus() > 0 || a.Region() == engine.Point || a.Region() == engine.Elsewhere {
		return false
	}
	if engine.Implements[engine.Grouped](a) { // a few groups are not tied at an optimum, except by accident
		return false
	}
	_, d, _ := p.Oracle.Dims()
	linear := engine.Implements[engine.LinearModel](p.Oracle) || engine.Implements[engine.ClassModel](p.Oracle)
	smooth := engine.Implements[engine.Smoothable](a) && engine.Implements[engine.Curved](a)
	return linear && smooth && d <= MaxColumns && engine.RidgeOf(p.Primal, d) != nil
}

// hasBall reports whether the set of a dual is limited to a ball.
func hasBall(d saddle.Dual) bool {
	ball, ok := d.(engine.Radial)
	return ok && ball.HasBall()
}

// sampleExcludesConstant reports whether no constant is optimal for a sample of the rows. It returns false if there
// are too few rows for a sample.
func sampleExcludesConstant(ctx context.Context, p *saddle.Problem) bool {
	n, d, _ := p.Oracle.Dims()
	count := max(constantRows, constantRowsPerColumn*d)
	model, ok := p.Oracle.(engine.Model)
	dual, may := p.Dual.(engine.Distributed)
	if !ok || !may || 4*count > n || count > model.MaxSelected() || engine.RowsOf(p.Oracle) != nil {
		return false
	}
	samples := make([]int, count)
	for k := range samples {
		samples[k] = int(int64(k) * int64(n) / int64(count))
	}
	of := &saddle.Problem{Oracle: model.Select(samples), Dual: dual.OfSamples(samples), Primal: p.Primal}
	optimal, _, _ := AssessConstant(ctx, of)
	return !optimal
}

// constantPoint returns the constant prediction that may be optimal, after evaluating it with c, or nil if no constant
// can be optimal. The point is 0 if all losses are tied there. If there are an intercept and losses of two kinds, such
// as those of two classes, it is the constant with the least risk.
func constantPoint(c *engine.Certifier) []float64 {
	x := make([]float64, c.D)
	c.Evaluate(x)
	if math.IsInf(c.Objective, 1) {
		return nil
	}
	largest, smallest := largestAndSmallest(c, c.Value)
	tied := largest-smallest <= tieTolerance*math.Abs(largest)
	kinds, ok := kindsOfRows(c)
	defer kinds.free()
	switch {
	case !ok && tied:
		return x
	case !ok:
		return nil
	}
	b, ok := kinds.bestConstant()
	if !ok {
		return nil
	}
	if b != 0 {
		x[c.D-1] = b
		c.Evaluate(x)
	}
	return x
}

// A rowKinds divides the rows into two kinds. All rows of a kind have the same loss as a function of the intercept.
type rowKinds struct {
	*engine.Certifier
	rows      [2]int    // a row of each kind; −1 if this rank has none
	indicator []float64 // n numbers: 1 for rows of the first kind, 0 for the others
	work      []float64 // n
}

// free releases the vectors.
func (k *rowKinds) free() {
	k.Release(k.indicator)
	k.Release(k.work)
}

// kindsOfRows returns the kinds of the rows, which differ in their loss or slope at the last point evaluated. ok is
// false if there is no intercept or there are not exactly two kinds. The caller must free the kinds.
func kindsOfRows(c *engine.Certifier) (k *rowKinds, ok bool) {
	k = &rowKinds{Certifier: c, rows: [2]int{-1, -1}, indicator: c.Vector(c.N), work: c.Vector(c.N)}
	if !engine.Implements[engine.LinearModel](c.Problem.Oracle) || engine.FreeCount(c.Problem.Primal) != 1 {
		return k, false
	}
	high, low := largestAndSmallest(c, c.Value)
	key, other := c.Value, c.Slope
	if low == high {
		key, other = c.Slope, c.Value
		high, low = largestAndSmallest(c, key)
	}
	if !(low < high) {
		return k, false
	}
	// extremes for each kind, and whether there is a third kind
	ends := []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), 0}
	lo, hi := c.Rows.LocalRange(c.N)
	for j := lo; j < hi; j++ {
		kind := 0
		switch key[j] {
		case high:
			k.indicator[j] = 1
		case low:
			kind = 1
		default:
			ends[4] = 1
		}
		k.rows[kind] = j
		ends[2*kind], ends[2*kind+1] = max(ends[2*kind], other[j]), max(ends[2*kind+1], -other[j])
	}
	c.Rows.Comm().Max(ends)
	return k, ends[4] == 0 && ends[0] == -ends[1] && ends[2] == -ends[3]
}

// largestAndSmallest returns the largest and the smallest entry of a vector with one entry for each sample.
func largestAndSmallest(c *engine.Certifier, v []float64) (high, low float64) {
	high = c.Rows.Max(c.N, func(lo, hi int) float64 { return floats.Max(v[lo:hi]) })
	return high, -c.Rows.Max(c.N, func(lo, hi int) float64 { return -floats.Min(v[lo:hi]) })
}

// evaluateConstant returns the losses and slopes of both kinds for the constant (0, b).
func (k *rowKinds) evaluateConstant(b float64) (loss, slope [2]float64) {
	x, v := make([]float64, k.D), make([]float64, 4)
	x[k.D-1] = b
	for i, j := range k.rows {
		v[i], v[2+i] = math.Inf(-1), math.Inf(-1)
		if j >= 0 {
			kept := k.indicator[j]
			k.Problem.Oracle.EvalTo(k.work, k.indicator, x, j, j+1)
			v[i], v[2+i], k.indicator[j] = k.work[j], k.indicator[j], kept
		}
	}
	k.Rows.Comm().Max(v)
	return [2]float64{v[0], v[1]}, [2]float64{v[2], v[3]}
}

// bestConstant returns the intercept b of the constant (0, b) with the least risk, if the weights of a whole face
// of Y may prove it. This is the case if both kinds have the same loss or, for a polyhedron, if the adversary gives
// one kind its maximum weight.
func (k *rowKinds) bestConstant() (b float64, ok bool) {
	b, ok = rootOf(func(b float64) float64 { loss, _ := k.evaluateConstant(b); return loss[0] - loss[1] })
	if !ok {
		return 0, false
	}
	_, s := k.evaluateConstant(b)
	if !(s[0]*s[1] < 0) {
		return 0, false
	}
	share, high := s[1]/(s[1]-s[0]), k.largestMass()
	k.Rows.Run(k.N, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			k.indicator[j] = 1 - k.indicator[j]
		}
	})
	low := 1 - k.largestMass()
	switch {
	case share >= low && share <= high:
		return b, true
	case hasBall(k.Problem.Dual):
		return 0, false
	}
	share = max(low, min(high, share))
	return rootOf(func(b float64) float64 { _, s := k.evaluateConstant(b); return share*s[0] + (1-share)*s[1] })
}

// largestMass returns the maximum weight that the adversary can give to the rows of the indicator.
func (k *rowKinds) largestMass() float64 {
	mass, _ := k.Problem.Dual.BestResponseTo(k.work, k.indicator)
	return mass
}

// rootOf returns a root of a monotone function if there is one with absolute value below maxMargin. It uses the
// Illinois method, with a bisection in every third step.
func rootOf(f func(b float64) float64) (b float64, ok bool) {
	low, high := -1.0, 1.0
	below, above := f(low), f(high)
	for ; below*above > 0; below, above = f(low), f(high) {
		if low, high = 2*low, 2*high; high > maxMargin {
			return 0, false
		}
	}
	if !(math.Abs(below)+math.Abs(above) < math.Inf(1)) {
		return 0, false
	}
	if below == 0 {
		return low, true
	}
	best, least := high, math.Abs(above)
	for k := 1; k <= 200 && least > 0; k++ {
		b := low + (high-low)/2
		if secant := low + (high-low)*(below/(below-above)); k%3 != 0 && secant > low && secant < high {
			b = secant
		}
		if b <= low || b >= high {
			break
		}
		v := f(b)
		if math.Abs(v) < least {
			best, least = b, math.Abs(v)
		}
		if v*above > 0 {
			high, above, below = b, v, below/2
		} else {
			low, below, above = b, v, above/2
		}
	}
	return best, true
}

// A tilt is a search for weights that prove that a constant prediction is optimal.
type tilt struct {
	*newton
	nu    float64 // penalty ν of the divergence
	least float64 // value below which no such weights exist

	from           *engine.Certifier // evaluator of the constant's problem
	value0, slope0 []float64         // losses and slopes at the constant
}

// free releases the vectors.
func (t *tilt) free() {
	t.Cert.Free()
	t.from.Release(t.value0)
	t.from.Release(t.slope0)
}

// newTilt returns a search for the constant x, which must be the last point evaluated by c. The caller must free
// it.
func newTilt(ctx context.Context, c *engine.Certifier, x []float64) *tilt {
	largest, smallest := largestAndSmallest(c, c.Value)
	apart := largest - smallest
	t := &tilt{nu: cmp.Or(math.Abs(c.Objective), 1)}
	var primal saddle.Primal = saddle.L2{}
	if apart > tieTolerance*math.Abs(c.Objective) {
		t.nu = tiltShare * apart
		// the total weights of both kinds are fixed, and therefore also the derivative with respect to the
		// intercept
		primal = pinned(1 / t.nu)
	}
	dual, most := c.Problem.Dual.(engine.Smoothable).Smoothed(t.nu, c.N)
	t.least = c.Objective - t.nu*most*(1+1e-9) - 1e-12*math.Abs(c.Objective)
	if ball, ok := dual.(engine.Radial); ok { // the result is compared with the radius through the least value
		dual = ball.WithoutBall()
	}
	t.from, t.value0, t.slope0 = c, c.Vector(c.N), c.Vector(len(c.Slope))
	p := &saddle.Problem{Oracle: linearise(c, t.value0, t.slope0), Dual: dual, Primal: primal}
	r := &engine.Run{Ctx: ctx, Problem: p, Settings: engine.DefaultSettings(), Cert: engine.NewCertifier(p),
		Source: rand.NewPCG(0, 0), Start: make([]float64, c.D)}
	t.newton, _ = Newton{Sample: c.N}.start(r) // both primals are smooth
	return t
}

// solve takes Newton steps until prove accepts the weights of a step, and reports whether this happened. It calls prove
// once the squared decrement is at most accuracy, or only rounding errors are left.
func (t *tilt) solve(accuracy float64, prove func(y []float64) bool) bool {
	if math.IsInf(t.Cert.Evaluate(t.Start), 1) {
		return false
	}
	t.acceptPoint()
	for range tiltSteps {
		if t.value < t.least || t.Ctx.Err() != nil {
			return false
		}
		t.formHessian()
		decrement := t.computeDirection()
		if !(decrement >= 0) {
			return false
		}
		if decrement <= accuracy && prove(t.Cert.Y) {
			return true
		}
		moved, err := t.search(decrement)
		if err == nil && !moved {
			t.Cert.Evaluate(t.x)
			err = t.raiseDamping()
		}
		if err != nil { // only rounding errors are left
			t.Cert.Evaluate(t.x)
			return t.value >= t.least && prove(t.Cert.Y)
		}
	}
	return false
}

// A pinned is a primal that penalises only the last coordinate: ½ pinned·x_d².
type pinned float64

var _ engine.Ridge = pinned(0)

// Modulus implements saddle.Primal.
func (pinned) Modulus() float64 { return 0 }

// Value implements saddle.Primal.
func (p pinned) Value(x []float64) float64 { return float64(p) / 2 * x[len(x)-1] * x[len(x)-1] }

// ProxTo implements saddle.Primal.
func (p pinned) ProxTo(dst, g, center []float64, a, c float64) {
	for i, v := range center {
		dst[i] = v - a/c*g[i]
	}
	last := len(dst) - 1
	dst[last] *= c / (a*float64(p) + c)
}

// FenchelYoung implements saddle.Primal. The linear function is unbounded.
func (pinned) FenchelYoung(_, _ []float64) float64 { return math.Inf(1) }

// AddGradTo implements saddle.Smooth.
func (p pinned) AddGradTo(dst, x []float64) { dst[len(x)-1] += float64(p) * x[len(x)-1] }

// RidgeTo implements engine.Ridge. The diagonal is 0 except for the last entry.
func (p pinned) RidgeTo(diagonal []float64) {
	clear(diagonal)
	diagonal[len(diagonal)-1] = float64(p)
}

// FreeCount implements engine.Ridge.
func (pinned) FreeCount() int { return 0 }

// linearise returns the oracle of the losses, linearised at the last point that c evaluated, as functions of the
// step. It stores the losses and slopes at that point in value and slope.
func linearise(c *engine.Certifier, value, slope []float64) saddle.Oracle {
	lo, hi := c.Rows.LocalRange(c.N)
	k := len(slope) / len(value)
	copy(value[lo:hi], c.Value[lo:hi])
	copy(slope[lo*k:hi*k], c.Slope[lo*k:hi*k])
	if o, ok := c.Problem.Oracle.(engine.LinearModel); ok {
		return linearised{o, value, slope}
	}
	return linearisedClasses{c.Problem.Oracle.(engine.ClassModel), value, slope, make([]float64, c.N)}
}

// A linearised is the oracle of losses value_j + slope_j z_jᵀv.
type linearised struct {
	engine.LinearModel
	value, slope []float64
}

// NonNegative implements saddle.NonNegative.
func (linearised) NonNegative() bool { return false }

// Rounding implements saddle.Rounded. The rounding is unknown.
func (linearised) Rounding() (terms int, largest []float64, smoothness float64) { return 0, nil, 0 }

// EvalTo implements saddle.Oracle.
func (l linearised) EvalTo(value, slope, v []float64, lo, hi int) {
	l.MarginsTo(value, v, lo, hi)
	for j := lo; j < hi; j++ {
		slope[j] = l.slope[j]
		value[j] = l.value[j] + slope[j]*value[j]
	}
}

// CurvatureTo implements engine.LinearModel. The curvature is 0.
func (linearised) CurvatureTo(curvature, _ []float64, lo, hi int) { clear(curvature[lo:hi]) }

// A linearisedClasses works like linearised for several margins of each sample.
type linearisedClasses struct {
	engine.ClassModel
	value, slope, zero []float64
}

// NonNegative implements saddle.NonNegative.
func (linearisedClasses) NonNegative() bool { return false }

// Rounding implements saddle.Rounded. The rounding is unknown.
func (linearisedClasses) Rounding() (terms int, largest []float64, smoothness float64) {
	return 0, nil, 0
}

// EvalTo implements saddle.Oracle.
func (l linearisedClasses) EvalTo(value, slope, v []float64, lo, hi int) {
	l.MarginsTo(slope, v, lo, hi)
	k := len(l.slope) / len(l.value)
	for j := lo; j < hi; j++ {
		fixed, margin := l.slope[j*k:(j+1)*k], slope[j*k:(j+1)*k]
		value[j] = l.value[j] + floats.Dot(fixed, margin)
		copy(margin, fixed)
	}
}

// MultiplyByCurvature implements engine.ClassModel.
func (l linearisedClasses) MultiplyByCurvature(margin, _, response, slope []float64, lo, hi int) {
	l.ClassModel.MultiplyByCurvature(margin, l.zero, response, slope, lo, hi)
}

// CurvatureDiagonalTo implements engine.ClassModel.
func (l linearisedClasses) CurvatureDiagonalTo(dst []float64, c int, _, response, slope []float64, lo, hi int) {
	l.ClassModel.CurvatureDiagonalTo(dst, c, l.zero, response, slope, lo, hi)
}
