package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Products with several vectors are those with each, and each has the bits that it has alone,
// whatever it is taken with.
func TestMany_EqualsEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	withAndWithout(func(name string) {
		t.Run(name, func(t *testing.T) {
			for _, d := range []int{1, 5, 11, 12, 13, 61, 257, 300} {
				for _, n := range []int{1, 3, 67, 130} {
					for _, count := range []int{1, 4, 5, 12, 14} {
						X := normal(rng, n*d)
						lo, hi := rng.IntN(n), n
						x, u, v := make([][]float64, count), make([][]float64, count), make([][]float64, count)
						margin, sum := make([][]float64, count), make([][]float64, count)
						for k := range x {
							x[k], u[k], v[k] = normal(rng, d), normal(rng, n), normal(rng, n)
							margin[k], sum[k] = make([]float64, n), normal(rng, d)
						}
						before := make([][]float64, count)
						for k := range sum {
							before[k] = append([]float64(nil), sum[k]...)
						}
						ManyMarginsTo(margin, X, d, x, lo, hi)
						ManyAddRowsTo(sum, X, d, u, v, lo, hi)
						for k := range x {
							what := fmt.Sprintf("%d rows from %d, %d columns, vector %d of %d", n, lo, d, k, count)
							want, alone := make([]float64, n), make([]float64, n)
							naiveMarginsTo(want, X, d, x[k], lo, hi)
							ManyMarginsTo([][]float64{alone}, X, d, x[k:k+1], lo, hi)
							total, single := append([]float64(nil), before[k]...), append([]float64(nil), before[k]...)
							naiveAddRowsTo(total, X, d, u[k], v[k], lo, hi)
							ManyAddRowsTo([][]float64{single}, X, d, u[k:k+1], v[k:k+1], lo, hi)
							for i := range want {
								if far(margin[k][i], want[i], d) || margin[k][i] != alone[i] {
									t.Fatalf("%s: margin %d is %v, alone %v, one by one %v", what, i, margin[k][i], alone[i], want[i])
								}
							}
							for j := range total {
								if far(sum[k][j], total[j], n) || sum[k][j] != single[j] {
									t.Fatalf("%s: sum %d is %v, alone %v, one by one %v", what, j, sum[k][j], single[j], total[j])
								}
							}
						}
					}
				}
			}
		})
	})
}

// far reports whether two sums of that many products of normal numbers differ by more than rounding.
func far(a, b float64, terms int) bool {
	return !(a-b < 1e-13*float64(terms+1) && b-a < 1e-13*float64(terms+1))
}

func BenchmarkMany(b *testing.B) {
	const n, d = 8192, 601
	for _, count := range []int{1, 4, 12, 23, 31} {
		x, u, v := make([][]float64, count), make([][]float64, count), make([][]float64, count)
		margin, sum := make([][]float64, count), make([][]float64, count)
		rng := rand.New(rand.NewPCG(1, 2))
		X := normal(rng, n*d)
		for k := range x {
			x[k], u[k], v[k] = normal(rng, d), normal(rng, n), normal(rng, n)
			margin[k], sum[k] = make([]float64, n), make([]float64, d)
		}
		report := func(b *testing.B) {
			b.ReportMetric(2*float64(n)*d*float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		}
		for _, of := range []struct {
			name string
			do   func()
		}{
			{"margins", func() { ManyMarginsTo(margin, X, d, x, 0, n) }},
			{"rows", func() { ManyAddRowsTo(sum, X, d, u, v, 0, n) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", of.name, count), func(b *testing.B) {
				for b.Loop() {
					of.do()
				}
				report(b)
			})
		}
		b.Run(fmt.Sprintf("each/%d", count), func(b *testing.B) {
			for b.Loop() {
				for k := range x {
					MarginsTo(margin[k], X, d, x[k], 0, n)
				}
			}
			report(b)
		})
	}
}
