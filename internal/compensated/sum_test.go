package compensated

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestSum_AgreesWithExactSum(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var s Sum
	exact, absolute := new(big.Float).SetPrec(2000), 0.0
	for range 100_000 {
		x := math.Ldexp(draw.NormFloat64(), draw.IntN(60)-30)
		s.Add(x)
		exact.Add(exact, new(big.Float).SetFloat64(x))
		absolute += math.Abs(x)
	}
	want, _ := exact.Float64()
	if !(math.Abs(s.Value()-want) <= 4*0x1p-53*math.Abs(want)+0x1p-80*absolute) {
		t.Errorf("%v, want %v", s.Value(), want)
	}
}

func TestSum_LargeTermsCancel(t *testing.T) {
	var s Sum
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		s.Add(x)
	}
	if s.Value() != 2 {
		t.Errorf("%v, want 2", s.Value())
	}
}
