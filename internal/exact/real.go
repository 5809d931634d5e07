package exact

import (
	"math"
	"math/big"
)

// Prec is the precision in bits, which corresponds to 77 decimal digits.
const Prec = 256

// A Real is a number of Prec bits.
type Real = *big.Float

// New converts v.
func New(v float64) Real { return new(big.Float).SetPrec(Prec).SetFloat64(v) }

// zero returns 0 in the precision of the package.
func zero() Real { return new(big.Float).SetPrec(Prec) }

// Add, Sub, Mul and Div return their result in a new number.
func Add(a, b Real) Real { return zero().Add(a, b) }

// Sub returns a − b.
func Sub(a, b Real) Real { return zero().Sub(a, b) }

// Mul returns a·b.
func Mul(a, b Real) Real { return zero().Mul(a, b) }

// Div returns a/b.
func Div(a, b Real) Real { return zero().Quo(a, b) }

// Sqrt returns √a.
func Sqrt(a Real) Real { return zero().Sqrt(a) }

// Abs returns |a|.
func Abs(a Real) Real { return zero().Abs(a) }

// IsLess reports whether a is less than b.
func IsLess(a, b Real) bool { return a.Cmp(b) < 0 }

// Split returns the float64 nearest to a, and the float64 nearest to the remainder.
func Split(a Real) (high, low float64) {
	high, _ = a.Float64()
	low, _ = Sub(a, New(high)).Float64()
	return high, low
}

// timesPowerOf2 returns a·2^k.
func timesPowerOf2(a Real, k int) Real { return zero().SetMantExp(a, k) }

// Exp returns eᵃ, computed as the Taylor series at a/2^k, squared k times. A result below e^(−10⁵) is replaced by
// 0, since adding numbers of very different magnitudes would require all digits in between.
func Exp(a Real) Real {
	const extra, halvings = 64, 24
	if a.Sign() == 0 {
		return New(1)
	}
	if v, _ := a.Float64(); v < -1e5 {
		return zero()
	}
	k := max(0, a.MantExp(nil)) + halvings
	prec := uint(Prec + extra + k)
	wide := func() *big.Float { return new(big.Float).SetPrec(prec) }
	r := wide().SetMantExp(wide().Set(a), -k)
	sum, term := wide().SetInt64(1), wide().SetInt64(1)
	for i := int64(1); ; i++ {
		term.Mul(term, r)
		term.Quo(term, wide().SetInt64(i))
		if term.Sign() == 0 || term.MantExp(nil) < -int(prec) {
			break
		}
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return zero().Set(sum)
}

// Log returns the natural logarithm of a > 0, by Halley's iteration on Exp.
func Log(a Real) Real {
	const steps = 3 // each step triples the number of correct bits, starting from 53
	mantissa := zero()
	k := a.MantExp(mantissa) // a = mantissa·2^k
	m, _ := mantissa.Float64()
	y := New(math.Log(m))
	for range steps {
		e := Exp(y)
		y = Add(y, timesPowerOf2(Div(Sub(mantissa, e), Add(mantissa, e)), 1))
	}
	if k == 0 {
		return y
	}
	return Add(y, Mul(New(float64(k)), ln2()))
}

var ln2Value Real

// log1p returns log(1 + a) for 0 ≤ a ≤ 1 to full precision, even if a is small.
func log1p(a Real) Real {
	const small = 1e-26 // a⁴ is then below the last digit of a
	if v, _ := a.Float64(); v > small {
		return Log(Add(New(1), a))
	}
	return Mul(a, Sub(New(1), Mul(a, Sub(New(0.5), Div(a, New(3))))))
}

// ln2 returns log 2 = −log ½ by the series Σ 1/(k·2^k).
func ln2() Real {
	if ln2Value == nil {
		sum := zero()
		for k := 1; k <= Prec+16; k++ {
			sum = Add(sum, timesPowerOf2(Div(New(1), New(float64(k))), -k))
		}
		ln2Value = sum
	}
	return ln2Value
}
