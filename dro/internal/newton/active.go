package newton

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fewPieces are those of a step's problem that is solved by active sets: of the order of the
// columns, which bound how many pieces meet. Of more the interior method takes fewer products.
func fewPieces(d int) int { return max(64, 8*d) }

// An activeSet is the dual of a quadratic of few pieces,
//
//	max_q  ⟨q, v⟩ − ½‖g + Jᵀq‖² in the norm of H⁻¹,  0 ≤ q ≤ u, Σq = mass,
//
// with the pieces whose weights are between their bounds.
type activeSet struct {
	*quadratic
	scaled  [][]float64 // H⁻¹ times some of them; nil: not needed yet
	slope   []float64   // g + Jᵀq
	value   []float64   // v + JΔ, at Δ = −H⁻¹(g + Jᵀq)
	between []int
	order   []int
}

// solveFew stores the solution in delta and q from the weights in q, to a gap of tolerance in the
// objective, by the primal active set method on the dual (Fletcher 1987, §10.3): Newton's step
// among the weights between their bounds, up to the first bound met; after a full one the weight
// that promises most is let off its bound. Every product with J is one with few rows but for
// that choice. It reports false where rounding or many exchanges end it before.
func (s *quadratic) solveFew(tolerance float64) (solved bool) {
	k, d := len(s.v), len(s.g)
	a := &activeSet{quadratic: s, scaled: make([][]float64, k), slope: make([]float64, d), value: make([]float64, k), order: make([]int, k)}
	for i := range a.order {
		a.order[i] = i
	}
	even := slices.Clone(s.q)
	defer func() {
		if !solved {
			copy(s.q, even)
			clear(s.delta)
		}
	}()
	a.begin()
	for range 4*(k+d) + 16 {
		if len(a.between) > 1 {
			blocked, ok := a.step()
			if !ok {
				return false
			}
			if blocked {
				continue
			}
		}
		a.move()
		if s.rounds++; s.spend != nil {
			s.spend()
		}
		for i, row := range s.rows {
			a.value[i] = s.v[i] + floats.Dot(row, s.delta)
		}
		if gap := a.largest() - floats.Dot(s.q, a.value); gap <= tolerance {
			return s.finish()
		} else if math.IsNaN(gap) || !a.enter() {
			return false
		}
	}
	return false
}

// begin takes the weights to begin with, or those of a vertex where many of them are between
// their bounds.
func (a *activeSet) begin() {
	if a.warm != nil {
		copy(a.q, a.warm)
		a.finish()
		a.gather()
	}
	if a.warm == nil || len(a.between) > len(a.g)+2 {
		copy(a.value, a.v)
		a.respond(a.q)
		a.gather()
	}
	a.gradientTo(a.slope)
}

// gather lists the weights between their bounds.
func (a *activeSet) gather() {
	const near = 1e-12 // of the mass: at the bound
	a.between = a.between[:0]
	for i, q := range a.q {
		switch {
		case q <= near*a.mass:
			a.q[i] = 0
		case a.u[i]-q <= near*a.mass:
			a.q[i] = a.u[i]
		default:
			a.between = append(a.between, i)
		}
	}
}

// respond stores in q the weights of the largest ⟨q, value⟩, and returns that.
func (a *activeSet) respond(q []float64) (most float64) {
	slices.SortFunc(a.order, func(i, j int) int { return cmp.Or(-cmp.Compare(a.value[i], a.value[j]), i-j) })
	left := a.mass
	for _, i := range a.order {
		w := min(a.u[i], left)
		left -= w
		if most += w * a.value[i]; q != nil {
			q[i] = w
		}
	}
	return most
}

// largest is the maximum at Δ.
func (a *activeSet) largest() float64 { return a.respond(nil) }

// move takes Δ of the weights.
func (a *activeSet) move() {
	copy(a.delta, a.slope)
	a.base.Solve(a.delta)
	floats.Scale(-1, a.delta)
}

// step takes Newton's step among the weights between their bounds, or the part of it up to the
// first bound, and reports whether there was one.
func (a *activeSet) step() (blocked, ok bool) {
	const singular = 1e-13 // of the largest curvature, added to all
	f := len(a.between)
	a.move()
	at, by := make([][]float64, f), make([][]float64, f) // rows and H⁻¹ times them, less those of the first
	value := make([]float64, f)
	for m, i := range a.between {
		if a.scaled[i] == nil {
			a.scaled[i] = slices.Clone(a.rows[i])
			a.base.Solve(a.scaled[i])
		}
		value[m] = a.v[i] + floats.Dot(a.rows[i], a.delta)
		at[m], by[m] = slices.Clone(a.rows[i]), slices.Clone(a.scaled[i])
		floats.Sub(at[m], a.rows[a.between[0]])
		floats.Sub(by[m], a.scaled[a.between[0]])
	}
	s, rhs := mat.NewSymDense(f-1, nil), mat.NewVecDense(f-1, nil)
	largest := 0.0
	for m := range f - 1 {
		for l := range m + 1 {
			s.SetSym(m, l, floats.Dot(at[m+1], by[l+1]))
		}
		largest = max(largest, s.At(m, m))
		rhs.SetVec(m, value[m+1]-value[0])
	}
	for m := range f - 1 {
		s.SetSym(m, m, s.At(m, m)+singular*largest)
	}
	var chol mat.Cholesky
	if !(largest > 0) || math.IsInf(largest, 1) || !chol.Factorize(s) {
		return false, false
	}
	var change mat.VecDense
	_ = chol.SolveVecTo(&change, rhs) // an ill-conditioned matrix has its addition
	dq := append([]float64{-mat.Sum(&change)}, change.RawVector().Data...)
	if floats.HasNaN(dq) {
		return false, false
	}
	t, first := 1.0, -1
	for m, i := range a.between {
		room := a.q[i]
		if dq[m] > 0 {
			room = a.u[i] - a.q[i]
		}
		if dq[m] != 0 && room < t*math.Abs(dq[m]) {
			t, first = room/math.Abs(dq[m]), m
		}
	}
	for m, i := range a.between {
		a.q[i] += t * dq[m]
		floats.AddScaled(a.slope, t*dq[m], a.rows[i])
	}
	if first < 0 {
		return false, true
	}
	i := a.between[first]
	if a.q[i] = 0; dq[first] > 0 {
		a.q[i] = a.u[i]
	}
	a.between = slices.Delete(a.between, first, first+1)
	return true, true
}

// enter lets the weight off its bound that promises most, or two where all are at theirs.
func (a *activeSet) enter() bool {
	tau := 0.0
	for _, i := range a.between {
		tau += a.value[i] / float64(len(a.between))
	}
	up, down := -1, -1 // of those at 0 the largest value, of those at their caps the smallest
	for i, q := range a.q {
		switch {
		case slices.Contains(a.between, i):
		case q == 0 && a.u[i] > 0 && (up < 0 || a.value[i] > a.value[up]):
			up = i
		case q > 0 && (down < 0 || a.value[i] < a.value[down]):
			down = i
		}
	}
	switch {
	case len(a.between) == 0:
		if up < 0 || down < 0 || !(a.value[up] > a.value[down]) {
			return false
		}
		a.between = append(a.between, up, down)
	case up >= 0 && a.value[up] > tau && (down < 0 || a.value[up]-tau >= tau-a.value[down]):
		a.between = append(a.between, up)
	case down >= 0 && a.value[down] < tau:
		a.between = append(a.between, down)
	default:
		return false
	}
	return true
}
