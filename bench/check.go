package main

import (
	"math"
	"slices"
	"sync"
)

// Bounds holds what the checker proves from one point: Lower ≤ min P ≤ Upper.
type Bounds struct {
	Upper, Lower float64
	Radius       float64 // divergence of the adversary's response from equal weights, ψ/ν
}

// Gap returns the relative gap.
func (b Bounds) Gap() float64 { return (b.Upper - b.Lower) / max(1e-12, math.Abs(b.Upper)) }

// check bounds the optimum of the cell, given x, with plain loops that share no code with the solvers. The upper
// bound is P(x). The lower bound is L(x, y) − ‖∇ₓL(x, y)‖²/(2μ), with the adversary's best response y at x. If this
// does not prove the required relative gap, the bound that follows from the curvature of the losses is used
// (dro/internal/engine/bounds.md).
func check(c *cell, t *table, x []float64, gap float64) (Bounds, error) {
	target := t.target(c.Loss)
	f, slope := make([]float64, t.n), make([]float64, t.n)
	err := t.each(t.n, func(lo int, rows []float64) {
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
	err = t.each(t.n, func(lo int, rows []float64) {
		for j := range len(rows) / t.d {
			w := y[lo+j]
			inner += w * f[lo+j]
			for i, z := range rows[j*t.d : (j+1)*t.d] {
				g[i] += w * slope[lo+j] * z
			}
		}
	})
	if err != nil {
		return Bounds{}, err
	}
	squares, xx := 0.0, 0.0
	for i := range g {
		g[i] += c.Mu * x[i]
		squares += g[i] * g[i]
		xx += x[i] * x[i]
	}
	upper := inner + c.Mu/2*xx
	b := Bounds{upper, upper - squares/(2*c.Mu), penalty / c.Nu}
	const dear = 2e9 // number of products that take about a second
	for count := min(t.n, int(dear/float64(t.d*t.d))); b.Gap() > gap; count = t.n {
		for _, radius := range []float64{0.01, 0.1, 0.5} {
			below, err := boundByCurvature(c, t, slope[:count], y[:count], g, radius)
			if err != nil {
				return b, err
			}
			if b.Lower = max(b.Lower, upper-below); below < math.Inf(1) {
				break // a larger radius proves less
			}
		}
		if count == t.n {
			break
		}
	}
	return b, nil
}

// boundByCurvature bounds the amount by which the optimum is below P(x), using the curvature of those first samples
// whose margins change by at most radius. Let H be μI plus the sum of y_j κ_j z_j z_jᵀ, λ² = gᵀH⁻¹g, and ρ the largest
// norm of a z_j with respect to H⁻¹. The bound is λ²/2 if λρ ≤ radius (dro/internal/engine/bounds.md), and +Inf
// otherwise.
func boundByCurvature(c *cell, t *table, slope, y, g []float64, radius float64) (float64, error) {
	d, n := t.d, len(y)
	weight, total := make([]float64, n), 0.0
	for j, s := range slope {
		switch {
		case c.Loss == "logistic":
			weight[j] = y[j] * math.Abs(s) * (1 - math.Abs(s)) * math.Exp(-radius)
		case c.Loss == "squared" || math.Abs(s) <= 1-radius:
			weight[j] = y[j]
		}
		total += weight[j]
	}
	if c.Loss == "squared" {
		radius = math.Inf(1)
	}
	for j, w := range weight {
		if w < total/float64(64*n) {
			weight[j] = 0 // the sample adds little to H, and its margin may change a lot
		}
	}
	h := make([]float64, d*d)
	var mu sync.Mutex
	err := t.each(n, func(lo int, rows []float64) {
		halves(len(rows)/d, func(from, to int) {
			part := make([]float64, d*d)
			for j := from; j < to; j++ {
				w, z := weight[lo+j], rows[j*d:(j+1)*d]
				if w == 0 {
					continue
				}
				for i, v := range z {
					row, v := part[i*d:i*d+i+1], w*v
					for k := range row {
						row[k] += v * z[k]
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for i, v := range part {
				h[i] += v
			}
		})
	})
	if err != nil {
		return 0, err
	}
	for i := range d {
		h[i*d+i] += c.Mu
	}
	if !cholesky(h, d) {
		return math.Inf(1), nil
	}
	lambda := math.Sqrt(inverseSquare(h, g, make([]float64, d)))
	if math.IsInf(radius, 1) {
		return lambda * lambda / 2, nil
	}
	rho := 0.0
	err = t.each(n, func(lo int, rows []float64) {
		halves(len(rows)/d, func(from, to int) {
			most, v := 0.0, make([]float64, d)
			for j := from; j < to; j++ {
				if weight[lo+j] > 0 {
					most = max(most, inverseSquare(h, rows[j*d:(j+1)*d], v))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			rho = max(rho, math.Sqrt(most))
		})
	})
	if !(lambda*rho <= radius) {
		return math.Inf(1), err
	}
	return lambda * lambda / 2, err
}

// halves calls do for the two halves of [0, n) concurrently.
func halves(n int, do func(from, to int)) {
	var wg sync.WaitGroup
	wg.Go(func() { do(0, n/2) })
	wg.Go(func() { do(n/2, n) })
	wg.Wait()
}

// cholesky replaces the lower triangle of h by its factor L, where h = LLᵀ.
func cholesky(h []float64, d int) bool {
	for i := range d {
		for k := range i + 1 {
			s := h[i*d+k]
			for l := range k {
				s -= h[i*d+l] * h[k*d+l]
			}
			if i > k {
				h[i*d+k] = s / h[k*d+k]
			} else if h[i*d+i] = math.Sqrt(s); !(s > 0) {
				return false
			}
		}
	}
	return true
}

// inverseSquare returns zᵀ(LLᵀ)⁻¹z; v is scratch.
func inverseSquare(l, z, v []float64) float64 {
	d, sum := len(z), 0.0
	for i := range d {
		s := z[i]
		for k, a := range l[i*d : i*d+i] {
			s -= a * v[k]
		}
		v[i] = s / l[i*d+i]
		sum += v[i] * v[i]
	}
	return sum
}

// lossAt returns the value of a loss for the margin m and the target t (±1 for logistic), and its derivative with
// respect to the margin.
func lossAt(name string, m, t float64) (value, slope float64) {
	switch name {
	case "logistic":
		// log(1 + exp(−a)); the exponent is never positive, so nothing overflows
		a := t * m
		if a > 0 {
			e := math.Exp(-a)
			return math.Log1p(e), -t * e / (1 + e)
		}
		e := math.Exp(a)
		return math.Log1p(e) - a, -t / (1 + e)
	case "huber":
		if r := m - t; math.Abs(r) > 1 { // linear beyond δ = 1
			return math.Abs(r) - 0.5, math.Copysign(1, r)
		}
	}
	r := m - t // squared, or Huber within δ
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

// respondChi2 returns y_j = (1 + (f_j − τ)/ν)₊/n, scaled to sum to one in floating point, where τ is found by
// sorting, and the penalty (ν/2)·mean((n y − 1)²).
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
