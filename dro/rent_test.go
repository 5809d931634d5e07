package dro_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// Where columns are almost combinations of a few, conjugate gradients give way to a formed
// Hessian once they have cost what it does.
func TestProductsGiveWayToAHessian(t *testing.T) {
	const n, d = 1500, 120
	for _, rank := range []int{0, 8} {
		rng := rand.New(rand.NewPCG(4, uint64(rank)))
		x, target, factors := make([]float64, n*d), make([]float64, n), make([]float64, d*max(1, rank))
		for i := range factors {
			factors[i] = rng.NormFloat64()
		}
		for j := range n {
			z := make([]float64, rank)
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			for i := range d {
				v := rng.NormFloat64()
				if rank > 0 {
					v *= 1e-3
				}
				for k, a := range z {
					v += a * factors[i*rank+k]
				}
				x[j*d+i] = v
			}
			target[j] = math.Copysign(1, x[j*d]+rng.NormFloat64())
		}
		o, err := losses.NewLinear(losses.Logistic{}, dense(t, n, d, x), target)
		if err != nil {
			t.Fatal(err)
		}
		p := &dro.Problem{Oracle: o, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 1e-6}}
		bought := false
		s := dro.DefaultSettings()
		s.Logf = func(format string, _ ...any) {
			bought = bought || format == "newton-cg: products have cost %.3g passes, as much as a Hessian: it is formed"
		}
		with, err := dro.Solve(context.Background(), p, dro.NewtonCG{}, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("rank %d: %.4g passes; formed: %v", rank, with.Passes, bought)
		if with.Status != dro.Certified {
			t.Errorf("rank %d: %v", rank, with.Status)
		}
		if bought != (rank > 0) {
			t.Errorf("rank %d: Hessian formed: %v, want %v", rank, bought, rank > 0)
		}
	}
}

// Near the kinks of Huber's loss a Hessian knows fewer samples than there are columns, and
// L-BFGS takes the steps; a snapshot taken then goes on bit for bit.
func TestKinksAreLeftToLBFGS(t *testing.T) {
	const n, d = 1500, 10
	rng := rand.New(rand.NewPCG(5, 0))
	x, target := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for j := range target {
		target[j] = x[j*d] + 2*x[j*d+1] + rng.NormFloat64()
	}
	o, err := losses.NewLinear(losses.Huber{Delta: 1e-3}, dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 1.0 / n}}
	s := dro.DefaultSettings()
	var states [][]byte
	s.Snapshot = func(state []byte) { states = append(states, state) }
	with, err := dro.Solve(context.Background(), p, dro.Newton{}, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Snapshot = nil
	t.Logf("%.4g passes; %d snapshots", with.Passes, len(states))
	if with.Status != dro.Certified {
		t.Errorf("%v after %.4g passes", with.Status, with.Passes)
	}
	if len(states) < 4 {
		t.Fatalf("%d snapshots", len(states))
	}
	for _, state := range states[:4] {
		s.Resume = state
		resumed, err := dro.Solve(context.Background(), p, dro.Newton{}, s)
		if err != nil {
			t.Fatal(err)
		}
		if resumed.Certificate != with.Certificate || resumed.Passes != with.Passes || !slices.Equal(resumed.X, with.X) {
			t.Errorf("resumed: %+v after %v passes, %+v after %v", resumed.Certificate, resumed.Passes, with.Certificate, with.Passes)
		}
	}
}
