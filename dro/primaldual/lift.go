package primaldual

import (
	"errors"
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
)

// lift makes a problem on the simplex dual-separable by dualising its one
// coupling constraint (math: §5):
//
//	max_{y∈Δ_n} ⟨y, f⟩ − ψ(y) = min_τ τ + max_{0≤y≤1} Σ_j [ y_j(f_j − τ) − ψ_j(y_j) ].
//
// The lifted problem has parameters (x, τ), losses f_j − τ, regulariser φ + τ
// and a Separable dual; minimised over τ it equals p at every x, and its
// solution in x is p's. The Dual must be Liftable: KL, ChiSquare or CVaR.
func lift(p *saddle.Problem) (*saddle.Problem, saddle.Separable, error) {
	n, d, _ := p.Oracle.Dims()
	dual, ok := separatedOf(p.Dual, n)
	if !ok {
		return nil, nil, errors.New("dro: the dual is neither separable nor the simplex with a separable penalty")
	}
	return &saddle.Problem{Oracle: &liftedOracle{p.Oracle, d}, Dual: dual, Primal: liftedPrimal{phi: p.Primal}}, dual, nil
}

// A liftedOracle evaluates f_j(x) − τ at (x, τ). The slopes are those of f_j; the derivative with respect to τ is
// −1 for every sample.
type liftedOracle struct {
	saddle.Oracle
	d int
}

// Dims implements Oracle.
func (o *liftedOracle) Dims() (n, d, slope int) {
	n, d, slope = o.Oracle.Dims()
	return n, d + 1, slope
}

// EvalTo implements Oracle.
func (o *liftedOracle) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Oracle.EvalTo(value, slope, x[:o.d], lo, hi)
	tau := x[o.d]
	for j := lo; j < hi; j++ {
		value[j] -= tau
	}
}

// AddGradTo implements Oracle.
func (o *liftedOracle) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	o.Oracle.AddGradTo(dst[:o.d], weight, slope, lo, hi)
	sum := 0.0
	for _, w := range weight[lo:hi] {
		sum += w
	}
	dst[o.d] -= sum
}

// A liftedPrimal is φ(x) + τ. It is not strongly convex in τ, so the theory for μ = 0 applies.
type liftedPrimal struct{ phi saddle.Primal }

// Modulus implements Primal.
func (l liftedPrimal) Modulus() float64 { return 0 }

// Value implements Primal.
func (l liftedPrimal) Value(x []float64) float64 {
	d := len(x) - 1
	return l.phi.Value(x[:d]) + x[d]
}

// ProxTo implements Primal.
func (l liftedPrimal) ProxTo(dst, g, center []float64, a, c float64) {
	d := len(dst) - 1
	l.phi.ProxTo(dst[:d], g[:d], center[:d], a, c)
	dst[d] = center[d] - a*(g[d]+1)/c
}

// FenchelYoung implements Primal.
func (l liftedPrimal) FenchelYoung(x, g []float64) float64 {
	d := len(x) - 1
	if g[d]+1 != 0 {
		return math.Inf(1)
	}
	return l.phi.FenchelYoung(x[:d], g[:d])
}
