package primaldual

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// What a seed stands for must not change: published numbers and interrupted solves depend
// on it. These are the blocks that the methods visit, and the points of the random return
// rule, as they were when the streams were frozen.
func TestStreamsAreFrozen(t *testing.T) {
	a, err := newAlias([]float64{1, 2, 3, 4, 0.5, 6})
	if err != nil {
		t.Fatal(err)
	}
	rng, draws := rand.New(rand.NewPCG(7, 9)), []int{}
	for range 24 {
		draws = append(draws, a.draw(rng))
	}
	same(t, "alias", fmt.Sprint(draws), frozenAlias)

	o := drotest.NewSample(drotest.RngOf(12), 40, 3, false).Oracle(t, losses.Logistic{})
	p := &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}
	for _, c := range []struct {
		name   string
		method saddle.Method
		want   string
	}{
		{"stochastic", Stochastic{Block: 4}, frozenStochastic},
		{"stochastic by theory", Stochastic{Block: 4, Schedule: Theory, Strategy: Historical}, frozenHistorical},
		{"separable", SeparableBlock{Block: 4}, frozenSeparable},
		{"separable by theory", SeparableBlock{Block: 4, Schedule: Theory}, frozenReplacement},
	} {
		s := saddle.DefaultSettings()
		s.Seed = 5
		l, err := saddle.NewLoop(p, c.method, s)
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for range 16 {
			if err := l.Method.Step(); err != nil {
				t.Fatal(err)
			}
			w, ok := l.Method.(*iteration)
			if !ok {
				w = l.Method.(*practical).iteration
			}
			from := 0 // steps since the point drawn
			for i := range w.template.drawn {
				if w.template.drawn[i] != w.template.x[i] {
					from = 1
				}
			}
			switch estimator := w.template.estimator.(type) {
			case *stochasticEstimator:
				seen = append(seen, fmt.Sprint(estimator.lastR, estimator.lastS, from))
			case *separableEstimator:
				seen = append(seen, fmt.Sprint(estimator.lastQ, estimator.lastR, from))
			}
		}
		same(t, c.name, strings.Join(seen, ", "), c.want)
	}
}

func same(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}

const (
	frozenAlias       = "[1 5 5 5 3 3 0 4 3 1 3 3 3 5 3 2 5 5 5 5 1 2 5 3]"
	frozenStochastic  = "2 7 0, 3 4 0, 2 3 1, 8 0 1, 6 7 0, 6 8 0, 5 7 1, 5 7 1, 3 7 1, 3 3 0, 8 9 1, 0 7 1, 1 2 1, 4 6 1, 8 5 1, 3 8 1"
	frozenHistorical  = "2 7 0, 3 4 0, 2 3 1, 8 0 1, 6 7 0, 6 8 0, 5 7 1, 5 7 1, 3 7 1, 3 3 1, 8 9 1, 0 7 1, 1 2 1, 4 6 1, 8 5 1, 3 8 1"
	frozenSeparable   = "7 -1 0, 3 -1 0, 5 -1 1, 2 -1 1, 0 -1 0, 6 -1 0, 9 -1 1, 4 -1 1, 8 -1 1, 1 -1 0, 3 -1 1, 8 -1 1, 2 -1 1, 7 -1 1, 4 -1 1, 9 -1 1"
	frozenReplacement = "1 9 0, 0 7 0, 5 4 1, 8 0 1, 2 7 0, 6 8 0, 0 2 1, 7 6 1, 7 2 1, 0 8 1, 9 7 1, 8 8 1, 5 7 1, 8 1 1, 7 1 1, 8 3 1"
)
