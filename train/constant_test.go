package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// The constant prediction of the summary has the least weighted average loss of all constants on the training rows.
func TestConstant_LeastAverageLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 400
	x, y, z, w := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i], w[i] = rng.NormFloat64(), math.Exp(2*rng.NormFloat64()), 0.1+rng.Float64()
		if rng.Float64() < 0.2 {
			z[i] = 1
		}
	}
	number := func(name string, v []float64) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: v}
	}
	f := newFrame(t, number("x", x), number("y", y), number("z", z), number("w", w))
	for _, c := range []struct{ target, loss, weight string }{{"y", "squared", ""}, {"y", "squared", "w"},
		{"y", "huber", ""}, {"y", "huber", "w"}, {"z", "logistic", ""}, {"z", "logistic", "w"}} {
		cfg := keepingRows()
		cfg.Target, cfg.Loss, cfg.Weight, cfg.Features, cfg.Level, cfg.Gap =
			c.target, c.loss, c.weight, []string{"x"}, level.Level{Penalty: "kl", Nu: level.At(100)}, 1e-4
		m := fitFrame(t, f, cfg)
		at := *m.Result.Constant
		average := func(constant float64) float64 {
			m.Result.Constant = &constant
			loss := make([]float64, m.Run.Train.N)
			if !m.ConstantLosses(loss, m.Run.Train.Target) {
				t.Fatal("no constant")
			}
			sum, total := 0.0, 0.0
			for j, l := range loss {
				weight := 1.0
				if m.Run.Weight != nil {
					weight = m.Run.Weight[j]
				}
				sum, total = sum+weight*l, total+weight
			}
			return sum / total
		}
		least := average(at)
		for _, off := range []float64{-0.1, -1e-3, 1e-3, 0.1} {
			if other := average(at + off); !(least < other) {
				t.Errorf("%v: %v at the constant, %v beside it", c, least, other)
			}
		}
	}
}
