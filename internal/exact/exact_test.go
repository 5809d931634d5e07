package exact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// digits of e, log 10 and √(e·log 10) that no double precision knows.
func TestFunctions_KnownDigits(t *testing.T) {
	for _, c := range []struct {
		what, want string
		got        Real
	}{
		{"e", "2.71828182845904523536028747135266249775724709369995957496696763", Exp(New(1))},
		{"1/e", "0.367879441171442321595523770161460867445811131031767834507836802", Exp(New(-1))},
		{"log 2", "0.693147180559945309417232121458176568075500134360255254120680009", Log(New(2))},
		{"log 10", "2.30258509299404568401799145468436420760110148862877297603332790", Log(New(10))},
	} {
		want, _, err := zero().Parse(c.want, 10)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := Div(Sub(c.got, want), want).Float64(); !(math.Abs(v) <= 1e-61) {
			t.Errorf("%s is off by %.3g", c.what, v)
		}
	}
}

func TestExp_InverseOfLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		v := rng.NormFloat64() * math.Pow(10, 6*rng.Float64()-4)
		back := Sub(Log(Exp(New(v))), New(v))
		if e, _ := back.Float64(); !(math.Abs(e) <= 1e-70*(1+math.Abs(v))) {
			t.Errorf("log e^%v is off by %.3g", v, e)
		}
		if e, _ := Exp(New(v)).Float64(); !(math.Abs(e/math.Exp(v)-1) <= 1e-12) && !math.IsInf(e, 0) && e > 1e-300 {
			t.Errorf("e^%v = %v", v, e)
		}
	}
}

// The best response is feasible, meets the optimality conditions of every penalty, cap,
// bound and reference weights, and no other weights do better.
func TestRespond_NoWeightsDoBetter(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	bound := 0
	for trial := range 140 {
		n := 1 + rng.IntN(5)
		a := Adversary{Penalty: []string{"kl", "chi2"}[trial%2], Nu: math.Exp(2 * rng.NormFloat64())}
		if trial%3 == 0 {
			a.Alpha = 0.05 + 0.95*rng.Float64()
		}
		if trial%7 == 0 {
			a.Nu = 0
		}
		if trial%5 < 2 {
			a.Weights = make([]float64, n)
			for j := range n {
				a.Weights[j] = rng.ExpFloat64() * float64(rng.IntN(3))
			}
			a.Weights[rng.IntN(n)] = 1
		}
		if trial%4 == 1 {
			a.Alpha, a.Radius = 0, rng.ExpFloat64()/6
		}
		f := make([]Real, n)
		for j := range f {
			f[j] = New(rng.NormFloat64())
		}
		r, w := a.Respond(f), a.referenceWeights(n)
		most := func(j int) Real {
			if a.Alpha > 0 {
				return Div(w[j], New(a.Alpha))
			}
			return New(1)
		}
		mass := zero()
		for j, v := range r.Weight {
			mass.Add(mass, v)
			if v.Sign() < 0 || IsLess(Add(most(j), New(1e-70)), v) || w[j].Sign() == 0 && v.Sign() != 0 {
				t.Fatalf("%+v: weight %v", a, v)
			}
		}
		if e, _ := Sub(mass, New(1)).Float64(); !(math.Abs(e) <= 1e-70) {
			t.Fatalf("%+v: the weights add up to 1 + %v", a, e)
		}
		// What is paid: at the optimum of a bound the divergence is the radius, or less if
		// it does not bind, and the value is that of the weights.
		free := a
		free.Radius = 0
		if v, _ := Sub(Sub(inner(r.Weight, f), free.Psi(r.Weight)), r.Value).Float64(); !(math.Abs(v) <= 1e-15) {
			t.Fatalf("%+v: the risk is off by %.3g", a, v)
		}
		if a.Radius > 0 {
			d, _ := a.divergence(r.Weight, w).Float64()
			if d > a.Radius*(1+1e-14) {
				t.Fatalf("%+v: a divergence of %v", a, d)
			}
			if d < a.Radius*(1-1e-14) {
				a = free // as without it
			} else if bound++; n < 2 {
				continue
			}
		}
		// Moving mass between any two samples that can give and take it lowers the value;
		// a bound is paid for by what divides its gradient.
		step, price := New(1e-30), New(a.Nu)
		if a.Radius > 0 {
			price = priceOf(f, r.Weight, w, a.Penalty)
		}
		at := func(y []Real) Real { return Sub(inner(y, f), Mul(price, a.divergence(y, w))) }
		value := at(r.Weight)
		for i := range n {
			for j := range n {
				y := append([]Real(nil), r.Weight...)
				y[i], y[j] = Sub(y[i], step), Add(y[j], step)
				if i == j || w[i].Sign() == 0 || w[j].Sign() == 0 || y[i].Sign() < 0 || IsLess(most(j), y[j]) {
					continue
				}
				if more, _ := Sub(at(y), value).Float64(); more > 1e-45 {
					t.Fatalf("%+v: %.3g more by moving weight from %d to %d", a, more, i, j)
				}
			}
		}
	}
	if bound < 12 {
		t.Errorf("only %d bounds bind", bound)
	}
}

// priceOf is the ν at which the weights of two samples are a best response: log(y/w), or
// y/w, rises by the difference of their losses over ν.
func priceOf(f, y, w []Real, penalty string) Real {
	least, largest := -1, -1
	for j, v := range y {
		if v.Sign() > 0 && (least < 0 || IsLess(f[j], f[least])) {
			least = j
		}
		if v.Sign() > 0 && (largest < 0 || IsLess(f[largest], f[j])) {
			largest = j
		}
	}
	rise := Sub(Div(y[largest], w[largest]), Div(y[least], w[least]))
	if penalty == "kl" {
		rise = Sub(Log(Div(y[largest], w[largest])), Log(Div(y[least], w[least])))
	}
	return Div(Sub(f[largest], f[least]), rise)
}

// The adversary over groups is that over their means.
func TestRespond_ByGroup(t *testing.T) {
	f := []Real{New(1), New(2), New(4), New(8)}
	p := Problem{N: 4, Adversary: Adversary{Penalty: "chi2"}, Group: []int{0, 0, 1, 1}, Share: []float64{1, 3, 1, 0}}
	if r := p.Respond(f); r.Value.Cmp(New(4)) != 0 || r.Weight[2].Cmp(New(1)) != 0 { // means 7/4 and 4
		t.Errorf("%v, %v", r.Value, r.Weight)
	}
	p.Nu = 9 // q = ½(1 ± (4 − 7/4)/2/9)
	r := p.Respond(f)
	for j, want := range []float64{0.4375 / 4, 0.4375 * 3 / 4, 0.5625, 0} {
		if e, _ := Sub(r.Weight[j], New(want)).Float64(); !(math.Abs(e) <= 1e-60) {
			t.Errorf("weight %d is %v, want %v", j, r.Weight[j], want)
		}
	}
}

// Model's gradient and Hessian against differences of P.
func TestModel_AgainstDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 24 {
		p := &Problem{N: 12, D: 3, Loss: []string{"logistic", "squared", "huber"}[trial%3], Delta: 0.7,
			Adversary: Adversary{Penalty: []string{"kl", "chi2"}[trial/3%2], Nu: 0.3}, Mu: 0.1, Intercept: trial%4 == 0}
		if trial%5 == 0 {
			p.Alpha = 0.4
		}
		for range p.N * p.D {
			p.Rows = append(p.Rows, rng.NormFloat64())
		}
		for range p.N {
			p.Target = append(p.Target, math.Copysign(1, rng.NormFloat64()))
		}
		x := []Real{New(rng.NormFloat64()), New(rng.NormFloat64()), New(rng.NormFloat64())}
		g, h := p.GradientAndHessian(x)
		const step = 1e-20
		for i := range x {
			ahead := append([]Real(nil), x...)
			ahead[i] = Add(x[i], New(step))
			rise := Div(Sub(p.Objective(ahead), p.Objective(x)), New(step))
			if e, _ := Sub(rise, g[i]).Float64(); !(math.Abs(e) <= 1e-17) {
				t.Fatalf("trial %d: gradient off by %.3g", trial, e)
			}
			g2, _ := p.GradientAndHessian(ahead)
			for k := range x {
				bend := Div(Sub(g2[k], g[k]), New(step))
				if e, _ := Sub(bend, h.entries[i][k]).Float64(); !(math.Abs(e) <= 1e-15) {
					t.Fatalf("trial %d: Hessian off by %.3g", trial, e)
				}
			}
		}
	}
}

// Weights sum to one and keep to their caps however far the losses are apart, in units of
// the price.
func TestRespond_LossesFarApart(t *testing.T) {
	f := []Real{New(3e60), New(2e60), New(1e60), New(5e59)}
	for _, a := range []Adversary{{Penalty: "chi2", Nu: 1e-7, Alpha: 0.4}, {Penalty: "chi2", Nu: 1e-7},
		{Penalty: "kl", Nu: 1e-7, Alpha: 0.4}} {
		sum := zero()
		y := a.Respond(f).Weight
		for j, v := range y {
			sum.Add(sum, v)
			if most := New(0.625 * (1 + 1e-15)); a.Alpha > 0 && IsLess(most, v) || v.Sign() < 0 {
				t.Errorf("%+v: weight %d is %s", a, j, v.Text('g', 20))
			}
		}
		if off := Abs(Sub(sum, New(1))); IsLess(New(1e-70), off) {
			t.Errorf("%+v: the weights sum to 1 + %s", a, off.Text('g', 5))
		}
	}
}
