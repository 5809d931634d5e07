package dro_test

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// A proximalGradient is the proximal gradient method with a fixed step.
type proximalGradient struct{ step float64 }

var _ dro.Method = proximalGradient{}

func (proximalGradient) Name() string         { return "proximal gradient" }
func (proximalGradient) Needs() []saddle.Need { return nil }

func (m proximalGradient) Start(r saddle.Run) (saddle.Stepper, error) {
	return descent{r, m.step}, nil
}

// A descent is the state of a proximalGradient.
type descent struct {
	saddle.Run
	step float64
}

func (d descent) Step() error {
	_, gradient := d.Response()
	x := d.Start()
	d.Problem().Primal.ProxTo(x, gradient, x, d.step, 1)
	d.Evaluate(x)
	return nil
}

func (d descent) IsCheckDue(byPasses bool) bool { return byPasses }

func (d descent) Check() { d.Certify() }

// A method of your own is certified like every other.
func ExampleMethod() {
	x, err := design.NewDense(4, 2, []float64{1, 1, -1, 1, 2, 1, 0, 1})
	if err != nil {
		panic(err)
	}
	oracle, err := losses.NewLinear(losses.Squared{}, x, []float64{1, -1, 3, 1})
	if err != nil {
		panic(err)
	}
	problem := &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
	own, err := dro.Solve(context.Background(), problem, &dro.Options{Method: proximalGradient{0.2}})
	if err != nil {
		panic(err)
	}
	best, err := dro.Solve(context.Background(), problem, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v: %.4f, Newton's method: %.4f\n", own.Status, own.Objective, best.Objective)
	// Output: certified: 0.1770, Newton's method: 0.1770
}
