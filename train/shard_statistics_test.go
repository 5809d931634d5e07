package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/spearman"
)

// Statistics over the rows of all ranks agree with those of one list of all rows, on every rank.
func TestShardStatistics_AllRows(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(4, 1))
	a, b, weight := make([]float64, n), make([]float64, n), make([]float64, n)
	g := encode.Grouping{Labels: []string{"p", "nobody", "q"}, Index: make([]int32, n)}
	var sum, total float64
	var risk, count [3]float64
	for j := range n {
		a[j], weight[j], g.Index[j] = rng.NormFloat64(), 1+rng.Float64(), 2*rng.Int32N(2)
		b[j] = a[j] + rng.NormFloat64()*float64(1+j/2000)
		sum, total = sum+weight[j]*a[j], total+weight[j]
		risk[g.Index[j]] += a[j]
		count[g.Index[j]]++
	}
	mean := 0.0
	for _, v := range a {
		mean += v / n
	}
	for _, size := range []int{0, 1, 3} {
		err := ranks.Run(max(1, size), func(c ranks.Comm) error {
			rows := ranks.NewRows(c, n)
			if size == 0 {
				rows = nil // all rows are in this process
			}
			lo, hi := rows.LocalRange(n)
			own := func(v []float64) []float64 { // the entries of others are none of a rank's business
				out := slices.Repeat([]float64{math.NaN()}, n)
				copy(out[lo:hi], v[lo:hi])
				return out
			}
			if v, w := weightedMean(rows, own(a), own(weight)), weightedMean(rows, own(a),
				nil); !(math.Abs(v-sum/total) <= 1e-12) || !(math.Abs(w-mean) <= 1e-12) {
				t.Errorf("rank %d of %d: averages %v and %v, not %v and %v", c.Rank(), size, v, w, sum/total, mean)
			}
			risks := groupRisks(rows, g, own(a))
			if len(risks) != 2 || risks[0].Name != "p" || risks[1].Name != "q" || risks[1].Count != int(count[2]) ||
				!(math.Abs(risks[1].Risk-risk[2]/count[2]) <= 1e-12) {
				t.Errorf("rank %d of %d: risks %+v", c.Rank(), size, risks)
			}
			for _, some := range []int{n, n / 2, n / 3, 700} {
				at := rows.StratifiedSample(n, some)
				var x, y []float64
				for _, j := range at {
					x, y = append(x, a[j]), append(y, b[j])
				}
				got := rankCorrelation(rows, own(a), own(b), some)
				if want := spearman.Correlation(x, y); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("rank %d of %d, %d rows: a correlation of %v, not %v", c.Rank(), size, some, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
