package latent

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// beside gives law k of l another beside it, of two classes, on one side or the other of it: along
// the direction in which its answers are surer of the wrong class than one law allows, that of
// the largest second derivative of the likelihood by a dispersion of its coefficients, in the metric
// of Fisher's information.
func (f *fitter) beside(l *Laws, k int, sign float64) *Laws {
	p := f.of(l)[k]
	next := l.clone()
	law := &next.Law[k]
	f.X.MarginsTo(f.margin, law.Coefficients, 0, f.n)
	second, information := make([]float64, f.n), make([]float64, f.n)
	size, mass := 0.0, 0.0
	for j, m := range f.margin {
		q := 1 / (1 + math.Exp(f.Target[j]*m)) // of the wrong class
		w := f.weight[j] * p[j]
		second[j], information[j] = w*q*(2*q-1), w*q*(1-q)
		size, mass = size+w*m*m, mass+w
	}
	v := f.along(second, information)
	if v == nil {
		return nil
	}
	f.X.MarginsTo(f.margin, v, 0, f.n)
	own := 0.0
	for j, m := range f.margin {
		own += f.weight[j] * p[j] * m * m
	}
	if !(own > 0) {
		return nil
	}
	t := sign * max(2*math.Sqrt(mass), 1.5*math.Sqrt(size)) / math.Sqrt(own)
	other := Law{Coefficients: make([]float64, f.d), Share: law.Share * 0.2}
	for i, x := range law.Coefficients {
		other.Coefficients[i] = x + t*v[i]
	}
	law.Share *= 0.8
	next.Law = append(next.Law, other)
	return next
}

// along is the v for which vᵀZᵀAZv is largest beside vᵀ(ZᵀBZ + ridge)v; nil where the arithmetic fails.
func (f *fitter) along(a, b []float64) []float64 {
	gram := func(w []float64) *mat.SymDense {
		g := make([]float64, f.d*f.d)
		f.X.AddGramTo(g, w, 0, f.n)
		return mat.NewSymDense(f.d, g)
	}
	of, by := gram(a), gram(b)
	for k := range f.d {
		by.SetSym(k, k, by.At(k, k)+ridge)
	}
	var root mat.Cholesky
	if !root.Factorize(by) {
		return nil
	}
	var u mat.TriDense
	root.UTo(&u)
	var half, whole mat.Dense // U⁻ᵀ A U⁻¹
	if half.Solve(u.T(), of) != nil || whole.Solve(u.T(), half.T()) != nil {
		return nil
	}
	h := mat.NewSymDense(f.d, nil)
	for i := range f.d {
		for j := i; j < f.d; j++ {
			h.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(h, true) {
		return nil
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	var v mat.VecDense
	if v.SolveVec(&u, vectors.ColView(f.d-1)) != nil {
		return nil
	}
	return v.RawVector().Data
}
