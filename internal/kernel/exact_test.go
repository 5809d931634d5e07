package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveSquaresTo and naiveNormsTo are of sums of squares.
func naiveSquaresTo(dst, X []float64, d int, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j := range d {
			dst[j] += w[i] * X[i*d+j] * X[i*d+j]
		}
	}
}

func naiveNormsTo(dst, X []float64, d int, scale []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		dst[i] = 0
		for j := range d {
			dst[i] += scale[j] * X[i*d+j] * X[i*d+j]
		}
	}
}

// Sums of whole numbers are exact in any order: with entries and weights of 0, 1 and 2, in all
// combinations of neighbours, every loop gives what the naive one does, and leaves the rest.
func TestSum_WholeNumbersExact(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 2))
		few := func(n, most int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(rng.IntN(most + 1))
			}
			return v
		}
		for _, d := range []int{0, 1, 2, 3, 5, 9} {
			for _, n := range []int{1, 2, 4, 9, 23, 90} {
				X, x := few(n*d, 2), few(d, 2)
				X32, _ := single(X)
				sparse := &CSR{D: d, Start: []int{0}}
				for i := range n {
					for j, v := range X[i*d : (i+1)*d] {
						if v != 0 {
							sparse.Column, sparse.Value = append(sparse.Column, int32(j)), append(sparse.Value, v)
						}
					}
					sparse.Start = append(sparse.Start, len(sparse.Value))
				}
				u, v := few(n, 1), few(n, 1)
				lo, hi := rng.IntN(n), n
				start := few(max(n, d*d), 9)
				check := func(what string, naive func(dst []float64), loops ...func(dst []float64)) {
					want := slices.Clone(start)
					naive(want)
					for k, loop := range loops {
						got := slices.Clone(start)
						loop(got)
						if !slices.Equal(got, want) {
							t.Fatalf("%s %d, %d × %d from %d: %v, want %v", what, k, n, d, lo, got, want)
						}
					}
				}
				beside := func(k int) [][]float64 { return [][]float64{few(max(n, d), 3), few(max(n, d), 3)}[:k] }
				check("margins", func(dst []float64) { naiveMarginsTo(dst, X, d, x, lo, hi) },
					func(dst []float64) { MarginsTo(dst, X, d, x, lo, hi) },
					func(dst []float64) { Margins32To(dst, X32, d, x, lo, hi) },
					func(dst []float64) { sparse.MarginsTo(dst, x, lo, hi) },
					func(dst []float64) {
						ManyMarginsTo(append(beside(2), dst), X, d, append(beside(2), x), lo, hi)
					})
				check("rows", func(dst []float64) { naiveAddRowsTo(dst, X, d, u, v, lo, hi) },
					func(dst []float64) { AddRowsTo(dst, X, d, u, v, lo, hi) },
					func(dst []float64) { AddRows32To(dst, X32, d, u, v, lo, hi) },
					func(dst []float64) { sparse.AddRowsTo(dst, u, v, lo, hi) },
					func(dst []float64) {
						ManyAddRowsTo(append(beside(2), dst), X, d, append(beside(2), u), append(beside(2), v), lo, hi)
					})
				check("gram", func(dst []float64) { naiveAddGramTo(dst, X, d, u, lo, hi) },
					func(dst []float64) { AddGramTo(dst, X, d, u, lo, hi) },
					func(dst []float64) { AddGram32To(dst, X32, d, u, lo, hi) },
					func(dst []float64) { sparse.AddGramTo(dst, u, lo, hi) })
				check("squares", func(dst []float64) { naiveSquaresTo(dst, X, d, u, lo, hi) },
					func(dst []float64) { sparse.AddSquaresTo(dst, u, lo, hi) })
				check("norms", func(dst []float64) { naiveNormsTo(dst, X, d, x, lo, hi) },
					func(dst []float64) { sparse.SquaredNormsTo(dst, x, lo, hi) })
			}
		}
	})
}

// Every slice but one has the length that is needed: each function of rows panics.
func TestKernels_ShortSlicePanics(t *testing.T) {
	const n = 5
	narrow := func(X []float64) []float32 { return make([]float32, len(X), max(1, len(X))) }
	twice := func(v []float64) [][]float64 { return [][]float64{v, v} }
	eachPath(t, func(t *testing.T) {
		for _, d := range []int{1, 8, 30} {
			for _, f := range []struct {
				name    string
				lengths []int
				do      func(v [][]float64)
			}{
				{"MarginsTo", []int{n, n * d, d}, func(v [][]float64) { MarginsTo(v[0], v[1], d, v[2], 0, n) }},
				{"Margins32To", []int{n, n * d, d}, func(v [][]float64) { Margins32To(v[0], narrow(v[1]), d, v[2], 0, n) }},
				{"AddRowsTo", []int{d, n * d, n, n}, func(v [][]float64) { AddRowsTo(v[0], v[1], d, v[2], v[3], 0, n) }},
				{"AddRows32To", []int{d, n * d, n, n}, func(v [][]float64) {
					AddRows32To(v[0], narrow(v[1]), d, v[2], v[3], 0,
						n)
				}},
				{"AddGramTo", []int{d * d, n * d, n}, func(v [][]float64) { AddGramTo(v[0], v[1], d, v[2], 0, n) }},
				{"AddGram32To", []int{d * d, n * d, n}, func(v [][]float64) { AddGram32To(v[0], narrow(v[1]), d, v[2], 0, n) }},
				{"ManyMarginsTo", []int{n, n * d, d}, func(v [][]float64) {
					ManyMarginsTo(twice(v[0]), v[1], d, twice(v[2]), 0,
						n)
				}},
				{"ManyAddRowsTo", []int{d, n * d, n, n}, func(
					v [][]float64) {
					ManyAddRowsTo(twice(v[0]), v[1], d, twice(v[2]), twice(v[3]), 0, n)
				}},
				{"ExpTo", []int{n, n}, func(v [][]float64) { ExpTo(v[0], v[1][:n], 0, 1) }},
				{"PositivePartTo", []int{n, n}, func(v [][]float64) { PositivePartTo(v[0], v[1][:n], 0, 1) }},
				{"LogisticTo", []int{n, n, n, n}, func(v [][]float64) { LogisticTo(v[0], v[1], v[2][:n], v[3]) }},
				{"Dot", []int{n, n}, func(v [][]float64) { Dot(v[0][:n], v[1]) }},
			} {
				for short := -1; short < len(f.lengths); short++ {
					v := make([][]float64, len(f.lengths))
					for k, length := range f.lengths {
						if v[k] = make([]float64, length); k == short {
							v[k] = v[k][: length-1 : length-1]
						}
						for i := range v[k] {
							v[k][i] = 1
						}
					}
					panicked := func() (is bool) {
						defer func() { is = recover() != nil }()
						f.do(v)
						return
					}()
					if panicked != (short >= 0) {
						t.Errorf("%s of %d columns, slice %d short: panics %v", f.name, d, short, panicked)
					}
				}
			}
		}
	})
}
