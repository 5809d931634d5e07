package solve_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// Given distributions are used as they are, and refused when they are none.
func TestGivenDistributions(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 40, 3), Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
	good := []float64{0.4, 0.3, 0.2, 0.1}
	s := dro.DefaultSettings()
	res, err := dro.SolveBy(context.Background(), p, primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{P: good, Q: good, R: good, S: good}}, s)
	if err != nil || res.Status != dro.Certified {
		t.Fatalf("%v, %+v", err, res)
	}
	even := []float64{0.25, 0.25, 0.25, 0.25}
	uniform, err := dro.SolveBy(context.Background(), p, primaldual.Stochastic{Block: 10, Sampling: primaldual.UniformSampling()}, s)
	if err != nil {
		t.Fatal(err)
	}
	given, err := dro.SolveBy(context.Background(), p, primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{P: even, Q: even, R: even, S: even, Gamma: even}}, s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(given.X, uniform.X) {
		t.Error("uniform probabilities, given, act otherwise than uniform sampling")
	}
	for _, c := range []struct {
		want   string
		method dro.Method
	}{
		{"sum to", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{P: []float64{0.4, 0.3, 0.2, 0.2}}}},
		{"3 probabilities for 4 blocks", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{R: good[:3]}}},
		{"must be positive", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{S: []float64{0, 0.5, 0.25, 0.25}}}},
		{"must be positive", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{Gamma: []float64{math.NaN(), 0.5, 0.25, 0.25}}}},
		{"underflows", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{Q: []float64{1e-310, 0.5, 0.25, 0.25}}}},
		{"both given and uniform", primaldual.Stochastic{Block: 10, Sampling: primaldual.Sampling{P: good, UniformP: true}}},
		{"Q is uniform", primaldual.SeparableBlock{Block: 10, ThreeTouches: true, Sampling: primaldual.Sampling{Q: good}}},
	} {
		res, err := dro.SolveBy(context.Background(), p, c.method, s)
		if err == nil || res != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#v: %v, want an error with %q", c.method, err, c.want)
		}
	}
}
