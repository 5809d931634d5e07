package solve_test

import (
	"math"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// A composite is the oracle of ex. fco, f(x) = (h(x), x), for the distances
// h_j(x) = √(1 + ‖x − c_j‖²). A slope is a whole gradient, of length d.
type composite struct {
	d       int
	centres [][]float64
}

func (o composite) Dims() (n, d, slope int) { return len(o.centres) + o.d, o.d, o.d }

func (o composite) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		g := slope[j*o.d : (j+1)*o.d]
		if k := j - len(o.centres); k >= 0 { // f_j(x) = x_k
			clear(g)
			value[j], g[k] = x[k], 1
			continue
		}
		s := 1.0
		for i, c := range o.centres[j] {
			g[i] = x[i] - c
			s += g[i] * g[i]
		}
		value[j] = math.Sqrt(s)
		for i := range g {
			g[i] /= value[j]
		}
	}
}

func (o composite) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		for i := range dst {
			dst[i] += weight[j] * slope[j*o.d+i]
		}
	}
}

// ConstantsTo implements dro.Conditioned: all are 1-Lipschitz, the distances
// 1-smooth and the coordinates linear.
func (o composite) ConstantsTo(lipschitz, smoothness, _ []float64) {
	for j := range lipschitz {
		lipschitz[j], smoothness[j] = 1, 0
		if j < len(o.centres) {
			smoothness[j] = 1
		}
	}
}

// A product is the conjugate of F(h, x) = max_j h_j + weight·‖x‖₁: the simplex on
// the first k weights times the box |y| ≤ weight on the others. Both parts of the
// library's duals are Euclidean, KL would not do: one norm measures both.
type product struct {
	k    int
	rest dro.Box
}

func (product) Modulus() float64 { return 0 }

func (product) Value([]float64) float64 { return 0 }

func (p product) BestResponseTo(y, f []float64) (risk, tau float64) {
	a, tau := dro.Simplex{Divergence: dro.PearsonChi2}.BestResponseTo(y[:p.k], f[:p.k])
	b, _ := p.rest.BestResponseTo(y[p.k:], f[p.k:])
	return a + b, tau
}

func (p product) CoordsTo(u, y []float64) {
	for j, v := range y[:p.k] {
		u[j] = float64(p.k) * v
	}
	p.rest.CoordsTo(u[p.k:], y[p.k:])
}

func (p product) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	k := p.k
	for j := range k { // a step, and the projection: the best response of penalty 1 to it
		u[j] = a/e*f[j] + (1-w)*prev[j] + w*hist[j]
	}
	dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1}.BestResponseTo(y[:k], u[:k])
	for j, v := range y[:k] {
		u[j] = float64(k) * v
	}
	p.rest.ProxTo(u[k:], y[k:], f[k:], prev[k:], hist[k:], a, e, w)
}

func (product) NormScale(int) float64   { return 1 }
func (product) WeightCap(int) float64   { return 1 }
func (product) TotalWeight(int) float64 { return 1 } // of the weights of curved f_j
func (product) SumNorm() bool           { return false }

// min_x max_j √(1 + ‖x − c_j‖²) + ½‖x‖₁ + (μ/2)‖x‖² with centres −1 and 3: at
// x = 1 both distances are √5, their slopes ±2/√5 outweigh ½ + μ, and the optimum
// is √5 + ½ + μ/2 = 2.7861 for μ = 0.1.
func TestSolve_FullyComposite(t *testing.T) {
	problem := &dro.Problem{
		Oracle: composite{d: 1, centres: [][]float64{{-1}, {3}}},
		Dual:   product{k: 2, rest: dro.Box{Lower: -0.5, Upper: 0.5}},
		Primal: dro.L2{Mu: 0.1},
	}
	res, err := dro.SolveBy(t.Context(), problem, primaldual.FullVector{}, dro.DefaultSettings())
	if want := math.Sqrt(5) + 0.55; err != nil || res.Status != dro.Certified || !(math.Abs(res.Objective-want) <= 1e-5) || !(math.Abs(res.X[0]-1) <= 1e-2) {
		t.Errorf("%+v, %v, not %v at x = 1", res, err, want)
	}
}
