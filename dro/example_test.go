package dro_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// The rows, labels and intercept column of a small binary problem.
var (
	exampleRows = []float64{
		0.5, 1.2, 1,
		-1.1, 0.4, 1,
		1.5, -0.3, 1,
		-0.2, -1.4, 1,
		0.9, 0.8, 1,
		-1.6, -0.5, 1,
	}
	exampleLabels = []float64{1, -1, 1, -1, -1, -1}
)

func exampleOracle() *losses.Linear {
	rows, err := design.NewDense(6, 3, exampleRows)
	if err != nil {
		log.Fatal(err)
	}
	oracle, err := losses.NewLinear(losses.Logistic{}, rows, exampleLabels)
	if err != nil {
		log.Fatal(err)
	}
	return oracle
}

// printCertificate prints what a solve proves, in loss units.
func printCertificate(res *dro.Result) {
	fmt.Printf("%v: %.4f ≤ optimum ≤ %.4f\n", res.Status, res.Certificate.Lower, res.Certificate.Upper)
}

// Logistic regression with an intercept, robust to reweightings of the sample
// that cost ν = 0.5 times their Kullback-Leibler divergence.
func ExampleSolve() {
	problem := &dro.Problem{
		Oracle: exampleOracle(),
		Dual:   dro.KL{Nu: 0.5},
		Primal: dro.L2{Mu: 0.1, Intercept: true},
	}
	res, err := dro.Solve(context.Background(), problem, &dro.Options{Method: primaldual.SeparableBlock{}})
	if err != nil {
		log.Fatal(err)
	}
	printCertificate(res)
	fmt.Printf("x = %.3f\n", res.X)
	fmt.Printf("y = %.3f\n", res.Weights)
	// Output:
	// certified: 0.5313 ≤ optimum ≤ 0.5313
	// x = [0.759 0.289 -0.747]
	// y = [0.251 0.093 0.186 0.100 0.293 0.077]
}

// Observe sees the bounds at every check point, and a cancelled context ends the solve with the best point so far.
func ExampleOptions() {
	problem := &dro.Problem{Oracle: exampleOracle(), Dual: dro.KL{Nu: 0.5}, Primal: dro.L2{Mu: 0.1}}
	ctx, cancel := context.WithCancel(context.Background())
	settings := dro.Options{Method: primaldual.FullVector{}, RelativeGap: 1e-9, Observe: func(c dro.Check) {
		if c.Upper-c.Lower < 0.01 {
			cancel() // good enough for this program
		}
	}}
	res, err := dro.Solve(ctx, problem, &settings)
	fmt.Println(err)
	fmt.Println(res.Status, res.Certificate.Upper-res.Certificate.Lower < 0.01)
	// Output:
	// context canceled
	// cancelled true
}

// The conditional value at risk: the mean loss of the worst half of the samples,
// with its kink and, ν > 0, smoothed.
func Example_cvar() {
	for _, dual := range []dro.Dual{dro.CVaR{Alpha: 0.5}, dro.ChiSquare{Alpha: 0.5, Nu: 0.1}} {
		problem := &dro.Problem{Oracle: exampleOracle(), Dual: dual, Primal: dro.L2{Mu: 0.1}}
		settings := dro.Options{Method: primaldual.FullVector{}, RelativeGap: 1e-4}
		res, err := dro.Solve(context.Background(), problem, &settings)
		if err != nil {
			log.Fatal(err)
		}
		printCertificate(res)
	}
	// Output:
	// certified: 0.6630 ≤ optimum ≤ 0.6630
	// certified: 0.6304 ≤ optimum ≤ 0.6304
}

// A matrix game between mixed strategies x and y: the row player's y maximises yᵀA x. The value of this game is 1/5, at
// y = (2/5, 3/5) and x = (3/5, 2/5): A x = (1/5, 1/5).
func Example_matrixGame() {
	game := &primaldual.MatrixGame{Rows: 2, Columns: 2, Payoff: []float64{
		-1, 2,
		1, -1,
	}}
	r, err := game.Solve(context.Background(), &dro.Options{RelativeGap: 1e-4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.4f ≤ value ≤ %.4f\n", r.Result.Status, r.Lower, r.Upper)
	fmt.Printf("x = %.3f, y = %.3f\n", r.X, r.Y)
	// Output:
	// certified: 0.2000 ≤ value ≤ 0.2000
	// x = [0.600 0.400], y = [0.400 0.600]
}

// The point of smallest norm with x₁ + x₂ ≥ 2 and x₁ ≤ 3: x = (1, 1), ½‖x‖² = 1, with multipliers (1, 0).
func Example_constraints() {
	constraints, err := dro.NewBilinear(2, 2, []float64{
		-1, -1,
		1, 0,
	}, []float64{2, -3}, false)
	if err != nil {
		log.Fatal(err)
	}
	problem := &primaldual.Constrained{Constraints: constraints, Primal: dro.L2{Mu: 1}}
	r, err := problem.Solve(context.Background(), &dro.Options{RelativeGap: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: x = %.3f, multipliers %.3f\n", r.Result.Status, r.X, r.Multipliers)
	fmt.Printf("%.4f ≤ optimum; objective %.4f, constraints %.3f\n", r.Lower, r.Objective, r.Constraints)
	// Output:
	// certified: x = [1.000 1.000], multipliers [1.000 0.000]
	// 1.0000 ≤ optimum; objective 1.0000, constraints [-0.000 -2.000]
}

// Soft constraints: with ν > 0 a violation f costs f₊²/2ν. The optimum is x₁ = x₂ = 2/(2 + ν) of value 2/(2 + ν).
func ExampleNewBilinear() {
	constraints, err := dro.NewBilinear(2, 2, []float64{
		-1, -1,
		1, 0,
	}, []float64{2, -3}, false)
	if err != nil {
		log.Fatal(err)
	}
	problem := &dro.Problem{Oracle: constraints, Dual: primaldual.Box{Lower: 0, Upper: 5, Nu: 0.5}, Primal: dro.L2{Mu: 1}}
	res, err := dro.Solve(context.Background(), problem,
		&dro.Options{Method: primaldual.FullVector{}, RelativeGap: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	printCertificate(res)
	fmt.Printf("x = %.3f\n", res.X)
	// Output:
	// certified: 0.8000 ≤ optimum ≤ 0.8000
	// x = [0.800 0.800]
}

// Least absolute deviations as a box dual: |r| = max over −1 ≤ y ≤ 1 of y·r. The
// constant that fits 0, 0, 1, 5, 9 is their median, with deviations of sum 14.
func Example_absoluteDeviations() {
	residuals, err := dro.NewBilinear(5, 1, []float64{1, 1, 1, 1, 1}, []float64{0, 0, -1, -5, -9}, false)
	if err != nil {
		log.Fatal(err)
	}
	problem := &dro.Problem{Oracle: residuals, Dual: primaldual.Box{Lower: -1, Upper: 1}, Primal: dro.L2{Mu: 1e-3}}
	settings := dro.Options{Method: primaldual.FullVector{}, RelativeGap: 1e-4}
	res, err := dro.Solve(context.Background(), problem, &settings)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: x = %.2f, objective %.2f\n", res.Status, res.X, res.Objective)
	// Output:
	// certified: x = [1.00], objective 14.00
}
