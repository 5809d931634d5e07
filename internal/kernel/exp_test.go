package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const precision = 160 // bits of the independent computations

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp returns e^x by the series at x/2^20, squared 20 times.
func bigExp(x float64) *big.Float {
	const halvings = 20
	r := newBig(x)
	r.SetMantExp(r, -halvings)
	sum, term := newBig(1), newBig(1)
	for k := 1.0; k < 16; k++ {
		term.Mul(term, r)
		term.Quo(term, newBig(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog1p returns log(1 + e), 0 ≤ e ≤ 1, as 2·artanh(e/(2 + e)).
func bigLog1p(e *big.Float) *big.Float {
	s := new(big.Float).Quo(e, new(big.Float).Add(newBig(2), e))
	square := new(big.Float).Mul(s, s)
	sum := newBig(0)
	for k := 61.0; k >= 1; k -= 2 {
		sum.Mul(sum, square)
		sum.Add(sum, new(big.Float).Quo(newBig(1), newBig(k)))
	}
	sum.Mul(sum, s)
	return sum.Add(sum, sum)
}

// ulps returns |got − want| in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) {
		if got == w {
			return 0
		}
		return math.Inf(1)
	}
	w = math.Abs(w)
	diff, _ := new(big.Float).Sub(newBig(got), want).Float64()
	return math.Abs(diff) / (math.Nextafter(w, math.Inf(1)) - w)
}

func TestExp_IsAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var src []float64
	for range 300 {
		src = append(src, rng.NormFloat64(), -50*rng.Float64(), 1500*(rng.Float64()-0.5), 1e-9*rng.NormFloat64())
	}
	for i := -1076; i <= 1025; i += 3 { // where the power of two changes, and the result is subnormal
		src = append(src, (float64(i)+0.5)*math.Ln2, float64(i)*math.Ln2)
	}
	src = append(src, 1023.5*math.Ln2, -1021.5*math.Ln2, -1022.5*math.Ln2, -1074*math.Ln2, 0, -745.1, -745.2, -760, 709.78,
		709.79)
	for _, c := range []struct{ shift, scale float64 }{{0, 1}, {3.25, 0.7}} {
		want := make([]*big.Float, len(src))
		for i, v := range src {
			want[i] = bigExp((v - c.shift) / c.scale)
		}
		eachPath(t, func(t *testing.T) {
			dst := make([]float64, len(src))
			ExpTo(dst, src, c.shift, c.scale)
			worst := 0.0
			for i, v := range src {
				u := ulps(dst[i], want[i])
				if !(u <= 2) {
					t.Fatalf("exp((%v − %v)/%v) = %v: %v ulp off", v, c.shift, c.scale, dst[i], u)
				}
				worst = max(worst, u)
			}
			t.Logf("(x − %v)/%v: %.3f ulp at most", c.shift, c.scale, worst)
		})
	}
}

func TestExp_AtTheEdges(t *testing.T) {
	inf := math.Inf(1)
	eachPath(t, func(t *testing.T) {
		src := []float64{-inf, inf, math.NaN(), -1, 1, 0, -1e308, 1e308, math.Copysign(0, -1)}
		want := []float64{0, inf, math.NaN(), 0, inf, 1, 0, inf, 1}
		for n := range len(src) + 1 { // every entry in the full blocks and in the rest
			dst := make([]float64, n)
			ExpTo(dst, src[:n], 0, 1e-300)
			for i, v := range dst {
				if v != want[i] && !(math.IsNaN(v) && math.IsNaN(want[i])) {
					t.Errorf("n = %d: exp(%v/1e-300) = %v, want %v", n, src[i], v, want[i])
				}
			}
		}
	})
}

func TestExpTo_SumInPlace(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for n := range 40 {
			src := normal(rng, n)
			dst := make([]float64, n+1)
			dst[n] = 7
			sum := ExpTo(dst[:n], src, 0.5, 2)
			want := 0.0
			for i, v := range dst[:n] {
				want += v
				if w := math.Exp((src[i] - 0.5) / 2); !(math.Abs(v-w) <= 1e-15*w) {
					t.Fatalf("n = %d: exp = %v, want %v", n, v, w)
				}
			}
			near(t, "sum", n, []float64{sum}, []float64{want})
			again := ExpTo(src, src, 0.5, 2)
			if again != sum || dst[n] != 7 {
				t.Fatalf("n = %d: sum in place %v, else %v; entry behind dst %v", n, again, sum, dst[n])
			}
			for i := range src {
				if src[i] != dst[i] {
					t.Fatalf("n = %d: in place %v, else %v", n, src[i], dst[i])
				}
			}
		}
	})
}
