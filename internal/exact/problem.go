package exact

import (
	"fmt"
	"sort"
)

// A Problem is a robust linear model: min over x of R(ℓ(z_jᵀx; t_j)) + (μ/2)‖x‖², R the
// risk of the penalty. Its numbers are taken as they are, without rounding.
type Problem struct {
	N, D         int
	Rows, Target []float64 // N·D, by rows; N

	Loss  string  // logistic, squared or huber
	Delta float64 // of huber

	Penalty string  // kl or chi2
	Nu      float64 // ν ≥ 0
	Alpha   float64 // weights are at most 1/(αN); 0: no cap

	Mu        float64 // μ ≥ 0
	Intercept bool    // the last coordinate is not penalised
}

// A Sample is the loss of one sample and its first two derivatives in the margin.
type Sample struct{ Value, Slope, Curvature Real }

// Eval returns the samples at x.
func (p *Problem) Eval(x []Real) []Sample {
	out := make([]Sample, p.N)
	for j := range out {
		m := zero()
		for i := range p.D {
			m.Add(m, Mul(New(p.Rows[j*p.D+i]), x[i]))
		}
		out[j] = p.loss(m, New(p.Target[j]))
	}
	return out
}

func (p *Problem) loss(m, t Real) Sample {
	one := New(1)
	r := Sub(m, t)
	switch p.Loss {
	case "logistic":
		s := Mul(t, m)
		e := Exp(Mul(New(-1), zero().Abs(s)))
		value, q := log1p(e), Div(e, Add(one, e)) // q: the probability of the class of the other sign of m
		if s.Sign() < 0 {
			value, q = Sub(value, s), Sub(one, q)
		}
		return Sample{value, Mul(New(-1), Mul(t, q)), Mul(q, Sub(one, q))}
	case "squared":
		return Sample{scaled(Mul(r, r), -1), r, one}
	case "huber":
		delta := New(p.Delta)
		if size := zero().Abs(r); Less(delta, size) {
			value := Mul(delta, Sub(size, scaled(delta, -1)))
			return Sample{value, Mul(delta, New(float64(r.Sign()))), zero()}
		}
		return Sample{scaled(Mul(r, r), -1), r, one}
	}
	panic(fmt.Sprintf("exact: no loss %q", p.Loss))
}

// A Risk is R(f) = max_y ⟨y, f⟩ − ψ(y), its weights y, and c_j = ∂y_j/∂f_j at a fixed
// threshold of Σy = 1 (all 0 for ν = 0).
type Risk struct {
	Value         Real
	Weight, Slope []Real
}

// Respond returns the risk at losses f.
func (p *Problem) Respond(f []Real) Risk {
	if p.Nu == 0 {
		return p.worst(f)
	}
	y, slope := p.weights(f)
	return Risk{Sub(inner(y, f), p.Psi(y)), y, slope}
}

// Objective returns P(x).
func (p *Problem) Objective(x []Real) Real {
	samples := p.Eval(x)
	f := make([]Real, p.N)
	for j, s := range samples {
		f[j] = s.Value
	}
	return Add(p.Respond(f).Value, p.Phi(x))
}

// Phi returns (μ/2)‖x‖², without the intercept.
func (p *Problem) Phi(x []Real) Real {
	if p.Intercept {
		x = x[:p.D-1]
	}
	return Mul(scaled(New(p.Mu), -1), inner(x, x))
}

// Psi returns ψ(y): ν Σ y log(n y), or (ν/2n) Σ (n y − 1)².
func (p *Problem) Psi(y []Real) Real {
	n, sum := New(float64(p.N)), zero()
	if p.Nu == 0 {
		return sum
	}
	for _, v := range y {
		u := Mul(n, v)
		if p.Penalty == "chi2" {
			u = Sub(u, New(1))
			sum.Add(sum, Mul(u, u))
		} else if v.Sign() > 0 {
			sum.Add(sum, Mul(v, Log(u)))
		}
	}
	if p.Penalty == "chi2" {
		sum = Div(sum, scaled(n, 1))
	}
	return Mul(New(p.Nu), sum)
}

// worst is Respond for ν = 0: the largest weight on the largest losses.
func (p *Problem) worst(f []Real) Risk {
	order := make([]int, p.N)
	r := Risk{Value: zero(), Weight: make([]Real, p.N), Slope: make([]Real, p.N)}
	for j := range order {
		order[j], r.Weight[j], r.Slope[j] = j, zero(), zero()
	}
	sort.Slice(order, func(a, b int) bool { return Less(f[order[b]], f[order[a]]) })
	left, most := New(1), New(1)
	if p.Alpha > 0 {
		most = p.cap()
	}
	for _, j := range order {
		w := most
		if Less(left, w) {
			w = left
		}
		r.Weight[j] = w
		r.Value.Add(r.Value, Mul(w, f[j]))
		if left = Sub(left, w); left.Sign() <= 0 {
			break
		}
	}
	return r
}

// cap is the largest weight, 1/(αN).
func (p *Problem) cap() Real { return Div(New(1), Mul(New(p.Alpha), New(float64(p.N)))) }

// weights returns the best response for ν > 0 and its slopes: N·y_j = min(1/α, h(f_j −
// τ)), h(v) = e^{v/ν} for KL and (1 + v/ν)₊ for χ², with τ such that Σ y = 1. The
// samples at the cap and at zero are found by trying every number of the former, in the
// order of the losses, which is exact.
func (p *Problem) weights(f []Real) (y, slope []Real) {
	n, nu := New(float64(p.N)), New(p.Nu)
	order := make([]int, p.N)
	for j := range order {
		order[j] = j
	}
	sort.Slice(order, func(a, b int) bool { return Less(f[order[b]], f[order[a]]) })
	top := f[order[0]]
	u := make([]Real, p.N) // (f_j − top)/ν ≤ 0
	for j := range u {
		u[j] = Div(Sub(f[j], top), nu)
	}
	if p.Penalty == "chi2" {
		y = p.linearWeights(u, order)
	} else {
		y = p.exponentialWeights(u, order)
	}
	slope = make([]Real, p.N)
	for j, w := range y {
		switch {
		case p.Alpha > 0 && !Less(w, p.cap()), w.Sign() == 0:
			slope[j] = zero()
		case p.Penalty == "chi2":
			slope[j] = Div(New(1), Mul(nu, n))
		default:
			slope[j] = Div(w, nu)
		}
	}
	return y, slope
}

// exponentialWeights puts k samples at the cap, and the others at e^{u}·s with what is
// left of the mass: k is the least for which none of these is above the cap.
func (p *Problem) exponentialWeights(u []Real, order []int) []Real {
	e, rest := make([]Real, p.N), make([]Real, p.N+1) // rest[k]: their sum without the k largest
	rest[p.N] = zero()
	for i := p.N - 1; i >= 0; i-- {
		j := order[i]
		e[j] = Exp(u[j])
		rest[i] = Add(rest[i+1], e[j])
	}
	most, left, k := New(1), New(1), 0
	if p.Alpha > 0 {
		most = p.cap()
		for k < p.N-1 && Less(Mul(most, rest[k]), Mul(left, e[order[k]])) {
			left = Sub(left, most)
			k++
		}
	}
	y := make([]Real, p.N)
	for i, j := range order {
		if y[j] = most; i >= k {
			y[j] = Div(Mul(left, e[j]), rest[k])
		}
	}
	return y
}

// linearWeights puts k samples at the cap, those up to m at (1 + u − τ)/N and the others
// at 0: for every k the least m that leaves none below 0, and the least k for which
// none is above the cap.
func (p *Problem) linearWeights(u []Real, order []int) []Real {
	n := New(float64(p.N))
	sums := make([]Real, p.N+1) // of the m largest u
	sums[0] = zero()
	for i, j := range order {
		sums[i+1] = Add(sums[i], u[j])
	}
	most := New(float64(p.N)) // of N·y
	if p.Alpha > 0 {
		most = Div(New(1), New(p.Alpha))
	}
	for k := 0; k < p.N; k++ {
		left := Sub(n, Mul(New(float64(k)), most)) // N times the mass that is left
		m := k + sort.Search(p.N-k, func(i int) bool {
			// With the k+i+1 largest: is the next one, or nobody, at or below zero?
			m := k + i + 1
			if m == p.N {
				return true
			}
			shift := Div(Sub(left, Sub(sums[m], sums[k])), New(float64(m-k))) // N·y = u + shift
			return Add(u[order[m]], shift).Sign() <= 0
		}) + 1
		shift := Div(Sub(left, Sub(sums[m], sums[k])), New(float64(m-k)))
		if p.Alpha > 0 && Less(most, Add(u[order[k]], shift)) {
			continue
		}
		y := make([]Real, p.N)
		for i, j := range order {
			switch {
			case i < k:
				y[j] = p.cap()
			case i < m:
				y[j] = Div(Add(u[j], shift), n)
			default:
				y[j] = zero()
			}
		}
		return y
	}
	return p.worst(u).Weight
}

func inner(a, b []Real) Real {
	s := zero()
	for i := range a {
		s.Add(s, Mul(a[i], b[i]))
	}
	return s
}
