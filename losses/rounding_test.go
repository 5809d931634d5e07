package losses

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/internal/exact"
)

// Compared with 256-bit arithmetic, values are exact to a relative error of 2⁻⁴⁹, and tangents exceed the loss by no
// more than that.
func TestLosses_Rounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	within := exact.New(0x1p-49)
	for _, l := range []Loss{Logistic{}, Squared{}, Huber{Delta: 0.7}, Huber{Delta: 1e-6},
		Quantile{Level: 0.9, Width: 0.01}, Quantile{Level: 0.25, Width: 3}} {
		p := &exact.Problem{N: 1, D: 1, Rows: []float64{1}, Loss: l.Name()}
		if h, ok := l.(Huber); ok {
			p.Delta = h.Delta
		}
		if q, ok := l.(Quantile); ok {
			p.Loss, p.Level, p.Width = "quantile", q.Level, q.Width
		}
		for range 3000 {
			m, target := math.Exp(6*rng.NormFloat64())*float64(1-2*rng.IntN(2)), float64(1-2*rng.IntN(2))
			if l.Name() != "logistic" {
				target = math.Exp(6*rng.NormFloat64()) + m*float64(rng.IntN(2))
			}
			value, slope := make([]float64, 1), make([]float64, 1)
			l.EvalTo(value, slope, []float64{m}, []float64{target})
			p.Target = []float64{target}
			at := func(a exact.Real) exact.Sample { return p.Eval([]exact.Real{a})[0] }
			s := at(exact.New(m))
			slack := exact.Add(exact.Mul(within, exact.New(value[0])), exact.New(0x1p-1022))
			if off := exact.Sub(exact.New(value[0]), s.Value); exact.IsLess(slack, off.Abs(off)) {
				t.Fatalf("%#v: ℓ(%v; %v) = %v is off by %v", l, m, target, value[0], off)
			}
			for range 4 {
				away := rng.NormFloat64() * math.Exp(2*rng.NormFloat64())
				if rng.IntN(2) == 0 {
					away *= 1e-8
				}
				a := exact.Add(exact.New(m), exact.New(away))
				line := exact.Add(exact.New(value[0]), exact.Mul(exact.New(slope[0]), exact.New(away)))
				if exact.IsLess(exact.Add(at(a).Value, slack), line) {
					t.Fatalf("%#v: the tangent at %v; %v is above the loss %v away", l, m, target, away)
				}
			}
		}
	}
}

// The error of the Poisson loss, which has no smoothness constant, is that of rounding its margin: half an ulp of m
// and of log t in u.
func TestPoisson_Rounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	p := &exact.Problem{N: 1, D: 1, Rows: []float64{1}, Loss: "poisson"}
	for k := range 3000 {
		target := math.Floor(math.Exp(3 * rng.NormFloat64()))
		if k%100 == 0 {
			target = 0x1p-1030 * rng.Float64() // subnormal
		}
		m := math.Log(max(target, 0.3)) + rng.NormFloat64()*math.Pow(10, float64(-rng.IntN(9)))
		value, slope := make([]float64, 1), make([]float64, 1)
		Poisson{}.EvalTo(value, slope, []float64{m}, []float64{target})
		p.Target = []float64{target}
		s := p.Eval([]exact.Real{exact.New(m)})[0]
		moved := 4 * 0x1p-53 * (math.Abs(m) + math.Abs(math.Log(max(target, 1))))
		want, _ := s.Value.Float64()
		wantSlope, _ := s.Slope.Float64()
		curvature, _ := s.Curvature.Float64()
		if !(math.Abs(value[0]-want) <= 0x1p-49*want+(math.Abs(wantSlope)+curvature*moved)*moved) ||
			!(math.Abs(slope[0]-wantSlope) <= 0x1p-49*math.Abs(wantSlope)+2*curvature*moved) {
			t.Fatalf("%d: ℓ(%v; %v) = %v, %v; want %v, %v", k, m, target, value[0], slope[0], want, wantSlope)
		}
	}
}
