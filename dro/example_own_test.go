package dro_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// GroupEntropy is an adversary of one's own, with the three methods that a Dual must
// have: it reweighs groups of samples, at the price of ν times the relative entropy of
// the group weights q from uniform. It spreads q_g evenly within group g.
type GroupEntropy struct {
	Nu    float64
	Group []int // of every sample, from 0
	Size  []float64
}

// Modulus implements dro.Dual: relative entropy is 1-strongly convex in the ℓ₁ norm of q,
// which is that of y.
func (g GroupEntropy) Modulus() float64 { return g.Nu }

// Value implements dro.Dual: ν Σ_g q_g log(G q_g).
func (g GroupEntropy) Value(y []float64) float64 {
	q := make([]float64, len(g.Size))
	for j, v := range y {
		q[g.Group[j]] += v
	}
	s := 0.0
	for _, v := range q {
		if v > 0 {
			s += v * math.Log(float64(len(q))*v)
		}
	}
	return g.Nu * s
}

// BestResponseTo implements dro.Dual: q_g ∝ exp(f_g/ν), f_g the mean loss of the group.
func (g GroupEntropy) BestResponseTo(y, f []float64) (risk, tau float64) {
	mean := make([]float64, len(g.Size))
	for j, v := range f {
		mean[g.Group[j]] += v / g.Size[g.Group[j]]
	}
	top, sum := math.Inf(-1), 0.0
	for _, m := range mean {
		top = math.Max(top, m)
	}
	for _, m := range mean {
		sum += math.Exp((m - top) / g.Nu)
	}
	for j := range y {
		k := g.Group[j]
		y[j] = math.Exp((mean[k]-top)/g.Nu) / sum / g.Size[k]
	}
	risk = top + g.Nu*math.Log(sum/float64(len(g.Size)))
	return risk, risk
}

// An adversary of one's own needs three methods; Choose finds what it is enough for.
func ExampleDual() {
	problem := &dro.Problem{
		Oracle: exampleOracle(),
		Dual:   GroupEntropy{Nu: 0.1, Group: []int{0, 0, 0, 1, 1, 1}, Size: []float64{3, 3}},
		Primal: dro.L2{Mu: 0.1, Intercept: true},
	}
	method, why := dro.Choose(problem)
	fmt.Println(method.Name()+":", why)
	res, err := dro.Solve(context.Background(), problem, nil)
	if err != nil {
		log.Fatal(err)
	}
	printCertificate(res)
	fmt.Printf("x = %.3f, weight of the groups %.3f and %.3f\n", res.X, 3*res.Weights[0], 3*res.Weights[3])
	// Output:
	// lbfgs: the objective has gradients but no known Hessian
	// certified: 0.4577 ≤ optimum ≤ 0.4577
	// x = [1.048 0.394 -0.859], weight of the groups 0.546 and 0.454
}

// Quantile regression needs no loss of its own: the pinball loss is the largest
// q·(t − m) over τ − 1 ≤ q ≤ τ, so that it is linear losses with a box of weights.
func Example_quantiles() {
	const n = 60
	rows, targets := make([]float64, 0, 2*n), make([]float64, n)
	for j := range n {
		x := float64(j) / n
		rows = append(rows, -x, -1) // t − m is linear in the coefficients
		targets[j] = 1 + 2*x + float64(j*37%n)/n*x
	}
	residuals, err := dro.NewBilinear(n, 2, rows, targets, false)
	if err != nil {
		log.Fatal(err)
	}
	for _, tau := range []float64{0.1, 0.5, 0.9} {
		problem := &dro.Problem{
			Oracle: residuals,
			Dual:   primaldual.Box{Lower: (tau - 1) / n, Upper: tau / n},
			Primal: dro.L2{Mu: 1e-3},
		}
		method := primaldual.FullVector{}
		res, err := dro.Solve(context.Background(), problem, &dro.Options{Method: method, RelativeGap: 1e-4})
		if err != nil {
			log.Fatal(err)
		}
		below := 0
		for j := range n {
			if targets[j] < -rows[2*j]*res.X[0]+res.X[1] {
				below++
			}
		}
		fmt.Printf("τ = %.1f by %s, %v: slope %.2f, %d of %d below\n", tau, method.Name(), res.Status, res.X[0], below, n)
	}
	// Output:
	// τ = 0.1 by full, certified: slope 2.12, 6 of 60 below
	// τ = 0.5 by full, certified: slope 2.50, 30 of 60 below
	// τ = 0.9 by full, certified: slope 2.90, 54 of 60 below
}

// CarefulEntropy is GroupEntropy without cancellation: where the prior is nearly the best
// response, Σ q log(Gq) and log mean exp are of second order, and so is what it computes.
type CarefulEntropy struct{ GroupEntropy }

// IsPrecise implements the optional method of a dro.Dual.
func (CarefulEntropy) IsPrecise() bool { return true }

// Value implements dro.Dual: (ν/G) Σ_g (r log r − r + 1), r = G q_g.
func (c CarefulEntropy) Value(y []float64) float64 {
	r := make([]float64, len(c.Size))
	for j, v := range y {
		r[c.Group[j]] += float64(len(r)) * v
	}
	s := 0.0
	for _, v := range r {
		if s++; v > 0 {
			s += v*math.Log1p(v-1) - v
		}
	}
	return c.Nu / float64(len(r)) * s
}

// BestResponseTo implements dro.Dual, around the mean of the losses.
func (c CarefulEntropy) BestResponseTo(y, f []float64) (risk, tau float64) {
	groups := float64(len(c.Size))
	mean, middle, lift := make([]float64, len(c.Size)), 0.0, 0.0
	for j, v := range f {
		mean[c.Group[j]] += v / c.Size[c.Group[j]]
	}
	for _, m := range mean {
		middle += m / groups
	}
	for _, m := range mean {
		lift += math.Expm1((m-middle)/c.Nu) / groups
	}
	for j := range y {
		k := c.Group[j]
		y[j] = math.Exp((mean[k]-middle)/c.Nu) / (1 + lift) / groups / c.Size[k]
	}
	risk = middle + c.Nu*math.Log1p(lift)
	return risk, risk
}

// An adversary of one's own is allowed a rounding of 10⁻¹⁴ν, which is much where ν is far
// above the losses. One that promises less is certified to more digits.
func ExampleDual_precise() {
	of := GroupEntropy{Nu: 1e9, Group: []int{0, 0, 0, 1, 1, 1}, Size: []float64{3, 3}}
	for _, dual := range []dro.Dual{of, CarefulEntropy{of}} {
		problem := &dro.Problem{Oracle: exampleOracle(), Dual: dual, Primal: dro.L2{Mu: 0.1, Intercept: true}}
		res, err := dro.Solve(context.Background(), problem, &dro.Options{Method: dro.LBFGS{}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%T: %v, bounds less than 1e-6 apart: %v\n", dual, res.Status, res.Certificate.Gap() < 1e-6)
	}
	// Output:
	// dro_test.GroupEntropy: stalled, bounds less than 1e-6 apart: false
	// dro_test.CarefulEntropy: certified, bounds less than 1e-6 apart: true
}
