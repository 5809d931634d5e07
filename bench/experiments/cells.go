package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// A cell is one problem of the experiment separable.
type cell struct {
	kind, name string
	problem    func() (*dro.Problem, error)
}

// mainCells returns the 72 cells that the separable block-coordinate method is judged by: three
// sizes, columns of equal and of unequal scale, three losses, two penalties and two ν, the
// targets with the noise of Student's law of 5 degrees of freedom.
func mainCells() (cells []cell) {
	for _, size := range [][2]int{{100_000, 20}, {100_000, 100}, {1_000_000, 20}} {
		for _, kappa := range []float64{1, 100} {
			for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
				for _, nu := range []float64{1, 0.1} {
					for _, dual := range []dro.Dual{dro.KL{Nu: nu}, dro.ChiSquare{Nu: nu}} {
						t := cellTable{n: size[0], d: size[1], noise: "student", kappa: kappa}
						penalty := "KL"
						if _, chi := dual.(dro.ChiSquare); chi {
							penalty = "χ²"
						}
						cells = append(cells, cell{kind: fmt.Sprintf("%d × %d", t.n, t.d),
							name:    fmt.Sprintf("%s, %s, ν = %g, κ = %g", loss.Name(), penalty, nu, kappa),
							problem: func() (*dro.Problem, error) { return t.problem(loss, dual) }})
					}
				}
			}
		}
	}
	return cells
}

// A cellTable is how rows and targets are made.
type cellTable struct {
	n, d    int
	columns string  // see rows
	noise   string  // normal, student (5 degrees of freedom), cauchy
	kappa   float64 // ratio of the scales of the columns
	share   float64 // μ, of 1/n; 0: 1
	signal  float64 // log odds of a label, half of them, at a standard deviation of the linear model; 0: 1

	intercept bool // the last column is the constant 1
}

// rows draws the design. Columns are independent normal ones, or
//
//	ar:       an autoregression along the columns with coefficient 0.98
//	low rank: ten factors and a hundredth of noise
//	heavy:    Student t of 2 degrees of freedom
//	cube:     cubes of normal numbers
//	rare:     ten normal ones, the others 1 in one row of 500, or 20 in every third of them
func (t cellTable) rows(rng *rand.Rand) []float64 {
	const rank, rho = 10, 0.98
	x := make([]float64, t.n*t.d)
	factors := make([]float64, rank*t.d)
	for i := range factors {
		factors[i] = rng.NormFloat64() / math.Sqrt(rank)
	}
	for j := range t.n {
		row, z := x[j*t.d:(j+1)*t.d], [rank]float64{}
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		for i := range row {
			v := rng.NormFloat64()
			switch t.columns {
			case "ar":
				if i > 0 {
					v = rho*row[i-1] + math.Sqrt(1-rho*rho)*v
				}
			case "low rank":
				v *= 0.01
				for k, a := range z {
					v += a * factors[k*t.d+i]
				}
			case "heavy":
				v /= math.Sqrt(rng.ExpFloat64())
			case "cube":
				v *= v * v
			case "rare":
				if i >= 10 {
					if v = 0; rng.IntN(500) == 0 {
						if v = 1; i%3 == 0 {
							v = 20
						}
					}
				}
			}
			row[i] = v
		}
		if t.intercept {
			row[t.d-1] = 1
		}
	}
	return x
}

// problem draws the targets, by a linear model of variance about 1 with half the noise on
// top, or their signs with logistic noise, and scales the columns.
func (t cellTable) problem(loss losses.Loss, dual dro.Dual) (*dro.Problem, error) {
	rng := rand.New(rand.NewPCG(7, uint64(t.n)<<20^uint64(t.d)))
	x, truth, target := t.rows(rng), make([]float64, t.d), make([]float64, t.n)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	square := 0.0
	for j := range target {
		for i, v := range x[j*t.d : (j+1)*t.d] {
			target[j] += v * truth[i]
		}
		square += target[j] * target[j]
	}
	size := math.Sqrt(square / float64(t.n))
	for j := range target {
		target[j] /= size
		if loss.Name() == "logistic" {
			if rng.Float64() < 1/(1+math.Exp(-2*cmp.Or(t.signal, 1)*target[j])) {
				target[j] = 1
			} else {
				target[j] = -1
			}
			continue
		}
		noise := 0.5 * rng.NormFloat64()
		switch t.noise {
		case "student":
			chi2 := 0.0
			for range 5 {
				v := rng.NormFloat64()
				chi2 += v * v
			}
			noise /= math.Sqrt(chi2 / 5)
		case "cauchy":
			noise /= math.Abs(rng.NormFloat64())
		}
		target[j] += noise
	}
	if t.kappa > 1 {
		for i := range t.d {
			scale := math.Pow(t.kappa, -float64(i)/float64(max(1, t.d-1)))
			for j := range t.n {
				x[j*t.d+i] *= scale
			}
		}
	}
	z, err := design.NewDense(t.n, t.d, x)
	if err != nil {
		return nil, err
	}
	o, err := losses.NewLinear(loss, z, target)
	if err != nil {
		return nil, err
	}
	mu := cmp.Or(t.share, 1) / float64(t.n)
	return &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: mu, Intercept: t.intercept}}, nil
}
