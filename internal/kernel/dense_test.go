package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The naive twins: one row after the other, one operation at a time.

func naiveMarginsTo(dst, X []float64, d int, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		dst[i] = 0
		for j := range d {
			dst[i] += X[i*d+j] * x[j]
		}
	}
}

func naiveAddRowsTo(dst, X []float64, d int, u, v []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j := range d {
			dst[j] += u[i] * v[i] * X[i*d+j]
		}
	}
}

func naiveAddGramTo(dst, X []float64, d int, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for a := range d {
			for b := a; b < d; b++ {
				dst[a*d+b] += w[i] * X[i*d+a] * X[i*d+b]
			}
		}
	}
}

func TestAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	near := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
				t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
			}
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 23, 64} {
		for _, d := range []int{1, 2, 3, 8, 17} {
			X, x, w, v := normal(n*d), normal(d), normal(n), normal(n)
			for i := range w {
				if i%3 == 0 {
					w[i] = 0
				}
			}
			for _, r := range [][2]int{{0, n}, {n / 3, n}, {0, n / 2}, {n / 2, n / 2}} {
				lo, hi := r[0], r[1]
				got, want := make([]float64, n), make([]float64, n)
				MarginsTo(got, X, d, x, lo, hi)
				naiveMarginsTo(want, X, d, x, lo, hi)
				near("margin", got, want)

				got, want = normal(d), make([]float64, d)
				copy(want, got)
				AddRowsTo(got, X, d, w, v, lo, hi)
				naiveAddRowsTo(want, X, d, w, v, lo, hi)
				near("row sum", got, want)

				p := normal(n)
				copy(want, got)
				AddChangeTo(got, X, d, w, v, p, w, lo, hi)
				naiveAddRowsTo(want, X, d, w, v, lo, hi)
				minus := make([]float64, n)
				for i := range minus {
					minus[i] = -p[i]
				}
				naiveAddRowsTo(want, X, d, minus, w, lo, hi)
				near("change", got, want)

				got, want = make([]float64, d*d), make([]float64, d*d)
				AddGramTo(got, X, d, w, lo, hi)
				naiveAddGramTo(want, X, d, w, lo, hi)
				near("gram", got, want)
			}
		}
	}
}
