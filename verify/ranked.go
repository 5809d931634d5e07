package verify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/interval"
)

// ranked is the set of weights y with sum 1 and y(A) ≤ g(w(A)) for every set A of atoms, where g is concave and
// increases from g(0) = 0 to g(1) = 1.
type ranked struct {
	*reference
	g func(m number) number // defined for 0 < m ≤ 1
}

// spectra maps the names of spectral risks to their functions g, with the range of the parameter.
var spectra = map[string]struct {
	low, high float64
	g         func(parameter number) func(m number) number
}{
	"superquantile": {0, 1, func(alpha number) func(m number) number {
		return func(m number) number { return interval.Min(one, interval.Div(m, alpha)) }
	}},
	"extremile": {1, 1000, func(r number) func(m number) number {
		return func(m number) number {
			rest := interval.Max(interval.Sub(one, m), zero)
			if rest.Hi.Sign() == 0 {
				return one
			}
			power := interval.Exp(interval.Mul(r, interval.Log(number{Lo: rest.Hi, Hi: rest.Hi})))
			if rest.Lo.Sign() > 0 {
				power.Lo = interval.Exp(interval.Mul(r, interval.Log(number{Lo: rest.Lo, Hi: rest.Lo}))).Lo
			} else {
				power.Lo = zero.Lo
			}
			return interval.Sub(one, power)
		}
	}},
	"esrm": {0, 500, func(rho number) func(m number) number {
		below := func(m number) number { return interval.Sub(one, interval.Exp(interval.Neg(interval.Mul(rho, m)))) }
		return func(m number) number { return interval.Div(below(m), below(one)) }
	}},
}

// newSpectral returns the set of a spectral risk, such as extremile:2.
func newSpectral(c *config, w *reference) (set, error) {
	name, text, _ := strings.Cut(c.Spectral, ":")
	parameter, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("a spectrum %q", c.Spectral)
	}
	return newRanked(name, parameter, w)
}

// newRanked returns the set of a spectrum, given by its name and parameter.
func newRanked(name string, parameter float64, w *reference) (set, error) {
	of, known := spectra[name]
	switch {
	case !known:
		return nil, fmt.Errorf("verify does not support the spectrum %q", name)
	case !(parameter > 0 && parameter >= of.low && parameter <= of.high):
		return nil, fmt.Errorf("the parameter of the spectrum %s is %v; it must be from %v to %v and above 0", name,
			parameter, of.low, of.high)
	case parameter == 1 && of.low == 1 || parameter == 1 && of.high == 1:
		return fixed{w}, nil
	}
	return ranked{w, of.g(interval.New(parameter))}, nil
}

// newTotalVariation returns the set of weights with ½ Σ |y − w| ≤ radius.
func newTotalVariation(radius float64, w *reference) (set, error) {
	if !(radius > 0) || math.IsInf(radius, 0) {
		return nil, fmt.Errorf("the radius of the ball is %v; it must be finite and > 0", radius)
	}
	rho := interval.New(min(1, radius))
	return ranked{w, func(m number) number { return interval.Min(one, interval.Add(rho, m)) }}, nil
}

// sums returns the atoms that have reference weight, in descending order of key. mass[k] is the total reference weight
// of the first k + 1 of these atoms.
func (s ranked) sums(key []number) (order []int, mass []number) {
	for j := range key {
		if s.exact[j].Hi.Sign() > 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return key[j].Hi.Cmp(key[i].Hi) })
	sum := interval.NewSum()
	for _, j := range order {
		sum.Add(s.exact[j])
		total := interval.NewSum()
		total.Add(sum.Value())
		mass = append(mass, interval.Min(total.Value(), one))
	}
	mass[len(mass)-1] = one
	return order, mass
}

// riskAbove returns f_n + Σ (f_k − f_{k+1}) g(w_1 + … + w_k), with losses in descending order. Each loss is replaced by
// its upper end, because the upper ends can be sorted.
func (s ranked) riskAbove(f []number, add adder) number {
	order, mass := s.sums(f)
	at := func(k int) number { v := f[order[k]].Hi; return number{Lo: v, Hi: v} }
	last := len(order) - 1
	return interval.Add(at(last), add(last, func(k int) number {
		return interval.Mul(interval.Sub(at(k), at(k+1)), s.g(mass[k]))
	}))
}

// makeFeasible mixes weights outside the set with the reference weights. It is enough to check the sets A of the atoms
// with the largest y/w: any other set with the same reference weight has at most the same weight, and g is concave.
// Each ratio is replaced by its upper end r, because the upper ends can be sorted, and y is replaced by r·w.
func (s ranked) makeFeasible(q []number, add adder) ([]number, number, error) {
	ratio := make([]number, len(q))
	for j, v := range q {
		switch {
		case s.exact[j].Hi.Sign() > 0:
			ratio[j] = interval.Div(v, s.exact[j])
			ratio[j].Lo = ratio[j].Hi
		case v.Hi.Sign() > 0:
			return nil, zero, fmt.Errorf(
				"the weights are not in the set: one weight is positive although its reference weight is 0")
		}
	}
	order, mass := s.sums(ratio)
	mix, sum, most := zero, interval.NewSum(), make([]number, len(order))
	for k, j := range order {
		sum.Add(interval.Mul(ratio[j], s.exact[j]))
		total := interval.NewSum()
		total.Add(sum.Value())
		most[k] = interval.Min(total.Value(), one)
	}
	needed := make([]number, len(order))
	_ = add(len(order), func(k int) number {
		needed[k] = zero
		if over := interval.Sub(most[k], s.g(mass[k])); over.Hi.Sign() > 0 {
			if room := interval.Sub(most[k], mass[k]); room.Lo.Sign() > 0 {
				needed[k] = interval.Div(over, room)
			} else if k < len(order)-1 {
				needed[k] = one
			}
		}
		return zero
	})
	for _, v := range needed {
		mix = interval.Max(mix, v)
	}
	if mix = (number{Lo: mix.Hi, Hi: mix.Hi}); !(mix.Float() <= tolerance) {
		return nil, zero, fmt.Errorf(
			"the weights are not in the set: their total variation from the reference weights is too large by %.2g", mix.Float())
	}
	y := make([]number, len(q))
	for j := range q {
		y[j] = interval.Add(interval.Mul(interval.Sub(one, mix), q[j]), interval.Mul(mix, s.exact[j]))
	}
	return y, zero, nil
}
