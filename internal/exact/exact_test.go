package exact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// digits of e, log 10 and √(e·log 10) that no double precision knows.
func TestKnownDigits(t *testing.T) {
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
		if v, _ := Div(Sub(c.got, want), want).Float64(); math.Abs(v) > 1e-61 {
			t.Errorf("%s is off by %.3g", c.what, v)
		}
	}
}

func TestExpAndLogAreInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		v := rng.NormFloat64() * math.Pow(10, 6*rng.Float64()-4)
		back := Sub(Log(Exp(New(v))), New(v))
		if e, _ := back.Float64(); math.Abs(e) > 1e-70*(1+math.Abs(v)) {
			t.Errorf("log e^%v is off by %.3g", v, e)
		}
		if e, _ := Exp(New(v)).Float64(); math.Abs(e/math.Exp(v)-1) > 1e-12 && !math.IsInf(e, 0) && e > 1e-300 {
			t.Errorf("e^%v = %v", v, e)
		}
	}
}

// The best response is feasible, meets the optimality conditions of every penalty and
// cap, and no other weights do better.
func TestRespond(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for trial := range 300 {
		p := &Problem{N: 1 + rng.IntN(9), Penalty: []string{"kl", "chi2"}[trial%2], Nu: math.Exp(2 * rng.NormFloat64())}
		if trial%3 == 0 {
			p.Alpha = 0.05 + 0.95*rng.Float64()
		}
		if trial%7 == 0 {
			p.Nu = 0
		}
		f := make([]Real, p.N)
		for j := range f {
			f[j] = New(rng.NormFloat64())
		}
		r := p.Respond(f)
		mass := zero()
		for _, w := range r.Weight {
			mass.Add(mass, w)
			if w.Sign() < 0 || p.Alpha > 0 && Less(Add(p.cap(), New(1e-70)), w) {
				t.Fatalf("%+v: weight %v", p, w)
			}
		}
		if e, _ := Sub(mass, New(1)).Float64(); math.Abs(e) > 1e-70 {
			t.Fatalf("%+v: the weights add up to 1 + %v", p, e)
		}
		// Moving mass between any two samples that can give and take it lowers the value.
		step := New(1e-30)
		for a := range p.N {
			for b := range p.N {
				y := append([]Real(nil), r.Weight...)
				y[a], y[b] = Sub(y[a], step), Add(y[b], step)
				if a == b || y[a].Sign() < 0 || p.Alpha > 0 && Less(p.cap(), y[b]) {
					continue
				}
				if more, _ := Sub(Sub(inner(y, f), p.Psi(y)), r.Value).Float64(); more > 1e-58 {
					t.Fatalf("%+v: %.3g more by moving weight from %d to %d", p, more, a, b)
				}
			}
		}
	}
}

// Model's gradient and Hessian against differences of P.
func TestModelAgainstDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 24 {
		p := &Problem{N: 12, D: 3, Loss: []string{"logistic", "squared", "huber"}[trial%3], Delta: 0.7,
			Penalty: []string{"kl", "chi2"}[trial/3%2], Nu: 0.3, Mu: 0.1, Intercept: trial%4 == 0}
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
		g, h := p.Model(x)
		const step = 1e-20
		for i := range x {
			ahead := append([]Real(nil), x...)
			ahead[i] = Add(x[i], New(step))
			rise := Div(Sub(p.Objective(ahead), p.Objective(x)), New(step))
			if e, _ := Sub(rise, g[i]).Float64(); math.Abs(e) > 1e-17 {
				t.Fatalf("trial %d: gradient off by %.3g", trial, e)
			}
			g2, _ := p.Model(ahead)
			for k := range x {
				bend := Div(Sub(g2[k], g[k]), New(step))
				if e, _ := Sub(bend, h.entries[i][k]).Float64(); math.Abs(e) > 1e-15 {
					t.Fatalf("trial %d: Hessian off by %.3g", trial, e)
				}
			}
		}
	}
}
