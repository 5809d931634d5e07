package solvetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// tight is a matrix of which no more than most rows may be copied at once; it keeps how many were.
type tight struct {
	design.Matrix
	most  int
	asked *int
}

func (m tight) Arena() *memory.Arena { return nil }
func (m tight) MaxSelected() int     { return m.most }
func (m tight) Select(rows []int) design.Matrix {
	*m.asked = max(*m.asked, len(rows))
	return m.Matrix.Select(rows)
}

// No more samples are copied than may be, one where that is none, whatever the adversary;
// the optimum is the same.
func TestSolve_CopiesAtMostMostSelected(t *testing.T) {
	const n = 3000
	s := drotest.NewSample(drotest.RngOf(73), n, 4, true)
	z := newDense(t, n, 4, s.Design)
	copied := 0
	for name, dual := range map[string]Dual{"CVaR": Simplex{Divergence: PearsonChi2, Alpha: 0.6},
		"the largest loss": Simplex{}, "KL": Simplex{Nu: 0.05}} {
		free := L2{Mu: 1e-3, Intercept: true}
		alone := solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: dual, Primal: free}, nil, DefaultSettings())
		for _, most := range []int{0, 1, 7, 40, n / 4} {
			t.Run(fmt.Sprintf("%s, %d", name, most), func(t *testing.T) {
				asked := 0
				oracle := newLinear(t, losses.Logistic{}, tight{z, most, &asked}, s.Label)
				res := solve(t, &Problem{Oracle: oracle, Dual: dual, Primal: free}, nil, DefaultSettings())
				if asked > max(1, most) {
					t.Errorf("%d samples are copied where %d may be", asked, most)
				}
				if res.Status != Certified || !(math.Abs(res.Objective-alone.Objective) <= 1e-6*alone.Objective) {
					t.Errorf("%v, objective %v, with room for all %v", res.Status, res.Objective, alone.Objective)
				}
				copied = max(copied, asked)
			})
		}
	}
	if copied < 2 {
		t.Error("no samples were copied: the test asks nothing")
	}
}
