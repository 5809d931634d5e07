package solvetest_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/side"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/losses"
)

// dependentRows returns n rows of two independent columns and a third one that kind derives from them, with targets.
func dependentRows(n int, kind string) (rows, target []float64) {
	rng := rand.New(rand.NewPCG(46, 1))
	rows, target = make([]float64, 3*n), make([]float64, n)
	for j := range target {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		z := rows[3*j : 3*j+3]
		switch kind {
		case "copy":
			z[0], z[1], z[2] = a, b, a
		case "scaled":
			z[0], z[1], z[2] = a, b, -2.5*math.Round(1024*b)
			z[1] = math.Round(1024 * b)
		case "one-hot":
			z[0], z[1], z[2] = float64(j%2), float64(1-j%2), 1
		case "sum of integers":
			z[0], z[1] = float64(rng.IntN(9)), float64(rng.IntN(1000))
			z[2] = z[0] + z[1]
		case "zero":
			z[0], z[1], z[2] = a, b, 0
		case "two constants":
			z[0], z[1], z[2] = a, 1, 1
		case "units":
			z[0], z[1], z[2] = a, 0x1p-20*b, 0x1p20*a
		case "rounded sum":
			z[0], z[1], z[2] = a, b, 0.1*a+0.7*b
		}
		target[j] = a + rng.NormFloat64()
	}
	return rows, target
}

// unpenalisedDuals returns adversaries of n samples, most of them without a penalty.
func unpenalisedDuals(t *testing.T, n int) []dro.Dual {
	weights := make([]float64, n)
	for j := range weights {
		weights[j] = 1 + float64(j%3)
	}
	group := make([]int, n)
	for j := range group {
		group[j] = j % 3
	}
	groups, err := dro.NewGroups(dro.Simplex{}, nil, group)
	if err != nil {
		t.Fatal(err)
	}
	return []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.3}, dro.Simplex{},
		dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.9}, dro.Simplex{Radius: 0.1},
		side.Spectral{Spectrum: spectrum.Spectrum{Kind: spectrum.TotalVariation, Param: 0.2}},
		side.Spectral{Spectrum: spectrum.Spectrum{Kind: spectrum.Extremile, Param: 2}},
		dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 1, Weights: weights}, groups}
}

// Without a penalty, problems with columns that are exact combinations of others are certified at the optimum without
// these columns, in few passes, for losses with curvature and for those that are linear where they are large.
func TestRedundantColumns_Certified(t *testing.T) {
	const n = 40
	duals := unpenalisedDuals(t, n)
	for _, c := range []struct {
		loss   losses.Loss
		target func(v float64) float64
		most   float64 // passes
	}{
		{losses.Squared{}, nil, 100},
		{losses.Huber{Delta: 0.5}, nil, 250},
		{losses.Logistic{}, func(v float64) float64 { return math.Copysign(1, v) }, 250},
		{losses.Poisson{}, func(v float64) float64 { return math.Floor(math.Exp(min(v, 3))) }, 250},
		{losses.Quantile{Level: 0.8}, nil, 500},
		{losses.Quantile{Level: 0.5}, nil, 500},
	} {
		for _, kind := range []string{"copy", "scaled", "one-hot", "sum of integers", "zero", "two constants", "units"} {
			rows, target := dependentRows(n, kind)
			if kind == "sum of integers" && c.target != nil {
				continue // a target beyond the range of these losses
			}
			fewer := make([]float64, 0, 2*n)
			for j := range n {
				fewer = append(fewer, rows[3*j], rows[3*j+1])
				if c.target != nil {
					target[j] = c.target(target[j])
				}
			}
			for _, dual := range duals {
				with := solveBy(t, &dro.Problem{Oracle: newLinear(t, c.loss, newDense(t, n, 3, rows), target), Dual: dual,
					Primal: dro.L2{}}, dro.Newton{}, dro.DefaultSettings())
				without := solveBy(t, &dro.Problem{Oracle: newLinear(t, c.loss, newDense(t, n, 2, fewer), target),
					Dual: dual, Primal: dro.L2{}}, dro.Newton{}, dro.DefaultSettings())
				name := fmt.Sprintf("%s, %s, %T %+v", c.loss.Name(), kind, dual, dual)
				if with.Status != dro.Certified || with.Passes > c.most {
					t.Errorf("%s: %v after %.4g passes, %v", name, with.Status, with.Passes, with.Certificate)
				}
				if !(with.Certificate.Lower <= without.Certificate.Upper) || !(with.Certificate.Upper >= without.Certificate.Lower) {
					t.Errorf("%s: bounds %v, without the column %v", name, with.Certificate, without.Certificate)
				}
			}
		}
	}
}

// With more columns than rows, losses of residuals are 0 at the optimum, which is certified.
func TestRedundantColumns_MoreThanRows(t *testing.T) {
	const n, d = 9, 14
	rng := rand.New(rand.NewPCG(46, 2))
	rows, target := make([]float64, n*d), make([]float64, n)
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	for j := range target {
		target[j] = rng.NormFloat64()
	}
	for _, loss := range []losses.Loss{losses.Squared{}, losses.Huber{Delta: 0.5}, losses.Quantile{Level: 0.8}} {
		for _, dual := range unpenalisedDuals(t, n) {
			r := solveBy(t, &dro.Problem{Oracle: newLinear(t, loss, newDense(t, n, d, rows), target), Dual: dual,
				Primal: dro.L2{}}, dro.Newton{}, dro.DefaultSettings())
			if r.Status != dro.Certified || !(r.Certificate.Upper < 1e-6) || r.Passes > 3000 {
				t.Errorf("%s, %T %+v: %v after %.4g passes, %v", loss.Name(), dual, dual, r.Status, r.Passes, r.Certificate)
			}
		}
	}
}

// Columns that depend on each other up to rounding leave a direction that is rounding alone, along which the objective
// of the numbers as they are stored falls. So the optimum of the other columns is no bound, and the solve stops early.
func TestRedundantColumns_RoundedIsNotCertified(t *testing.T) {
	const n = 10
	rows, target := dependentRows(n, "rounded sum")
	optimum := leastSquares(rows, target, 3)
	fewer := make([]float64, 0, 2*n)
	for j := range n {
		fewer = append(fewer, rows[3*j], rows[3*j+1])
	}
	if other := leastSquares(fewer, target, 2); !(optimum < other*(1-1e-4)) {
		t.Fatalf("the optimum is %v, and %v without the third column: nothing to see", optimum, other)
	}
	for _, dual := range []dro.Dual{dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 1},
		dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.3}} {
		r := solveBy(t, &dro.Problem{Oracle: newLinear(t, losses.Squared{}, newDense(t, n, 3, rows), target), Dual: dual,
			Primal: dro.L2{}}, dro.Newton{}, dro.DefaultSettings())
		if r.Status != dro.Stalled || r.Passes > 400 {
			t.Errorf("%+v: %v after %.4g passes", dual, r.Status, r.Passes)
		}
		if c := dual.(dro.Simplex); c.Alpha == 1 && !(r.Certificate.Lower <= optimum) {
			t.Errorf("lower bound %v above the optimum %v", r.Certificate.Lower, optimum)
		}
	}
}

// leastSquares returns the minimum of ½·mean (z·x − t)², from the normal equations in rational arithmetic.
func leastSquares(rows, target []float64, d int) float64 {
	m := make([][]*big.Rat, d) // [G | h]
	product := func(a, b float64) *big.Rat {
		x, y := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)
		return x.Mul(x, y)
	}
	rest := new(big.Rat)
	for i := range m {
		m[i] = make([]*big.Rat, d+1)
		for k := range m[i] {
			m[i][k] = new(big.Rat)
		}
	}
	for j, t := range target {
		z := rows[j*d : (j+1)*d]
		rest.Add(rest, product(t, t))
		for i := range d {
			for k := range d {
				m[i][k].Add(m[i][k], product(z[i], z[k]))
			}
			m[i][d].Add(m[i][d], product(z[i], t))
		}
	}
	for i := range d { // the Schur complement of h: rest − hᵀG⁻¹h
		rest.Sub(rest, new(big.Rat).Quo(new(big.Rat).Mul(m[i][d], m[i][d]), m[i][i]))
		for k := i + 1; k < d; k++ {
			f := new(big.Rat).Quo(m[k][i], m[i][i])
			for l := i; l <= d; l++ {
				m[k][l].Sub(m[k][l], new(big.Rat).Mul(f, m[i][l]))
			}
		}
	}
	value, _ := rest.Float64()
	return value / 2 / float64(len(target))
}
