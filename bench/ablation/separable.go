package ablation

import (
	"fmt"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// MainCells are the 72 cells that the separable block-coordinate method is judged by: three
// sizes, columns of equal and of unequal scale, three losses, two penalties and two ν, the
// targets with the noise of Student's law of 5 degrees of freedom.
func MainCells() (cells []Cell) {
	for _, size := range [][2]int{{100_000, 20}, {100_000, 100}, {1_000_000, 20}} {
		for _, kappa := range []float64{1, 100} {
			for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
				for _, nu := range []float64{1, 0.1} {
					for _, dual := range []dro.Dual{dro.KL{Nu: nu}, dro.ChiSquare{Nu: nu}} {
						t := table{n: size[0], d: size[1], noise: "student", kappa: kappa}
						penalty := "KL"
						if _, chi := dual.(dro.ChiSquare); chi {
							penalty = "χ²"
						}
						cells = append(cells, Cell{Kind: fmt.Sprintf("%d × %d", t.n, t.d),
							Name: fmt.Sprintf("%s, %s, ν = %g, κ = %g", loss.Name(), penalty, nu, kappa),
							make: func() (*dro.Problem, error) { return t.problem(loss, dual) }})
					}
				}
			}
		}
	}
	return cells
}

// Problem draws the cell's problem.
func (c Cell) Problem() (*dro.Problem, error) { return c.make() }
