package solvetest_test

import (
	"context"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// idler is a method that reads nothing, and cancels its solve when it has had enough.
type idler struct {
	steps  *int
	cancel func()
}

func (idler) Name() string                               { return "idler" }
func (idler) Needs() []saddle.Need                       { return nil }
func (i idler) Start(saddle.Run) (saddle.Stepper, error) { return i, nil }
func (idler) IsCheckDue(byPasses bool) bool              { return byPasses }
func (idler) Check()                                     {}

func (i idler) Step() error {
	if *i.steps++; *i.steps > 1000 {
		i.cancel()
	}
	return nil
}

// A solve ends where its method reads nothing any more, whatever its context.
func TestSolve_EndsWhereItsMethodIsIdle(t *testing.T) {
	steps := 0
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 30, 2), Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := dro.DefaultSettings()
	s.RelativeGap = 1e-14
	res, err := dro.SolveBy(ctx, p, idler{&steps, cancel}, s)
	if err != nil || res.Status != dro.Stalled {
		t.Errorf("after %d steps: %v, %v", steps, err, res.Status)
	}
}
