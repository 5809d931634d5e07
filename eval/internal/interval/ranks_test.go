package interval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12

// DeLong's variance against all pairs, written out.
func TestDeLong_EqualsAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	n := 40
	target, score := make([]float64, n), make([]float64, n)
	for i := range n {
		target[i] = []float64{-1, 1, -1}[i%3]
		score[i] = math.Round(4*r.Float64()+target[i]) / 8
	}
	psi := func(p, q float64) float64 {
		switch {
		case p > q:
			return 1
		case p == q:
			return 0.5
		}
		return 0
	}
	var v10, v01 []float64
	for i := range n {
		s, m := 0.0, 0.0
		for j := range n {
			if target[i] != target[j] {
				m++
				if target[i] > 0 {
					s += psi(score[i], score[j])
				} else {
					s += psi(score[j], score[i])
				}
			}
		}
		if target[i] > 0 {
			v10 = append(v10, s/m)
		} else {
			v01 = append(v01, s/m)
		}
	}
	variance := func(x []float64) float64 {
		m, q := mean(x), 0.0
		for _, v := range x {
			q += (v - m) * (v - m)
		}
		return q / float64(len(x)-1) / float64(len(x))
	}
	order := sorted(n, func(i int32) float64 { return score[i] })
	ties := NewTies(nil, target, score, nil, order)
	in := &Rows{Target: target, Score: [][]float64{score}}
	all := &Stratum{Rows: slices.Sorted(slices.Values(order)), Order: [][]int32{order}, Flag: [][]uint8{ties.Flag}}
	l := AUCError(in, all, 0, -1, 0.95)
	if want := variance(v10) + variance(v01); !(math.Abs(l.variance-want) <= closedForm) {
		t.Errorf("%v, want %v", l.variance, want)
	}
	if got, want := ties.AUC(), mean(v10); !(math.Abs(got-want) <= closedForm) {
		t.Errorf("AUC %v, want %v", got, want)
	}
}

// The interval between order statistics covers the median as often as it says, by the
// binomial error distribution, for every number of rows that has one; too few rows have none.
func TestMedian_IntervalHasTheExactCoverage(t *testing.T) {
	for n := 1; n <= 60; n++ {
		target, score, order := make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range n {
			score[i], order[i] = float64(i+1), int32(i) // the k-th smallest error is k
		}
		for _, confidence := range []float64{0.8, 0.95} {
			in := &Rows{Target: target, Score: [][]float64{score}}
			iv := MedianInterval(in, &Stratum{Rows: order, Size: [][]int32{order}}, 0, confidence)
			if fewest := map[float64]int{0.8: 4, 0.95: 6}[confidence]; (iv != nil) != (n >= fewest) {
				t.Errorf("%d rows at %v: %v", n, confidence, iv)
			}
			if iv == nil {
				continue
			}
			lo, hi := int(iv.Low), int(iv.High)
			covered := 0.0 // P(lo ≤ number of errors below the median < hi)
			for k := lo; k < hi; k++ {
				lg := func(v int) float64 { l, _ := math.Lgamma(float64(v + 1)); return l }
				covered += math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
			}
			if lo+hi != n+1 || covered < confidence-0.002 {
				t.Errorf("%d rows at %v: ranks %d and %d cover %.3g", n, confidence, lo, hi, covered)
			}
		}
	}
}

// What rows do to the share of the weight at or below a median sums up to nothing, rows at
// the median and ties of it included.
func TestBelowMedian_SumsToZero(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 5))
	for _, weighted := range []bool{false, true} {
		rows := &Rows{Score: make([][]float64, 1)}
		var order []int32
		for i := range 41 {
			rows.Target = append(rows.Target, 0)
			rows.Score[0] = append(rows.Score[0], math.Round(g.NormFloat64()*3))
			order = append(order, int32(i))
			if weighted {
				rows.Weight = append(rows.Weight, 0.5+g.Float64())
			}
		}
		stratum := &Stratum{Rows: order, Size: [][]int32{sorted(len(order),
			func(i int32) float64 { return math.Abs(rows.Score[0][i]) })}}
		sum := 0.0
		for _, v := range belowMedian(rows, stratum, 0) {
			sum += v
		}
		if !(math.Abs(sum) <= 1e-12) {
			t.Errorf("weighted %v: %v", weighted, sum)
		}
		// Weights that do not differ are none, but for the rank that is next.
		if !weighted {
			plain := MedianInterval(rows, stratum, 0, 0.95)
			rows.Weight = slices.Repeat([]float64{3}, len(order))
			if iv := MedianInterval(rows, stratum, 0, 0.95); iv == nil || !(math.Abs(iv.Low-plain.Low) <= 1) ||
				!(math.Abs(iv.High-plain.High) <= 1) {
				t.Errorf("%v with equal weights, %v without", iv, plain)
			}
		}
	}
}

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
	order := sorted(n, func(i int32) float64 { return score[i] })
	dst := make([]float64, n)
	for name, c := range map[string]struct {
		f         func(Ties) float64
		influence func(dst []float64, t Ties, value float64)
	}{"auc": {Ties.AUC, aucInfluence}, "average precision": {Ties.AveragePrecision,
		averagePrecisionInfluence}} {
		ties := NewTies(nil, target, score, weight, order)
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

// sorted returns the rows 0, …, n−1 by ascending key; equal keys keep their order.
func sorted(n int, key func(i int32) float64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
	return order
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}
