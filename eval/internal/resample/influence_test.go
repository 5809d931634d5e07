package resample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// The influence of a row is the derivative of the statistic by how often the
// row counts.
func TestInfluenceIsTheDerivative(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n, h = 60, 1e-5
	target, score, weight := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		target[i] = []float64{-1, 1, -1}[i%3]
		score[i] = math.Round(5*(r.Float64()+target[i]/3)) / 8
		weight[i] = 0.5 + r.Float64()
	}
	order := measure.Argsort(n, func(i int) float64 { return score[i] })
	dst := make([]float64, n)
	for name, c := range map[string]struct {
		f         func(measure.Ties) float64
		influence func(dst []float64, t measure.Ties, value float64)
	}{"auc": {measure.Ties.AUC, AUCInfluence}, "average precision": {measure.Ties.AveragePrecision, averagePrecisionInfluence}} {
		ties := measure.NewTies(target, score, weight, order)
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

// A median moves to the first value with the share that is wanted at or below it, whatever
// the weights; without a change it stays.
func TestMediansMoveByShares(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for trial := range 40 {
		n := 3 + r.IntN(20)
		target, score, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			score[i], weight[i] = float64(r.IntN(12)), 1
			if trial%2 == 0 {
				weight[i] = 0.25 * float64(1+r.IntN(8))
			}
		}
		order := measure.Argsort(n, func(i int) float64 { return score[i] })
		w := weight
		if trial%2 == 1 {
			w = nil
		}
		total := 0.0
		for _, v := range weight {
			total += v
		}
		below := func(value float64) float64 {
			s := 0.0
			for i, v := range score {
				if v <= value {
					s += weight[i] / total
				}
			}
			return s
		}
		median := score[order[n/2]]
		q := newErrorQuantile(nil, target, score, w, order, median)
		if q.shiftedMedian(0) != median {
			t.Errorf("trial %d: %v without a change, the median is %v", trial, q.shiftedMedian(0), median)
		}
		for _, change := range []float64{-2, -0.31, -0.07, 0.043, 0.29, 2} {
			want := score[order[n-1]]
			for _, i := range order {
				if below(score[i]) >= below(median)-change-1e-9 {
					want = score[i]
					break
				}
			}
			if got := q.shiftedMedian(change); got != want {
				t.Errorf("trial %d: moved by %v to %v, not %v", trial, change, got, want)
			}
		}
	}
}
