package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestLogistic_IsAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var margin []float64
	for range 300 {
		margin = append(margin, rng.NormFloat64(), 40*rng.NormFloat64(), 1e-5*rng.NormFloat64(), 745*(2*rng.Float64()-1))
	}
	for i := -100; i <= 100; i++ {
		margin = append(margin, float64(i)/32, float64(i)*7, math.Log(math.Sqrt2-1)+float64(i)*1e-16)
	}
	margin = append(margin, 0, 40, -40, 700, -700, 708, 745, -745, 1e-300, -1e-300)
	n := len(margin)
	target := make([]float64, n)
	for i := range target {
		target[i] = float64(2*rng.IntN(2) - 1)
	}
	wantValue, wantSlope := make([]*big.Float, n), make([]*big.Float, n)
	for i, m := range margin {
		z := -target[i] * m
		e := bigExp(-math.Abs(z))
		wantValue[i] = bigLog1p(e)
		wantSlope[i] = new(big.Float).Quo(newBig(-target[i]), new(big.Float).Add(newBig(1), e))
		if z > 0 {
			wantValue[i].Add(wantValue[i], newBig(z))
		} else {
			wantSlope[i].Mul(wantSlope[i], e)
		}
	}
	eachPath(t, func(t *testing.T) {
		value, slope := make([]float64, n), make([]float64, n)
		LogisticTo(value, slope, margin, target)
		worst := [2]float64{}
		for i, m := range margin {
			a, b := ulps(value[i], wantValue[i]), ulps(slope[i], wantSlope[i])
			if !(a <= 3 && b <= 3) {
				t.Fatalf("m = %v, t = %v: value %v, %v ulp off; slope %v, %v ulp off", m, target[i], value[i], a, slope[i], b)
			}
			worst[0], worst[1] = max(worst[0], a), max(worst[1], b)
		}
		t.Logf("value %.3f, slope %.3f ulp at most", worst[0], worst[1])
	})
}

func TestLogistic_AtTheEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	margin := []float64{inf, -inf, nan, 1e300, -1e300, 0, 2000, -2000, nan}
	target := []float64{1, 1, 1, 1, 1, 1, -1, -1, -1}
	value := []float64{0, inf, nan, 0, 1e300, math.Ln2, 2000, 0, nan}
	slope := []float64{0, -1, nan, 0, -1, -0.5, 1, 0, nan}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	eachPath(t, func(t *testing.T) {
		for n := range len(margin) + 1 {
			v, s := make([]float64, n), append([]float64(nil), margin[:n]...)
			LogisticTo(v, s, s, target[:n]) // slope in the place of margin
			for i := range v {
				if !same(v[i], value[i]) || !same(s[i], slope[i]) {
					t.Errorf("m = %v, t = %v: %v, %v; want %v, %v", margin[i], target[i], v[i], s[i], value[i], slope[i])
				}
			}
		}
	})
}
