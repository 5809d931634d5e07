package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/spearman"
)

// What ranks know of their rows together is what one list of all rows says, on every rank.
func TestStatisticsOfAllRows(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(4, 1))
	a, b, weight := make([]float64, n), make([]float64, n), make([]float64, n)
	g := data.Grouping{Labels: []string{"p", "nobody", "q"}, Index: make([]int32, n)}
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
			if v, w := weightedMean(rows, own(a), own(weight)), weightedMean(rows, own(a), nil); !(math.Abs(v-sum/total) <= 1e-12) || !(math.Abs(w-mean) <= 1e-12) {
				t.Errorf("rank %d of %d: averages %v and %v, not %v and %v", c.Rank(), size, v, w, sum/total, mean)
			}
			risks := groupRisks(rows, g, own(a))
			if len(risks) != 2 || risks[0].Label != "p" || risks[1].Label != "q" || risks[1].Rows != int(count[2]) || !(math.Abs(risks[1].Risk-risk[2]/count[2]) <= 1e-12) {
				t.Errorf("rank %d of %d: risks %+v", c.Rank(), size, risks)
			}
			for _, some := range []int{n, n / 2, n / 3, 700} {
				at := rows.Stratified(n, some)
				var x, y []float64
				for _, j := range at {
					x, y = append(x, a[j]), append(y, b[j])
				}
				stretches := 0
				got := rankCorrelation(rows, own(a), some, func(from, to int) []float64 {
					stretches++
					return own(b)[from:to]
				})
				if want := spearman.Correlation(x, y); !(math.Abs(got-want) <= 1e-12) || stretches > rows.Shards(n) {
					t.Errorf("rank %d of %d, %d rows: a correlation of %v by %d stretches, not %v", c.Rank(), size, some, got, stretches, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Rows that are drawn stand for all, those of much weight for themselves, and are the same for any
// number of ranks; where all may be drawn they are.
func TestDrawnStandForAll(t *testing.T) {
	const n, most = 40_000, 2000
	weights := make([]float64, n)
	for j := range weights {
		weights[j] = 0.5 / n
		if j%2000 == 7 {
			weights[j] += 0.5 / 20
		}
	}
	var mu sync.Mutex
	var first []int
	for _, size := range []int{0, 1, 3} {
		err := ranks.Run(max(1, size), func(c ranks.Comm) error {
			rows := ranks.NewRows(c, n)
			if size == 0 {
				rows = nil // all rows are in this process
			}
			at, times := drawCopies(rows, n, most, weights, 5)
			stand, heavy := 0.0, 0
			for k, j := range at {
				if stand += times[k]; j%2000 == 7 && times[k] == 1 {
					heavy++
				}
			}
			// 9/10 of most are expected, half of them alike and half by weight, which 20 rows have for sure.
			if share := float64(len(at)) / (0.9 * most); share < 0.7 || share > 1.05 || heavy != 20 || !(math.Abs(stand/n-1) <= 0.1) {
				t.Errorf("rank %d of %d: %d rows stand for %v, %d of much weight", c.Rank(), size, len(at), stand, heavy)
			}
			other, _ := drawCopies(rows, n, most, weights, 6)
			mu.Lock()
			defer mu.Unlock()
			if first == nil {
				first = at
			}
			if !slices.Equal(at, first) {
				t.Errorf("rank %d of %d has drawn others", c.Rank(), size)
			}
			if slices.Equal(other, at) {
				t.Errorf("rank %d of %d draws the same with another seed", c.Rank(), size)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rows := ranks.NewRows(ranks.One{}, 100)
	if at, times := drawCopies(rows, 100, 100, nil, 1); len(at) != 100 || slices.Max(times) != 1 {
		t.Errorf("%d of 100 rows, of which all may be drawn, %v times", len(at), slices.Max(times))
	}
	if at, times := drawCopies(rows, 100, 99, nil, 1); len(at) == 100 || slices.Min(times) != slices.Max(times) || !(math.Abs(times[0]-100/89.) <= 1e-12) {
		t.Errorf("%d of 100 rows, of which not all may be drawn, %v times", len(at), times[0])
	}
}
