package latent

import (
	"cmp"
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
	Even   bool // noise does not grow with the features
}

const (
	iterations = 60   // of expectation and maximisation, at most
	trial      = 8    // of them, from every start
	settled    = 1e-7 // rise of the mean log-likelihood that ends them
	ridge      = 1    // ½·ridge·‖x‖² is added to the negative log-likelihood of every law
	least      = 1e-3 // share and, of the target's deviation, noise that a law keeps
)

// Single returns the one law that fits the rows best; nil where the arithmetic fails.
func Single(r *Rows) *Laws { return newFitter(r).single() }

// More returns the laws of the rows with one more than l has, that expectation maximisation
// ends in: the likeliest of those that begin with the rows that one of the laws of l fits
// worst, and of two classes on either side of one. nil where the arithmetic fails.
func More(r *Rows, l *Laws) *Laws {
	f := newFitter(r)
	var starts []*Laws
	for k := range l.Law {
		starts = append(starts, f.split(l, k, free))
		if r.Binary {
			starts = append(starts, f.beside(l, k, 1), f.beside(l, k, -1))
		}
	}
	return f.likeliest(starts).sorted()
}

// sorted puts the law of most rows first, and the others by their shares.
func (l *Laws) sorted() *Laws {
	if l != nil {
		slices.SortStableFunc(l.Law, func(a, b Law) int { return cmp.Compare(b.Share, a.Share) })
	}
	return l
}

type fitter struct {
	*Rows
	n, d   int
	weight []float64 // their mean is 1
	scale  float64   // standard deviation of the target

	u           design.Matrix             // n×(4d+1): sizes
	growth      []float64                 // n: the factor of every row's noise
	information func([]float64) []float64 // of Growth, solved for

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
	f.growth = make([]float64, f.n)
	for j := range f.growth {
		f.growth[j] = 1
	}
	if f.grows() {
		f.u = sizes(r.X, f.n, r.Free)
	}
	return f
}

func (f *fitter) grows() bool { return !f.Binary && !f.Even }

// single fits one law.
func (f *fitter) single() *Laws {
	l := &Laws{Law: []Law{{Coefficients: make([]float64, f.d), Share: 1}}, Classes: f.Binary}
	if f.Binary {
		x := l.Law[0].Coefficients
		before := make([]float64, f.d)
		for range 30 {
			copy(before, x)
			if !f.maximise(x, f.weight) {
				return nil
			}
			if floats.Distance(x, before, math.Inf(1)) <= 1e-6*floats.Norm(x, math.Inf(1)) {
				break
			}
		}
		return l
	}
	if f.grows() {
		l.Growth = make([]float64, terms*f.d)
	}
	if !f.law(l, 0, f.weight) {
		return nil
	}
	return f.alternate(l, iterations)
}

// law fits law k of l to the rows under weights.
func (f *fitter) law(l *Laws, k int, w []float64) bool {
	law := &l.Law[k]
	if f.Binary {
		return f.maximise(law.Coefficients, w)
	}
	if !f.maximise(law.Coefficients, f.precise(w)) {
		return false
	}
	law.Noise = max(least*f.scale, f.deviation(law.Coefficients, w))
	return true
}

// precise are weights over the squares of what noise grows by.
func (f *fitter) precise(w []float64) []float64 {
	out := make([]float64, f.n)
	for j, v := range w {
		out[j] = v / (f.growth[j] * f.growth[j])
	}
	return out
}

// likeliest is where the steps from the likeliest of these starts end; of two classes, whose
// steps are short, that is known after some.
func (f *fitter) likeliest(starts []*Laws) *Laws {
	rounds := iterations
	if f.Binary {
		rounds = trial
	}
	var best *Laws
	for _, l := range starts {
		best = f.likelier(best, f.alternate(l, rounds))
	}
	if f.Binary {
		best = f.alternate(best, iterations-trial)
	}
	return best
}

// alternate goes so many times between the probabilities of the rows and the laws, from laws to
// begin with.
func (f *fitter) alternate(l *Laws, rounds int) *Laws {
	if l == nil {
		return nil
	}
	if f.grows() {
		growthOf(f.growth, f.u, l.Growth)
	}
	p, density, in := make([][]float64, len(l.Law)), make([]float64, f.n), make([][]float64, len(l.Law))
	for k := range p {
		p[k], in[k] = make([]float64, f.n), make([]float64, f.n)
	}
	before := math.Inf(-1)
	for round := range rounds {
		l.posterior(p, density, f.X, f.Target, f.growth)
		likelihood := 0.0
		for j, w := range f.weight {
			likelihood += w * density[j] / float64(f.n)
		}
		if math.IsNaN(likelihood) || math.IsInf(likelihood, 0) {
			return nil
		}
		if likelihood-before < settled && before > math.Inf(-1) {
			break
		}
		before = likelihood
		total := 0.0
		for k := range l.Law {
			mass := 0.0
			for j, w := range f.weight {
				in[k][j] = w * p[k][j]
				mass += in[k][j] / float64(f.n)
			}
			l.Law[k].Share = max(mass, least)
			total += l.Law[k].Share
		}
		for k := range l.Law {
			l.Law[k].Share /= total
		}
		for k := range l.Law {
			if t := l.tie; t != nil && (k == t.of || k == t.part) {
				continue
			}
			if !f.law(l, k, in[k]) {
				return nil
			}
		}
		if t := l.tie; t != nil && !f.maximiseTied(l, in[t.of], in[t.part]) {
			return nil
		}
		if round%between == 0 && f.grows() && !f.grow(l, p) {
			return nil
		}
	}
	return l
}

// likelier is the likelier of two.
func (f *fitter) likelier(a, b *Laws) *Laws {
	if a == nil || b != nil && f.likelihood(b) > f.likelihood(a) {
		return b
	}
	return a
}

// split gives the rows that law k of l fits worst a law of their own, or one tied to k.
func (f *fitter) split(l *Laws, k int, how kind) *Laws {
	next := l.clone()
	if !f.begin(next, f.of(l)[k], k, how) {
		return nil
	}
	return next
}

// of is the probability of every law and row.
func (f *fitter) of(l *Laws) [][]float64 {
	if f.grows() {
		growthOf(f.growth, f.u, l.Growth)
	}
	p := make([][]float64, len(l.Law))
	for i := range p {
		p[i] = make([]float64, f.n)
	}
	l.posterior(p, make([]float64, f.n), f.X, f.Target, f.growth)
	return p
}

func (l *Laws) clone() *Laws {
	c := &Laws{Growth: slices.Clone(l.Growth), Classes: l.Classes}
	for _, law := range l.Law {
		law.Coefficients = slices.Clone(law.Coefficients)
		c.Law = append(c.Law, law)
	}
	return c
}

// begin adds to l a law of the rows that law k fits worst, of those that are its by p.
func (f *fitter) begin(l *Laws, p []float64, k int, how kind) bool {
	law := &l.Law[k]
	f.X.MarginsTo(f.margin, law.Coefficients, 0, f.n)
	misfit := make([]float64, f.n)
	var own []float64
	for j, m := range f.margin {
		if misfit[j] = math.Abs(m-f.Target[j]) / f.growth[j]; f.Binary {
			misfit[j] = -m * f.Target[j]
		}
		if p[j] > 0.5 {
			own = append(own, misfit[j])
		}
	}
	if len(own) == 0 {
		return false
	}
	slices.Sort(own)
	share, rest := 0.05, 1e-3
	if f.Binary {
		share, rest = 0.1, 0.05
	}
	count := min(len(own), max(1, int(share*float64(len(own))), min(3*f.d, len(own)/3)))
	threshold := own[len(own)-count]
	w := make([]float64, f.n)
	for j, v := range misfit {
		w[j] = rest * f.weight[j] * p[j]
		if v >= threshold {
			w[j] = f.weight[j] * p[j]
		}
	}
	next := Law{Coefficients: slices.Clone(law.Coefficients), Share: law.Share * 0.1, Noise: law.Noise}
	law.Share *= 0.9
	if !f.Binary {
		law.Noise = max(least*f.scale, own[len(own)/2]/0.6745) // of a normal law, by the median
	}
	l.Law = append(l.Law, next)
	last := len(l.Law) - 1
	if how != free {
		l.tie = &tie{of: k, part: last, scale: 1, wrong: how == wrong}
		f.follow(l, w)
		return true
	}
	for range 4 {
		if !f.maximise(l.Law[last].Coefficients, f.precise(w)) {
			return false
		}
		if !f.Binary {
			break
		}
	}
	return true
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

// deviation is the root mean square of the residuals at x under weights, in units of what
// noise grows by.
func (f *fitter) deviation(x, w []float64) float64 {
	f.X.MarginsTo(f.margin, x, 0, f.n)
	sum, mass := 0.0, 0.0
	for j, v := range w {
		r := (f.Target[j] - f.margin[j]) / f.growth[j]
		sum += v * r * r
		mass += v
	}
	if !(mass > 0) {
		return f.scale
	}
	return math.Sqrt(sum / mass)
}
