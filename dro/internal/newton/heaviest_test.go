package newton

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// Where the adversary has its weight on few rows these are solved for first: it takes fewer passes,
// and the optimum is that of the iteration on all rows alone.
func TestNewton_SolvesForTheHeaviestRowsFirst(t *testing.T) {
	const n, d = 3000, 4
	rng := drotest.RngOf(5)
	x, target := drotest.Normals(rng, n*d, 1), make([]float64, n)
	for j := range target {
		target[j] = x[j*d] + rng.NormFloat64()
	}
	o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	p := &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.1}, Primal: saddle.L2{Mu: 1.0 / n}}
	tried := 0
	s := drotest.SettingsFor(1e-8, 300)
	s.Logf = func(format string, _ ...any) {
		if strings.Contains(format, "rows with the largest weights") {
			tried++
		}
	}
	res := drotest.Solve(t, p, Newton{}, s)
	whole := drotest.Solve(t, unselectable(p, o), Newton{}, drotest.SettingsFor(1e-8, 300))
	if tried == 0 || res.Status != saddle.Certified || whole.Status != saddle.Certified || !(res.Passes < whole.Passes) {
		t.Errorf("%v after %v passes, %d problems of few rows; %v after %v passes of all rows", res.Status, res.Passes, tried,
			whole.Status, whole.Passes)
	}
	if !(math.Abs(res.Objective-whole.Objective) <= 2e-8*whole.Objective) {
		t.Errorf("objectives %v and %v", res.Objective, whole.Objective)
	}
}

// noSelection is an oracle of rows of which none may be copied.
type noSelection struct{ *losses.Linear }

func (noSelection) MaxSelected() int { return 0 }

// unselectable returns p of an oracle that cannot select rows.
func unselectable(p *saddle.Problem, o *losses.Linear) *saddle.Problem {
	of := *p
	of.Oracle = noSelection{o}
	return &of
}
