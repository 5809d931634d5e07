package solvetest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// holds checks weak duality and the optimum at every check point of a result.
func holds(t *testing.T, res *dro.TestResult, optimum float64) {
	t.Helper()
	for _, c := range res.Trace {
		if !(c.Lower <= c.Upper) {
			t.Errorf("after %v passes: lower %v above upper %v", c.Passes, c.Lower, c.Upper)
		}
		if c.Lower > optimum || c.Upper < optimum {
			t.Errorf("after %v passes: the optimum %v is not in [%v, %v]", c.Passes, optimum, c.Lower, c.Upper)
		}
	}
}

// farness is an oracle of one's own whose slopes are gradients of d numbers: √(1 + ‖x − p_j‖²) − 1.
type farness struct {
	d int
	p []float64 // n·d
}

func (o farness) Dims() (n, d, slope int) { return len(o.p) / o.d, o.d, o.d }

func (o farness) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		square := 1.0
		for i, v := range x {
			square += (v - o.p[j*o.d+i]) * (v - o.p[j*o.d+i])
		}
		value[j] = math.Sqrt(square) - 1
		for i, v := range x {
			slope[j*o.d+i] = (v - o.p[j*o.d+i]) / math.Sqrt(square)
		}
	}
}

func (o farness) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		for i := range dst {
			dst[i] += weight[j] * slope[j*o.d+i]
		}
	}
}

func (farness) ConstantsTo(lipschitz, smoothness, _ []float64) {
	for j := range lipschitz {
		lipschitz[j], smoothness[j] = 1, 1
	}
}

// Where nothing is known of an oracle but gradients, the default is L-BFGS, and certifies in a few
// passes what the theoretical schedule of the paper's methods takes hundreds for, and thousands.
func TestLBFGS_VectorSlopes(t *testing.T) {
	const n, d = 500, 5
	rng := rand.New(rand.NewPCG(1, 2))
	o := farness{d, make([]float64, n*d)}
	for i := range o.p {
		o.p[i] = rng.NormFloat64() * float64(1+i%d)
	}
	for _, mu := range []float64{1e-2, 1e-6} {
		for _, nu := range []float64{1, 0.1} {
			p := &dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: nu}, Primal: dro.L2{Mu: mu}}
			m, why := dro.Choose(p)
			s := dro.DefaultSettings()
			s.RelativeGap, s.MaxPasses = 1e-6, 60
			res := solveBy(t, p, m, s)
			t.Logf("μ = %v, ν = %v, %s: %.4g passes", mu, nu, m.Name(), res.Passes)
			if res.Status != dro.Certified || res.Passes > 40 {
				t.Errorf("μ = %v, ν = %v: %s (%s) is %v at %.3g after %.4g passes", mu, nu, m.Name(), why, res.Status,
					res.Certificate.Relative(), res.Passes)
			}
			if !*dro.Long {
				continue
			}
			for _, paper := range []dro.Method{primaldual.FullVector{}, primaldual.Stochastic{}, primaldual.SeparableBlock{}} {
				s.MaxPasses = 3000
				res := solveBy(t, p, paper, s)
				t.Logf("μ = %v, ν = %v, %s: %v at %.3g after %.4g passes", mu, nu, paper.Name(), res.Status,
					res.Certificate.Relative(), res.Passes)
			}
		}
	}
}
