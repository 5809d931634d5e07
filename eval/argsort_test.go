package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestArgsort_Stable(t *testing.T) {
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
		if got := argsort(nil, n, func(i int) float64 { return x[i] }); !slices.Equal(got, want) {
			t.Errorf("%d keys are not sorted", n)
		}
	}
}
