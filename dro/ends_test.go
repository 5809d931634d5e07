package dro

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
	"github.com/drotrain/drotrain/losses"
)

// A limit that is said to be reached from some number on is reached there and not one before.
func TestLimitsHoldAtTheirEnds(t *testing.T) {
	value := func(name string) int {
		k := slices.IndexFunc(tuning.All(), func(c *tuning.Constant) bool { return c.Name+", "+c.Unit == name })
		if k < 0 {
			t.Fatalf("there is no constant %q", name)
		}
		return tuning.All()[k].Int()
	}
	from, column := value("growing: rows from which there are stages, rows"), value("growing: rows from which there are stages, per column")
	problem := func(d int) *Problem {
		return &Problem{Oracle: drotest.NewSample(drotest.RngOf(95), 2, d, false).Oracle(t, losses.Squared{}), Dual: KL{Nu: 1}, Primal: L2{Mu: 1}}
	}
	small := problem(2)
	n, _, _ := small.Oracle.Dims()
	blocks := func(b int) bool {
		_, err := Solve(context.Background(), small, Stochastic{Block: b}, drotest.Asking(1e-3, 10))
		return err == nil
	}
	share := func(alpha float64) bool {
		_, err := Solve(context.Background(), &Problem{Oracle: small.Oracle, Dual: CVaR(alpha), Primal: small.Primal}, FullVector{}, drotest.Asking(1e-3, 10))
		return err == nil
	}
	for _, c := range []struct {
		what      string
		here, out bool // what holds at the last number, and beyond it
	}{
		{"prefixes by rows", newton.GrowsWell(from, 1), newton.GrowsWell(from-1, 1)},
		{"prefixes by columns", newton.GrowsWell(column*from, from), newton.GrowsWell(column*from-1, from)},
		{"columns of a Hessian", saddle.Supports(Newton{}, problem(hessian.MaxColumns)), saddle.Supports(Newton{}, problem(hessian.MaxColumns+1))},
		{"samples of a block, at most", blocks(n), blocks(n + 1)},
		{"samples of a block, at least", blocks(1), blocks(-1)},
		{"a share, at most", share(1), share(math.Nextafter(1, 2))},
		{"a share, at least", share(1e-9), share(0)},
	} {
		if !c.here || c.out {
			t.Errorf("%s: %v at the end, %v beyond", c.what, c.here, c.out)
		}
	}
}

// Every status has its name, and what is none its number.
func TestStatusesHaveNames(t *testing.T) {
	for s, want := range map[Status]string{NotSolved: "not solved", Certified: "certified", Limit: "limit", Stalled: "stalled", Cancelled: "cancelled",
		Inconsistent: "inconsistent", -1: "Status(-1)", Inconsistent + 1: fmt.Sprintf("Status(%d)", Inconsistent+1)} {
		if s.String() != want {
			t.Errorf("%d is %q, not %q", int(s), s, want)
		}
	}
}

// A snapshot of exactly the bytes allowed is taken, one that is a byte longer is not, and 0 allows
// any.
func TestSnapshotsOfTheBytesAllowed(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(96), 40, 3, true)
	for _, m := range []Method{FullVector{}, Newton{}} {
		largest := func(most int) (bytes int) {
			set := drotest.Asking(1e-12, 20)
			set.SnapshotMost, set.CheckEvery = most, 0.5
			set.Snapshot = func(state []byte) { bytes = max(bytes, len(state)) }
			drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: KL{Nu: 0.3}, Primal: L2{Mu: 0.05, Intercept: true}}, m, set)
			return bytes
		}
		all := largest(0)
		if all == 0 || largest(all) != all || largest(all-1) >= all || largest(1) != 0 {
			t.Errorf("%s: %d bytes, allowed as many %d, one less %d, one %d", m.Name(), all, largest(all), largest(all-1), largest(1))
		}
	}
}

// What L-BFGS keeps of its steps is as many as it is told to remember: a snapshot grows by
// nothing but the line of each check.
func TestSnapshotsDoNotGrow(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(97), 200, 12, true)
	for i := range s.Design {
		if i%12 < 11 { // so that there are many steps
			s.Design[i] *= 1 + float64(i%12)
		}
	}
	var sizes []int
	set := drotest.Asking(1e-14, 60)
	set.CheckEvery = 0.5
	set.Snapshot = func(state []byte) { sizes = append(sizes, len(state)) }
	drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: KL{Nu: 0.1}, Primal: L2{Mu: 1e-4, Intercept: true}}, LBFGS{Memory: 2}, set)
	if len(sizes) < 12 {
		t.Fatalf("%d snapshots", len(sizes))
	}
	for k := 8; k < len(sizes); k++ {
		if more := sizes[k] - sizes[k-1]; more > 5*8 {
			t.Errorf("snapshot %d has %d bytes more than the one before", k, more)
		}
	}
}

// Losses that are all alike are the risk of every adversary on the simplex, whatever its price, ball,
// cap or weights, of one sample too, and its weights are its reference weights.
func TestRiskOfLossesAlike(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		for _, d := range []Dual{Uniform{}, KL{}, KL{Nu: 0.3}, ChiSquare{Nu: 0.1}, CappedKL{Alpha: 0.3, Nu: 0.1}, CappedChiSquare{Alpha: 0.5},
			Protected{Share: 0.4}, NewBall(KullbackLeibler, 0.3, nil), NewBall(PearsonChi2, 1, nil)} {
			name := fmt.Sprintf("%T", d)
			for _, v := range []float64{0, 1, 3e7} {
				f, y := slices.Repeat([]float64{v}, n), make([]float64, n)
				risk, _ := d.BestResponseTo(y, f)
				sum := 0.0
				for j, w := range y {
					if sum += w; !(w >= 0) {
						t.Errorf("%s, %d losses of %v: weight %d is %v", name, n, v, j, w)
					}
				}
				if math.Abs(risk-v) > 1e-12*(v+d.Modulus()) || math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s, %d losses of %v: risk %v, weights of sum %v", name, n, v, risk, sum)
				}
			}
		}
	}
}
