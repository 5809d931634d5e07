package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The naive twins: one row after the other, one operation at a time.

func naiveMarginsTo[T float32 | float64](dst []float64, X []T, d int, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		dst[i] = 0
		for j := range d {
			dst[i] += float64(X[i*d+j]) * x[j]
		}
	}
}

func naiveAddRowsTo[T float32 | float64](dst []float64, X []T, d int, u, v []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j := range d {
			dst[j] += u[i] * v[i] * float64(X[i*d+j])
		}
	}
}

func naiveAddGramTo[T float32 | float64](dst []float64, X []T, d int, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for a := range d {
			for b := a; b < d; b++ {
				dst[a*d+b] += w[i] * float64(X[i*d+a]) * float64(X[i*d+b])
			}
		}
	}
}

var columns = []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 20, 23, 24, 25, 28, 29, 31, 32, 33, 36, 37, 40, 41, 64, 85,
	100, 129, 257}

// normal returns n standard normal numbers, not aligned to more than eight bytes.
func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n+1)[1:]
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// single returns v in single precision, and v rounded to it.
func single(v []float64) ([]float32, []float64) {
	s, r := make([]float32, len(v)+1)[1:], make([]float64, len(v))
	for i, x := range v {
		s[i] = float32(x)
		r[i] = float64(s[i])
	}
	return s, r
}

// weightsWithZeros returns n normal weights, many of them 0 or −0, alone and in
// runs.
func weightsWithZeros(rng *rand.Rand, n int) []float64 {
	w := normal(rng, n)
	for i := range w {
		if i%3 == 0 || i/7%2 == 1 {
			w[i] = math.Copysign(0, w[i])
		}
	}
	return w
}

// near fails unless got is want up to the rounding of sums of that many terms.
func near(t *testing.T, what string, terms int, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-14*float64(terms+10)*(1+math.Abs(want[i]))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// eachPath runs f with the assembly and without.
func eachPath(t *testing.T, f func(t *testing.T)) {
	withAndWithout(func(name string) { t.Run(name, f) })
}

func TestRows_EqualNaive(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, d := range columns {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 23, 64, 75} {
				X, x, u, v := normal(rng, n*d), normal(rng, d), weightsWithZeros(rng, n), normal(rng, n)
				X32, X := single(X)
				p := normal(rng, n)
				for i := range p {
					if i%2 == 0 {
						p[i] = u[i]
					}
				}
				for _, r := range [][2]int{{0, n}, {n / 3, n}, {0, n / 2}, {n / 2, n / 2}, {n / 3, n - n/3}} {
					lo, hi := r[0], r[1]
					name := func(f string) string { return fmt.Sprintf("n = %d, d = %d, [%d, %d): %s", n, d, lo, hi, f) }
					start := normal(rng, n)
					want := append([]float64(nil), start...)
					naiveMarginsTo(want, X, d, x, lo, hi)
					got := append([]float64(nil), start...)
					MarginsTo(got, X, d, x, lo, hi)
					near(t, name("MarginsTo"), d, got, want)
					copy(got, start)
					Margins32To(got, X32, d, x, lo, hi)
					near(t, name("Margins32To"), d, got, want)

					start = normal(rng, d)
					want, got = append([]float64(nil), start...), append([]float64(nil), start...)
					naiveAddRowsTo(want, X, d, u, v, lo, hi)
					AddRowsTo(got, X, d, u, v, lo, hi)
					near(t, name("AddRowsTo"), n, got, want)
					copy(got, start)
					AddRows32To(got, X32, d, u, v, lo, hi)
					near(t, name("AddRows32To"), n, got, want)

				}
			}
		}
	})
}

func TestGram_EqualsNaive(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, d := range columns {
			ns := []int{1, 2, 5, 23}
			if d < 40 {
				ns = append(ns, 249, 600) // several packed blocks
			}
			for _, n := range ns {
				X, w := normal(rng, n*d), weightsWithZeros(rng, n)
				X32, X := single(X)
				for _, r := range [][2]int{{0, n}, {n / 3, n}, {n / 2, n / 2}} {
					lo, hi := r[0], r[1]
					name := func(f string) string { return fmt.Sprintf("n = %d, d = %d, [%d, %d): %s", n, d, lo, hi, f) }
					start := normal(rng, d*d) // the entries below the diagonal must stay
					want, got := append([]float64(nil), start...), append([]float64(nil), start...)
					naiveAddGramTo(want, X, d, w, lo, hi)
					AddGramTo(got, X, d, w, lo, hi)
					near(t, name("AddGramTo"), n, got, want)
					copy(got, start)
					AddGram32To(got, X32, d, w, lo, hi)
					near(t, name("AddGram32To"), n, got, want)
				}
			}
		}
	})
}

// A margin is the same number whichever rows are asked for with it.
func TestMargins_RowsIndependent(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		const n = 23
		for _, d := range columns {
			X, x := normal(rng, n*d), normal(rng, d)
			X32, _ := single(X)
			all, all32, one := make([]float64, n), make([]float64, n), make([]float64, n)
			MarginsTo(all, X, d, x, 0, n)
			Margins32To(all32, X32, d, x, 0, n)
			for i := range n {
				MarginsTo(one, X, d, x, i, i+1)
				if one[i] != all[i] {
					t.Fatalf("d = %d, row %d: %v alone, %v among others", d, i, one[i], all[i])
				}
				Margins32To(one, X32, d, x, i, i+1)
				if one[i] != all32[i] {
					t.Fatalf("float32, d = %d, row %d: %v alone, %v among others", d, i, one[i], all32[i])
				}
			}
		}
	})
}

func TestKernels_WithoutColumns(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		dst := []float64{1, 2, 3}
		MarginsTo(dst, nil, 0, nil, 1, 3)
		if dst[0] != 1 || dst[1] != 0 || dst[2] != 0 {
			t.Errorf("margins of no columns: %v", dst)
		}
		AddRowsTo(nil, nil, 0, dst, dst, 0, 3)
		AddGramTo(nil, nil, 0, dst, 0, 3)
	})
}

func TestKernels_ShortSlicesPanic(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		v := make([]float64, 40)
		for name, f := range map[string]func(){
			"rows past X":        func() { MarginsTo(v, v, 8, v, 0, 6) },
			"short x":            func() { MarginsTo(v, v, 8, v[:7:7], 0, 5) },
			"short dst":          func() { MarginsTo(v[:4:4], v, 8, v, 0, 5) },
			"negative lo":        func() { MarginsTo(v, v, 8, v, -1, 5) },
			"short row sum":      func() { AddRowsTo(v[:7:7], v, 8, v, v, 0, 5) },
			"short weights":      func() { AddRowsTo(v, v, 8, v, v[:4:4], 0, 5) },
			"short Gram":         func() { AddGramTo(v, v, 8, v, 0, 5) },
			"short exponentials": func() { ExpTo(v[:4:4], v, 0, 1) },
			"short slopes":       func() { LogisticTo(v, v[:4:4], v, v) },
			"short factor":       func() { Dot(v, v[:4:4]) },
			"short parts":        func() { PositivePartTo(v[:4:4], v, 0, 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
	})
}

func TestKernels_AllocateNothing(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		const n, d = 303, 37 // three rows are left of quarters
		X, x, u, v := normal(rng, n*d), normal(rng, d), normal(rng, n), normal(rng, n)
		X32, _ := single(X)
		m, g := make([]float64, n), make([]float64, d*d)
		if allocs := testing.AllocsPerRun(20, func() {
			MarginsTo(m, X, d, x, 0, n)
			Margins32To(m, X32, d, x, 0, n)
			AddRowsTo(x, X, d, u, v, 0, n)
			AddRows32To(x, X32, d, u, v, 0, n)
			AddGramTo(g, X, d, u, 0, n)
			AddGram32To(g, X32, d, u, 0, n)
			LogisticTo(m, m, m, u)
			ExpTo(m, m, Max(m), Sum(m)+Dot(m, m))
			PositivePartTo(m, m, 0.1, 1)
			ExcessOver(m, 0.2)
		}); allocs != 0 && !raceEnabled {
			t.Errorf("%v allocations", allocs)
		}
	})
}
