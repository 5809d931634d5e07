package dro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
)

// A drawn problem is one of all kinds of rows, losses, adversaries, regularisers, methods and
// settings, at random: what no table pairs.
type drawn struct {
	problem  *Problem
	method   Method
	settings Settings
}

// drawnProblem is the one of a seed; false where the method is not for it.
func drawnProblem(seed uint64) (p drawn, ok bool) {
	rng := drotest.RngOf(50_000 + seed)
	loss := []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: math.Exp(2*rng.NormFloat64() - 1)}}[rng.IntN(3)]
	kind := pick(rng, "plain", "correlated", "heavy", "rare", "wide", "separable", "raw", "scaled", "twice", "few", "any", "outliers")
	n, d := 2+rng.IntN(120), 1+rng.IntN(5)
	primal := L2{Mu: pick(rng, 0, 1e-6, 1e-3, 0.1, 1), Intercept: rng.IntN(2) == 0}
	s := recordedRows(rng, kind, loss.Name(), n, d, primal.Intercept || rng.IntN(4) == 0)
	z, _ := recordedStorage(s, rng.IntN(4))
	o, err := losses.NewLinear(loss, z, s.Label)
	if err != nil {
		return p, false
	}
	all := append(recordedAdversaries(), recordedEnds()...)
	adversary := all[rng.IntN(len(all))]
	if rng.IntN(20) == 0 {
		adversary = recordedAdversary{"KL ball 0.5, 0.001", func(*rand.Rand, int) Dual { return Ball{Divergence: KullbackLeibler, Radius: 0.5, Nu: 1e-3} }}
	}
	p.problem = &Problem{Oracle: o, Dual: adversary.of(rng, n), Primal: primal}
	auto, _ := Choose(p.problem)
	search := LineSearch{Decrease: pick(rng, 0, 0.3), Shortest: pick(rng, 0, 0.2, 1.0), Damping: pick(rng, 0, 1.0), MostDamping: pick(rng, 0, 10.0)}
	block := pick(rng, 0, 1, 2, 7)
	p.method = pick[Method](rng, Newton{}, Newton{}, Newton{Sample: 24}, Newton{Search: search}, NewtonCG{}, NewtonCG{}, LBFGS{}, LBFGS{Memory: 2}, Minimax{}, Minimax{}, Smoothing{}, auto, auto,
		Growing{First: 12, Factor: 2}, Growing{First: 12, Factor: 2}, Growing{First: 12, Factor: 3, Finish: LBFGS{}, Gap: 1e-2}, OnPrefixes(p.problem, SeparableBlock{Block: block}),
		FullVector{}, FullVector{Schedule: Theory}, Stochastic{Block: block}, Stochastic{Block: block, Strategy: Historical}, Stochastic{Block: block, Schedule: Theory, Sampling: UniformSampling()},
		SeparableBlock{Block: block}, SeparableBlock{Block: block, Strategy: Historical}, SeparableBlock{Block: block, ThreeTouches: true}, SeparableBlock{Block: block, Schedule: Theory})
	if !saddle.Supports(p.method, saddle.Answered(p.problem)) {
		return p, false
	}
	p.settings = drotest.Asking(pick(rng, 1e-6, 1e-9, 1e-13), pick(rng, 5.0, 30, 60))
	p.settings.CheckEvery, p.settings.Seed = pick(rng, 0.1, 2), seed
	if rng.IntN(3) == 0 {
		p.settings.X0 = drotest.Normals(rng, d, math.Exp(2*rng.NormFloat64()))
	}
	return p, true
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// run solves the problem and returns what came of it, and a sum of the bits of that, of what was
// told on the way, and of snapshots.
func (p drawn) run(ctx context.Context, s Settings) (res *Result, states [][]byte, bits uint64, err error) {
	told := fnv.New64a()
	s.Logf = func(format string, args ...any) { fmt.Fprintf(told, format+"\n", args...) }
	s.Snapshot = func(state []byte) { states = append(states, bytes.Clone(state)) }
	res, err = Solve(ctx, p.problem, p.method, s)
	if res == nil {
		fmt.Fprint(told, err)
		return nil, states, told.Sum64(), err
	}
	fmt.Fprint(told, res.Status, res.Iterations, recordedRun{}.of(res, nil).bits)
	return res, states, told.Sum64(), err
}

// A tally is what came of some problems.
type tally struct {
	problems, refused int
	status            map[Status]int
	passes            float64
	iterations        int
	bits              uint64
}

func (y *tally) String() string {
	text := fmt.Sprintf("%d problems ~ %d refused", y.problems, y.refused)
	for _, s := range slices.Sorted(maps.Keys(y.status)) {
		text += fmt.Sprintf(", %d %s", y.status[s], s)
	}
	return text + fmt.Sprintf(", %d iterations, %.7g passes, bits %016x", y.iterations, y.passes, y.bits)
}

// What became of problems at random is recorded by method and by adversary, to the bit: what they
// log, too. Of each result the bounds are in order; a third of the solves are resumed halfway, and
// end with the same bits; and a solve that is cancelled halfway has a result.
func TestDrawsAreRecorded(t *testing.T) {
	by := map[string]*tally{}
	for _, seed := range slices.Concat(seedsUpTo(600), rareSeeds, longSeeds) {
		p, ok := drawnProblem(seed)
		if !ok {
			continue
		}
		if slices.Contains(longSeeds, seed) {
			p.settings.MaxPasses = 300
		}
		res, states, bits, err := p.run(context.Background(), p.settings)
		if res != nil {
			if bad := drotest.Sound(res); bad != nil {
				t.Errorf("draw %d, %s: %v", seed, recordedName(p.method), bad)
			}
		}
		for _, name := range []string{"by " + p.method.Name(), fmt.Sprintf("against %T", p.problem.Dual)} {
			y := by[name]
			if y == nil {
				y = &tally{status: map[Status]int{}}
				by[name] = y
			}
			if y.problems++; err != nil {
				y.refused++
			} else {
				y.status[res.Status]++
				y.passes += res.Passes
				y.iterations += res.Iterations
			}
			y.bits = y.bits*31 + bits
		}
		if seed%3 == 0 && len(states) > 1 && err == nil {
			p.resumes(t, seed, res, states[len(states)/2])
		}
		if seed%7 == 0 && err == nil {
			p.cancelled(t, seed, res)
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(&out, "%s: %s\n", name, by[name])
	}
	goldentest.Record(t, "testdata/draws.txt", "# What became of small problems at random, by method and by kind of adversary: how\n# they ended, and a sum of the bits of all results and of what was logged. Nothing here is right\n# or wrong by itself: go test ./dro -run Draws -update, and read the diff.\n", out.String(), 1)
}

func (p drawn) resumes(t *testing.T, seed uint64, whole *Result, state []byte) {
	t.Helper()
	s := p.settings
	s.Resume = state
	rest, _, _, err := p.run(context.Background(), s)
	if err != nil {
		t.Errorf("draw %d, %s: %v", seed, recordedName(p.method), err)
		return
	}
	if was, is := (recordedRun{}).of(whole, nil), (recordedRun{}).of(rest, nil); was != is {
		t.Errorf("draw %d, %s\nwhole %s\nresumed %s", seed, recordedName(p.method), was, is)
	}
}

func (p drawn) cancelled(t *testing.T, seed uint64, whole *Result) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := p.settings
	s.Observe = func(c Check) {
		if c.Passes > whole.Passes/2 {
			cancel()
		}
	}
	res, _, _, err := p.run(ctx, s)
	switch {
	case res == nil || errors.Is(err, context.Canceled) != (res.Status == Cancelled):
		t.Errorf("draw %d, %s, cancelled: %v, %v", seed, recordedName(p.method), res, err)
	case res.Status == Cancelled && (drotest.Sound(res) != nil || res.Passes > whole.Passes+1 || len(res.Trace) > len(whole.Trace)+1):
		t.Errorf("draw %d, %s, cancelled: %v passes, of %v; %v", seed, recordedName(p.method), res.Passes, whole.Passes, drotest.Sound(res))
	}
}

func seedsUpTo(n uint64) (all []uint64) {
	for seed := range n {
		all = append(all, seed)
	}
	return all
}

// rareSeeds are of problems that take a way that few others take.
var rareSeeds = []uint64{859, 909, 939, 1010, 1042, 1068, 1436, 1944, 1985, 2013, 2098, 2478, 3475, 4065, 4122, 4627, 4986, 5919, 7091, 7498}

// longSeeds are of problems that take such a way after many passes.
var longSeeds = []uint64{652, 766, 921}
