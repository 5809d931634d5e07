package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
)

// The density of losses at the threshold of a tail is read off the rows within the bandwidth of
// Hall and Sheather on both sides of it, by shares: of normal losses it is that of the normal,
// over the share. The bandwidths are those of the published formula, computed elsewhere.
func TestDensityAtATail(t *testing.T) {
	for _, c := range []struct {
		n, columns int
		share      float64
		bandwidth  float64
	}{
		{10_000, 2, 0.2, 0.026537},
		{10_000, 2, 0.5, 0.045096},
		{4_000, 1, 0.1, 0.021796},
		{10_000, 500, 0.3, 0.1},       // rows enough for the columns
		{1_000, 100, 0.2, 0.1},        // no more than half the tail
		{1_000, 99, 0.8, 0.1},         // nor than half the others
		{1_000, 101, 0.2, math.NaN()}, // too few for the columns
	} {
		r := &drawn{}
		for i := range c.n {
			u := (float64(i) + 0.5) / float64(c.n)
			r.value = append(r.value, math.Sqrt2*math.Erfinv(2*u-1))
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(c.n, func(i, j int) { r.value[i], r.value[j] = r.value[j], r.value[i] })
		r.target, r.w = make([]float64, c.n), make([]float64, c.n)
		r.times = ones(len(r.target))
		for i := range r.w {
			r.w[i] = 1 / float64(c.n)
		}
		e := &system{f: &fit{x: make([]float64, c.columns), answer: answer{share: c.share}}, r: r}
		bend := e.density()
		if math.IsNaN(c.bandwidth) {
			if bend != nil {
				t.Errorf("%+v: a density", c)
			}
			continue
		}
		rows, sum := 0, 0.0
		for _, b := range bend {
			if sum += b; b > 0 {
				rows++
			}
		}
		z := math.Sqrt2 * math.Erfinv(1-2*c.share)
		want := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / c.share
		if !(math.Abs(float64(rows)-2*c.bandwidth*float64(c.n)) <= 1) || !(math.Abs(sum-want) <= 0.06*want) {
			t.Errorf("%+v: density %v of %d rows, that of the normal is %v", c, sum, rows, want)
		}
	}
}

// Rows as many as the columns settle nothing, one more does; and a tail of one loss alone has
// no density.
func TestNoStandardErrorsOfAsManyRowsAsColumns(t *testing.T) {
	flat, target := []float64{1, 1, -1, 1, 0.5, 1}, []float64{1, 0, 2}
	f := fit{loss: losses.Squared{}, x: []float64{0.1, 0.2}, mu: 0.1, free: 1}
	for n := 1; n <= 3; n++ {
		got := f.standardErrors(&data.Dataset{N: n, D: 2, X: dense(t, flat[:2*n]), Target: target[:n]}, []int{0, 1}, 1)
		if (got != nil) != (n > 2) {
			t.Errorf("%d rows: %v", n, got)
		}
	}
	r := &drawn{target: make([]float64, 100), value: make([]float64, 100), w: make([]float64, 100)}
	r.times = ones(len(r.target))
	for i := range r.w {
		r.w[i] = 0.01
	}
	e := &system{f: &fit{x: make([]float64, 1), answer: answer{share: 0.2}}, r: r}
	if bend := e.density(); bend != nil {
		t.Errorf("a density of one loss: %v", bend)
	}
}

// Rows are told by their numbers from 1, but the first ones of a table in their order.
func TestNumbersOfRows(t *testing.T) {
	for _, c := range []struct{ rows, want []int }{
		{nil, nil}, {[]int{0}, nil}, {[]int{0, 1, 2}, nil}, {[]int{1}, []int{2}}, {[]int{0, 2}, []int{1, 3}},
		{[]int{0, 2, 1, 3}, []int{1, 3, 2, 4}}, {[]int{1, 2, 3}, []int{2, 3, 4}}, {[]int{1, 1, 2}, []int{2, 2, 3}},
	} {
		if got := rowNumbers(nil, c.rows); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, not %v", c.rows, got, c.want)
		}
	}
}
