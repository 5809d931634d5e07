package main

import (
	"math"
	"slices"
)

// Bounds are what the checker proves from one point: Lower ≤ min P ≤ Upper.
type Bounds struct {
	Upper, Lower float64
	Radius       float64 // divergence from equal weights, ψ/ν, of the adversary's response
}

// Gap is the relative gap.
func (b Bounds) Gap() float64 { return (b.Upper - b.Lower) / max(1e-12, math.Abs(b.Upper)) }

// check bounds the optimum of the cell from x, with plain loops that share no
// code with the solvers: upper is P(x), lower is L(x, y) − ‖∇ₓL(x, y)‖²/(2μ) with
// the adversary's best response y at x (docs/math.md §3).
func check(c *cell, t *table, x []float64) (Bounds, error) {
	target := t.target(c.Loss)
	f, slope := make([]float64, t.n), make([]float64, t.n)
	err := t.each(func(lo int, rows []float64) {
		for j := range len(rows) / t.d {
			m := 0.0
			for i, z := range rows[j*t.d : (j+1)*t.d] {
				m += z * x[i]
			}
			f[lo+j], slope[lo+j] = lossAt(c.Loss, m, target[lo+j])
		}
	})
	if err != nil {
		return Bounds{}, err
	}
	var y []float64
	var penalty float64
	if c.Penalty == "kl" {
		y, penalty = respondKL(f, c.Nu)
	} else {
		y, penalty = respondChi2(f, c.Nu)
	}
	inner, g := -penalty, make([]float64, t.d)
	err = t.each(func(lo int, rows []float64) {
		for j := range len(rows) / t.d {
			w := y[lo+j]
			inner += w * f[lo+j]
			for i, z := range rows[j*t.d : (j+1)*t.d] {
				g[i] += w * slope[lo+j] * z
			}
		}
	})
	squares, xx := 0.0, 0.0
	for i := range g {
		r := g[i] + c.Mu*x[i]
		squares += r * r
		xx += x[i] * x[i]
	}
	upper := inner + c.Mu/2*xx
	return Bounds{upper, upper - squares/(2*c.Mu), penalty / c.Nu}, err
}

func lossAt(name string, m, t float64) (value, slope float64) {
	switch name {
	case "logistic":
		a := t * m
		if a > 0 {
			e := math.Exp(-a)
			return math.Log1p(e), -t * e / (1 + e)
		}
		e := math.Exp(a)
		return math.Log1p(e) - a, -t / (1 + e)
	case "huber":
		if r := m - t; math.Abs(r) > 1 {
			return math.Abs(r) - 0.5, math.Copysign(1, r)
		}
	}
	r := m - t
	return r * r / 2, r
}

// respondKL returns y_j ∝ exp(f_j/ν) and ν Σ y log(n y).
func respondKL(f []float64, nu float64) (y []float64, penalty float64) {
	top := slices.Max(f)
	y = make([]float64, len(f))
	sum := 0.0
	for j, v := range f {
		y[j] = math.Exp((v - top) / nu)
		sum += y[j]
	}
	shift := math.Log(float64(len(f)) / sum)
	for j, v := range f {
		y[j] /= sum
		penalty += nu * y[j] * ((v-top)/nu + shift)
	}
	return y, penalty
}

// respondChi2 returns y_j = (1 + (f_j − τ)/ν)₊/n, τ found by sorting, scaled to
// sum to one in floating point, and (ν/2)·mean((n y − 1)²).
func respondChi2(f []float64, nu float64) (y []float64, penalty float64) {
	n := float64(len(f))
	sorted := slices.Clone(f)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, tau := 0.0, 0.0
	for k, v := range sorted { // active: the k+1 largest
		sum += v
		at := (sum - nu*(n-float64(k+1))) / float64(k+1)
		if v <= at-nu {
			break
		}
		tau = at
	}
	y = make([]float64, len(f))
	total := 0.0
	for j, v := range f {
		y[j] = max(0, 1+(v-tau)/nu)
		total += y[j]
	}
	for j := range y {
		y[j] /= total
		r := n*y[j] - 1
		penalty += nu / 2 * r * r / n
	}
	return y, penalty
}
