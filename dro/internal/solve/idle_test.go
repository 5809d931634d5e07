package solve_test

import (
	"context"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/losses"
)

// idler is a method that reads nothing, and cancels its solve when it has had enough.
type idler struct {
	steps  *int
	cancel func()
}

func (idler) Name() string                                { return "idler" }
func (idler) Needs() []saddle.Need                        { return nil }
func (i idler) Start(*saddle.Run) (saddle.Stepper, error) { return i, nil }
func (idler) Check()                                      {}

func (i idler) Step() error {
	if *i.steps++; *i.steps > 1000 {
		i.cancel()
	}
	return nil
}

// A solve ends where its method reads nothing any more, whatever its context.
func TestIdleMethodsEnd(t *testing.T) {
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

// Columns that are next to nothing, of separable rows: steps of L-BFGS that do not move a
// point far away are none, and do not go on.
func TestStepsThatDoNotMove(t *testing.T) {
	rows := []float64{
		1.425295246443878e-15, 3.1083015508741874e-17, 3.2194712238346355e-15, 7.021062717235796e-17,
		1.5575801934648447e-15, 3.3967897230526714e-17, 8.966155031294885e-16, 1.9553499161375632e-17,
		1.996876996778461e-15, 4.354813434027092e-17, 2.8102111617427225e-15, 6.12854277722496e-17,
		-7.787253304756929e-15, -1.6982536783393851e-16,
	}
	o, err := losses.NewLinear(losses.Logistic{}, dense(t, 7, 2, rows), []float64{1, 1, 1, 1, 1, 1, -1})
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: 76.20983962466696}, Primal: dro.L2{}}
	s := dro.DefaultSettings()
	s.MaxPasses, s.RelativeGap = 60, 1e-8
	m := dro.Newton{Search: dro.LineSearch{Decrease: 0.3, Shortest: 1e-6, Damping: 1}}
	res, err := dro.SolveBy(context.Background(), p, m, s)
	if err != nil || res.Status != dro.Stalled && res.Status != dro.Limit || res.Iterations > 80 {
		t.Errorf("%v, %v after %d steps", err, res.Status, res.Iterations)
	}
}
