package dro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
)

// dense is the matrix of n rows of d columns over x.
func dense(t testing.TB, n, d int, x []float64) *design.Dense {
	t.Helper()
	z, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func rngOf(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

func normals(rng *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}

// onSimplex returns random weights of mass 1.
func onSimplex(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	total := 0.0
	for i := range v {
		v[i] = rng.ExpFloat64()
		total += v[i]
	}
	for i := range v {
		v[i] /= total
	}
	return v
}

// near reports |a − b| ≤ tol·(1 + scale).
func near(a, b, tol, scale float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(scale)) }

func maxAbs(v []float64) float64 {
	m := 0.0
	for _, a := range v {
		m = max(m, math.Abs(a))
	}
	return m
}

// finite fails the test on the first entry that is NaN or infinite.
func finite(t *testing.T, what string, vs ...[]float64) {
	t.Helper()
	for _, v := range vs {
		for i, a := range v {
			if math.IsNaN(a) || math.IsInf(a, 0) {
				t.Fatalf("%s: entry %d is %v", what, i, a)
			}
		}
	}
}

// A sample is a random linear model.
type sample struct {
	n, d          int
	design, label []float64
}

// newSample draws n rows of d standard normal columns and ±1 labels from a
// logistic model; with intercept, the last column is 1.
func newSample(rng *rand.Rand, n, d int, intercept bool) sample {
	s := sample{n: n, d: d, design: normals(rng, n*d, 1), label: make([]float64, n)}
	truth := normals(rng, d, 1)
	for i := range n {
		if intercept {
			s.design[(i+1)*d-1] = 1
		}
		m := dot(s.design[i*d:(i+1)*d], truth)
		s.label[i] = -1
		if rng.Float64() < 1/(1+math.Exp(-m)) {
			s.label[i] = 1
		}
	}
	return s
}

func (s sample) oracle(t testing.TB, l losses.Loss) *losses.Linear {
	t.Helper()
	o, err := losses.NewLinear(l, dense(t, s.n, s.d, s.design), s.label)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// solve runs m and checks what must hold of every result.
func solve(t testing.TB, p *Problem, m Method, s Settings) *Result {
	t.Helper()
	res, err := Solve(context.Background(), p, m, s)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	if err := sound(res); err != nil {
		t.Errorf("%s: %v", describe(m), err)
	}
	return res
}

func describe(m Method) string { return fmt.Sprintf("%s%+v", m.Name(), m) }

// sound reports a NaN in a result, or a check where weak duality fails.
func sound(res *Result) error {
	for _, v := range [][]float64{res.X, res.Y, {res.Tau, res.Objective, res.Risk, res.Certificate.Upper}} {
		for i, a := range v {
			if math.IsNaN(a) {
				return fmt.Errorf("NaN at entry %d of %v", i, v)
			}
		}
	}
	for _, c := range res.Trace {
		if !(c.Lower <= c.Upper) {
			return fmt.Errorf("after %v passes: lower %v above upper %v", c.Passes, c.Lower, c.Upper)
		}
	}
	return nil
}

// brackets reports the first check whose bounds do not hold the optimum.
func brackets(res *Result, optimum Certificate) error {
	for _, c := range res.Trace {
		if c.Lower > optimum.Upper || c.Upper < optimum.Lower {
			return fmt.Errorf("after %v passes: [%v, %v] misses the optimum in [%v, %v]", c.Passes, c.Lower, c.Upper, optimum.Lower, optimum.Upper)
		}
	}
	return nil
}

// asking returns settings for a relative gap within a number of passes.
func asking(gap, passes float64) Settings {
	s := DefaultSettings()
	s.RelativeGap, s.MaxPasses = gap, passes
	return s
}
