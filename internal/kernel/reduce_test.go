package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestReductions_AgainstNaive(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 75 {
			a, b := normal(rng, n), normal(rng, n)
			const shift, scale = 0.3, 0.25
			largest, sum, dot, excess, count := math.Inf(-1), 0.0, 0.0, 0.0, 0
			part, partSum := make([]float64, n), 0.0
			for i, x := range a {
				largest = math.Max(largest, x)
				sum += x
				dot += x * b[i]
				if x > shift {
					count++
					excess += x - shift
					part[i] = (x - shift) / scale
					partSum += part[i]
				}
			}
			if got := Max(a); got != largest {
				t.Fatalf("n = %d: Max %v, want %v", n, got, largest)
			}
			gotExcess, gotCount := ExcessOver(a, shift)
			near(t, "Sum, Dot, ExcessOver", n, []float64{Sum(a), Dot(a, b), gotExcess}, []float64{sum, dot, excess})
			got := make([]float64, n+1)
			got[n] = 7
			gotSum, partCount := PositivePartTo(got[:n], a, shift, scale)
			near(t, "PositivePartTo", n, []float64{gotSum}, []float64{partSum})
			if !slices.Equal(got, append(part, 7)) {
				t.Fatalf("n = %d: parts %v, want %v", n, got, part)
			}
			if gotCount != count || partCount != count {
				t.Fatalf("n = %d: %d and %d entries above, want %d", n, gotCount, partCount, count)
			}
			if again, _ := PositivePartTo(a, a, shift, scale); again != gotSum || !slices.Equal(a, part) {
				t.Fatalf("n = %d: in place %v %v, else %v %v", n, again, a, gotSum, part)
			}
		}
	})
}

func TestReductions_EdgeCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	eachPath(t, func(t *testing.T) {
		if Max(nil) != -inf || Sum(nil) != 0 || Dot(nil, nil) != 0 {
			t.Error("reductions of nothing")
		}
		if s, c := ExcessOver(nil, 1); s != 0 || c != 0 {
			t.Error("excess of nothing")
		}
		for n := 1; n < 40; n++ {
			for i := range n {
				v := make([]float64, n)
				for k := range v {
					v[k] = -float64(k) - 3
				}
				v[i] = -1
				if m := Max(v); m != -1 {
					t.Fatalf("n = %d, largest at %d: %v", n, i, m)
				}
				v[i] = nan
				if m := Max(v); !math.IsNaN(m) {
					t.Fatalf("n = %d, NaN at %d: Max %v", n, i, m)
				}
				dst := make([]float64, n)
				s, c := PositivePartTo(dst, v, -2.5, 1)
				e, k := ExcessOver(v, -2.5)
				if !math.IsNaN(s) || !math.IsNaN(dst[i]) || c != 0 || !math.IsNaN(e) || k != 0 {
					t.Fatalf("n = %d, NaN at %d: %v %d, %v %d", n, i, s, c, e, k)
				}
				v[i] = -inf
				if s, c := PositivePartTo(dst, v, -2.5, 1e-300); s != 0 || c != 0 {
					t.Fatalf("n = %d, −Inf at %d: %v %d", n, i, s, c)
				}
				v[i] = inf
				if m := Max(v); m != inf {
					t.Fatalf("n = %d, +Inf at %d: Max %v", n, i, m)
				}
			}
		}
	})
}
