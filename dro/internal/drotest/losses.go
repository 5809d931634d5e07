package drotest

import (
	"math"
	"math/rand/v2"
)

// GivenLosses is an oracle whose losses are F for every x, so that the optimum is their risk.
type GivenLosses struct{ F []float64 }

// Dims implements Oracle.
func (o *GivenLosses) Dims() (n, d, slope int) { return len(o.F), 1, 1 }

// EvalTo implements Oracle.
func (o *GivenLosses) EvalTo(value, slope, _ []float64, lo, hi int) {
	copy(value[lo:hi], o.F[lo:hi])
	clear(slope[lo:hi])
}

// AddGradTo implements Oracle.
func (*GivenLosses) AddGradTo(_, _, _ []float64, _, _ int) {}

// HardLosses returns losses that are similar, far apart, far from zero, or tied.
func HardLosses(rng *rand.Rand, n int) []float64 {
	scale, shift := math.Pow(10, 12*rng.Float64()-4), 0.0
	if rng.IntN(3) == 0 {
		shift = scale * math.Pow(10, 8*rng.Float64())
	}
	f := make([]float64, n)
	for j := range f {
		if f[j] = scale*rng.ExpFloat64() + shift; rng.IntN(6) == 0 {
			f[j] *= 1e6
		}
		if rng.IntN(5) == 0 {
			f[j] = f[0]
		}
	}
	return f
}
