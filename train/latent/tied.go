package latent

import (
	"math"
)

// A kind is what a further part of a mixture follows: a law of its own, a multiple of another,
// or another turned about: labels that are wrong.
type kind int

const (
	free kind = iota
	multiple
	wrong
)

// Null returns the best mixture that has no law but as many as l, to hold one law more
// against: a further part follows a multiple, 0 or more, of one of the laws, with a constant
// and, of numbers, a noise of its own, for skewed and heavy tails, for noise that grows with
// the prediction and for answers steeper or flatter than the logistic; of two classes it may be
// labels of a law that are wrong at random, too. It starts from the rows that a law of l fits
// worst. nil where the arithmetic fails.
func Null(r *Rows, l *Laws) *Laws {
	f := newFitter(r)
	var starts []*Laws
	for k := range l.Law {
		starts = append(starts, f.split(l, k, multiple))
		if r.Binary {
			starts = append(starts, f.split(l, k, wrong))
		}
	}
	return f.likeliest(starts)
}

// Nearer returns the likelier of null and of such mixtures that start from the rows of the
// laws of more, which null is to be held against.
func Nearer(r *Rows, null, more *Laws) *Laws {
	f := newFitter(r)
	p, _ := more.Posterior(r.X, r.Target)
	var starts []*Laws
	for of := range p {
		for part := range p {
			if of != part {
				starts = append(starts, f.tied(more, p, of, part))
			}
		}
	}
	return f.likelier(null, f.likeliest(starts))
}

// tied are laws with one the less: of is fitted to its rows by the probabilities p, and part
// is the multiple of it that its rows follow.
func (f *fitter) tied(l *Laws, p [][]float64, of, part int) *Laws {
	next := l.clone()
	if f.grows() {
		growthOf(f.growth, f.u, l.Growth)
	}
	next.tie = &tie{of: of, part: part, scale: 1}
	inside, outside := make([]float64, f.n), make([]float64, f.n)
	for j, w := range f.weight {
		inside[j], outside[j] = w*p[part][j], w*p[of][j]
	}
	if !f.law(next, of, outside) {
		return nil
	}
	f.follow(next, inside)
	if !f.Binary {
		next.Law[part].Noise = max(least*f.scale, f.deviation(next.Law[part].Coefficients, inside))
	}
	return next
}

// maximiseTied fits a law and the part that is tied to it: one set of slopes under the weights
// of both, numbers by their two noises, and then the multiple of it that is the part's.
func (f *fitter) maximiseTied(l *Laws, outside, inside []float64) bool {
	t := l.tie
	law, part := &l.Law[t.of], &l.Law[t.part]
	if f.Binary {
		if !f.logistic(law.Coefficients, outside, inside, t) {
			return false
		}
		f.follow(l, inside)
		return true
	}
	w, moved := make([]float64, f.n), make([]float64, f.n)
	a, b := math.Pow(f.scale/law.Noise, 2), math.Pow(f.scale/part.Noise, 2) // in the units of the ridge
	for j, y := range f.Target {
		own, other := outside[j]*a, inside[j]*b*t.scale
		if w[j] = own + other*t.scale; w[j] > 0 {
			moved[j] = (own*y + other*(y-t.shift)) / w[j]
		}
	}
	given := f.Target
	f.Target = moved
	ok := f.maximise(law.Coefficients, f.precise(w))
	f.Target = given
	if !ok {
		return false
	}
	f.follow(l, inside)
	law.Noise = max(least*f.scale, f.deviation(law.Coefficients, outside))
	part.Noise = max(least*f.scale, f.deviation(part.Coefficients, inside))
	return true
}

// follow sets the part to the multiple of its law, 0 or more, and the shift of it where there
// is an intercept, that are nearest to the targets under weights, or to its law turned about.
func (f *fitter) follow(l *Laws, inside []float64) {
	t := l.tie
	law, part := l.Law[t.of].Coefficients, l.Law[t.part].Coefficients
	f.X.MarginsTo(f.margin, law, 0, f.n)
	switch {
	case t.wrong:
		t.scale, t.shift = -1, 0
	case f.Binary:
		f.multiple(t, law, inside)
	default:
		f.nearest(t, inside)
	}
	for k, v := range law {
		part[k] = t.scale * v
	}
	if f.Free {
		part[f.d-1] += t.shift
	}
}

// nearest is the multiple by least squares.
func (f *fitter) nearest(t *tie, inside []float64) {
	var mass, m, y, mm, my float64
	for j, v := range f.precise(inside) {
		mass += v
		m += v * f.margin[j]
		y += v * f.Target[j]
		mm += v * f.margin[j] * f.margin[j]
		my += v * f.margin[j] * f.Target[j]
	}
	if !f.Free {
		m, y = 0, 0
	}
	if mass > 0 {
		if scatter := mm - m*m/mass; scatter > 0 {
			t.scale = max(0, (my-m*y/mass)/scatter)
		}
		t.shift = (y - t.scale*m) / mass
	}
}

// multiple is that of the penalised likelihood of two classes, by safeguarded Newton steps.
func (f *fitter) multiple(t *tie, law, inside []float64) {
	norm := 0.0
	for _, v := range law[:f.penalties()] {
		norm += ridge * v * v
	}
	value := func(scale, shift float64) float64 {
		sum := norm * scale * scale / 2
		for j, m := range f.margin {
			sum += inside[j] * softplus(-f.Target[j]*(scale*m+shift))
		}
		return sum
	}
	now := value(t.scale, t.shift)
	for range 4 {
		g, h, gs, hs, cross := norm*t.scale, norm+1e-9, 0.0, 1e-9, 0.0
		for j, m := range f.margin {
			q := 1 / (1 + math.Exp(f.Target[j]*(t.scale*m+t.shift))) // of the wrong class
			slope, curvature := -inside[j]*q*f.Target[j], inside[j]*q*(1-q)
			g, gs = g+slope*m, gs+slope
			h, hs, cross = h+curvature*m*m, hs+curvature, cross+curvature*m
		}
		if !f.Free {
			gs, cross = 0, 0
		}
		det := h*hs - cross*cross
		if !(det > 0) {
			return
		}
		down, side := (hs*g-cross*gs)/det, (h*gs-cross*g)/det
		moved := false
		for at := 1.0; at > 1e-3; at /= 2 {
			scale, shift := max(0, t.scale-at*down), t.shift-at*side
			if v := value(scale, shift); v < now {
				t.scale, t.shift, now, moved = scale, shift, v, true
				break
			}
		}
		if !moved {
			return
		}
	}
}
