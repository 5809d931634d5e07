package matrix

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Joined moments agree with exact arithmetic, however far the values lie from
// zero and however the stripes differ.
func TestJoinMoments_Exact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, value := range map[string]func(i int) float64{
		"normal":    func(int) float64 { return rng.NormFloat64() },
		"far":       func(int) float64 { return 1e9 + rng.NormFloat64() },
		"trend":     func(i int) float64 { return float64(i) + rng.Float64() },
		"late":      func(i int) float64 { return float64(i / 9000 * 1e6) },
		"huge":      func(int) float64 { return 1e300 * rng.NormFloat64() },
		"tiny":      func(int) float64 { return 1e-300 * rng.NormFloat64() },
		"lopsided":  func(int) float64 { return math.Exp(5 * rng.NormFloat64()) },
		"two value": func(i int) float64 { return float64(i % 2) },
	} {
		v := make([]float64, 10000)
		for i := range v {
			v[i] = value(i)
		}
		mean, sd, constant := meanDeviation(v)
		sum, n := new(big.Float).SetPrec(2000), big.NewFloat(float64(len(v)))
		for _, x := range v {
			sum.Add(sum, big.NewFloat(x))
		}
		m := new(big.Float).SetPrec(2000).Quo(sum, n)
		squares := new(big.Float).SetPrec(2000)
		for _, x := range v {
			d := new(big.Float).SetPrec(2000).Sub(big.NewFloat(x), m)
			squares.Add(squares, d.Mul(d, d))
		}
		s := squares.Quo(squares, n)
		wantSD, _ := s.Sqrt(s).Float64()
		wantMean, _ := m.Float64()
		if d := math.Abs(mean - wantMean); constant || !(d <= 1e-14*max(math.Abs(wantMean), wantSD)) {
			t.Errorf("%s: mean %v, not %v", name, mean, wantMean)
		}
		if !(math.Abs(sd-wantSD) <= 1e-14*wantSD) {
			t.Errorf("%s: deviation %v, not %v", name, sd, wantSD)
		}
	}
}

// Weighted moments are those of values that are repeated so often.
func TestMomentOfWeighted_Repetition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var repeated []float64
	var parts []Moment
	for range 5 {
		var v, w []float64
		for range 500 {
			v, w = append(v, 1e3+rng.NormFloat64()), append(w, float64(1+rng.IntN(4)))
			for range int(w[len(w)-1]) {
				repeated = append(repeated, v[len(v)-1])
			}
		}
		parts = append(parts, MomentOfWeighted(v, w))
	}
	_, mean, sd, constant := JoinMoments(parts)
	wantMean, wantSD, _ := meanDeviation(repeated)
	if constant || math.Abs(mean-wantMean) > 1e-13*wantMean || math.Abs(sd-wantSD) > 1e-13*wantSD {
		t.Errorf("mean %v, deviation %v, not %v and %v", mean, sd, wantMean, wantSD)
	}
}

// meanDeviation returns mean and population standard deviation of values, of stripes of them.
func meanDeviation(v []float64) (mean, sd float64, constant bool) {
	var parts []Moment
	for len(v) > 0 {
		k := min(StripeRows, len(v))
		parts = append(parts, MomentOf(v[:k]))
		v = v[k:]
	}
	_, mean, sd, constant = JoinMoments(parts)
	return mean, sd, constant
}
