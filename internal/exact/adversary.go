package exact

import "sort"

// A Risk holds R(f) = max_y ⟨y, f⟩ − ψ(y), the maximising weights y, and c_j = ∂y_j/∂f_j for a fixed threshold of
// the constraint Σy = 1 (all 0 if ν = 0).
type Risk struct {
	Value         Real
	Weight, Slope []Real
}

// Respond returns the risk at losses f. If D is bounded, the risk is a minimum over multipliers, whose error is
// quadratic in 2⁻⁶⁰.
func (a *Adversary) Respond(f []Real) Risk {
	if a.Cap > 0 {
		return a.respondSeparably(f)
	}
	if a.Ranks != "" {
		return a.respondByRank(f)
	}
	if a.Radius > 0 {
		return a.respondInBall(f)
	}
	if a.Nu == 0 {
		return a.respondUnpenalised(f)
	}
	y, slope := a.weightsAt(f, New(a.Nu))
	return Risk{Sub(inner(y, f), a.Psi(y)), y, slope}
}

// respondSeparably works like Respond if each weight is chosen separately: it maximises yf − ψ(y) over 0 ≤ y ≤ Cap,
// where ψ is ν(y log ny − y + 1/n) for KL, ν(ny − 1)²/2n for χ², and νy²/2 otherwise.
func (a *Adversary) respondSeparably(f []Real) Risk {
	n, top, nu := New(float64(len(f))), New(a.Cap), New(a.Nu)
	r := Risk{zero(), zeros(len(f)), zeros(len(f))}
	for j, v := range f {
		y, psi := zero(), zero()
		switch {
		case a.Nu == 0 && v.Sign() > 0:
			y = top
		case a.Nu == 0:
		case a.Penalty == "kl":
			if u := Div(v, nu); IsLess(u, Log(Mul(n, top))) {
				y = Div(Exp(u), n)
			} else {
				y = top
			}
			if psi = Div(nu, n); y.Sign() > 0 {
				psi = Add(psi, Mul(nu, Mul(y, Sub(Log(Mul(n, y)), New(1)))))
			}
		case a.Penalty == "chi2":
			y = clampTo(top, Div(Add(New(1), Div(v, nu)), n))
			off := Sub(Mul(n, y), New(1))
			psi = timesPowerOf2(Div(Mul(nu, Mul(off, off)), n), -1)
		default:
			y = clampTo(top, Div(v, nu))
			psi = timesPowerOf2(Mul(nu, Mul(y, y)), -1)
		}
		r.Weight[j] = y
		r.Value = Add(r.Value, Sub(Mul(y, v), psi))
	}
	return r
}

// clampTo returns v limited to [0, top].
func clampTo(top, v Real) Real {
	switch {
	case v.Sign() < 0:
		return zero()
	case IsLess(top, v):
		return top
	}
	return v
}

// referenceWeights returns the reference weights of n samples, with sum one.
func (a *Adversary) referenceWeights(n int) []Real {
	w, total := make([]Real, n), zero()
	for j := range w {
		if w[j] = New(1); a.Weights != nil {
			w[j] = New(a.Weights[j])
		}
		total.Add(total, w[j])
	}
	for j := range w {
		w[j] = Div(w[j], total)
	}
	return w
}

// orderByLoss returns the samples that have weight, in descending order of loss.
func orderByLoss(f, w []Real) (order []int) {
	for j := range f {
		if w[j].Sign() > 0 {
			order = append(order, j)
		}
	}
	sort.Slice(order, func(i, j int) bool { return IsLess(f[order[j]], f[order[i]]) })
	return order
}

// Psi returns ψ(y) = ν·D(y‖w).
func (a *Adversary) Psi(y []Real) Real {
	if a.Nu == 0 {
		return zero()
	}
	return Mul(New(a.Nu), a.divergence(y, a.referenceWeights(len(y))))
}

func (a *Adversary) divergence(y, w []Real) Real {
	sum := zero()
	for j, v := range y {
		switch {
		case w[j].Sign() == 0:
		case a.Penalty == "chi2":
			off := Sub(v, w[j])
			sum.Add(sum, timesPowerOf2(Div(Mul(off, off), w[j]), -1))
		case v.Sign() > 0:
			sum.Add(sum, Mul(v, Log(Div(v, w[j]))))
		}
	}
	return sum
}

// respondUnpenalised works like Respond for ν = 0: the largest losses get the largest possible weights.
func (a *Adversary) respondUnpenalised(f []Real) Risk {
	w := a.referenceWeights(len(f))
	r := Risk{Value: zero(), Weight: make([]Real, len(f)), Slope: make([]Real, len(f))}
	for j := range f {
		r.Weight[j], r.Slope[j] = zero(), zero()
	}
	left := New(1)
	for _, j := range orderByLoss(f, w) {
		v := left
		if a.Alpha > 0 {
			v = Div(w[j], New(a.Alpha))
		}
		if IsLess(left, v) {
			v = left
		}
		r.Weight[j] = v
		r.Value.Add(r.Value, Mul(v, f[j]))
		if left = Sub(left, v); left.Sign() <= 0 {
			break
		}
	}
	return r
}

// respondInBall returns the risk for D ≤ Radius, which is the minimum over multipliers ν' ≥ ν of (ν' − ν)·Radius +
// R_ν'(f). The derivative with respect to ν' is Radius − D; its zero is found by the Illinois method.
func (a *Adversary) respondInBall(f []Real) Risk {
	const digits = 60
	free := *a
	free.Radius = 0
	w, radius := a.referenceWeights(len(f)), New(a.Radius)
	order := orderByLoss(f, w)
	excess := func(nu Real) Real { // difference of D and the radius
		if nu.Sign() > 0 {
			y, _ := free.weightsAt(f, nu)
			return Sub(a.divergence(y, w), radius)
		}
		y, mass := zeros(len(f)), zero()
		for _, j := range order {
			if f[j].Cmp(f[order[0]]) == 0 {
				mass.Add(mass, w[j])
			}
		}
		for _, j := range order {
			if f[j].Cmp(f[order[0]]) == 0 {
				y[j] = Div(w[j], mass)
			}
		}
		return Sub(a.divergence(y, w), radius)
	}
	low := New(a.Nu)
	above := excess(low)
	if above.Sign() <= 0 {
		return free.Respond(f)
	}
	high := Add(low, Sub(f[order[0]], f[order[len(order)-1]]))
	below := excess(high)
	for k := 0; below.Sign() > 0; k++ {
		if k == 2*Prec { // at this precision the radius cannot be distinguished from 0
			return Risk{inner(w, f), w, zeros(len(f))}
		}
		low, above, high = high, below, timesPowerOf2(high, 1)
		below = excess(high)
	}
	for k := 0; low.Sign() == 0 && k < 2*Prec; k++ {
		if mid := timesPowerOf2(high, -4); excess(mid).Sign() > 0 {
			low, above = mid, excess(mid)
		} else {
			high, below = mid, excess(mid)
		}
	}
	last := 0
	for range 400 {
		mid := Sub(high, Div(Mul(below, Sub(high, low)), Sub(below, above)))
		e := excess(mid)
		if Abs(e).Cmp(timesPowerOf2(radius, -digits)) <= 0 {
			high = mid
			break
		}
		switch side := e.Sign(); {
		case side > 0:
			low, above = mid, e
			if last == side {
				below = timesPowerOf2(below, -1)
			}
			last = side
		default:
			high, below = mid, e
			if last == side {
				above = timesPowerOf2(above, -1)
			}
			last = side
		}
	}
	y, slope := free.weightsAt(f, high)
	value := Sub(inner(y, f), Mul(high, a.divergence(y, w)))
	return Risk{Add(value, Mul(Sub(high, New(a.Nu)), radius)), y, slope}
}

// weightsAt returns the best response at a penalty coefficient ν > 0 and its slopes: y_j = w_j·min(1/α, h(f_j −
// τ)), h(v) = e^{v/ν} for KL and (1 + v/ν)₊ for χ², with τ such that Σ y = 1. It sorts the samples by loss and
// tries every possible number of capped samples, so the result is exact.
func (a *Adversary) weightsAt(f []Real, nu Real) (y, slope []Real) {
	w := a.referenceWeights(len(f))
	order := orderByLoss(f, w)
	u := make([]Real, len(f)) // (f_j − top)/ν ≤ 0
	for _, j := range order {
		u[j] = Div(Sub(f[j], f[order[0]]), nu)
	}
	if a.Penalty == "chi2" {
		y = a.linearWeights(u, w, order)
	} else {
		y = a.exponentialWeights(u, w, order)
	}
	slope = make([]Real, len(f))
	for j, v := range y {
		switch {
		case v.Sign() == 0, a.Alpha > 0 && !IsLess(v, Div(w[j], New(a.Alpha))):
			slope[j] = zero()
		case a.Penalty == "chi2":
			slope[j] = Div(w[j], nu)
		default:
			slope[j] = Div(v, nu)
		}
	}
	return y, slope
}

// zeros returns n zeros.
func zeros(n int) []Real {
	y := make([]Real, n)
	for j := range y {
		y[j] = zero()
	}
	return y
}

// exponentialWeights puts k samples at the cap and divides the remaining mass among the others in proportion to
// w·e^{u}. k is the smallest number for which none of the others is above the cap. The exponentials are relative to
// the largest of them, so that not all vanish.
func (a *Adversary) exponentialWeights(u, w []Real, order []int) []Real {
	y, left, e := zeros(len(u)), New(1), make([]Real, len(u))
	for k, first := range order {
		rest := zero()
		for _, j := range order[k:] {
			e[j] = Mul(w[j], Exp(Sub(u[j], u[first])))
			rest.Add(rest, e[j])
		}
		if a.Alpha > 0 && k < len(order)-1 {
			if most := Div(w[first], New(a.Alpha)); IsLess(Mul(most, rest), Mul(left, e[first])) {
				y[first], left = most, Sub(left, most)
				continue
			}
		}
		for _, j := range order[k:] {
			y[j] = Div(Mul(left, e[j]), rest)
		}
		break
	}
	return y
}

// linearWeights puts the first k samples at the cap, the samples from k to m at w(u + shift), and the others at 0.
// For every k, it uses the smallest m for which no weight is negative; it returns the weights for the smallest k
// for which none is above the cap.
func (a *Adversary) linearWeights(u, w []Real, order []int) []Real {
	n := len(order)
	mass, first := make([]Real, n+1), make([]Real, n+1) // Σ w and Σ wu over the m largest u
	mass[0], first[0] = zero(), zero()
	for i, j := range order {
		mass[i+1], first[i+1] = Add(mass[i], w[j]), Add(first[i], Mul(w[j], u[j]))
	}
	left := New(1)
	for k := 0; k < n; k++ {
		shift := func(m int) Real { return Div(Sub(left, Sub(first[m], first[k])), Sub(mass[m], mass[k])) }
		m := k + 1 + sort.Search(n-k-1, func(i int) bool { // is the next weight zero or negative?
			m := k + 1 + i
			return Add(u[order[m]], shift(m)).Sign() <= 0
		})
		// The relative error of the sums over all u refers to the largest u; sums over a few u are exact.
		var s Real // shift relative to u of the first of them
		near := func(i int) Real { return Sub(u[order[i]], u[order[k]]) }
		for range n {
			rest := left
			for i := k; i < m; i++ {
				rest = Sub(rest, Mul(w[order[i]], near(i)))
			}
			s = Div(rest, Sub(mass[m], mass[k]))
			if m > k+1 && Add(near(m-1), s).Sign() <= 0 {
				m--
			} else if m < n && Add(near(m), s).Sign() > 0 {
				m++
			} else {
				break
			}
		}
		if a.Alpha > 0 {
			if IsLess(New(1), Mul(New(a.Alpha), s)) {
				left = Sub(left, Div(w[order[k]], New(a.Alpha)))
				continue
			}
		}
		y := zeros(len(u))
		for i, j := range order {
			switch {
			case i < k:
				y[j] = Div(w[j], New(a.Alpha))
			case i < m:
				y[j] = Mul(w[j], Add(near(i), s))
			}
		}
		return y
	}
	return a.respondUnpenalised(u).Weight
}
