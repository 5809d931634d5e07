package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/internal/compensated"
)

// concentration and indicesOfLargest agree with a stable sort, with ties, zeros, weights of many sizes and
// weights that differ in their last bits.
func TestLargest_AgreesWithSort(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := map[string]func() float64{
		"alike":    func() float64 { return 1 },
		"sizes":    func() float64 { return math.Exp(8 * r.NormFloat64()) },
		"ties":     func() float64 { return float64(r.IntN(4)) },
		"few bits": func() float64 { return 1 + float64(r.IntN(50))*0x1p-52 },
		"one":      func() float64 { return math.Pow(r.Float64(), 400) },
		"−0":       func() float64 { return math.Copysign(float64(r.IntN(2)), float64(r.IntN(2))-0.5) },
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		draw := kinds[name]
		for _, n := range []int{1, 2, 7, 64, 1000} {
			y, total := make([]float64, n), compensated.Sum{}
			for i := range y {
				if y[i] = draw(); math.Signbit(y[i]) {
					y[i] = math.Copysign(0, -1)
				}
				total.Add(y[i])
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			for i := range y {
				y[i] /= cmp.Or(total.Value(), 1) // very small numbers may become equal
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(y[j], y[i]) })
			hundredth, tenth, half := concentration(nil, y)
			var cum compensated.Sum
			reached := 0
			for k, i := range order {
				before := cum.Value()
				cum.Add(y[i])
				if reached == 0 && cum.Value() >= 0.5*(1-1e-12) {
					reached = k + 1
				}
				for share, mass := range map[int]float64{100: hundredth, 10: tenth} {
					if share*k >= n || share*(k+1) < n {
						continue
					}
					want := before + y[i]*float64(n-share*k)/float64(share)
					if !(math.Abs(mass-want) <= 1e-12*want) {
						t.Errorf("%s: the heaviest 1/%d of %d sum up to %v, want %v", name, share, n, mass, want)
					}
				}
			}
			if half != cmp.Or(reached, n) {
				t.Errorf("%s: half of %d is held by %d, want %d", name, n, half, reached)
			}
			for _, c := range []int{-1, 0, 1, 5, n, n + 1} {
				if got := indicesOfLargest(y, nil, c); !slices.Equal(got, order[:max(0, min(c, n))]) {
					t.Errorf("%s: the largest %d of %d are %v", name, c, n, got)
				}
			}
			then := make([]float64, n)
			for i := range then {
				then[i] = float64(r.IntN(5))
			}
			slices.SortStableFunc(order, func(i, j int) int {
				return cmp.Or(cmp.Compare(y[j], y[i]),
					cmp.Compare(then[j], then[i]))
			})
			for _, c := range []int{1, 5, n} {
				if got := indicesOfLargest(y, then, c); !slices.Equal(got, order[:min(c, n)]) {
					t.Errorf("%s: the largest %d of %d, ties by another number, are %v", name, c, n, got)
				}
			}
		}
	}
}

// The first coefficients are those of the stable order of all, and intercepts come last whatever their size.
func TestCoefficients_Largest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := &Coefficients{Models: []string{"a", "b"}}
	for i := range 300 {
		q := Coefficient{Name: fmt.Sprint("x", i), Scaled: []Num{Num(r.IntN(40) - 20), Num(r.NormFloat64())}}
		switch i {
		case 7, 8:
			q.Name, q.Scaled[0] = "(intercept)", 1000
		case 9:
			q.Scaled[0] = Num(math.NaN()) // then the effect in the other model counts
		case 10:
			q.Scaled = nil
		}
		c.Rows = append(c.Rows, q)
	}
	if n := c.CountIntercepts(); n != 2 {
		t.Errorf("%d intercepts", n)
	}
	for model, k := range map[string]int{"a": 0, "b": 1, "unknown": -1} {
		size := func(q Coefficient) float64 {
			if k < 0 || k >= len(q.Scaled) || !q.Scaled[k].Defined() {
				return q.Size()
			}
			return math.Abs(float64(q.Scaled[k]))
		}
		want := slices.Clone(c.Rows)
		slices.SortStableFunc(want, func(a, b Coefficient) int {
			if x, y := IsIntercept(a.Name), IsIntercept(b.Name); x != y {
				return map[bool]int{false: -1, true: 1}[x]
			}
			return cmp.Compare(size(b), size(a))
		})
		for _, count := range []int{0, 1, 20, 299, 300, 301} {
			got := c.Largest(model, count)
			same := func(a, b Coefficient) bool { return a.Name == b.Name && fmt.Sprint(a) == fmt.Sprint(b) }
			if !slices.EqualFunc(got, want[:min(count, len(want))], same) {
				t.Errorf("model %s: the first %d differ from those of the whole order", model, count)
			}
		}
	}
}
