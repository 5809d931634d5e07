package exact

import (
	"fmt"
	"math"
)

// Certify returns P(x) and the lower bound of min P that follows from weights y; nil selects the best response at
// x. Let F(x') = L(x', y), and let H be a lower bound of ∇²F within a radius of x, in the norm of H. Then min F is
// at least F(x) − λ²/(2(1−γλρ)). Here λ² = ∇FᵀH⁻¹∇F, ρ is the largest ‖z_j‖ in the norm of H⁻¹, and γ is the decay
// of the losses' curvature: 1 for the logistic and the Poisson loss, whose third derivative is at most the second,
// and 0 for the others. The curvature of the Huber and quantile losses is only used for margins that are far enough
// from a kink.
//
// It returns an error if H is singular or x is too far from the optimum.
func (p *Problem) Certify(x, y []Real) (upper, lower Real, err error) {
	// minimum distance of a margin from ±δ for its curvature to be used, as a fraction of Huber's δ
	const clear = 1.0 / 64
	samples := p.Eval(x)
	f := make([]Real, p.N)
	for j, s := range samples {
		f[j] = s.Value
	}
	risk, phi := p.Respond(f), p.Phi(x)
	if y == nil {
		y = risk.Weight
	}
	upper = Add(risk.Value, phi)
	value := Add(Sub(inner(y, f), p.Psi(y)), phi)
	g, h := p.gradient(x, y, samples), NewMatrix(p.D)
	radius, decay := New(math.Inf(1)), 0.0
	if p.Loss == "logistic" || p.Loss == "poisson" {
		decay = 1
	}
	if p.Loss == "quantile" {
		radius = Mul(New(clear), Mul(New(p.Width), New(min(p.Level, 1-p.Level))))
	}
	if p.Loss == "huber" {
		radius = Mul(New(clear), New(p.Delta))
	}
	for j, s := range samples {
		if p.Loss == "quantile" { // the slope is linear between the kinks
			away := Div(radius, New(p.Width))
			if IsLess(Sub(Sub(New(1), New(p.Level)), away), s.Slope) || IsLess(s.Slope, Add(New(-p.Level), away)) {
				continue
			}
		}
		if p.Loss == "huber" && IsLess(Sub(New(p.Delta), radius), zero().Abs(s.Slope)) {
			continue
		}
		h.AddOuter(Mul(y[j], s.Curvature), p.row(j))
	}
	h.addRidge(p)
	dir, err := h.Solve(g)
	if err != nil {
		return nil, nil, err
	}
	square := inner(g, dir)
	lambda, rho := Sqrt(square), zero()
	for j := range samples {
		z := p.row(j)
		if v, err := h.Solve(z); err != nil {
			return nil, nil, err
		} else if r := Sqrt(inner(z, v)); IsLess(rho, r) {
			rho = r
		}
	}
	reach := Mul(lambda, rho) // distance by which a margin may change, doubled if there is a decay
	if u, _ := reach.Float64(); decay*u > 0.1 || IsLess(radius, timesPowerOf2(reach, 1)) {
		return nil, nil, fmt.Errorf("exact: the point is too far from the optimum: λρ = %.3g", u)
	}
	fall := Div(square, timesPowerOf2(Sub(New(1), Mul(New(decay), reach)), 1))
	return upper, Sub(value, fall), nil
}

// GradientAndHessian returns the gradient of P at x and its (generalised) Hessian. It requires ν > 0 and neither a
// Radius nor groups. The Hessian is
//
//	Σ y_j ℓ″z_j z_jᵀ + Σ c_j (∇f_j − ḡ)(∇f_j − ḡ)ᵀ + ∇²φ,   ḡ = Σ c_j ∇f_j/Σ c_j.
func (p *Problem) GradientAndHessian(x []Real) (gradient []Real, hessian *Matrix) {
	samples := p.Eval(x)
	f := make([]Real, p.N)
	for j, s := range samples {
		f[j] = s.Value
	}
	risk := p.Respond(f)
	h, mean, total := NewMatrix(p.D), make([]Real, p.D), zero()
	for i := range mean {
		mean[i] = zero()
	}
	for j, s := range samples {
		z, c := p.row(j), risk.Slope[j]
		h.AddOuter(Mul(risk.Weight[j], s.Curvature), z)
		h.AddOuter(Mul(c, Mul(s.Slope, s.Slope)), z)
		total.Add(total, c)
		for i := range mean {
			mean[i].Add(mean[i], Mul(Mul(c, s.Slope), z[i]))
		}
	}
	if total.Sign() > 0 {
		h.AddOuter(Div(New(-1), total), mean)
	}
	h.addRidge(p)
	return p.gradient(x, risk.Weight, samples), h
}

// OptimumNear returns the optimum, starting at a point close to it, by Newton's method. It returns nil if the iteration
// does not converge or diverges. It does not support a Radius or groups, for which GradientAndHessian has no Hessian.
func (p *Problem) OptimumNear(x []float64) Real {
	const farthest = 64 // binary exponent of a parameter; exponentials of larger parameters would take hours
	at := make([]Real, len(x))
	for i, v := range x {
		at[i] = New(v)
	}
	for range 40 {
		g, hessian := p.GradientAndHessian(at)
		dir, err := hessian.Solve(g)
		if err != nil {
			return nil
		}
		decrement := inner(dir, g)
		for i, v := range dir {
			if at[i] = Sub(at[i], v); at[i].MantExp(nil) > farthest {
				return nil
			}
		}
		if v, _ := decrement.Float64(); math.Abs(v) < 1e-45 {
			start := make([]Real, len(x))
			for i, v := range x {
				start[i] = New(v)
			}
			if end := p.Objective(at); end.Cmp(p.Objective(start)) <= 0 {
				return end
			}
			return nil
		}
	}
	return nil
}

// gradient returns Σ y_j ∇f_j + ∇φ.
func (p *Problem) gradient(x, y []Real, samples []Sample) []Real {
	g := make([]Real, p.D)
	for i := range g {
		if g[i] = Mul(New(p.Mu), x[i]); p.Intercept && i == p.D-1 {
			g[i] = zero()
		}
	}
	for j, s := range samples {
		w := Mul(y[j], s.Slope)
		for i, z := range p.row(j) {
			g[i].Add(g[i], Mul(w, z))
		}
	}
	return g
}

func (p *Problem) row(j int) []Real {
	z := make([]Real, p.D)
	for i := range z {
		z[i] = New(p.Rows[j*p.D+i])
	}
	return z
}

// A Matrix is a dense square matrix.
type Matrix struct{ entries [][]Real }

// NewMatrix returns the d×d zero matrix.
func NewMatrix(d int) *Matrix {
	m := &Matrix{make([][]Real, d)}
	for i := range m.entries {
		m.entries[i] = make([]Real, d)
		for k := range d {
			m.entries[i][k] = zero()
		}
	}
	return m
}

// Set stores v at row i, column k.
func (m *Matrix) Set(i, k int, v Real) { m.entries[i][k] = v }

// Entry returns the entry at row i, column k.
func (m *Matrix) Entry(i, k int) Real { return m.entries[i][k] }

// AddOuter adds w·z zᵀ.
func (m *Matrix) AddOuter(w Real, z []Real) {
	for i, row := range m.entries {
		wz := Mul(w, z[i])
		for k := range row {
			row[k].Add(row[k], Mul(wz, z[k]))
		}
	}
}

func (m *Matrix) addRidge(p *Problem) {
	for i, row := range m.entries {
		if !p.Intercept || i < p.D-1 {
			row[i].Add(row[i], New(p.Mu))
		}
	}
}

// Solve returns M⁻¹v by Gaussian elimination with pivoting, or an error if M is singular.
func (m *Matrix) Solve(v []Real) ([]Real, error) {
	d := len(v)
	a, x := make([][]Real, d), make([]Real, d)
	for i, row := range m.entries {
		a[i], x[i] = append([]Real(nil), row...), v[i]
	}
	for i := range d {
		pivot := i
		for k := i + 1; k < d; k++ {
			if zero().Abs(a[pivot][i]).Cmp(zero().Abs(a[k][i])) < 0 {
				pivot = k
			}
		}
		a[i], a[pivot], x[i], x[pivot] = a[pivot], a[i], x[pivot], x[i]
		if a[i][i].Sign() == 0 {
			return nil, fmt.Errorf("exact: a singular matrix")
		}
		for k := i + 1; k < d; k++ {
			r := Div(a[k][i], a[i][i])
			if r.Sign() == 0 {
				continue
			}
			for c := i + 1; c < d; c++ {
				a[k][c] = Sub(a[k][c], Mul(r, a[i][c]))
			}
			x[k] = Sub(x[k], Mul(r, x[i]))
		}
	}
	for i := d - 1; i >= 0; i-- {
		for c := i + 1; c < d; c++ {
			x[i] = Sub(x[i], Mul(a[i][c], x[c]))
		}
		x[i] = Div(x[i], a[i][i])
	}
	return x, nil
}
