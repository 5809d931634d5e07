package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/internal/exact"
)

// contains reports whether a holds v up to an error of v of 2⁻²⁴⁰, and is no wider than that allows.
func contains(a Interval, v *big.Float) bool {
	slack := new(big.Float).SetMantExp(new(big.Float).Abs(v), -240)
	slack.Add(slack, new(big.Float).SetMantExp(big.NewFloat(1), -250))
	lo, hi := new(big.Float).Sub(v, slack), new(big.Float).Add(v, slack)
	return a.Lo.Cmp(a.Hi) <= 0 && lo.Cmp(a.Hi) <= 0 && a.Lo.Cmp(hi) <= 0 &&
		new(big.Float).Sub(a.Hi, a.Lo).Cmp(new(big.Float).SetMantExp(slack, 4)) <= 0
}

func TestExpAndLog_AgainstSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 400 {
		x := math.Ldexp(rng.Float64()-0.5, k%24-6)
		if k%5 == 0 {
			x = math.Ldexp(x, -k)
		}
		if x > 1e5 || x < -1e5 {
			continue
		}
		if got, want := Exp(New(x)), exact.Exp(exact.New(x)); !contains(got, want) {
			t.Errorf("e^%v in [%v, %v], not %v", x, got.Lo, got.Hi, want)
		}
		a := math.Ldexp(rng.Float64()+1e-9, k-200)
		if got, want := Log(New(a)), exact.Log(exact.New(a)); !contains(got, want) {
			t.Errorf("log %v in [%v, %v], not %v", a, got.Lo, got.Hi, want)
		}
	}
}

// The digits are those of Python's decimal module.
func TestExpAndLog_KnownDigits(t *testing.T) {
	for _, c := range []struct {
		got  Interval
		want string
	}{
		{Exp(New(1)), "2.71828182845904523536028747135266249775724709369995957496696762772407663035355"},
		{Exp(New(-40)), "4.248354255291588995329234782858658017879565554166446288050818918926033E-18"},
		{Log(New(10)), "2.30258509299404568401799145468436420760110148862877297603332790096757260967735"},
		{Log(New(2)), "0.693147180559945309417232121458176568075500134360255254120680009493393621969695"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, 300, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		off := new(big.Float).Sub(c.got.Lo, want)
		if bound := new(big.Float).Mul(want, big.NewFloat(1e-50)); off.Abs(off).Cmp(bound) > 0 {
			t.Errorf("%s, not %s", c.got.Lo.Text('g', 60), c.want)
		}
	}
}

// The result of an operation on intervals holds those of numbers within them.
func TestOperations_HoldEveryResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func() (Interval, float64) {
		a, w := rng.NormFloat64(), math.Ldexp(rng.Float64(), -rng.IntN(80))
		return Between(New(a-w), New(a+w)), a
	}
	for range 2000 {
		a, x := draw()
		b, y := draw()
		s := NewSum()
		s.Add(a)
		s.AddProduct(b, big.NewFloat(x))
		for name, c := range map[string]struct {
			got  Interval
			want func() *big.Float
		}{
			"a + b":  {Add(a, b), func() *big.Float { return exact.Add(exact.New(x), exact.New(y)) }},
			"a − b":  {Sub(a, b), func() *big.Float { return exact.Sub(exact.New(x), exact.New(y)) }},
			"a·b":    {Mul(a, b), func() *big.Float { return exact.Mul(exact.New(x), exact.New(y)) }},
			"a²":     {Square(a), func() *big.Float { return exact.Mul(exact.New(x), exact.New(x)) }},
			"|a|":    {Abs(a), func() *big.Float { return exact.Abs(exact.New(x)) }},
			"min":    {Min(a, b), func() *big.Float { return exact.New(min(x, y)) }},
			"max":    {Max(a, b), func() *big.Float { return exact.New(max(x, y)) }},
			"a + bx": {s.Value(), func() *big.Float { return exact.Add(exact.New(x), exact.Mul(exact.New(y), exact.New(x))) }},
			"e^a":    {Exp(a), func() *big.Float { return exact.Exp(exact.New(x)) }},
		} {
			if v := c.want(); c.got.Lo.Cmp(v) > 0 || c.got.Hi.Cmp(v) < 0 {
				t.Fatalf("%s of %v and %v: %v is not in [%v, %v]", name, x, y, v, c.got.Lo, c.got.Hi)
			}
		}
		if b.Lo.Sign() > 0 {
			for name, c := range map[string]struct {
				got  Interval
				want *big.Float
			}{
				"a/b":     {Div(a, b), exact.Div(exact.New(x), exact.New(y))},
				"log b":   {Log(b), exact.Log(exact.New(y))},
				"b log b": {XLogX(b), exact.Mul(exact.New(y), exact.Log(exact.New(y)))},
			} {
				slack := new(big.Float).SetMantExp(big.NewFloat(1), -240)
				if v := c.want; c.got.Lo.Cmp(exact.Add(v, slack)) > 0 || c.got.Hi.Cmp(exact.Sub(v, slack)) < 0 {
					t.Fatalf("%s of %v and %v: %v is not in [%v, %v]", name, x, y, v, c.got.Lo, c.got.Hi)
				}
			}
		}
	}
}

func TestCatch_OperationsWithoutBounds(t *testing.T) {
	for name, do := range map[string]func(){
		"division":    func() { Div(New(1), Between(New(-1), New(1))) },
		"logarithm":   func() { Log(New(0)) },
		"exponential": func() { Exp(New(1e6)) },
		"infinity":    func() { New(math.Inf(1)) },
	} {
		err := func() (err error) { defer Catch(&err); do(); return nil }()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := Exp(New(-1e9)); got.Lo.Sign() != 0 || got.Hi.Sign() <= 0 {
		t.Errorf("e^(−10⁹) in [%v, %v]", got.Lo, got.Hi)
	}
	if got := XLogX(New(0)); got.Lo.Sign() != 0 || got.Hi.Sign() != 0 {
		t.Errorf("0·log 0 in [%v, %v]", got.Lo, got.Hi)
	}
}

func BenchmarkExp(b *testing.B) {
	x := Div(New(1.2345), New(7))
	for b.Loop() {
		Exp(x)
	}
}

func BenchmarkLog(b *testing.B) {
	x := Div(New(1.2345), New(7))
	for b.Loop() {
		Log(x)
	}
}

// The root of a perfect square is exact, and every root is between numbers whose squares are on both sides.
func TestSqrt_HoldsTheRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 300 {
		v := New(math.Ldexp(rng.Float64()+1e-3, k-150))
		if k%3 == 0 {
			v = Div(v, New(7))
		}
		r := Sqrt(v)
		square := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(2*Prec).Mul(x, x) }
		if !contains(r, new(big.Float).SetPrec(2*Prec).Sqrt(v.Lo)) || square(r.Lo).Cmp(v.Lo) > 0 ||
			square(r.Hi).Cmp(v.Hi) < 0 {
			t.Errorf("the root of %v in [%v, %v]", v.Lo, r.Lo, r.Hi)
		}
	}
	if r := Sqrt(New(9)); !r.IsPoint() || r.Float() != 3 {
		t.Errorf("the root of 9 in [%v, %v]", r.Lo, r.Hi)
	}
	if r := Sqrt(Sub(New(0), New(1))); r.Lo.Sign() != 0 || r.Hi.Sign() != 0 {
		t.Errorf("the root of −1 in [%v, %v]", r.Lo, r.Hi)
	}
}
