package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The solution meets the conditions of optimality: weights within their bounds and of the
// mass given, no gradient in Δ, and weight only where pieces are at the maximum.
func TestStep_AtAKinkMeetsTheConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := 0
	defer func() {
		if rounds > 1600 {
			t.Errorf("%d rounds on 200 problems", rounds)
		}
	}()
	for trial := range 200 {
		d, k := 1+rng.IntN(6), 1+rng.IntN(40)
		if trial%4 >= 2 { // few pieces
			d, k = 4*(1+k/4), 1+k/4
		}
		scale := math.Exp(6 * rng.NormFloat64())
		s := &quadratic{h: mat.NewSymDense(d, nil), g: make([]float64, d), v: make([]float64, k), u: make([]float64, k),
			ends: []int{k}, mass: []float64{0.2 + rng.Float64()}}
		for i := range d {
			for j := i; j < d; j++ {
				s.h.SetSym(i, j, 0.1*rng.NormFloat64())
			}
			s.h.SetSym(i, i, 1+rng.Float64())
			s.g[i] = rng.NormFloat64()
		}
		rows := make(dense, k)
		capped := trial%2 == 0
		for i := range rows {
			rows[i] = make([]float64, d)
			for l := range rows[i] {
				rows[i][l] = rng.NormFloat64()
			}
			s.v[i], s.u[i] = scale*rng.NormFloat64(), math.Inf(1)
			if capped {
				s.u[i] = s.mass[0] / float64(k) * (1 + 3*rng.Float64())
			}
		}
		s.j = rows
		tolerance := 1e-9 * (1 + scale)
		if !s.solve(tolerance) {
			t.Fatalf("trial %d: %d pieces, %d parameters: no solution in %d rounds", trial, k, d, s.rounds)
		}
		rounds += s.rounds
		along, g := make([]float64, k), make([]float64, d)
		rows.TimesTo(along, s.delta)
		floats.Add(along, s.v)
		if total := floats.Sum(s.q); !(math.Abs(total-s.mass[0]) <= 1e-12*s.mass[0]) {
			t.Fatalf("trial %d: mass %v, not %v", trial, total, s.mass[0])
		}
		largest, order := 0.0, make([]int, k) // the maximum of ⟨q, along⟩, by sorting
		sorted := append([]float64(nil), along...)
		floats.Argsort(sorted, order)
		left := s.mass[0]
		for i := k - 1; i >= 0 && left > 0; i-- {
			w := min(left, s.u[order[i]])
			largest, left = largest+w*sorted[i], left-w
		}
		for i, q := range s.q {
			if q < 0 || q > s.u[i] {
				t.Fatalf("trial %d: weight %v above %v", trial, q, s.u[i])
			}
		}
		s.gradientTo(g)
		inH := append([]float64(nil), g...)
		s.base.Solve(inH)
		// The duality gap: the maximum over the weights less the value at q, and the
		// minimum over Δ at q.
		if gap := largest - s.value + floats.Dot(g, inH)/2; !(gap <= 10*tolerance) {
			t.Errorf("trial %d: %d pieces, %d parameters, capped %v: gap %v, asked for %v", trial, k, d, capped, gap, tolerance)
		}
	}
}

// With few pieces the systems of a round are solved by the factor of H as by a factor of the whole matrix.
func TestFewPieces_SolveTheSameSystem(t *testing.T) {
	const d, k = 30, 7
	rng := rand.New(rand.NewPCG(7, 6))
	s := &quadratic{h: mat.NewSymDense(d, nil), g: make([]float64, d), v: make([]float64, k), u: make([]float64, k),
		ends: []int{3, k}, mass: []float64{0.4, 0.6}}
	rows := make(dense, k)
	for i := range rows {
		rows[i], s.u[i] = make([]float64, d), math.Inf(1)
		for l := range rows[i] {
			rows[i][l] = rng.NormFloat64()
		}
	}
	s.j = rows
	for i := range d {
		for j := i; j < d; j++ {
			s.h.SetSym(i, j, 0.1*rng.NormFloat64())
		}
		s.h.SetSym(i, i, 2)
	}
	s.initWeights()
	in := s.newInterior(1e-9)
	if in.few == nil {
		t.Fatal("the pieces are few")
	}
	for i := range in.low {
		in.low[i] = math.Exp(3 * rng.NormFloat64())
	}
	got, want := make([]float64, d), make([]float64, d)
	for l := range got {
		got[l] = rng.NormFloat64()
	}
	copy(want, got)
	if !in.factorise() {
		t.Fatal("no factor")
	}
	in.reduced.Solve(got)
	in.few = nil
	in.factorise()
	in.reduced.Solve(want)
	if !floats.EqualApprox(got, want, 1e-11) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// Scales of columns, gradients and caps far apart, and pieces that are there twice, are solved
// in hardly more rounds than others: what a step without a target would leave of the
// complementarities sets the target. Without its part of the lower slacks the problems 676 and
// 787 end in rounding, without that of the upper ones 1924 and 2258.
func TestStep_OfManyScalesIsSolved(t *testing.T) {
	for _, trial := range []uint64{0, 1, 2, 3, 4, 676, 787, 1924, 2258} {
		rng := rand.New(rand.NewPCG(trial, 6))
		d, k := 1+rng.IntN(12), 1+rng.IntN(150)
		scale := math.Exp(6 * rng.NormFloat64())
		s := &quadratic{h: mat.NewSymDense(d, nil), g: make([]float64, d), v: make([]float64, k), u: make([]float64, k),
			ends: []int{k}, mass: []float64{0.2 + rng.Float64()}}
		for i := range d {
			for j := i; j < d; j++ {
				s.h.SetSym(i, j, 0.01*rng.NormFloat64())
			}
			s.h.SetSym(i, i, math.Exp(4*rng.NormFloat64())+1)
			s.g[i] = rng.NormFloat64() * math.Exp(3*rng.NormFloat64())
		}
		rows := make(dense, k)
		for i := range rows {
			rows[i] = make([]float64, d)
			s.v[i], s.u[i] = scale*rng.NormFloat64(), math.Inf(1)
			if i > 0 && rng.IntN(4) == 0 {
				copy(rows[i], rows[rng.IntN(i)])
				s.v[i] = s.v[i-1]
			} else {
				for l := range rows[i] {
					rows[i][l] = rng.NormFloat64()
				}
			}
			if trial%2 == 0 {
				s.u[i] = s.mass[0] / float64(k) * (1 + 3*rng.Float64()*math.Exp(2*rng.NormFloat64()))
			}
		}
		s.j = rows
		if tolerance := 1e-9 * (1 + scale); !s.solve(tolerance) || s.rounds > 24 {
			t.Errorf("problem %d: %d pieces, %d parameters: %d rounds", trial, k, d, s.rounds)
		}
	}
}
