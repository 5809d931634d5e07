package engine

import (
	"math"
	"math/big"
	"testing"
)

// γ_k = ku/(1 − ku), in exact arithmetic, and no more than a few millionths above it; from
// ku = ½ on there is no bound.
func TestGamma_IsFromAbove(t *testing.T) {
	for _, k := range []int{1, 2, 64, 1000, 1 << 30, 1 << 51, 1<<52 - 1} {
		ku := new(big.Rat).Mul(big.NewRat(int64(k), 1), new(big.Rat).SetFloat64(UnitRoundoff))
		want := new(big.Rat).Quo(ku, new(big.Rat).Sub(big.NewRat(1, 1), ku))
		got := new(big.Rat).SetFloat64(Gamma(k))
		most := new(big.Rat).Mul(want, big.NewRat(1_000_002, 1_000_000))
		if got.Cmp(want) < 0 || got.Cmp(most) > 0 {
			t.Errorf("γ of %d is %v", k, Gamma(k))
		}
	}
	for _, k := range []int{1 << 52, 1<<52 + 1, 1 << 53, 1 << 60} {
		if !math.IsInf(Gamma(k), 1) {
			t.Errorf("γ of %d is %v", k, Gamma(k))
		}
	}
}

// Of an oracle that says nothing of its rounding nothing is known, whatever was known before.
func TestRoundingModel_Unknown(t *testing.T) {
	dst := []float64{1, 2}
	(&roundingModel{}).gradientRounding(dst, &Proof{Sums: Sums{Size: 3, Mass: 1}}, 1)
	if dst[0] != 0 || dst[1] != 0 {
		t.Errorf("%v", dst)
	}
}
