package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// This file checks parts of a problem that other modules define, at a few points and for a few samples, before a
// solve: a wrong slope or a lower bound that is none gives bounds that do not contain the optimum.

// modulePath is the path of this module.
var modulePath, _, _ = strings.Cut(reflect.TypeFor[saddle.Problem]().PkgPath(), "/dro/")

// isForeign reports whether the type of a part is defined outside of this module, or in a test of it.
func isForeign(part any) bool {
	t := reflect.TypeOf(part)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && (!strings.HasPrefix(t.PkgPath(), modulePath+"/") || strings.HasSuffix(t.PkgPath(), "_test"))
}

// checkSlack is the rounding that is allowed in comparisons, relative to the terms.
const checkSlack = 1e-7

// A partsCheck holds points of X, the first of which is the start, and buffers.
type partsCheck struct {
	*Run
	points [][]float64
	set    saddle.Geometry // nil: the geometry is Euclidean
	rng    *rand.Rand
}

// ValidateForeign returns the first promise that an oracle, a dual or a primal of another module breaks at a few
// points, nil if they keep all or are of this module. It uses the vectors of the certifier, which must not be in use.
func (r *Run) ValidateForeign() error {
	p := r.Problem
	oracle, dual, primal := isForeign(p.Oracle), isForeign(p.Dual), isForeign(p.Primal)
	if !oracle && !dual && !primal || r.Cert.Rows != nil {
		return nil
	}
	c := &partsCheck{Run: r, rng: rand.New(rand.NewPCG(3, 4))}
	c.set, _ = p.Primal.(saddle.Geometry)
	c.choosePoints()
	var errs []error
	if primal {
		errs = append(errs, c.checkPrimal())
	}
	if oracle {
		errs = append(errs, c.checkOracle())
	}
	if dual {
		errs = append(errs, c.checkDual())
	}
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("dro: %w, so that no bound would hold", err)
		}
	}
	return nil
}

// choosePoints stores the start and points around it: steps of several lengths in both directions of a line each,
// and within X where the primal decides what X is.
func (c *partsCheck) choosePoints() {
	x, d := c.Start, c.Cert.D
	c.points = [][]float64{slices.Clone(x)}
	free := c.set == nil && !isForeign(c.Problem.Primal)
	unit := 1 + floats.Norm(x, 2)
	for _, length := range []float64{1e-4, 1e-2, 0.3, 3, 30} {
		u := make([]float64, d)
		for i := range u {
			u[i] = c.rng.NormFloat64()
		}
		floats.Scale(1/floats.Norm(u, 2), u)
		for _, beside := range []float64{1, 1.001} {
			c.addPoints(x, u, length*unit*beside, free)
		}
	}
}

// addPoints adds the points in both directions u from x.
func (c *partsCheck) addPoints(x, u []float64, length float64, free bool) {
	for _, sign := range []float64{1, -1} {
		z, along := make([]float64, len(x)), make([]float64, len(x))
		if floats.ScaleTo(along, -sign, u); free {
			floats.AddScaledTo(z, x, -length, along)
		} else {
			c.Problem.Primal.ProxTo(z, along, c.coords(x), 1, 1/length)
		}
		if isFinite(z) {
			c.points = append(c.points, z)
		}
	}
}

// coords returns what ProxTo takes for the point x.
func (c *partsCheck) coords(x []float64) []float64 {
	if c.set == nil {
		return slices.Clone(x)
	}
	u := make([]float64, len(x))
	c.set.CoordsTo(u, x)
	return u
}

// checkOracle compares losses with tangents, in three blocks of up to four samples.
func (c *partsCheck) checkOracle() error {
	const block = 4
	n := c.Cert.N
	for _, lo := range slices.Compact([]int{0, max(0, n/2-block/2), max(0, n-block)}) {
		err := c.checkSamples(lo, min(n, lo+block))
		if m, ok := c.Problem.Oracle.(LinearModel); ok && err == nil {
			err = c.checkCurvature(m, lo, min(n, lo+block))
		}
		if err != nil {
			return fmt.Errorf("the oracle %T breaks its contract: %w", c.Problem.Oracle, err)
		}
	}
	return nil
}

// checkSamples returns the first promise that the oracle breaks for the samples [lo, hi).
func (c *partsCheck) checkSamples(lo, hi int) error {
	o, value, slope := c.Problem.Oracle, c.Cert.Value, c.Cert.Slope
	k, count := len(slope)/c.Cert.N, hi-lo
	losses := make([][]float64, len(c.points))
	gradients := make([][]float64, len(c.points)*count)
	for a, x := range c.points {
		o.EvalTo(value, slope, x, lo, hi)
		losses[a] = slices.Clone(value[lo:hi])
		for j := lo; j < hi; j++ {
			gradients[a*count+j-lo] = c.gradientOf(j)
			if a == 0 {
				if math.IsNaN(value[j]) {
					return fmt.Errorf("the loss of sample %d is NaN", j)
				} else if slices.ContainsFunc(slope[j*k:(j+1)*k], math.IsNaN) {
					return fmt.Errorf("the slope of sample %d is NaN", j)
				}
			}
		}
	}
	if signed, ok := o.(saddle.NonNegative); ok && signed.NonNegative() {
		for _, of := range losses {
			if j := floats.MinIdx(of); of[j] < -checkSlack {
				return fmt.Errorf("NonNegative returns true, but the loss of sample %d is %v", lo+j, of[j])
			}
		}
	}
	if err := c.checkRange(lo, hi, losses[0], gradients[:count]); err != nil {
		return err
	}
	for a, x := range c.points {
		for b, z := range c.points {
			for j := range count {
				f, at, g := losses[a][j], losses[b][j], gradients[a*count+j]
				tangent, size := f, math.Abs(f)
				for _, of := range losses { // a small loss may be the difference of terms as large as another one
					if v := math.Abs(of[j]); !math.IsInf(v, 1) {
						size = max(size, v)
					}
				}
				size += math.Abs(at)
				for i, v := range g {
					tangent += v * (z[i] - x[i])
					size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
				}
				if !(at < tangent-checkSlack*size) || math.IsInf(size, 1) { // NaN beyond the start is found where a solve meets it
					continue
				}
				if err := c.wrongDerivative(lo+j, x, g); err != nil {
					return err
				}
				return fmt.Errorf("the loss of sample %d is %v at a point and %v at another one, below the tangent of the first, "+
					"%v: the loss is not convex, or its slope is wrong", lo+j, f, at, tangent)
			}
		}
	}
	return nil
}

// checkCurvature returns an error if the curvatures of the samples [lo, hi), or their lower bounds, contradict the
// slopes at other points. It is for an oracle that embeds one of this module.
func (c *partsCheck) checkCurvature(m LinearModel, lo, hi int) error {
	slopes, margins := make([][]float64, len(c.points)), make([][]float64, len(c.points))
	slope, margin := c.Cert.Slope, c.Cert.Y
	for a, x := range c.points {
		m.EvalTo(c.Cert.Value, slope, x, lo, hi)
		m.MarginsTo(margin, x, lo, hi)
		slopes[a], margins[a] = slices.Clone(slope[lo:hi]), slices.Clone(margin[lo:hi])
	}
	defer clear(margin[lo:hi])
	curvature, bound := make([]float64, c.Cert.N), make([]float64, c.Cert.N)
	copy(slope[lo:hi], slopes[0])
	m.CurvatureTo(curvature, slope, lo, hi)
	radius, decay := m.CurvatureLowerBoundTo(bound, slope, lo, hi)
	for j := range hi - lo {
		for a := range c.points[1:] {
			apart := margins[a+1][j] - margins[0][j]
			mean := (slopes[a+1][j] - slopes[0][j]) / apart // of the curvature between both
			size := math.Abs(curvature[lo+j]) + (math.Abs(slopes[a+1][j])+math.Abs(slopes[0][j]))*checkSlack/math.Abs(apart)
			if apart == 0 || isNotFinite(mean) {
				continue
			}
			if a < 2 && !(math.Abs(mean-curvature[lo+j]) <= 0.01*size+0.1*math.Abs(mean)) && !c.hasJump(m, lo+j) {
				return fmt.Errorf("the curvature of sample %d is %v, but finite differences of the slope give %v", lo+j,
					curvature[lo+j], mean)
			}
			if least := bound[lo+j] * math.Exp(-decay*math.Abs(apart)); math.Abs(apart) <= radius &&
				!(mean >= least-checkSlack*(1+least)*size) {
				return fmt.Errorf("CurvatureLowerBoundTo stores %v for sample %d, but between margins %v apart the mean curvature "+
					"is %v", bound[lo+j], lo+j, math.Abs(apart), mean)
			}
		}
	}
	return nil
}

// hasJump reports whether the slopes of sample j next to the start, at both sides, have different differences: where a
// curvature jumps, any number between is one.
func (c *partsCheck) hasJump(m LinearModel, j int) bool {
	var slope, margin [3]float64
	for a := range 3 {
		m.EvalTo(c.Cert.Value, c.Cert.Slope, c.points[a], j, j+1)
		m.MarginsTo(c.Cert.Y, c.points[a], j, j+1)
		slope[a], margin[a] = c.Cert.Slope[j], c.Cert.Y[j]
	}
	above, below := (slope[1]-slope[0])/(margin[1]-margin[0]), (slope[2]-slope[0])/(margin[2]-margin[0])
	return !(math.Abs(above-below) <= 0.01*(math.Abs(above)+math.Abs(below)))
}

// gradientOf returns the gradient of sample j by the slopes that were stored last.
func (c *partsCheck) gradientOf(j int) []float64 {
	g, weight := make([]float64, c.Cert.D), c.Cert.Y
	weight[j] = 1
	c.Problem.Oracle.AddGradTo(g, weight, c.Cert.Slope, j, j+1)
	weight[j] = 0
	return g
}

// checkRange returns an error if single samples have other losses or gradients at the start than a range has, or if
// AddGradTo does not add.
func (c *partsCheck) checkRange(lo, hi int, losses []float64, gradients [][]float64) error {
	o, value, slope := c.Problem.Oracle, c.Cert.Value, c.Cert.Slope
	sum, want := make([]float64, c.Cert.D), make([]float64, c.Cert.D)
	size := make([]float64, c.Cert.D)
	for j := lo; j < hi; j++ {
		o.EvalTo(value, slope, c.points[0], j, j+1)
		if f := losses[j-lo]; !(math.Abs(value[j]-f) <= checkSlack*(math.Abs(f)+math.Abs(value[j]))) {
			return fmt.Errorf("EvalTo computes for sample %d the loss %v by itself, but %v in a range of samples", j, value[j],
				f)
		}
		c.Cert.Y[j] = float64(j - lo + 1)
		for i, v := range gradients[j-lo] {
			want[i] += 2 * c.Cert.Y[j] * v
			size[i] += math.Abs(c.Cert.Y[j] * v)
		}
	}
	for range 2 {
		o.AddGradTo(sum, c.Cert.Y, slope, lo, hi)
	}
	clear(c.Cert.Y[lo:hi])
	for i, v := range sum {
		if !(math.Abs(v-want[i]) <= checkSlack*size[i]) {
			return fmt.Errorf("AddGradTo called twice for samples %d to %d gives %v for parameter %d, but the weighted "+
				"gradients of single samples give %v: AddGradTo must add Σ weight[j]·∇f_j", lo, hi-1, v, i, want[i])
		}
	}
	return nil
}

// mostCoordinates is the number of derivatives that are compared with differences for a message.
const mostCoordinates = 200

// wrongDerivative returns an error that names the parameter whose derivative in g, the gradient of sample j at x,
// differs most from a difference of losses, or nil if none does.
func (c *partsCheck) wrongDerivative(j int, x, g []float64) error {
	worst, far := -1, 1e-3
	var difference float64
	z := slices.Clone(x)
	lossAt := func(i int, v float64) float64 {
		z[i] = v
		c.Problem.Oracle.EvalTo(c.Cert.Value, c.Cert.Slope, z, j, j+1)
		z[i] = x[i]
		return c.Cert.Value[j]
	}
	for i := range min(len(x), mostCoordinates) {
		step := 1e-5 * (1 + math.Abs(x[i]))
		d := (lossAt(i, x[i]+step) - lossAt(i, x[i]-step)) / (2 * step)
		if away := math.Abs(d-g[i]) / (math.Abs(d) + math.Abs(g[i]) + 1e-9*floats.Norm(g, 1)); away > far {
			worst, far, difference = i, away, d
		}
	}
	if worst < 0 {
		return nil
	}
	return fmt.Errorf("the derivative of the loss of sample %d with respect to parameter %d is %v, but finite "+
		"differences give %v", j, worst, g[worst], difference)
}

// checkPrimal compares the values, proximal steps, gradients and bounds of the regulariser with each other.
func (c *partsCheck) checkPrimal() error {
	if err := c.checkRegulariser(); err != nil {
		return fmt.Errorf("the primal %T breaks its contract: %w", c.Problem.Primal, err)
	}
	return nil
}

// checkRegulariser returns the first promise that the primal breaks.
func (c *partsCheck) checkRegulariser() error {
	phi := c.Problem.Primal
	value := make([]float64, len(c.points))
	signed, _ := phi.(saddle.NonNegative)
	for k, x := range c.points {
		switch value[k] = phi.Value(x); {
		case math.IsNaN(value[k]) || math.IsInf(value[k], 0):
			return fmt.Errorf("the value is %v at the starting point or at a point that ProxTo returned", value[k])
		case signed != nil && signed.NonNegative() && value[k] < -checkSlack:
			return fmt.Errorf("NonNegative returns true, but one value is %v", value[k])
		}
	}
	middle := make([]float64, c.Cert.D)
	for a, x := range c.points {
		for b, z := range c.points[:a] {
			floats.AddScaledTo(middle, x, 1, z)
			floats.Scale(0.5, middle)
			most := (value[a] + value[b]) / 2
			if got := phi.Value(middle); !(got <= most+checkSlack*(math.Abs(value[a])+math.Abs(value[b])+math.Abs(got))) {
				return fmt.Errorf("the values are %v and %v at two points, but %v halfway between them, above %v: the function is "+
					"not convex", value[a], value[b], got, most)
			}
		}
	}
	if err := c.checkGradients(value); err != nil {
		return err
	}
	return c.checkSteps(value)
}

// checkGradients returns an error if a tangent of the regulariser is above it.
func (c *partsCheck) checkGradients(value []float64) error {
	smooth, ok := c.Problem.Primal.(saddle.Smooth)
	if !ok {
		return nil
	}
	for a, x := range c.points {
		g := make([]float64, len(x))
		for range 2 { // it adds
			smooth.AddGradTo(g, x)
		}
		floats.Scale(0.5, g)
		for b, z := range c.points {
			tangent, size := value[a], math.Abs(value[a])+math.Abs(value[b])
			for i, v := range g {
				tangent += v * (z[i] - x[i])
				size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
			}
			if value[b] < tangent-checkSlack*size || math.IsNaN(tangent) {
				return c.wrongPrimalGradient(x, g)
			}
		}
	}
	return nil
}

// wrongPrimalGradient returns an error that names the coordinate in which the gradient g of the regulariser at x
// differs most from a difference of values.
func (c *partsCheck) wrongPrimalGradient(x, g []float64) error {
	worst, far, difference := 0, -1.0, 0.0
	z := slices.Clone(x)
	for i := range min(len(x), mostCoordinates) {
		step := 1e-5 * (1 + math.Abs(x[i]))
		z[i] = x[i] + step
		above := c.Problem.Primal.Value(z)
		z[i] = x[i] - step
		d := (above - c.Problem.Primal.Value(z)) / (2 * step)
		if z[i] = x[i]; math.Abs(d-g[i]) > far {
			worst, far, difference = i, math.Abs(d-g[i]), d
		}
	}
	return fmt.Errorf("AddGradTo adds a gradient whose tangent lies above the values: coordinate %d of the gradient is "+
		"%v, but finite differences give %v", worst, g[worst], difference)
}

// checkSteps returns an error if a proximal step does not minimise what it should, or if FenchelYoung returns less
// than the distance from another point.
func (c *partsCheck) checkSteps(value []float64) error {
	phi, d := c.Problem.Primal, c.Cert.D
	for _, scale := range []float64{0, 0.1, 1, 10} {
		g := make([]float64, d)
		for i := range g {
			g[i] = scale * c.rng.NormFloat64()
		}
		for a, x := range c.points {
			if a > 4 { // the start, and those closest to it
				break
			}
			away := phi.FenchelYoung(x, g)
			if math.IsNaN(away) {
				return errors.New("FenchelYoung returned NaN")
			}
			// Others are the points and what a few steps from x lead to, close to the minimiser.
			near := slices.Clone(x)
			others, values := slices.Clone(c.points), slices.Clone(value)
			for _, weight := range []float64{10, 0.1, 1e-3} {
				next := make([]float64, d)
				phi.ProxTo(next, g, c.coords(near), 1, weight)
				if !isFinite(next) {
					return fmt.Errorf("ProxTo returned %v in coordinate %d", next[slices.IndexFunc(next, isNotFinite)],
						slices.IndexFunc(next, isNotFinite))
				}
				if c.set == nil {
					if err := c.checkStep(next, g, near, weight); err != nil {
						return err
					}
				}
				near = next
				others, values = append(others, near), append(values, phi.Value(near))
			}
			for b, z := range others {
				least, size := value[a]-values[b], math.Abs(value[a])+math.Abs(values[b])
				for i, v := range g {
					least += v * (x[i] - z[i])
					size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
				}
				if away < least-checkSlack*size {
					return fmt.Errorf("FenchelYoung(x, g) returned %v; it must be at least %v, by which φ(x) + ⟨g, x⟩ is larger than "+
						"at another point", away, least)
				}
			}
		}
	}
	return nil
}

// isNotFinite reports whether v is NaN or infinite.
func isNotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// checkStep returns an error if z does not minimise ⟨g, ·⟩ + φ + weight·½‖· − center‖², of the modulus weight.
func (c *partsCheck) checkStep(z, g, center []float64, weight float64) error {
	objective := func(x []float64) (v, size float64) {
		apart := floats.Distance(x, center, 2)
		for i := range g {
			size += math.Abs(g[i] * x[i])
		}
		phi := c.Problem.Primal.Value(x)
		v = floats.Dot(g, x) + phi + weight/2*apart*apart
		return v, size + math.Abs(phi) + weight/2*apart*apart
	}
	best, size := objective(z)
	for _, x := range c.points {
		v, other := objective(x)
		apart := floats.Distance(x, z, 2)
		if best > v-weight/2*apart*apart+checkSlack*(size+other+weight*apart*apart) {
			worst, slope, at := 0, 0.0, slices.Clone(z)
			for i := range min(len(z), mostCoordinates) {
				step := 1e-5 * (1 + math.Abs(z[i]))
				at[i] = z[i] + step
				above, _ := objective(at)
				at[i] = z[i] - step
				below, _ := objective(at)
				if at[i] = z[i]; math.Abs(above-below) > 2*step*math.Abs(slope) {
					worst, slope = i, (above-below)/(2*step)
				}
			}
			return fmt.Errorf("ProxTo(dst, g, center, 1, %v) does not minimise: the objective is %v at dst, but %v at another "+
				"point; in coordinate %d, where dst is %v, the slope of the objective is %v", weight, best, v, worst, z[worst],
				slope)
		}
	}
	return nil
}

// checkDual compares the best responses to some losses with each other.
func (c *partsCheck) checkDual() error {
	n := c.Cert.N
	size := 0.0
	few := min(n, 16)
	c.Problem.Oracle.EvalTo(c.Cert.Value, c.Cert.Slope, c.Start, 0, few)
	for _, v := range c.Cert.Value[:few] {
		if !isNotFinite(v) {
			size = max(size, math.Abs(v))
		}
	}
	if size == 0 {
		size = 1
	}
	affine := c.isAffine(few) // negative weights of losses that curve have no lower bound
	var losses, weights [][]float64
	var risk, psi []float64
	for k := range 4 {
		f, y := make([]float64, n), make([]float64, n)
		for j := range f {
			f[j] = size * c.rng.Float64()
		}
		switch k {
		case 1: // further in the direction of the first response
			floats.ScaleTo(f, 3, losses[0])
		case 3:
			floats.Scale(1.0/16, f)
			f[n/2] = size
		}
		r, _ := c.Problem.Dual.BestResponseTo(y, f)
		if j := slices.IndexFunc(y, func(v float64) bool { return isNotFinite(v) || v < 0 && !affine }); j >= 0 {
			return fmt.Errorf("the best response of the dual %T is wrong: its weight of sample %d is %v", c.Problem.Dual, j,
				y[j])
		}
		losses, weights, risk, psi = append(losses, f), append(weights, y), append(risk, r), append(psi,
			c.Problem.Dual.Value(y))
	}
	between := make([]float64, n)
	for a, y := range weights {
		for b, z := range weights {
			for _, share := range []float64{0, 0.05, 0.5} { // Y is convex
				if share > 0 && a == b {
					continue
				}
				floats.ScaleTo(between, 1-share, y)
				floats.AddScaled(between, share, z)
				if err := c.checkWeights(between, losses[a], risk[a], size, share == 0); err != nil {
					return err
				}
				got, most := c.Problem.Dual.Value(between), (1-share)*psi[a]+share*psi[b]
				slack := checkSlack*(math.Abs(psi[a])+math.Abs(psi[b])+math.Abs(got)) + c.imprecision(floats.Sum(y), size)
				if !(got <= most+slack) {
					return fmt.Errorf("the penalty of the dual %T is not convex: ψ is %v between two weight vectors, where ψ is %v "+
						"and %v", c.Problem.Dual, got, psi[a], psi[b])
				}
			}
		}
	}
	return nil
}

// isAffine reports whether the first losses are affine at the points.
func (c *partsCheck) isAffine(few int) bool {
	at := func(x []float64) []float64 {
		c.Problem.Oracle.EvalTo(c.Cert.Value, c.Cert.Slope, x, 0, few)
		return slices.Clone(c.Cert.Value[:few])
	}
	middle := make([]float64, c.Cert.D)
	for a, x := range c.points[1:] {
		floats.AddScaledTo(middle, x, 1, c.points[a])
		floats.Scale(0.5, middle)
		for j, m := range at(middle) {
			f, g := at(x)[j], at(c.points[a])[j]
			if !(math.Abs(m-(f+g)/2) <= checkSlack*(1+math.Abs(f)+math.Abs(g))) {
				return false
			}
		}
	}
	return true
}

// checkWeights compares ⟨y, f⟩ − ψ(y) of weights in Y with the risk of losses f of a size: it is that risk if y is the
// best response, and never more.
func (c *partsCheck) checkWeights(y, f []float64, risk, size float64, best bool) error {
	mass, psi := floats.Sum(y), c.Problem.Dual.Value(y)
	value := floats.Dot(y, f) - psi
	slack := 10*checkSlack*(size*mass+math.Abs(psi)+math.Abs(risk)) + c.imprecision(mass, size)
	switch {
	case best && !(math.Abs(value-risk) <= slack):
		return fmt.Errorf("the best response of the dual %T is wrong: it returned the risk %v, but weights y with ⟨y, f⟩ − "+
			"ψ(y) = %v", c.Problem.Dual, risk, value)
	case !(value <= risk+slack):
		return fmt.Errorf("the best response of the dual %T is wrong: it returned the risk %v, but other weights of Y have "+
			"the larger value ⟨y, f⟩ − ψ(y) = %v", c.Problem.Dual, risk, value)
	}
	return nil
}

// imprecision returns the rounding of a dual that nobody knows to compute without cancellation, for weights of a sum
// and losses of a size.
func (c *partsCheck) imprecision(mass, size float64) float64 {
	return 4 * c.Cert.Rounding.sums * (1 + mass) * (c.Problem.Dual.Modulus() + size)
}
