package drotest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// Dense returns the matrix of n rows and d columns with the entries x.
func Dense(t testing.TB, n, d int, x []float64) *design.Dense {
	t.Helper()
	z, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func RngOf(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

func Normals(rng *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}

// OnSimplex returns random weights that sum to 1.
func OnSimplex(rng *rand.Rand, n int) []float64 {
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

// IsNear reports whether |a − b| ≤ tol·(1 + |scale|).
func IsNear(a, b, tol, scale float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(scale)) }

func MaxAbs(v []float64) float64 {
	m := 0.0
	for _, a := range v {
		m = max(m, math.Abs(a))
	}
	return m
}

// A Sample is a random linear model.
type Sample struct {
	N, D          int
	Design, Label []float64
}

// NewSample draws n rows of d standard normal columns, and labels ±1 from a logistic model. With intercept, the
// last column is 1.
func NewSample(rng *rand.Rand, n, d int, intercept bool) Sample {
	s := Sample{N: n, D: d, Design: Normals(rng, n*d, 1), Label: make([]float64, n)}
	truth := Normals(rng, d, 1)
	for i := range n {
		if intercept {
			s.Design[(i+1)*d-1] = 1
		}
		m := engine.Dot(s.Design[i*d:(i+1)*d], truth)
		s.Label[i] = -1
		if rng.Float64() < 1/(1+math.Exp(-m)) {
			s.Label[i] = 1
		}
	}
	return s
}

func (s Sample) Oracle(t testing.TB, l losses.Loss) *losses.Linear {
	t.Helper()
	o, err := losses.NewLinear(l, Dense(t, s.N, s.D, s.Design), s.Label)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Solve runs m on p and checks conditions that must hold for every result.
func Solve(t testing.TB, p *saddle.Problem, m saddle.Method, s engine.Settings) *saddle.Result {
	t.Helper()
	res, err := engine.Solve(context.Background(), p, m, s)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	if err := CheckBounds(res); err != nil {
		t.Errorf("%s: %v", Describe(m), err)
	}
	return res
}

// Describe returns the name of a method with its settings.
func Describe(m saddle.Method) string { return fmt.Sprintf("%s%+v", m.Name(), m) }

// CheckBounds returns an error if a result contains a NaN, or if a check violates weak duality.
func CheckBounds(res *saddle.Result) error {
	for _, v := range [][]float64{res.X, res.Weights, {res.Tau, res.Objective, res.Risk, res.Certificate.Upper}} {
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

// CheckBrackets returns an error about the first check whose bounds do not contain the optimum.
func CheckBrackets(res *saddle.Result, optimum saddle.Certificate) error {
	for _, c := range res.Trace {
		if c.Lower > optimum.Upper || c.Upper < optimum.Lower {
			return fmt.Errorf("after %v passes: [%v, %v] misses the optimum in [%v, %v]", c.Passes, c.Lower, c.Upper,
				optimum.Lower, optimum.Upper)
		}
	}
	return nil
}

// SettingsFor returns settings for a relative gap and a maximum number of passes.
func SettingsFor(gap, passes float64) engine.Settings {
	s := engine.DefaultSettings()
	s.RelativeGap, s.MaxPasses = gap, passes
	return s
}
