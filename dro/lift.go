package dro

import (
	"errors"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/shard"
)

// Lift makes a problem on the simplex dual-separable by dualising its one
// coupling constraint (math: §5):
//
//	max_{y∈Δ_n} ⟨y, f⟩ − ψ(y) = min_τ τ + max_{0≤y≤1} Σ_j [ y_j(f_j − τ) − ψ_j(y_j) ].
//
// The lifted problem has parameters (x, τ), losses f_j − τ, regulariser φ + τ
// and a Separable dual; minimised over τ it equals p at every x, and its
// solution in x is p's. The Dual must be Liftable: KL, ChiSquare or CVaR.
func Lift(p *Problem) (*Problem, error) {
	l, ok := p.Dual.(Liftable)
	if !ok {
		return nil, errors.New("dro: the dual is neither separable nor the simplex with a separable penalty (it lacks the Separable and the Liftable ability)")
	}
	n, d, _ := p.Oracle.Dims()
	oracle := liftedOracle{p.Oracle, d}
	lifted := &Problem{Oracle: &oracle, Dual: l.Separated(n), Primal: liftedPrimal{phi: p.Primal}}
	if c, ok := ability[Changed](p.Oracle); ok {
		lifted.Oracle = &liftedChanged{oracle, c}
	}
	return lifted, nil
}

// Liftable is the ability of a Dual on the simplex to drop the constraint
// Σ y_j = 1 and become Separable.
type Liftable interface {
	Dual
	Separated(n int) Separable
}

// A liftedOracle evaluates f_j(x) − τ at (x, τ). The slopes are those of f_j: the
// derivative in τ is −1 for every sample.
type liftedOracle struct {
	Oracle
	d int
}

func (o *liftedOracle) Dims() (n, d, slope int) {
	n, d, slope = o.Oracle.Dims()
	return n, d + 1, slope
}

func (o *liftedOracle) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Oracle.EvalTo(value, slope, x[:o.d], lo, hi)
	tau := x[o.d]
	for j := lo; j < hi; j++ {
		value[j] -= tau
	}
}

func (o *liftedOracle) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	o.Oracle.AddGradTo(dst[:o.d], weight, slope, lo, hi)
	sum := 0.0
	for _, w := range weight[lo:hi] {
		sum += w
	}
	dst[o.d] -= sum
}

// A liftedChanged is a liftedOracle with the Changed ability.
type liftedChanged struct {
	liftedOracle
	changed Changed
}

func (o *liftedChanged) AddChangeTo(dst, weight, slope, oldWeight, oldSlope []float64, lo, hi int) {
	o.changed.AddChangeTo(dst[:o.d], weight, slope, oldWeight, oldSlope, lo, hi)
	sum := 0.0
	for j := lo; j < hi; j++ {
		sum += weight[j] - oldWeight[j]
	}
	dst[o.d] -= sum
}

// liftedPrimal is φ(x) + τ. There is no strong convexity in τ: the theory's case
// is μ = 0.
type liftedPrimal struct{ phi Primal }

func (l liftedPrimal) Modulus() float64 { return 0 }

func (l liftedPrimal) Value(x []float64) float64 {
	d := len(x) - 1
	return l.phi.Value(x[:d]) + x[d]
}

func (l liftedPrimal) ProxTo(dst, g, center []float64, a, c float64) {
	d := len(dst) - 1
	l.phi.ProxTo(dst[:d], g[:d], center[:d], a, c)
	dst[d] = center[d] - a*(g[d]+1)/c
}

func (l liftedPrimal) FenchelYoung(x, g []float64) float64 {
	d := len(x) - 1
	if g[d]+1 != 0 {
		return math.Inf(1)
	}
	return l.phi.FenchelYoung(x[:d], g[:d])
}

// OrthantKL is the separable form of KL: the weights 0 ≤ y_j ≤ Cap with the
// generalised penalty ψ_j(y) = ν(y log(n y) − y + 1/n).
type OrthantKL struct {
	Nu  float64 // ν ≥ 0
	Cap float64 // > 0, +Inf for none
}

// OrthantChiSquare is the separable form of ChiSquare: the weights 0 ≤ y_j ≤ Cap
// with ψ_j(y) = (ν n/2)(y − 1/n)².
type OrthantChiSquare struct {
	Nu  float64 // ν ≥ 0
	Cap float64 // > 0, +Inf for none
}

var (
	_ Separable = OrthantKL{}
	_ Separable = OrthantChiSquare{}
	_ Liftable  = KL{}
	_ Liftable  = ChiSquare{}
)

// Separated implements Liftable; the simplex implies y_j ≤ 1.
func (k KL) Separated(int) Separable { return OrthantKL{Nu: k.Nu, Cap: 1} }

// Separated implements Liftable; the simplex implies y_j ≤ 1.
func (c ChiSquare) Separated(int) Separable { return OrthantChiSquare{Nu: c.Nu, Cap: 1} }

func (k OrthantKL) valid(int) error { return validCap(k.Cap) }

func (c OrthantChiSquare) valid(int) error { return validCap(c.Cap) }

func validCap(v float64) error {
	if !(v > 0) {
		return fmt.Errorf("the cap of the weights is %v: it must be > 0, +Inf for none", v)
	}
	return nil
}

// Modulus implements Dual.
func (k OrthantKL) Modulus() float64 { return k.Nu }

// Value implements Dual.
func (k OrthantKL) Value(y []float64) float64 {
	if k.Nu == 0 {
		return 0
	}
	n := float64(len(y))
	return k.Nu * shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for _, v := range y[lo:hi] {
			s += entropy(n*v) / n
		}
		return s
	})
}

// BestResponseTo implements Dual: y_j = min(Cap, exp(f_j/ν)/n); there is no
// coupling constraint, and τ is 0.
func (k OrthantKL) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(y))
	if k.Nu == 0 {
		return linearResponse(y, f, k.Cap), 0
	}
	top := math.Log(n * k.Cap)
	return shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			u := math.Min(f[j]/k.Nu, top)
			y[j] = math.Exp(u) / n
			if u == top {
				s += y[j] * (f[j] - k.Nu*u)
			}
			s += k.Nu / n * math.Expm1(u)
		}
		return s
	}), 0
}

// CoordsTo implements Separable: u = log(n y).
func (OrthantKL) CoordsTo(u, y []float64) { KL{}.CoordsTo(u, y) }

// BlockStepTo implements Separable, with u⁰ = 0.
func (k OrthantKL) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	n := float64(len(y))
	top := math.Log(n * k.Cap)
	for j := lo; j < hi; j++ {
		v := math.Min(prev[j]+eta*(f[j]-k.Nu*prev[j]), top)
		u[j], y[j] = v, math.Exp(v)/n
	}
}

// Modulus implements Dual.
func (c OrthantChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c OrthantChiSquare) Value(y []float64) float64 { return ChiSquare{c.Nu}.Value(y) }

// BestResponseTo implements Dual: y_j = (1/n)(1 + f_j/ν) clipped to [0, Cap].
func (c OrthantChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(y))
	if c.Nu == 0 {
		return linearResponse(y, f, c.Cap), 0
	}
	return shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			r := math.Max(0, math.Min(1+f[j]/c.Nu, n*c.Cap))
			y[j] = r / n
			s += y[j]*f[j] - c.Nu/(2*n)*(r-1)*(r-1)
		}
		return s
	}), 0
}

// CoordsTo implements Separable: u = n y.
func (OrthantChiSquare) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// BlockStepTo implements Separable, with u⁰ = 1.
func (c OrthantChiSquare) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	n := float64(len(y))
	top := n * c.Cap
	for j := lo; j < hi; j++ {
		v := math.Max(0, math.Min(prev[j]+eta*(f[j]-c.Nu*(prev[j]-1)), top))
		u[j], y[j] = v, v/n
	}
}

// linearResponse stores argmax ⟨y, f⟩ over 0 ≤ y ≤ limit and returns the
// maximum, +Inf for an unbounded set.
func linearResponse(y, f []float64, limit float64) float64 {
	s := 0.0
	for j, v := range f {
		y[j] = 0
		if v > 0 || math.IsNaN(v) {
			y[j] = limit
			s += limit * v
		}
	}
	return s
}
