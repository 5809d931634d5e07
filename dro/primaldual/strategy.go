package primaldual

import (
	"errors"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
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
	names := [...]string{"replacement", "historical"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Strategy(%d)", int(s))
	}
	return names[s]
}

// Sampling says for each distribution over blocks where it comes from: given, as
// probabilities of the N blocks that sum to one; else uniform if that is asked
// for; else adapted to the constants of the blocks, by the table of math: §6. The
// zero value adapts all of them.
type Sampling struct {
	P, Q, R, S, Gamma []float64

	UniformP, UniformQ, UniformR, UniformS, UniformGamma bool
}

// UniformSampling makes every distribution uniform.
func UniformSampling() Sampling {
	return Sampling{UniformP: true, UniformQ: true, UniformR: true, UniformS: true, UniformGamma: true}
}

// A sampler holds the distributions of P, Q, R, S and the weights γ of one
// method on one problem.
type sampler struct {
	p, q, r, s *alias
	gamma      []float64
}

// newSampler returns the sampling of the table in math: §6. Separable methods
// draw Q uniformly, by lem. expect.
func newSampler(st Strategy, u Sampling, c constants, separable bool) (*sampler, error) {
	uniform := make([]float64, len(c.gs))
	vec.Fill(uniform, 1)
	p, q, r, s, gamma := uniform, uniform, uniform, uniform, uniform
	switch {
	case st == Historical && separable: // Alg. 5
		p, gamma = c.lambdas, c.ls
	case st == Historical: // Alg. 3
		p, q, gamma = c.lambdas, c.gs, c.lambdas
	case separable: // Alg. 6
		p, r = roots(c.lambdas), roots(c.ls)
	default: // Alg. 4
		p, q, r, s = roots(c.lambdas), roots(c.gs), roots(c.lambdas), roots(c.gs)
	}
	if separable && u.Q != nil {
		return nil, errors.New("dro: Q is uniform in a separable method: it cannot be given")
	}
	out := &sampler{}
	for _, e := range []struct {
		name           string
		given, adapted []float64
		uniform        bool
		floor          bool // at least 1/(2N), by thms. stochastic:minty and sep:minty
		dst            **alias
	}{
		{"P", u.P, p, u.UniformP, false, &out.p}, {"Q", u.Q, q, u.UniformQ, false, &out.q},
		{"R", u.R, r, u.UniformR, true, &out.r}, {"S", u.S, s, u.UniformS, true, &out.s},
		{"Gamma", u.Gamma, gamma, u.UniformGamma, false, nil},
	} {
		w, err := distribution(e.name, e.given, e.adapted, uniform, e.uniform, e.floor)
		if err != nil {
			return nil, err
		}
		if e.dst == nil {
			out.gamma = w
		} else if *e.dst, err = newAlias(w); err != nil {
			return nil, fmt.Errorf("%w (distribution %s)", err, e.name)
		}
	}
	return out, nil
}

// distribution returns the probabilities of one distribution of a Sampling.
func distribution(name string, given, adapted, uniform []float64, isUniform, floor bool) ([]float64, error) {
	const rounding = 1e-9 // of a sum that is to be 1, as people write probabilities
	switch {
	case given == nil && isUniform:
		return probabilities(uniform, floor), nil
	case given == nil:
		return probabilities(adapted, floor), nil
	case isUniform:
		return nil, fmt.Errorf("dro: distribution %s is both given and uniform", name)
	case len(given) != len(uniform):
		return nil, fmt.Errorf("dro: distribution %s has %d probabilities for %d blocks", name, len(given), len(uniform))
	}
	total := 0.0
	for i, v := range given {
		if !(v > 0) {
			return nil, fmt.Errorf("dro: distribution %s gives block %d the probability %v: it must be positive", name, i, v)
		}
		total += v
	}
	if !(math.Abs(total-1) <= rounding) {
		return nil, fmt.Errorf("dro: the probabilities of distribution %s sum to %v, not to one", name, total)
	}
	return given, nil
}

func roots(v []float64) []float64 {
	w := make([]float64, len(v))
	for i, a := range v {
		w[i] = math.Sqrt(a)
	}
	return w
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
