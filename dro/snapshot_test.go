package dro_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

func yacht(t *testing.T) reference {
	for _, r := range references(t) {
		if r.Dataset == "yacht" && r.Nu == 0.1 && r.Loss == "squared" && r.Penalty == "kl" {
			return r
		}
	}
	t.Fatal("no such reference")
	return reference{}
}

func TestResumeContinuesBitForBit(t *testing.T) {
	ref := yacht(t)
	for _, m := range []dro.Method{
		dro.FullVector{}, dro.Stochastic{}, dro.SeparableBlock{}, dro.SeparableBlock{ThreeTouches: true},
		dro.Stochastic{Strategy: dro.Historical}, dro.SeparableBlock{Strategy: dro.Historical, ThreeTouches: true},
		dro.FullVector{Schedule: dro.Theory}, dro.Stochastic{Schedule: dro.Theory}, dro.SeparableBlock{Schedule: dro.Theory},
		dro.Newton{}, dro.Newton{Sample: 100}, dro.NewtonCG{},
	} {
		var states [][]byte
		s := dro.DefaultSettings()
		s.MaxPasses, s.RelativeGap = 60, 1e-12
		s.Snapshot = func(state []byte) { states = append(states, state) }
		whole, err := dro.Solve(context.Background(), ref.problem(t), m, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) < 3 {
			t.Fatalf("%#v: only %d snapshots", m, len(states))
		}
		s.Snapshot = nil
		for _, k := range []int{0, len(states) / 2} {
			s.Resume = states[k]
			resumed, err := dro.Solve(context.Background(), ref.problem(t), m, s)
			if err != nil {
				t.Fatal(err)
			}
			if resumed.Objective != whole.Objective || resumed.Certificate != whole.Certificate ||
				resumed.Passes != whole.Passes || resumed.Iterations != whole.Iterations ||
				len(resumed.Trace) != len(whole.Trace) || !slices.Equal(resumed.X, whole.X) || !slices.Equal(resumed.Y, whole.Y) {
				t.Errorf("%#v from snapshot %d of %d: %v after %v passes, uninterrupted %v after %v",
					m, k, len(states), resumed.Objective, resumed.Passes, whole.Objective, whole.Passes)
			}
		}
	}
}

func TestResumeRefusesOtherRuns(t *testing.T) {
	ref := yacht(t)
	var state []byte
	s := dro.DefaultSettings()
	s.Snapshot = func(b []byte) { state = b }
	if _, err := dro.Solve(context.Background(), ref.problem(t), dro.FullVector{}, s); err != nil {
		t.Fatal(err)
	}
	s.Snapshot = nil
	kl7 := ref.problem(t)
	kl7.Dual = dro.KL{Nu: 7}
	chi := ref.problem(t)
	chi.Dual = dro.ChiSquare{Nu: chi.Dual.Modulus()}
	for _, c := range []struct {
		name    string
		problem *dro.Problem
		method  dro.Method
		state   []byte
	}{
		{"another method", ref.problem(t), dro.Stochastic{}, state},
		{"another ν", kl7, dro.FullVector{}, state},
		{"another adversary of the same ν", chi, dro.FullVector{}, state},
		{"a truncated snapshot", ref.problem(t), dro.FullVector{}, state[:len(state)/2]},
		{"a longer snapshot", ref.problem(t), dro.FullVector{}, append(state[:len(state):len(state)], 0)},
		{"an empty snapshot", ref.problem(t), dro.FullVector{}, []byte{}},
		{"a method without snapshots", ref.problem(t), dro.LBFGS{}, state},
	} {
		s.Resume = c.state
		if res, err := dro.Solve(context.Background(), c.problem, c.method, s); err == nil || res != nil {
			t.Errorf("%s was resumed", c.name)
		}
	}
}

// Nor is one of an adversary of another kind, whose state may be laid out another way, even
// where all numbers agree: with all losses alike any adversary has their mean for its risk.
func TestResumeRefusesOtherKinds(t *testing.T) {
	z, err := design.NewDense(4, 2, []float64{1, 2, 1, 2, 1, 2, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Squared{}, z, []float64{1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	solve := func(d dro.Dual, s dro.Settings) error {
		_, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 0.1}}, dro.LBFGS{}, s)
		return err
	}
	s := dro.DefaultSettings()
	s.Snapshot = func(b []byte) { s.Resume = b }
	if err := solve(dro.KL{Nu: 0.5}, s); err != nil || s.Resume == nil {
		t.Fatal(err)
	}
	s.Snapshot = nil
	if err := solve(dro.KL{Nu: 0.5}, s); err != nil {
		t.Error(err)
	}
	if err := solve(dro.ChiSquare{Nu: 0.5}, s); err == nil || !strings.Contains(err.Error(), "kind of losses") {
		t.Errorf("gone on with by χ²: %v", err)
	}
}

// A state is not gone on with where the losses are others, one target of many even: its
// bounds would be wrong.
func TestResumeRefusesOtherData(t *testing.T) {
	sample := drotest.NewSample(drotest.RngOf(8), 200, 3, false)
	problem := func() *dro.Problem {
		return &dro.Problem{Oracle: sample.Oracle(t, losses.Logistic{}), Dual: dro.KL{Nu: 0.5}, Primal: dro.L2{Mu: 0.1}}
	}
	for _, m := range []dro.Method{dro.Newton{}, dro.LBFGS{}, dro.FullVector{}, dro.SeparableBlock{}, dro.Growing{}} {
		s := dro.DefaultSettings()
		var state []byte
		s.Snapshot = func(b []byte) { state = b }
		if _, err := dro.Solve(t.Context(), problem(), m, s); err != nil || state == nil {
			t.Fatal(m.Name(), err)
		}
		s.Snapshot, s.Resume = nil, state
		if _, err := dro.Solve(t.Context(), problem(), m, s); err != nil {
			t.Errorf("%s does not go on: %v", m.Name(), err)
		}
		sample.Label[7] *= -1
		if res, err := dro.Solve(t.Context(), problem(), m, s); err == nil || !strings.Contains(err.Error(), "were others") {
			t.Errorf("%s goes on with another target: %v, %v", m.Name(), res, err)
		}
		sample.Label[7] *= -1
	}
}

// A snapshot of a method that keeps nothing of the samples has no entry for any: it is as long
// for many as for few.
func TestSnapshotsOfManySamplesAreShort(t *testing.T) {
	size := map[string][]int{}
	for _, n := range []int{200, 2000} {
		o := drotest.NewSample(drotest.RngOf(8), n, 3, false).Oracle(t, losses.Logistic{})
		for _, dual := range []dro.Dual{dro.KL{Nu: 0.5}, dro.ChiSquare{Nu: 0.5}} {
			for _, m := range []dro.Method{dro.LBFGS{}, dro.Newton{}} {
				s := dro.DefaultSettings()
				longest := 0
				s.Snapshot = func(state []byte) { longest = max(longest, len(state)) }
				res, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.1}}, m, s)
				if err != nil || res.Status != dro.Certified || longest == 0 {
					t.Fatal(res.Status, longest, err)
				}
				name := fmt.Sprintf("%T by %s", dual, m.Name())
				size[name] = append(size[name], longest)
			}
		}
	}
	for name, bytes := range size {
		if bytes[1]-bytes[0] > 1800 { // a byte a sample, as of steps that took longer
			t.Errorf("%s: %d bytes of 200 samples, %d of 2000", name, bytes[0], bytes[1])
		}
	}
}
