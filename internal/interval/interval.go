// Package interval implements interval arithmetic with 256-bit numbers (math/big) that are rounded outwards: the
// true value of an expression lies between the ends of its result regardless of rounding. It imports no package of
// the module. Package verify uses it to check certificates.
//
// Operations panic with an *Error if a result has no bounds, as for a division by an interval that contains zero,
// and math/big panics with big.ErrNaN; Catch converts both to an error.
package interval

import (
	"fmt"
	"math"
	"math/big"
)

// Prec is the precision of the ends in bits, which corresponds to 77 decimal digits.
const Prec = 256

// An Interval holds the numbers from Lo to Hi. Its ends must not be changed.
type Interval struct{ Lo, Hi *big.Float }

// An Error reports an operation whose result has no bounds.
type Error struct{ What string }

func (e *Error) Error() string { return e.What }

// Catch recovers from a panic with *Error or big.ErrNaN and stores the value in err. It must be deferred.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	case big.ErrNaN:
		*err = &Error{"numbers beyond the range of the arithmetic: " + r.Error()}
	default:
		panic(r)
	}
}

// roundingDown and roundingUp return 0 with the rounding mode of a lower or of an upper end.
func roundingDown() *big.Float { return new(big.Float).SetPrec(Prec).SetMode(big.ToNegativeInf) }
func roundingUp() *big.Float   { return new(big.Float).SetPrec(Prec).SetMode(big.ToPositiveInf) }

// New returns the interval that contains only v, which must be finite.
func New(v float64) Interval {
	if v-v != 0 {
		panic(&Error{fmt.Sprintf("%v is not a finite number", v)})
	}
	x := roundingDown().SetFloat64(v)
	return Interval{x, x}
}

// Between returns the interval from the lower end of a to the upper end of b.
func Between(a, b Interval) Interval { return Interval{a.Lo, b.Hi} }

// Float returns the float64 nearest to the lower end.
func (a Interval) Float() float64 { v, _ := a.Lo.Float64(); return v }

// IsPoint reports whether both ends are the same number.
func (a Interval) IsPoint() bool { return a.Lo == a.Hi || a.Lo.Cmp(a.Hi) == 0 }

// Add returns a + b.
func Add(a, b Interval) Interval {
	return Interval{roundingDown().Add(a.Lo, b.Lo), roundingUp().Add(a.Hi, b.Hi)}
}

// Sub returns a − b.
func Sub(a, b Interval) Interval {
	return Interval{roundingDown().Sub(a.Lo, b.Hi), roundingUp().Sub(a.Hi, b.Lo)}
}

// Neg returns −a.
func Neg(a Interval) Interval { return Interval{roundingDown().Neg(a.Hi), roundingUp().Neg(a.Lo)} }

// Mul returns a·b.
func Mul(a, b Interval) Interval {
	if a.Lo.Sign() >= 0 && b.Lo.Sign() >= 0 {
		return Interval{roundingDown().Mul(a.Lo, b.Lo), roundingUp().Mul(a.Hi, b.Hi)}
	}
	return extremes(a, b, (*big.Float).Mul)
}

// Div returns a/b. Zero must not be in b.
func Div(a, b Interval) Interval {
	if b.Lo.Sign() <= 0 && b.Hi.Sign() >= 0 {
		panic(&Error{"a division by zero"})
	}
	return extremes(a, b, (*big.Float).Quo)
}

// extremes returns the interval from the least to the largest result of an operation that is monotone in each
// argument.
func extremes(a, b Interval, do func(z, x, y *big.Float) *big.Float) Interval {
	lo, hi := do(roundingDown(), a.Lo, b.Lo), do(roundingUp(), a.Lo, b.Lo)
	for _, pair := range [][2]*big.Float{{a.Lo, b.Hi}, {a.Hi, b.Lo}, {a.Hi, b.Hi}} {
		if v := do(roundingDown(), pair[0], pair[1]); v.Cmp(lo) < 0 {
			lo = v
		}
		if v := do(roundingUp(), pair[0], pair[1]); v.Cmp(hi) > 0 {
			hi = v
		}
	}
	return Interval{lo, hi}
}

// Min returns the interval of min(x, y) for x in a and y in b.
func Min(a, b Interval) Interval { return Interval{lesser(a.Lo, b.Lo), lesser(a.Hi, b.Hi)} }

// Max returns the interval of max(x, y) for x in a and y in b.
func Max(a, b Interval) Interval { return Interval{greater(a.Lo, b.Lo), greater(a.Hi, b.Hi)} }

// Abs returns |a|.
func Abs(a Interval) Interval { return Max(a, Neg(a)) }

// Square returns a².
func Square(a Interval) Interval { b := Max(Abs(a), New(0)); return Mul(b, b) }

// Sqrt returns the square root of max(a, 0).
func Sqrt(a Interval) Interval {
	root := func(v *big.Float, to *big.Float, isBelow bool) *big.Float {
		if v.Sign() <= 0 {
			return to
		}
		to.SetMode(big.ToNearestEven).Set(new(big.Float).SetPrec(2 * Prec).Sqrt(v))
		if square := new(big.Float).SetPrec(2*Prec).Mul(to, to); isBelow && square.Cmp(v) > 0 ||
			!isBelow && square.Cmp(v) < 0 {
			// at most the distance to the next number
			unit := new(big.Float).SetMantExp(big.NewFloat(1), to.MantExp(nil)-Prec)
			if isBelow {
				unit.Neg(unit)
			}
			to.Add(to, unit)
		}
		return to
	}
	return Interval{root(a.Lo, roundingDown(), true), root(a.Hi, roundingUp(), false)}
}

func lesser(a, b *big.Float) *big.Float {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

func greater(a, b *big.Float) *big.Float {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// A Sum adds terms in place.
type Sum struct{ lo, hi, product *big.Float }

// NewSum returns an empty sum, which is 0.
func NewSum() *Sum {
	return &Sum{roundingDown(), roundingUp(), new(big.Float)}
}

// Add adds a.
func (s *Sum) Add(a Interval) {
	s.lo.Add(s.lo, a.Lo)
	s.hi.Add(s.hi, a.Hi)
}

// AddProduct adds a·z for a finite z.
func (s *Sum) AddProduct(a Interval, z *big.Float) {
	lo, hi := a.Lo, a.Hi
	if z.Sign() < 0 {
		lo, hi = hi, lo
	}
	s.product.SetPrec(Prec).SetMode(big.ToNegativeInf).Mul(lo, z)
	s.lo.Add(s.lo, s.product)
	s.product.SetMode(big.ToPositiveInf).Mul(hi, z)
	s.hi.Add(s.hi, s.product)
}

// Value returns the sum. The Sum must not be changed afterwards.
func (s *Sum) Value() Interval { return Interval{s.lo, s.hi} }

// scale is the number of bits after the binary point of the integers with which exponentials and logarithms are
// computed.
const scale = 320

// Errors of the exponential, which is relative, and of the logarithm, which is absolute. With truncations of 2⁻³²⁰,
// a Taylor series of fewer than 30 terms, and 16 squarings, each of which doubles the relative error, both are
// below 2⁻²⁹⁰.
var (
	below1    = fromPower(-280, -1) // 1 − 2⁻²⁸⁰, rounded down
	above1    = fromPower(-280, 1)  // 1 + 2⁻²⁸⁰, rounded up
	logError  = new(big.Float).SetPrec(Prec).SetMantExp(big.NewFloat(1), -280)
	vanishing = new(big.Float).SetPrec(Prec).SetMantExp(big.NewFloat(1), -189_000) // a number above e^(−farthest)
)

// farthest bounds the arguments of Exp: a larger argument is an error, and for arguments below its negative the
// result is almost 0.
const farthest = 1 << 17

func fromPower(exponent, sign int) *big.Float {
	z := roundingDown()
	if sign > 0 {
		z = roundingUp()
	}
	return z.Add(big.NewFloat(1), new(big.Float).SetMantExp(big.NewFloat(float64(sign)), exponent))
}

// Exp returns e^a. It panics with an *Error if a contains numbers above 131072.
func Exp(a Interval) Interval {
	if a.Hi.Cmp(big.NewFloat(farthest)) > 0 {
		panic(&Error{"an exponential beyond the range of the arithmetic"})
	}
	if a.Hi.Cmp(big.NewFloat(-farthest)) < 0 {
		return Interval{roundingDown(), vanishing}
	}
	lo := roundingDown()
	if a.Lo.Cmp(big.NewFloat(-farthest)) >= 0 {
		e := exponential(a.Lo)
		lo = roundingDown().Mul(e, below1)
		if a.IsPoint() {
			return Interval{lo, roundingUp().Mul(e, above1)}
		}
		if width := roundingUp().Sub(a.Hi, a.Lo); width.Cmp(big.NewFloat(1)) <= 0 { // e^w ≤ 1 + 2w
			hi := roundingUp().Mul(e, above1)
			return Interval{lo, hi.Mul(hi, roundingUp().Add(big.NewFloat(1), width.Add(width, width)))}
		}
	}
	return Interval{lo, roundingUp().Mul(exponential(a.Hi), above1)}
}

// exponential returns e^x for |x| ≤ farthest, with a relative error below 2⁻²⁸⁰.
func exponential(x *big.Float) *big.Float {
	fixed := toFixed(x)
	v, _ := x.Float64()
	k := int64(math.Round(v / math.Ln2))
	fixed.Sub(fixed, new(big.Int).Mul(ln2, big.NewInt(k)))
	return fromFixed(expOf(fixed), int(k))
}

// expOf returns e^r for a fixed-point number |r| < 1.
func expOf(r *big.Int) *big.Int {
	const halvings = 16
	r = new(big.Int).Rsh(r, halvings)
	sum := new(big.Int).Lsh(big.NewInt(1), scale)
	term, divisor := new(big.Int).Set(sum), new(big.Int)
	for i := int64(1); ; i++ {
		term.Mul(term, r)
		term.Rsh(term, scale)
		term.Quo(term, divisor.SetInt64(i))
		if term.BitLen() <= 1 { // 0, or −1 due to rounding down
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
		sum.Rsh(sum, scale)
	}
	return sum
}

// Log returns the natural logarithm of a > 0.
func Log(a Interval) Interval {
	if a.Lo.Sign() <= 0 {
		panic(&Error{"the logarithm of a number that is not above zero"})
	}
	y := logarithm(a.Lo)
	lo, hi := roundingDown().Sub(y, logError), roundingUp().Add(y, logError)
	if !a.IsPoint() { // log(1 + v) ≤ v
		width := roundingUp().Sub(a.Hi, a.Lo)
		if width.Cmp(a.Lo) > 0 {
			hi = roundingUp().Add(logarithm(a.Hi), logError)
		} else {
			hi.Add(hi, width.Quo(width, a.Lo))
		}
	}
	return Interval{lo, hi}
}

// logarithm returns log a for a > 0 with an absolute error below 2⁻²⁸⁰. It takes two steps of Halley's iteration,
// each of which triples the number of correct bits, starting from 53.
func logarithm(a *big.Float) *big.Float {
	mantissa := new(big.Float)
	k := a.MantExp(mantissa) // a = mantissa·2^k
	m := toFixed(mantissa)
	v, _ := mantissa.Float64()
	y := toFixed(big.NewFloat(math.Log(v)))
	for range 2 {
		e := expOf(y)
		step := new(big.Int).Sub(m, e)
		step.Lsh(step, scale+1)
		y.Add(y, step.Quo(step, e.Add(e, m)))
	}
	return fromFixed(y.Add(y, new(big.Int).Mul(ln2, big.NewInt(int64(k)))), 0)
}

// toFixed returns x in fixed point, truncated.
func toFixed(x *big.Float) *big.Int {
	v, _ := new(big.Float).SetMantExp(x, scale).Int(nil)
	return v
}

// fromFixed returns a fixed-point number times 2^k, without rounding.
func fromFixed(v *big.Int, k int) *big.Float {
	x := new(big.Float).SetInt(v)
	return x.SetMantExp(x, k-scale)
}

// ln2 is log 2 = Σ 1/(i·2^i) in fixed point. Its error, multiplied by the largest factor 2¹⁸, is below 2⁻²⁹⁰.
var ln2 = func() *big.Int {
	const guard = 32
	sum := new(big.Int)
	for i := int64(1); i <= scale+guard; i++ {
		term := new(big.Int).Lsh(big.NewInt(1), uint(scale+guard-i))
		sum.Add(sum, term.Quo(term, big.NewInt(i)))
	}
	return sum.Rsh(sum, guard)
}()

// XLogX returns a·log a for a ≥ 0, which is 0 at 0.
func XLogX(a Interval) Interval {
	if a.Hi.Sign() == 0 {
		return New(0)
	}
	if a.Lo.Sign() > 0 {
		return Mul(a, Log(a))
	}
	at := Interval{a.Hi, a.Hi} // below 1/e the function decreases
	if at.Hi.Cmp(big.NewFloat(0.25)) > 0 {
		panic(&Error{"x log x of an interval that is too wide"})
	}
	return Interval{Mul(at, Log(at)).Lo, New(0).Hi}
}
