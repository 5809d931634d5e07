package resample

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// With every row drawn once, the statistics of a resample are the measures.
func TestResampledStatisticsAreTheMeasures(t *testing.T) {
	g := rand.New(rand.NewPCG(8, 1))
	for _, task := range []measure.Task{measure.Binary, measure.Regression} {
		for _, weighted := range []bool{false, true} {
			const n = 80
			rows := &measure.Rows{Task: task, Threshold: 0.4, Models: []measure.Model{{Name: "m"}}}
			m := &rows.Models[0]
			weight := make([]float64, n)
			for i := range n {
				s := math.Round(20*g.Float64()) / 20 // with ties
				y := 3 * g.NormFloat64()
				if task == measure.Binary {
					y = float64(2*g.IntN(2) - 1)
				}
				rows.Target, m.Score, m.Loss = append(rows.Target, y), append(m.Score, s), append(m.Loss, g.ExpFloat64())
				weight[i] = 0.5 + g.Float64()
			}
			if weighted {
				rows.Weight = measure.ScaleWeights(weight)
			}
			s, err := measure.NewStrata(context.Background(), rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := New(context.Background(), rows, Plan{}, 0, []measure.Stratum{*s.All}, s.All, []float64{1}, measure.Mean(rows.Target))
			if err != nil {
				t.Fatal(err)
			}
			sums := make([]float64, r.C.width)
			once := make([]uint8, n)
			for i := range once {
				once[i] = 1
			}
			r.C.addCounted([][]float64{sums}, once, 0, n)
			r.whole.put(sums[r.C.rank:], once)
			want := measure.All(rows, 0, s.All)
			for _, q := range task.Measures() {
				if got, w := r.C.value(q.Key, sums, 0), float64(want.Of[q.Key]); !(math.Abs(got-w) <= closedForm*math.Max(1, math.Abs(w))) {
					t.Errorf("%s, weights %v: %s is %v, want %v", task, weighted, q.Key, got, w)
				}
			}
		}
	}
}
