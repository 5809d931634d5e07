package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// optimum minimises, for two coefficients, the robust objective over rows of given
// multiplicities: an independent route that knows neither weights nor Hessians. The second coefficient may be free of the penalty.
func optimum(loss losses.Loss, z [][]float64, target, times []float64, penalty string, nu, mu float64, free bool) [2]float64 {
	n := 0.0
	for _, t := range times {
		n += t
	}
	objective := func(x [2]float64) float64 {
		m, l := make([]float64, len(z)), make([]float64, len(z))
		for i, r := range z {
			m[i] = r[0]*x[0] + r[1]*x[1]
		}
		loss.EvalTo(l, make([]float64, len(z)), m, target)
		risk := 0.0
		switch penalty {
		case "":
			for i, v := range l {
				risk += times[i] * v / n
			}
		case "kl":
			for i, v := range l {
				risk += times[i] * math.Exp(v/nu) / n
			}
			risk = nu * math.Log(risk)
		case "chi2": // min over τ of τ + ν mean(½(1 + (ℓ−τ)/ν)₊² − ½), by bisection of its slope
			lo, hi := -100.0, 100.0
			for range 200 {
				tau, mass := (lo+hi)/2, 0.0
				for i, v := range l {
					mass += times[i] * max(0, 1+(v-tau)/nu) / n
				}
				if mass > 1 {
					lo = tau
				} else {
					hi = tau
				}
			}
			risk = lo - nu/2
			for i, v := range l {
				p := max(0, 1+(v-lo)/nu)
				risk += nu / 2 * times[i] * p * p / n
			}
		}
		if !free {
			risk += mu / 2 * x[1] * x[1]
		}
		return risk + mu/2*x[0]*x[0]
	}
	return minimum(objective)
}

// minimum is where an objective of two coefficients is least, by Newton's method on differences.
func minimum(objective func([2]float64) float64) [2]float64 {
	var x [2]float64
	const h = 1e-4
	for range 60 {
		at := func(a, b float64) float64 { return objective([2]float64{x[0] + a*h, x[1] + b*h}) }
		g0, g1 := (at(1, 0)-at(-1, 0))/(2*h), (at(0, 1)-at(0, -1))/(2*h)
		a, c := (at(1, 0)-2*at(0, 0)+at(-1, 0))/(h*h), (at(0, 1)-2*at(0, 0)+at(0, -1))/(h*h)
		b := (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * h)
		det := a*c - b*b
		p, q := (c*g0-b*g1)/det, (a*g1-b*g0)/det
		x[0], x[1] = x[0]-p, x[1]-q
		if math.Hypot(p, q) < 1e-9 {
			break
		}
	}
	return x
}

// After a recalibration by a slope a, and a constant where there is an intercept, found at
// the coefficients, those are a·x: the variance is that of the product, both trained again
// for every row. Rows have weights of their own.
func TestStandardErrorsOfARecalibration(t *testing.T) {
	const n, nu, mu = 60, 0.8, 0.1
	loss := losses.Logistic{}
	for _, free := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 2))
		var z [][]float64
		var flat []float64
		target, times, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		total := 0.0
		for i := range n {
			a, b := r.NormFloat64(), r.NormFloat64()
			if free {
				b = 1
			}
			z, flat = append(z, []float64{a, b}), append(flat, a, b)
			target[i], times[i] = 1, 1+float64(i%3)
			total += times[i]
			if r.Float64() > 1/(1+math.Exp(-2*a-0.5*b)) {
				target[i] = -1
			}
		}
		for i := range weight {
			weight[i] = times[i] / total
		}
		// again is the slope and the constant, where the loss of a·m + c is least.
		again := func(x [2]float64) (a, c float64) {
			m, d, h := make([]float64, n), make([]float64, n), make([]float64, n)
			a = 1
			for range 30 {
				for i, v := range z {
					m[i] = a*(v[0]*x[0]+v[1]*x[1]) + c
				}
				loss.EvalTo(make([]float64, n), d, m, target)
				loss.CurvatureTo(h, d, target)
				var ga, gc, haa, hac, hcc float64
				for i, v := range z {
					by := v[0]*x[0] + v[1]*x[1]
					ga, gc = ga+times[i]*d[i]*by, gc+times[i]*d[i]
					haa, hac, hcc = haa+times[i]*h[i]*by*by, hac+times[i]*h[i]*by, hcc+times[i]*h[i]
				}
				if !free {
					gc, hac, hcc = 0, 0, 1
				}
				det := haa*hcc - hac*hac
				a, c = a-(hcc*ga-hac*gc)/det, c-(haa*gc-hac*ga)/det
			}
			return a, c
		}
		for _, penalty := range []string{"", "kl", "chi2"} {
			if free && penalty == "chi2" {
				continue // nothing that the others do not ask
			}
			train := func() [2]float64 {
				x := optimum(loss, z, target, times, penalty, nu, mu, free)
				a, _ := again(x)
				return [2]float64{a * x[0], a * x[1]}
			}
			x := optimum(loss, z, target, times, penalty, nu, mu, free)
			var want [2]float64
			for i, own := range times {
				const h = 0.02
				times[i] = own * (1 + h)
				up := train()
				times[i] = own * (1 - h)
				down := train()
				times[i] = own
				for j := range want {
					d := (up[j] - down[j]) / (2 * h)
					want[j] += d * d
				}
			}
			f := fit{loss: loss, x: x[:], weight: shares{weight, 1}, mu: mu, free: -1, answer: answer{kind: penalty, nu: nu}}
			if free {
				f.free = 1
			}
			f.slope, f.intercept = again(x)
			f.y = shares{weightsAt(loss, z, target, weight, x, penalty, nu), 1}
			got := f.standardErrors(&data.Dataset{N: n, D: 2, X: dense(t, flat), Target: target}, []int{0, 1}, 1)
			for j := range want {
				if w := math.Sqrt(want[j] * n / (n - 2)); got == nil || !(math.Abs(got[j]-w) <= 2e-3*w) {
					t.Errorf("free %v, %q: standard error %d is %v, training again says %v", free, penalty, j, got, w)
				}
			}
		}
	}
}

// weightsAt are the adversary's at x, of rows with weights of their own, nil: equal.
func weightsAt(loss losses.Loss, z [][]float64, target, weight []float64, x [2]float64, penalty string, nu float64) []float64 {
	n := len(z)
	m, l, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, r := range z {
		m[i] = r[0]*x[0] + r[1]*x[1]
	}
	loss.EvalTo(l, make([]float64, n), m, target)
	lo, hi := -100.0, 100.0
	for range 200 {
		tau, mass := (lo+hi)/2, 0.0
		for i, v := range l {
			if y[i] = 1 / float64(n); weight != nil {
				y[i] = weight[i]
			}
			switch penalty {
			case "kl":
				y[i] *= math.Exp((v - tau) / nu)
			case "chi2":
				y[i] *= max(0, 1+(v-tau)/nu)
			}
			mass += y[i]
		}
		if mass > 1 {
			lo = tau
		} else {
			hi = tau
		}
	}
	return y
}

// A sample of the rows says what all say.
func TestStandardErrorsOfASample(t *testing.T) {
	const n, most = 40_000, 8_000
	r := rand.New(rand.NewPCG(4, 1))
	flat, target, y := make([]float64, 0, 2*n), make([]float64, n), make([]float64, n)
	total := 0.0
	for i := range n {
		x := r.NormFloat64()
		flat, target[i] = append(flat, x, 1), x+r.NormFloat64()
		y[i] = math.Exp(r.NormFloat64())
		total += y[i]
	}
	for i := range y {
		y[i] /= total
	}
	rows := &data.Dataset{N: n, D: 2, X: dense(t, flat), Target: target}
	f := fit{loss: losses.Squared{}, x: []float64{1, 0}, y: shares{y, 1}, mu: 1e-4, free: 1, answer: answer{kind: "kl", nu: 5}}
	all := f.standardErrors(rows, []int{0, 1}, 1)
	some := f.draw(rows, most, 1)
	if k := len(some.target); k < most*9/10 || k > most*11/10 {
		t.Fatalf("%d rows drawn, %d asked for", k, most)
	}
	part := f.errorsOf(some, n, []int{0, 1})
	for j := range all {
		if !(math.Abs(part[j]/all[j]-1) <= 0.1) {
			t.Errorf("standard error %d: %v of a sample, %v of all", j, part[j], all[j])
		}
	}
	// Copies of all rows, in another order, say it too; rows that are elsewhere say nothing.
	f.sharded = true
	if got := f.standardErrors(rows, []int{0, 1}, 1); got != nil {
		t.Errorf("%v of rows that are not here", got)
	}
	f.copies = &train.Copies{}
	for i := n - 1; i >= 0; i-- {
		f.copies.Rows, f.copies.Times = append(f.copies.Rows, i), append(f.copies.Times, 1)
	}
	f.copies.X = rows.X.Select(f.copies.Rows)
	for j, got := range f.standardErrors(rows, []int{0, 1}, 1) {
		if !(math.Abs(got/all[j]-1) <= 1e-9) {
			t.Errorf("standard error %d: %v of copies, %v of all", j, got, all[j])
		}
	}
}

// dense is a matrix of two columns.
func dense(t *testing.T, x []float64) design.Matrix {
	t.Helper()
	m, err := design.NewDense(len(x)/2, 2, x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
