package primaldual

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
)

// A Strategy is one of the paper's two ways of adapting to blocks with different constants.
type Strategy int

const (
	// Replacement refreshes the comparison points with non-uniform probabilities r, s, and uses no historical
	// regularisation: w^P = w^D = 0 (Alg. 4, 6).
	Replacement Strategy = iota

	// Historical regularises towards the comparison points, with w^P, w^D > 0 and weights γ, and refreshes them
	// uniformly (Alg. 3, 5).
	Historical
)

// String returns the name of the strategy.
func (s Strategy) String() string {
	names := [...]string{"replacement", "historical"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Strategy(%d)", int(s))
	}
	return names[s]
}

// A sampler holds the distributions of P, Q, R and S and the weights γ for one method and one problem.
type sampler struct {
	p, q, r, s *alias
	gamma      []float64
}

// newSampler returns the sampling distributions in the table of math: §6, or uniform ones. Separable methods draw Q
// uniformly, as in Lemma 5.
func newSampler(st Strategy, isUniform bool, c constants, separable bool) (*sampler, error) {
	uniform := make([]float64, len(c.gs))
	engine.Fill(uniform, 1)
	p, q, r, s, gamma := uniform, uniform, uniform, uniform, uniform
	switch {
	case isUniform:
	case st == Historical && separable: // Alg. 5
		p, gamma = c.lambdas, c.ls
	case st == Historical: // Alg. 3
		p, q, gamma = c.lambdas, c.gs, c.lambdas
	case separable: // Alg. 6
		p, r = squareRoots(c.lambdas), squareRoots(c.ls)
	default: // Alg. 4
		p, q, r, s = squareRoots(c.lambdas), squareRoots(c.gs), squareRoots(c.lambdas), squareRoots(c.gs)
	}
	out := &sampler{gamma: probabilities(gamma, false)}
	for _, e := range []struct {
		name    string
		weights []float64
		floor   bool // at least 1/(2N), as required by Theorems 3 and 5
		dst     **alias
	}{{"P", p, false, &out.p}, {"Q", q, false, &out.q}, {"R", r, true, &out.r}, {"S", s, true, &out.s}} {
		var err error
		if *e.dst, err = newAlias(probabilities(e.weights, e.floor)); err != nil {
			return nil, fmt.Errorf("%w (distribution %s)", err, e.name)
		}
	}
	return out, nil
}

// squareRoots returns the square root of every entry.
func squareRoots(v []float64) []float64 {
	w := make([]float64, len(v))
	for i, a := range v {
		w[i] = math.Sqrt(a)
	}
	return w
}

// probabilities normalises weights. Since blocks whose constant is zero (rows of zeros) must be visited too, a
// thousandth of the mass is distributed uniformly; if floor is set, it is half of the mass, so that every entry is
// at least 1/(2N).
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
