package dro

import (
	"fmt"
	"math"
)

// A Strategy is one of the paper's two ways of adapting to blocks of unequal
// constants.
type Strategy int

const (
	// Replacement refreshes the comparison points with non-uniform probabilities
	// r, s, and uses no historical regularisation, w^P = w^D = 0 (Alg. 4, 6).
	Replacement Strategy = iota

	// Historical regularises towards the comparison points, w^P, w^D > 0 with
	// weights γ, and refreshes them uniformly (Alg. 3, 5).
	Historical
)

// String returns the name of the strategy.
func (s Strategy) String() string {
	return [...]string{"replacement", "historical"}[s]
}

// Sampling says for each distribution over blocks whether it is uniform instead
// of adapted to the constants of the blocks (the table of math: §6).
type Sampling struct {
	UniformP, UniformQ, UniformR, UniformS, UniformGamma bool
}

// Uniform makes every distribution uniform.
func UniformSampling() Sampling { return Sampling{true, true, true, true, true} }

// A sampler holds the distributions of P, Q, R, S and the weights γ of one
// method on one problem.
type sampler struct {
	p, q, r, s *alias
	gamma      []float64
}

// newSampler returns the sampling of the table in math: §6. Separable methods
// draw Q uniformly.
func newSampler(st Strategy, u Sampling, c constants, separable bool) (*sampler, error) {
	n := len(c.gs)
	uniform := make([]float64, n)
	fill(uniform, 1)
	pick := func(isUniform bool, weights func() []float64) ([]float64, error) {
		if isUniform {
			return uniform, nil
		}
		w := weights()
		return w, nil
	}
	root := func(v []float64) []float64 {
		w := make([]float64, n)
		for i, a := range v {
			w[i] = math.Sqrt(a)
		}
		return w
	}
	var p, q, r, s, gamma func() []float64
	if st == Historical {
		p, q = func() []float64 { return c.lambdas }, func() []float64 { return c.gs }
		gamma = p
		if separable {
			gamma = func() []float64 { return c.ls }
		}
		u.UniformR, u.UniformS = true, true
	} else {
		p, q = func() []float64 { return root(c.lambdas) }, func() []float64 { return root(c.gs) }
		r, s = p, q
		if separable {
			r = func() []float64 { return root(c.ls) }
		}
		u.UniformGamma = true
	}
	if separable {
		u.UniformQ = true
	}
	out := &sampler{}
	for _, e := range []struct {
		name    string
		uniform bool
		weights func() []float64
		floor   bool // at least 1/(2N), by thms. stochastic:minty and sep:minty
		dst     **alias
	}{
		{"p", u.UniformP, p, false, &out.p}, {"q", u.UniformQ, q, false, &out.q},
		{"r", u.UniformR, r, true, &out.r}, {"s", u.UniformS, s, true, &out.s},
	} {
		w, err := pick(e.uniform, e.weights)
		if err != nil {
			return nil, err
		}
		w = probabilities(w, e.floor)
		if *e.dst, err = newAlias(w); err != nil {
			return nil, fmt.Errorf("%w (distribution %s)", err, e.name)
		}
	}
	w, err := pick(u.UniformGamma, gamma)
	if err != nil {
		return nil, err
	}
	out.gamma = probabilities(w, false)
	return out, nil
}

// probabilities normalises weights. Blocks whose constant is zero (rows of
// zeros) still have to be met, so that a thousandth of the mass is spread
// uniformly; with floor, half of it, so that every entry is at least 1/(2N).
func probabilities(w []float64, floor bool) []float64 {
	n := float64(len(w))
	total := 0.0
	for _, v := range w {
		total += v
	}
	mix := 1e-3
	if floor {
		mix = 0.5
	}
	out := make([]float64, len(w))
	for i, v := range w {
		if total > 0 {
			out[i] = (1-mix)*v/total + mix/n
		} else {
			out[i] = 1 / n
		}
	}
	return out
}
