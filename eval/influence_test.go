package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The influence of a row is the derivative of the statistic by how often the
// row counts.
func TestInfluence_IsDerivative(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n, h = 60, 1e-5
	target, score, weight := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		target[i] = []float64{-1, 1, -1}[i%3]
		score[i] = math.Round(5*(r.Float64()+target[i]/3)) / 8
		weight[i] = 0.5 + r.Float64()
	}
	order := argsort(nil, n, func(i int) float64 { return score[i] })
	dst := make([]float64, n)
	for name, c := range map[string]struct {
		f         func(tiedScores) float64
		influence func(dst []float64, t tiedScores, value float64)
	}{"auc": {tiedScores.AUC, aucInfluence}, "average precision": {tiedScores.AveragePrecision,
		averagePrecisionInfluence}} {
		ties := newTiedScores(nil, target, score, weight, order)
		c.influence(dst, ties, c.f(ties))
		sum := 0.0
		for p, i := range order {
			sum += dst[p]
			w := weight[i]
			weight[i] = w * (1 + h)
			up := c.f(ties)
			weight[i] = w * (1 - h)
			down := c.f(ties)
			weight[i] = w
			if d := (up - down) / (2 * h); !(math.Abs(d-dst[p]) <= 1e-8) {
				t.Errorf("%s: row %d has influence %v, the derivative is %v", name, i, dst[p], d)
			}
		}
		if !(math.Abs(sum) <= closedForm) {
			t.Errorf("%s: the influences sum to %v", name, sum)
		}
	}
}
