package losses_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// Poisson is half the deviance of a count t with mean exp(m): a loss of one's own,
// whose curvature exp(m) = slope + t needs the target.
type Poisson struct{}

func (Poisson) Name() string { return "counts" }

// Meaning: the margin is the logarithm of the mean, targets are counts, and no count is shifted or scaled.
func (Poisson) Meaning() losses.Meaning {
	return losses.Meaning{
		Link: losses.Log, Valid: func(t float64) bool { return t >= 0 }, Targets: "a count, 0 or more",
		Unit: "nats", About: "half the deviance of a count",
	}
}

func (Poisson) Lipschitz() float64  { return math.Inf(1) }
func (Poisson) Smoothness() float64 { return math.Inf(1) }

func (Poisson) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		t, mean := target[i], math.Exp(m)
		value[i], slope[i] = mean, mean-t
		if t > 0 {
			value[i] = max(0, mean-t*m+t*math.Log(t)-t)
		}
	}
}

func (Poisson) CurvatureTo(curvature, slope, target []float64) {
	for i, s := range slope {
		curvature[i] = s + target[i]
	}
}

// CurvatureLowerBoundTo: |ℓ‴| = ℓ″, so that the curvature falls by e^a within a at most.
func (p Poisson) CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64) {
	for i, s := range slope {
		curvature[i] = max(0, s+target[i]-1e-15*(math.Abs(s)+target[i]))
	}
	return math.Inf(1), 1
}

// Fit robust Poisson regression with a custom loss, after checking its contract.
func ExampleLoss() {
	margins := []float64{-3, -1.2, 0, 0.4, 1.7, 2.5}
	if err := losses.Check(Poisson{}, margins, []float64{0, 1, 4}); err != nil {
		log.Fatal(err)
	}

	rows, err := design.NewDense(8, 2, []float64{0.1, 1, 0.4, 1, 0.9, 1, 1.3, 1, 1.8, 1, 2.1, 1, 2.6, 1, 3.0, 1})
	if err != nil {
		log.Fatal(err)
	}
	oracle, err := losses.NewLinear(Poisson{}, rows, []float64{1, 0, 2, 1, 4, 3, 9, 0})
	if err != nil {
		log.Fatal(err)
	}
	for _, dual := range []dro.Dual{dro.Uniform{}, dro.KL{Nu: 2}} {
		problem := &dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: 0.01, Intercept: true}}
		method, _ := dro.Choose(problem)
		res, err := dro.Solve(context.Background(), problem, &dro.Options{Method: method})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v by %s: %.4f ≤ optimum ≤ %.4f, x = %.3f\n", res.Status, method.Name(), res.Certificate.Lower,
			res.Certificate.Upper, res.X)
	}
	// Output:
	// certified by newton: 1.1450 ≤ optimum ≤ 1.1450, x = [0.539 -0.037]
	// certified by newton: 1.7850 ≤ optimum ≤ 1.7850, x = [0.317 0.379]
}
