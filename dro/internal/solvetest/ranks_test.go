package solvetest

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// onRanks solves the problem of a sample whose rows are dealt to so many ranks, and returns
// the result of every rank, and the collective calls of a rank. A rank knows no label, weight
// or group of the rows of others.
func onRanks(
	t *testing.T, size int, few bool, s drotest.Sample, loss losses.Loss, weighed func(rows *ranks.Rows) (Dual, error),
	primal Primal, m Method, set Settings,
) (out []*TestResult, rounds int64) {
	t.Helper()
	out = make([]*TestResult, size)
	err := ranks.Run(size, func(c ranks.Comm) error {
		c, traffic := ranks.CountTraffic(c)
		defer func() {
			if c.Rank() == 0 {
				rounds = traffic().Rounds
			}
		}()
		oracle, err := dealt(c, s, loss, few)
		if err != nil {
			return err
		}
		dual, err := weighed(ranks.NewRows(c, s.N))
		if err != nil {
			return err
		}
		p := &Problem{Oracle: oracle, Dual: dual, Primal: primal}
		method := m
		if method == nil {
			method, _ = Choose(p)
		}
		res, err := SolveBy(context.Background(), p, method, set)
		if err != nil {
			return err
		}
		lo, hi := ranks.NewRows(c, s.N).LocalRange(s.N)
		res.Weights = slices.Clone(res.Weights[lo:hi])
		out[c.Rank()] = res
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, rounds
}

// dealt are the losses of a sample whose rows are dealt to ranks.
func dealt(c ranks.Comm, s drotest.Sample, loss losses.Loss, few bool) (*losses.Linear, error) {
	rows := ranks.NewRows(c, s.N)
	lo, hi := rows.LocalRange(s.N)
	here, err := design.NewDense(hi-lo, s.D, s.Design[lo*s.D:hi*s.D])
	if err != nil {
		return nil, err
	}
	z, err := design.NewSharded(rows, s.N, here)
	if err != nil {
		return nil, err
	}
	label := hereAlone(rows, s.Label, math.NaN())
	if few {
		return losses.NewLinear(loss, fewCopies{z}, label)
	}
	return losses.NewLinear(loss, z, label)
}

// hereAlone is a copy of v in which entries of other ranks' rows are unknown.
func hereAlone[T any](rows *ranks.Rows, v []T, unknown T) []T {
	out := slices.Repeat([]T{unknown}, len(v))
	lo, hi := rows.LocalRange(len(v))
	copy(out[lo:hi], v[lo:hi])
	return out
}

// fewCopies are rows of which every rank may have a quarter.
type fewCopies struct{ *design.Sharded }

func (m fewCopies) MaxSelected() int {
	n, _ := m.Dims()
	return n / 4
}

// Any number of ranks has the same bits, and the optimum that one process has.
func TestRanks_AgreeToTheBit(t *testing.T) {
	const n, d = 20_000, 6
	rng := drotest.RngOf(71)
	s := drotest.NewSample(rng, n, d, true)
	heavy := s
	heavy.Design = slices.Clone(s.Design)
	for i := range n { // one row in a hundred is ten times as far out: few rows carry the adversary
		if i%100 == 0 {
			for k := range d - 1 {
				heavy.Design[i*d+k] *= 10
			}
		}
	}
	weights := make([]float64, n)
	group := make([]int, n)
	for i := range weights {
		weights[i] = float64(rng.IntN(4))
		group[i] = rng.IntN(3)
	}
	const unknown = 1 << 30 // no number of a group
	is := func(d Dual) func(*ranks.Rows) (Dual, error) {
		return func(*ranks.Rows) (Dual, error) { return d, nil }
	}
	own := func(of func(w []float64) Dual) func(*ranks.Rows) (Dual, error) {
		return func(rows *ranks.Rows) (Dual, error) {
			return of(hereAlone(rows, weights, math.NaN())).(engine.Distributed).WithRows(rows), nil
		}
	}
	fixed := func(rows *ranks.Rows) (Dual, error) { return NewFixedOver(rows, hereAlone(rows, weights, math.NaN())) }
	groups := func(rows *ranks.Rows) (Dual, error) {
		return NewGroupsOver(rows, Simplex{Divergence: KullbackLeibler, Nu: 0.1}, hereAlone(rows, weights, math.NaN()),
			hereAlone(rows, group, unknown))
	}
	worst := func(rows *ranks.Rows) (Dual, error) {
		return NewGroupsOver(rows, Simplex{Divergence: KullbackLeibler, Nu: 0}, nil, hereAlone(rows, group, unknown))
	}
	free := L2{Mu: 1e-3, Intercept: true}
	cases := []struct {
		name   string
		sample drotest.Sample
		loss   losses.Loss
		dual   func(*ranks.Rows) (Dual, error)
		primal Primal
		method Method
		rounds int64 // of all ranks together, at most
	}{
		{"KL", s, losses.Logistic{}, is(Simplex{Nu: 0.5}), free, nil, 60},
		{"KL of a small ν", heavy, losses.Squared{}, is(Simplex{Nu: 0.3}), free, nil, 190},
		{"χ²", s, losses.Logistic{}, is(Simplex{Divergence: PearsonChi2, Nu: 0.5}), free, nil, 100},
		{"χ² of a small ν", heavy, losses.Huber{Delta: 1}, is(Simplex{Divergence: PearsonChi2, Nu: 0.05}), L2{Mu: 1e-3}, nil,
			100},
		{"uniform", s, losses.Squared{}, is(Simplex{Divergence: PearsonChi2, Alpha: 1}), free, nil, 50},
		{"fixed", s, losses.Logistic{}, fixed, free, nil, 75},
		{"KL with weights", s, losses.Logistic{}, own(
			func(w []float64) Dual { return Simplex{Divergence: KullbackLeibler, Nu: 0.5, Weights: w} }), free, nil, 95},
		{"χ² with weights", s, losses.Squared{}, own(
			func(w []float64) Dual { return Simplex{Divergence: PearsonChi2, Nu: 0.5, Weights: w} }), free, nil, 85},
		{"KL ball", s, losses.Logistic{}, is(Simplex{Divergence: KullbackLeibler, Radius: 0.1}), free, nil, 420},
		{"χ² ball with weights", s, losses.Logistic{},
			own(func(w []float64) Dual { return Simplex{Divergence: PearsonChi2, Radius: 0.1, Weights: w} }), free, nil, 660},
		{"groups", s, losses.Logistic{}, groups, free, nil, 90},
		{"groups without a penalty", s, losses.Logistic{}, worst, free, nil, 75},
		{"the largest loss of those with weights", s, losses.Logistic{},
			own(func(w []float64) Dual { return Simplex{Divergence: KullbackLeibler, Nu: 0, Weights: w} }), free, nil, 80},
		{"CVaR", s, losses.Logistic{}, is(Simplex{Divergence: PearsonChi2, Alpha: 0.2}), free, nil, 85},
		{"CVaR with weights", s, losses.Squared{}, own(
			func(w []float64) Dual { return Simplex{Divergence: PearsonChi2, Alpha: 0.3, Weights: w} }), free, nil, 120},
		{"CVaR where all losses are equal", s, losses.Logistic{}, is(Simplex{Divergence: PearsonChi2, Alpha: 0.03}), free,
			nil, 2000},
		{"the largest loss", s, losses.Huber{Delta: 1}, is(Simplex{}), free, nil, 90},
		{"without μ", s, losses.Logistic{}, is(Simplex{Nu: 0.5}), L2{Intercept: true}, nil, 60},
		{"newton", s, losses.Logistic{}, is(Simplex{Nu: 0.5}), free, Newton{}, 75},
		{"newton-cg", s, losses.Logistic{}, is(Simplex{Divergence: PearsonChi2, Nu: 0.5}), free, Newton{Products: true}, 95},
		{"lbfgs", s, losses.Logistic{}, is(Simplex{Nu: 0.5}), free, LBFGS{}, 110},
	}
	for k, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sizes, few := []int{1, 2, 3, 4, 11}, c.name == "CVaR where all losses are equal" // more pieces than are copied
			if k > 3 && os.Getenv("DROTRAIN_LONG") == "" {
				sizes = []int{1, 3}
			}
			set := DefaultSettings()
			dual, err := c.dual(nil)
			if err != nil {
				t.Fatal(err)
			}
			p := &Problem{Oracle: c.sample.Oracle(t, c.loss), Dual: dual, Primal: c.primal}
			alone := solve(t, p, c.method, set)
			var first *TestResult
			var y []float64
			var calls int64
			for _, size := range sizes {
				all, rounds := onRanks(t, size, few, c.sample, c.loss, c.dual, c.primal, c.method, set)
				if most := c.rounds; rounds > most {
					t.Errorf("%d ranks take %d rounds, more than %d", size, rounds, most)
				}
				calls = rounds
				var whole []float64
				for r, res := range all {
					whole = append(whole, res.Weights...)
					if first == nil {
						first = res
					}
					if res.Status != Certified || !res.Certificate.IsConsistent() {
						t.Fatalf("rank %d of %d: %v, bounds %v", r, size, res.Status, res.Certificate)
					}
					if !slices.Equal(res.X, first.X) || res.Certificate != first.Certificate || res.Objective != first.Objective ||
						res.Passes != first.Passes {
						t.Fatalf("rank %d of %d ends at %v with %v after %v passes, one rank at %v with %v after %v", r, size, res.X,
							res.Certificate, res.Passes, first.X, first.Certificate, first.Passes)
					}
				}
				if y == nil {
					y = whole
				} else if !slices.Equal(y, whole) {
					t.Errorf("%d ranks have other weights than one", size)
				}
			}
			if !(math.Abs(first.Objective-alone.Objective) <= 1e-6*math.Abs(alone.Objective)) ||
				first.Certificate.Lower > alone.Certificate.Upper || alone.Certificate.Lower > first.Certificate.Upper {
				t.Errorf("ranks have the objective %v within %v, one process %v within %v", first.Objective, first.Certificate,
					alone.Objective, alone.Certificate)
			}
			t.Logf("%.3g passes, alone %.3g; %d rounds", first.Passes, alone.Passes, calls)
		})
	}
}

func solve(t *testing.T, p *Problem, m Method, set Settings) *TestResult {
	t.Helper()
	if m == nil {
		m, _ = Choose(p)
	}
	return solveBy(t, p, m, set)
}

// What is not for several ranks is refused, with all that is missing.
func TestRanks_RefuseWhatNeedsOneProcess(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(72), 9000, 3, false)
	for _, c := range []struct {
		dual   Dual
		method Method
		says   []string
	}{
		{Simplex{Nu: 1}, primaldual.SeparableBlock{},
			[]string{"separable needs rows that are not distributed over MPI ranks"}},
		{Box{Upper: 1, Nu: 1}, LBFGS{}, []string{"lbfgs needs", "side.Box is not on the simplex"}},
		{embedding{Simplex{Nu: 1}}, Newton{}, []string{"solvetest.embedding is not on the simplex"}},
	} {
		err := ranks.Run(2, func(comm ranks.Comm) error {
			oracle, err := dealt(comm, s, losses.Logistic{}, false)
			if err != nil {
				return err
			}
			_, err = SolveBy(context.Background(), &Problem{Oracle: oracle, Dual: c.dual, Primal: L2{Mu: 1}}, c.method,
				DefaultSettings())
			return err
		})
		for _, say := range c.says {
			if err == nil || !strings.Contains(err.Error(), say) {
				t.Errorf("%T by %s: %v, which does not say %q", c.dual, c.method.Name(), err, say)
			}
		}
	}
}

// A dual that embeds another may have changed what that one does.
type embedding struct{ Dual }

// A rank that is asked to stop stops all at the same point, with a valid result.
func TestRanks_StopTogether(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(73), 9000, 3, false)
	var at [3][]float64
	err := ranks.Run(3, func(comm ranks.Comm) error {
		oracle, err := dealt(comm, s, losses.Logistic{}, false)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		set := DefaultSettings()
		set.RelativeGap = 1e-15
		set.Observe = func(c Check) {
			if comm.Rank() == 1 && c.Passes > 3 {
				cancel()
			}
		}
		res, err := SolveBy(ctx, &Problem{Oracle: oracle, Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1}}, LBFGS{}, set)
		if res == nil || res.Status != Cancelled || err == nil {
			return fmt.Errorf("rank %d: %v", comm.Rank(), err)
		}
		at[comm.Rank()] = res.X
		return nil
	})
	if err != nil || !slices.Equal(at[0], at[1]) || !slices.Equal(at[0], at[2]) {
		t.Errorf("%v: the ranks stopped at %v", err, at)
	}
}
