package latent

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/design"
)

// Rows are what a mixture is fitted to.
type Rows struct {
	X      design.Matrix // n×d; where there is an intercept its column is the last
	Target []float64     // n; ±1 for two classes
	Weight []float64     // n, ≥ 0; nil: equal
	Binary bool
	Free   bool // the last column is an intercept: not penalised
}

// Laws are two linear models of which every row follows one.
type Laws struct {
	Common []float64 `json:"common"`          // d, of the columns of X: the law of most rows
	Other  []float64 `json:"other"`           // d, that of the hidden subgroup
	Share  float64   `json:"share"`           // of the rows that follow Other, at most a half
	Noise  []float64 `json:"noise,omitempty"` // standard deviations around Common and Other; nil for two classes

	scale, shift float64 // of Null: Other is scale·Common, and shift in the intercept
}

const (
	iterations = 60   // of expectation and maximisation, at most
	settled    = 1e-7 // rise of the mean log-likelihood that ends them
	ridge      = 1    // ½·ridge·‖x‖² is added to the negative log-likelihood of either law
	least      = 1e-3 // share and, of the target's deviation, noise that a law keeps
)

// Fit returns the laws of the rows that expectation maximisation ends in, from the rows
// that one law fits worst; nil where the arithmetic fails.
func Fit(r *Rows) *Laws {
	f := newFitter(r)
	first := f.single()
	if first == nil {
		return nil
	}
	return f.mixture(first, false)
}

// Null returns the best mixture that is no other law, to hold Fit against: for numbers
// one set of slopes, of which the second part has a multiple, 0 or more, with a constant
// and a noise of its own, for skewed and heavy tails and for noise that grows with the
// prediction; for two classes labels that are wrong at random. It starts from the rows
// that one law fits worst, and from the rows of either of the laws of two, which may be
// nil. nil where the arithmetic fails.
func Null(r *Rows, two *Laws) *Laws {
	f := newFitter(r)
	first := f.single()
	if first == nil {
		return nil
	}
	best := f.mixture(first, true)
	if two == nil || f.Binary || best == nil {
		return best
	}
	p, _ := two.Posterior(r.X, r.Target)
	for range 2 {
		if l := f.parted(p); l != nil {
			if l = f.alternate(l, true); l != nil && f.likelihood(l) > f.likelihood(best) {
				best = l
			}
		}
		for j := range p {
			p[j] = 1 - p[j]
		}
	}
	return best
}

// Single returns the one law that fits the rows best, as Laws with a Share of 0.
func Single(r *Rows) *Laws { return newFitter(r).single() }

type fitter struct {
	*Rows
	n, d   int
	weight []float64 // their mean is 1
	scale  float64   // standard deviation of the target

	work, margin []float64 // n
}

func newFitter(r *Rows) *fitter {
	f := &fitter{Rows: r}
	f.n, f.d = r.X.Dims()
	f.weight, f.work, f.margin = make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
	total := 0.0
	for j := range f.weight {
		f.weight[j] = 1
		if r.Weight != nil {
			f.weight[j] = r.Weight[j]
		}
		total += f.weight[j]
	}
	mean, square := 0.0, 0.0
	for j, w := range f.weight {
		f.weight[j] = w * float64(f.n) / total
		mean += f.weight[j] * r.Target[j] / float64(f.n)
	}
	for j, w := range f.weight {
		square += w * (r.Target[j] - mean) * (r.Target[j] - mean) / float64(f.n)
	}
	f.scale = math.Sqrt(square)
	return f
}

// single fits one law.
func (f *fitter) single() *Laws {
	x := make([]float64, f.d)
	before := make([]float64, f.d)
	for range 15 {
		copy(before, x)
		if !f.maximise(x, f.weight) {
			return nil
		}
		if !f.Binary || floats.Distance(x, before, math.Inf(1)) <= 1e-6*floats.Norm(x, math.Inf(1)) {
			break
		}
	}
	l := &Laws{Common: x, Other: slices.Clone(x)}
	if !f.Binary {
		s := f.deviation(x, f.weight)
		l.Noise = []float64{s, s}
	}
	return l
}

// mixture alternates between the probabilities of the rows and the laws.
func (f *fitter) mixture(first *Laws, null bool) *Laws {
	l := &Laws{Common: slices.Clone(first.Common), Other: slices.Clone(first.Common), Share: 0.1, Noise: slices.Clone(first.Noise)}
	if !f.begin(l, null) {
		return nil
	}
	return f.alternate(l, null)
}

// alternate is mixture from laws to begin with.
func (f *fitter) alternate(l *Laws, null bool) *Laws {
	most := 0.5 // of the share: Other is the law of the fewer
	if null {
		most = 1 - least
	}
	p, density := make([]float64, f.n), make([]float64, f.n)
	inside, outside := make([]float64, f.n), make([]float64, f.n)
	before := math.Inf(-1)
	for range iterations {
		l.posterior(p, density, f.X, f.Target)
		likelihood, mass := 0.0, 0.0
		for j, w := range f.weight {
			likelihood += w * density[j] / float64(f.n)
			mass += w * p[j] / float64(f.n)
			inside[j], outside[j] = w*p[j], w*(1-p[j])
		}
		if math.IsNaN(likelihood) || math.IsInf(likelihood, 0) {
			return nil
		}
		if likelihood-before < settled && before > math.Inf(-1) {
			break
		}
		before = likelihood
		l.Share = min(max(mass, least), most)
		switch {
		case null && f.Binary:
			if !f.maximiseFlipped(l, inside, outside) {
				return nil
			}
		case null:
			if !f.maximiseScaled(l, inside, outside) {
				return nil
			}
		case !f.maximise(l.Common, outside) || !f.maximise(l.Other, inside):
			return nil
		}
		if !f.Binary {
			l.Noise[0] = max(least*f.scale, f.deviation(l.Common, outside))
			l.Noise[1] = max(least*f.scale, f.deviation(l.Other, inside))
		}
	}
	return l
}

// begin takes the rows that one law fits worst for the second.
func (f *fitter) begin(l *Laws, null bool) bool {
	f.X.MarginsTo(f.margin, l.Common, 0, f.n)
	misfit := make([]float64, f.n)
	for j, m := range f.margin {
		if misfit[j] = math.Abs(m - f.Target[j]); f.Binary {
			misfit[j] = -m * f.Target[j]
		}
	}
	sorted := slices.Clone(misfit)
	slices.Sort(sorted)
	share, rest := 0.05, 1e-3
	if f.Binary {
		share, rest = 0.1, 0.05
	}
	count := min(f.n, max(1, int(share*float64(f.n)), min(3*f.d, f.n/3)))
	threshold := sorted[f.n-count]
	w := make([]float64, f.n)
	shift, mass := 0.0, 0.0
	for j, v := range misfit {
		w[j] = rest * f.weight[j]
		if v >= threshold {
			w[j] = f.weight[j]
		}
		shift += w[j] * (f.Target[j] - f.margin[j])
		mass += w[j]
	}
	if !f.Binary {
		l.Noise[0] = max(least*f.scale, sorted[f.n/2]/0.6745) // of a normal law, by the median
	}
	switch {
	case null && f.Binary:
		for k := range l.Other {
			l.Other[k] = -l.Common[k]
		}
		return true
	case null:
		l.scale = 1
		if f.Free {
			l.shift = shift / mass
			l.Other[f.d-1] += l.shift
		}
		return true
	}
	for range 4 {
		if !f.maximise(l.Other, w) {
			return false
		}
		if !f.Binary {
			break
		}
	}
	return true
}

// maximiseScaled fits one set of slopes under weights of two noises, and then the multiple
// of it that is the second part's.
func (f *fitter) maximiseScaled(l *Laws, inside, outside []float64) bool {
	w, moved := make([]float64, f.n), make([]float64, f.n)
	a, b := math.Pow(f.scale/l.Noise[0], 2), math.Pow(f.scale/l.Noise[1], 2) // in the units of the ridge
	for j, y := range f.Target {
		own, other := outside[j]*a, inside[j]*b*l.scale
		if w[j] = own + other*l.scale; w[j] > 0 {
			moved[j] = (own*y + other*(y-l.shift)) / w[j]
		}
	}
	given := f.Target
	f.Target = moved
	ok := f.maximise(l.Common, w)
	f.Target = given
	if ok {
		f.follow(l, inside)
	}
	return ok
}

// follow sets Other to the multiple of Common, 0 or more, and the shift of it where there
// is an intercept, that are nearest to the targets under weights.
func (f *fitter) follow(l *Laws, inside []float64) {
	f.X.MarginsTo(f.margin, l.Common, 0, f.n)
	var mass, m, y, mm, my float64
	for j, v := range inside {
		mass += v
		m += v * f.margin[j]
		y += v * f.Target[j]
		mm += v * f.margin[j] * f.margin[j]
		my += v * f.margin[j] * f.Target[j]
	}
	if !f.Free {
		m, y = 0, 0
	}
	if spread := mm - m*m/mass; mass > 0 && spread > 0 {
		l.scale = max(0, (my-m*y/mass)/spread)
		l.shift = (y - l.scale*m) / mass
	}
	for k, v := range l.Common {
		l.Other[k] = l.scale * v
	}
	if f.Free {
		l.Other[f.d-1] += l.shift
	}
}

// parted are laws of one set of slopes whose second part has the rows by the
// probabilities p.
func (f *fitter) parted(p []float64) *Laws {
	inside, outside := make([]float64, f.n), make([]float64, f.n)
	mass := 0.0
	for j, w := range f.weight {
		inside[j], outside[j] = w*p[j], w*(1-p[j])
		mass += inside[j] / float64(f.n)
	}
	l := &Laws{Common: make([]float64, f.d), Other: make([]float64, f.d), Share: min(max(mass, least), 1-least), scale: 1}
	if !f.maximise(l.Common, outside) {
		return nil
	}
	f.follow(l, inside)
	l.Noise = []float64{max(least*f.scale, f.deviation(l.Common, outside)), max(least*f.scale, f.deviation(l.Other, inside))}
	return l
}

// likelihood is the mean log-likelihood of the rows.
func (f *fitter) likelihood(l *Laws) float64 {
	_, density := l.Posterior(f.X, f.Target)
	sum := 0.0
	for j, w := range f.weight {
		sum += w * density[j] / float64(f.n)
	}
	return sum
}

// maximiseFlipped fits one law to labels of which the second part is wrong.
func (f *fitter) maximiseFlipped(l *Laws, inside, outside []float64) bool {
	if !f.maximise(l.Common, outside) {
		return false
	}
	for k, v := range l.Common {
		l.Other[k] = -v
	}
	return true
}

// deviation is the root mean square of the residuals at x under weights.
func (f *fitter) deviation(x, w []float64) float64 {
	f.X.MarginsTo(f.margin, x, 0, f.n)
	sum, mass := 0.0, 0.0
	for j, v := range w {
		r := f.Target[j] - f.margin[j]
		sum += v * r * r
		mass += v
	}
	if !(mass > 0) {
		return f.scale
	}
	return math.Sqrt(sum / mass)
}
