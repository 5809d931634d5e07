package main

import (
	"fmt"
	"sort"

	"github.com/drotrain/drotrain/internal/exact"
)

// takeActiveSetStep takes a step of Newton's method for the optimality conditions at ν = 0. The unknowns are x, the
// threshold τ and the weights of the losses equal to τ:
//
//	f_j(x) = τ for j in A,   Σ_j y_j ∇f_j + ∇φ = 0,   Σ y = 1,
//
// where losses above τ have the largest weight. A contains the losses within a small distance of the threshold.
// takeActiveSetStep changes x and returns the weights.
func takeActiveSetStep(p *exact.Problem, x []exact.Real) ([]exact.Real, error) {
	const close = 1e-5 // maximum distance from the threshold
	samples := p.Eval(x)
	order := make([]int, p.N)
	for j := range order {
		order[j] = j
	}
	sort.Slice(order, func(a, b int) bool { return exact.IsLess(samples[order[b]].Value, samples[order[a]].Value) })
	most := exact.New(1)
	if p.Alpha > 0 {
		most = exact.Div(exact.New(1), exact.Mul(exact.New(p.Alpha), exact.New(float64(p.N))))
	}
	capped, left := 0, exact.New(1) // number of losses with the largest weight, and the remaining mass
	for exact.IsLess(most, left) {
		left = exact.Sub(left, most)
		capped++
	}
	tau := samples[order[capped]].Value
	y := make([]exact.Real, p.N)
	for j := range y {
		y[j] = exact.New(0)
	}
	var tied []int
	mass := exact.New(1)
	for _, j := range order {
		away, _ := exact.Div(exact.Sub(samples[j].Value, tau), tau).Float64()
		switch {
		case away > close:
			y[j] = most
			mass = exact.Sub(mass, most)
		case away > -close:
			tied = append(tied, j)
		}
	}
	// The tied losses start with equal weights; the system below is linear in the weights.
	d, k := p.D, len(tied)
	size := d + 1 + k
	m, v := exact.NewMatrix(size), make([]exact.Real, size)
	for i := range v {
		v[i] = exact.New(0)
	}
	add := func(i, c int, w exact.Real) { m.Set(i, c, exact.Add(m.Entry(i, c), w)) }
	fixed := exact.Div(mass, exact.New(float64(k))) // in the Hessian only
	for j := range p.N {
		w := y[j]
		if isTied(tied, j) {
			w = fixed
		}
		if w.Sign() == 0 {
			continue
		}
		for i := range d {
			zi := exact.New(p.Rows[j*d+i])
			if !isTied(tied, j) {
				v[i] = exact.Sub(v[i], exact.Mul(exact.Mul(w, samples[j].Slope), zi))
			}
			for c := range d {
				add(i, c, exact.Mul(exact.Mul(w, samples[j].Curvature), exact.Mul(zi, exact.New(p.Rows[j*d+c]))))
			}
		}
	}
	for i := range d {
		if !p.Intercept || i < d-1 {
			add(i, i, exact.New(p.Mu))
			v[i] = exact.Sub(v[i], exact.Mul(exact.New(p.Mu), x[i]))
		}
	}
	for a, j := range tied {
		for i := range d {
			w := exact.Mul(samples[j].Slope, exact.New(p.Rows[j*d+i]))
			m.Set(i, d+1+a, w) // y_a ∇f_a
			m.Set(d+1+a, i, w) // f_a + ∇f_a·dx = τ
		}
		m.Set(d+1+a, d, exact.New(-1))
		v[d+1+a] = exact.Mul(exact.New(-1), samples[j].Value)
		m.Set(d, d+1+a, exact.New(1)) // Σ y = mass
	}
	v[d] = mass
	step, err := m.Solve(v)
	if err != nil {
		return nil, fmt.Errorf("%d tied losses: %w", k, err)
	}
	for i := range d {
		x[i] = exact.Add(x[i], step[i])
	}
	for a, j := range tied {
		y[j] = step[d+1+a]
		if y[j].Sign() < 0 || exact.IsLess(most, y[j]) {
			return nil, fmt.Errorf("a tied loss has weight %v", y[j])
		}
	}
	return y, nil
}

func isTied(tied []int, j int) bool {
	for _, k := range tied {
		if k == j {
			return true
		}
	}
	return false
}
