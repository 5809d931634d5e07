package kernel

import (
	"math/rand/v2"
	"testing"
)

// sparse is a matrix of which every row has so many entries, and the same with its zeros.
func sparse(rng *rand.Rand, n, d int) (*CSR, []float64) {
	m, full := &CSR{D: d, Start: []int{0}}, make([]float64, n*d)
	for i := range n {
		entries := i % (min(d, 11) + 1)
		taken := map[int]bool{}
		for _, j := range rng.Perm(d)[:entries] {
			taken[j] = true
		}
		for j := range d {
			if taken[j] {
				v := rng.NormFloat64()
				full[i*d+j] = v
				m.Column, m.Value = append(m.Column, int32(j)), append(m.Value, v)
			}
		}
		m.Start = append(m.Start, len(m.Value))
	}
	return m, full
}

// Sparse rows do what the same rows do with their zeros, over every range, and leave alone
// what is not of the range.
func TestSparse_EqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 40
	for _, d := range []int{1, 3, 7, 12, 30} {
		m, full := sparse(rng, n, d)
		x, u := normal(rng, d), normal(rng, n)
		w := weightsWithZeros(rng, n)
		for _, r := range [][2]int{{0, n}, {1, n - 1}, {7, 8}, {5, 5}, {n - 3, n}} {
			lo, hi := r[0], r[1]
			for name, op := range map[string]func(dst []float64, naive bool) (terms int){
				"margins": func(dst []float64, naive bool) int {
					if naive {
						naiveMarginsTo(dst, full, d, x, lo, hi)
					} else {
						m.MarginsTo(dst, x, lo, hi)
					}
					return d
				},
				"rows": func(dst []float64, naive bool) int {
					if naive {
						naiveAddRowsTo(dst, full, d, u, w, lo, hi)
					} else {
						m.AddRowsTo(dst[:d], u, w, lo, hi)
					}
					return n
				},
				"gram": func(dst []float64, naive bool) int {
					if naive {
						naiveAddGramTo(dst, full, d, w, lo, hi)
					} else {
						m.AddGramTo(dst[:d*d], w, lo, hi)
					}
					return n
				},
				"squares": func(dst []float64, naive bool) int {
					if !naive {
						m.AddSquaresTo(dst[:d], w, lo, hi)
						return n
					}
					for i := lo; i < hi; i++ {
						for j := range d {
							dst[j] += w[i] * full[i*d+j] * full[i*d+j]
						}
					}
					return n
				},
				"norms": func(dst []float64, naive bool) int {
					if !naive {
						m.SquaredNormsTo(dst, x, lo, hi)
						return d
					}
					for i := lo; i < hi; i++ {
						dst[i] = 0
						for j := range d {
							dst[i] += x[j] * full[i*d+j] * full[i*d+j]
						}
					}
					return d
				},
			} {
				start := normal(rng, max(n, d*d))
				got, want := append([]float64(nil), start...), append([]float64(nil), start...)
				terms := op(got, false)
				op(want, true)
				near(t, name, terms, got, want)
			}
		}
	}
}
