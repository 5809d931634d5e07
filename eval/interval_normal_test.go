package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near is the tolerance of sums that are taken in two ways.
const near = 1e-9

// A root times its transpose is the matrix, directions without variance included, and what
// is added is the root times z.
func TestTriangle_IsTheRootTimesZ(t *testing.T) {
	const n, none = 5, 3
	g := rand.New(rand.NewPCG(18, 1))
	var root [n][n]float64
	for j := range n {
		for k := range j {
			root[j][k] = g.NormFloat64()
		}
		root[j][j] = 1 + g.Float64()
	}
	for j := range n {
		root[j][none] = 0
	}
	var lower []float64
	for j := range n {
		for k := range j + 1 {
			s := 0.0
			for q := range n {
				s += root[j][q] * root[k][q]
			}
			lower = append(lower, s)
		}
	}
	got := cholesky(lower, n)
	for k := range n {
		z, dst := make([]float64, n), slices.Repeat([]float64{7}, n) // which is overwritten
		z[k] = 1
		got.multiply(dst, z)
		for j := range n {
			if !(math.Abs(dst[j]-root[j][k]) <= near) {
				t.Errorf("entry %d, %d is %v, want %v", j, k, dst[j], root[j][k])
			}
		}
	}
}

// Rows that are a stratum each have their own variance, the square of what they do; and
// the rows of two halves have the error of both.
func TestError_AddsUp(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 5))
	x := make([]float64, 30)
	of := func(x []float64) (m influenceMoments) {
		for _, v := range x {
			m.add(v)
		}
		return m
	}
	var single estimateError
	want := 0.0
	for i := range x {
		x[i] = g.NormFloat64() + 0.3
		single.addStratum(of(x[i : i+1]))
		want += x[i] * x[i]
	}
	if !(math.Abs(single.variance-want) <= near) || single.n != len(x) || !(math.Abs(single.second-want) <= near) {
		t.Errorf("%+v, the squares sum up to %v", single, want)
	}
	var first, second, both, shifted estimateError
	first.addStratum(of(x[:10]))
	second.addStratum(of(x[10:]))
	both.addStratum(of(x[:10]))
	both.AddScaled(second, 1)
	if !(math.Abs(both.variance-first.variance-second.variance) <= near) ||
		!(math.Abs(both.third-first.third-second.third) <= near) ||
		!(math.Abs(both.spread-first.spread-second.spread) <= near) {
		t.Errorf("%+v, of its parts %+v and %+v", both, first, second)
	}
	// One that every row shares says nothing; blocks of rows are one stratum.
	for i := range 10 {
		x[i] += 7
	}
	m := of(x[:4])
	m.merge(of(x[4:10]))
	shifted.addStratum(m)
	for _, v := range [][2]float64{{shifted.variance, first.variance}, {shifted.third, first.third},
		{shifted.spread, first.spread}} {
		if !(math.Abs(v[0]-v[1]) <= near) {
			t.Errorf("%+v, before a shift %+v", shifted, first)
		}
	}
}

// What rows do to the share of the weight at or below a median sums up to nothing, rows at
// the median and ties of it included.
func TestBelowMedian_SumsToZero(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 5))
	for _, weighted := range []bool{false, true} {
		rows := &measuredRows{Task: Regression, Models: make([]Model, 1)}
		var order []int32
		for i := range 41 {
			rows.Target = append(rows.Target, 0)
			rows.Models[0].Score = append(rows.Models[0].Score, math.Round(g.NormFloat64()*3))
			order = append(order, int32(i))
			if weighted {
				rows.Weight = append(rows.Weight, 0.5+g.Float64())
			}
		}
		stratum := &stratum{Rows: order, Size: [][]int32{argsort(nil, len(order),
			func(i int) float64 { return math.Abs(rows.Models[0].Score[i]) })}}
		sum := 0.0
		for _, v := range belowMedian(rows, stratum, 0) {
			sum += v
		}
		if !(math.Abs(sum) <= 1e-12) {
			t.Errorf("weighted %v: %v", weighted, sum)
		}
		// Weights that do not differ are none, but for the rank that is next.
		if !weighted {
			low, high, _ := medianEnds(rows, stratum, 0, 0.95)
			rows.Weight = slices.Repeat([]float64{3}, len(order))
			if l, h, ok := medianEnds(rows, stratum, 0, 0.95); !ok || !(math.Abs(l-low) <= 1) || !(math.Abs(h-high) <= 1) {
				t.Errorf("%v to %v with equal weights, %v to %v without", l, h, low, high)
			}
		}
	}
}
