package radix

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSort_AsByComparisons(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 511, 512, 5000} {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Round(r.NormFloat64()*40) / 8 * math.Pow(10, float64(r.IntN(9)-4))
			if x[i] == 0 && i%2 == 0 {
				x[i] = math.Copysign(0, -1)
			}
		}
		if n > 20 {
			x[7], x[11], x[13] = math.Inf(1), math.Inf(-1), -math.MaxFloat64
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(x[i], x[j]) })
		if got := Argsort(x); !slices.Equal(got, want) {
			t.Errorf("%d keys are not sorted", n)
		}
		sorted := slices.Sorted(slices.Values(x))
		if Sort(x); !slices.Equal(x, sorted) {
			t.Errorf("%d numbers are not sorted", n)
		}
	}
}
