package report

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A rowEquations is those of an adversary over rows. With m(ℓ; η, ν) = νρ + η + νφ*((ℓ − η)/ν),
// φ* the conjugate of the divergence (KL: eᵗ − 1, χ²: ½(1+t)₊² − ½), x, η and for a ball ν
// minimise the mean of m(ℓ_i) and the ridge: an M-estimator. With v_i = n·y_i = φ*'(t_i),
//
//	ψ_i = (v_i ∇ℓ_i + μx,  1 − v_i,  ρ − φ(v_i)),
//
// and the derivative has, beside that of fixed weights, Σ φ*”(t_i)/ν · aaᵀ with
// a = (∇ℓ_i, −1, −t_i). For CVaR φ*”/ν is the density of the losses at the threshold, over
// the share. What is no adversary's has neither η nor ν.
type rowEquations struct {
	f      *fit
	r      *drawn
	chol   mat.Cholesky
	v      []float64 // n·y_i, relative to the row's own weight
	radius float64   // of a ball
	extra  int       // η, ν
	solved *mat.VecDense
}

// rowEquations returns nil where the rows do not settle all coefficients.
func (f *fit) rowEquations(r *drawn) *rowEquations {
	m, d := len(r.target), len(f.x)
	e := &rowEquations{f: f, r: r, v: make([]float64, m)}
	for i, w := range r.w {
		if e.v[i] = 1; w > 0 {
			e.v[i] = r.y[i] / w
		}
	}
	var bend, at []float64 // w·φ*''/ν, and t
	switch f.answer.kind {
	case "":
	case "tail":
		e.extra = 1
		if bend, at = e.density(), make([]float64, m); bend == nil {
			return nil
		}
	default:
		e.extra = 1
		bend, at = make([]float64, m), make([]float64, m)
		for i, v := range e.v {
			if v <= 0 {
				continue
			}
			bend[i], at[i] = r.w[i]/f.answer.nu, v-1
			if f.answer.kind == "kl" {
				bend[i], at[i] = r.w[i]*v/f.answer.nu, math.Log(v)
			}
		}
		if f.answer.ball {
			e.extra = 2
			for i, v := range e.v {
				e.radius += r.times[i] * r.w[i] * f.answer.divergence(v)
			}
		}
	}
	var more []float64
	if bend != nil {
		more = make([]float64, m)
		for i, b := range bend {
			more[i] = b * r.slope[i] * r.slope[i]
		}
	}
	a := f.hessian(r, more, d+e.extra)
	if bend != nil {
		g := make([]float64, d)
		u := make([]float64, m)
		for k := range e.extra {
			clear(g)
			corner := [2]float64{}
			for i, b := range bend {
				c := -r.times[i] * b
				if k == 1 {
					c *= at[i]
				}
				u[i] = c * r.slope[i]
				corner[0] -= c
				corner[1] -= c * at[i]
			}
			r.z.AddRowsTo(g, r.one(), u, 0, m)
			for j, v := range g {
				a.SetSym(j, d+k, v)
			}
			for l := k; l < e.extra; l++ {
				a.SetSym(d+k, d+l, corner[l])
			}
		}
	}
	if !e.chol.Factorize(a) {
		return nil
	}
	e.solved = mat.NewVecDense(d+e.extra, nil)
	return e
}

func (r *drawn) one() []float64 {
	v := make([]float64, len(r.target))
	for i := range v {
		v[i] = 1
	}
	return v
}

// divergence returns φ(v): what a weight v times its own costs.
func (a answer) divergence(v float64) float64 {
	switch {
	case a.kind == "chi2":
		return (v - 1) * (v - 1) / 2
	case v <= 0:
		return 1
	}
	return v*math.Log(v) - v + 1
}

// directionTo implements equations.
func (e *rowEquations) directionTo(t, unit []float64) bool {
	d := len(e.f.x)
	rhs := mat.NewVecDense(d+e.extra, nil)
	copy(rhs.RawVector().Data, unit)
	if err := e.chol.SolveVecTo(e.solved, rhs); err != nil {
		return false // numerically singular
	}
	w := e.solved.RawVector().Data
	e.r.z.MarginsTo(t, w[:d], 0, len(t))
	ridge, eta, nu := 0.0, 0.0, 0.0
	for j, x := range e.f.x {
		if j != e.f.free {
			ridge += e.f.mu * x * w[j]
		}
	}
	if e.extra > 0 {
		eta = w[d]
	}
	if e.extra > 1 {
		nu = w[d+1]
	}
	for i, s := range t {
		v := e.v[i]
		own := v*e.r.slope[i]*s + ridge + eta*(1-v)
		if nu != 0 {
			own += nu * (e.radius - e.f.answer.divergence(v))
		}
		t[i] = e.r.w[i] * own
	}
	return true
}

// density returns the density of the losses at the threshold of a tail, as weights of the rows
// about it, over its share: those between two quantiles as far apart as Hall and Sheather
// (1988) advise, with rows enough for the columns. Nil where the tail has too few.
func (e *rowEquations) density() []float64 {
	r, share := e.r, e.f.answer.share
	m, d := len(r.target), len(e.f.x)
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.value[j], r.value[i]) })
	n := 0.0
	for _, k := range r.times {
		n += k
	}
	z := math.Sqrt2 * math.Erfinv(1-2*share)
	height := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	h := math.Pow(n, -1./3) * math.Pow(1.96, 2./3) * math.Pow(1.5*height*height/(2*z*z+1), 1./3)
	h = min(max(h, float64(2*d)/n), share/2, (1-share)/2)
	if h*n < float64(d) {
		return nil
	}
	bend := make([]float64, m)
	run, first, last := 0.0, math.NaN(), math.NaN()
	for _, i := range order {
		run += r.times[i] * r.w[i]
		if run < share-h || run > share+h {
			continue
		}
		if math.IsNaN(first) {
			first = r.value[i]
		}
		last = r.value[i]
		bend[i] = r.w[i]
	}
	if !(first > last) {
		return nil
	}
	for i := range bend {
		bend[i] /= (first - last) * share
	}
	return bend
}
