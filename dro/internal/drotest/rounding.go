package drotest

import (
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// A Hard is a problem for which rounding is difficult, in float64 and in 256-bit arithmetic.
type Hard struct {
	Name string
	exact.Problem
	X0 []float64
}

// HardProblems draws problems with n rows and d columns, of which the last is 1.
func HardProblems(rng *rand.Rand, n, d int) []Hard {
	draw := func(name, loss, penalty string, nu, mu float64, change func(rows, target []float64)) Hard {
		s := NewSample(rng, n, d, true)
		if loss != "logistic" {
			for j := range s.Label {
				s.Label[j] = engine.Dot(s.Design[j*d:(j+1)*d], Normals(rng, d, 1))
			}
		}
		change(s.Design, s.Label)
		return Hard{name, exact.Problem{N: n, D: d, Rows: s.Design, Target: s.Label, Loss: loss, Delta: 1,
			Adversary: exact.Adversary{Penalty: penalty, Nu: nu}, Mu: mu, Intercept: true}, nil}
	}
	shift := func(by float64) func(rows, target []float64) {
		return func(_, target []float64) {
			for j := range target {
				target[j] += by
			}
		}
	}
	constant := func(v float64) func(rows, target []float64) {
		return func(rows, _ []float64) {
			for j := range n {
				rows[j*d] = v
			}
		}
	}
	none := func(_, _ []float64) {}
	far := draw("constant column, start far away", "logistic", "chi2", 0.5, 1e-3, constant(1e9))
	far.X0 = Normals(rng, d, 1e3)
	return []Hard{
		draw("plain", "logistic", "kl", 0.3, 0.1, none),
		draw("plain", "squared", "chi2", 0.3, 1e-6, none),
		draw("plain", "huber", "kl", 1e-3, 1e-3, none),
		draw("targets about 1e12", "squared", "chi2", 1e9, 1e-3, shift(1e12)),
		draw("targets about 1e10", "squared", "chi2", 1, 1e-3, shift(1e10)),
		draw("targets about 1e9", "huber", "kl", 1, 1e-3, shift(1e9)),
		draw("huge penalty", "squared", "kl", 1e9, 1e-3, none),
		draw("huge penalty and an outlier", "squared", "kl", 1e3, 1e-3, func(_, target []float64) { target[0] += 1e3 }),
		draw("rare positives", "logistic", "kl", 1e6, 1e-3, func(_, target []float64) {
			engine.Fill(target, -1)
			target[1] = 1
		}),
		draw("constant column", "logistic", "chi2", 0.5, 1e-3, constant(1e9)),
		draw("raw columns", "squared", "kl", 5, 1e-3, func(rows, _ []float64) {
			for j := range n {
				rows[j*d] = 1e7 + 1e-2*rows[j*d]
			}
		}),
		far,
	}
}

// Oracle returns the losses of the problem.
func (h *Hard) Oracle(t testing.TB) *losses.Linear {
	t.Helper()
	l, err := losses.Parse(h.Loss, h.Delta)
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(l, Dense(t, h.N, h.D, h.Rows), h.Target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Reals converts v to 256-bit numbers.
func Reals(v []float64) []exact.Real {
	out := make([]exact.Real, len(v))
	for i, a := range v {
		out[i] = exact.New(a)
	}
	return out
}

// Subtract returns a − b, rounded to float64.
func Subtract(a exact.Real, b float64) float64 {
	v, _ := exact.Sub(a, exact.New(b)).Float64()
	return v
}
