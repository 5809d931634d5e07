package design_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/shard"
)

// oneHot draws n rows as encoded tables have them: numeric columns, one 1 in each
// group of categorical ones, and an intercept: 14 of 85 entries are not zero.
func oneHot(n int) (d int, x []float64) {
	const numeric = 5
	groups := []int{9, 16, 7, 15, 6, 5, 2, 19}
	d = numeric + 1
	for _, levels := range groups {
		d += levels
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x = make([]float64, n*d)
	for i := range n {
		r := x[i*d : (i+1)*d]
		for k := range numeric {
			r[k] = rng.NormFloat64()
		}
		at := numeric
		for _, levels := range groups {
			r[at+int(float64(levels)*rng.Float64()*rng.Float64())] = 1 // some levels are common
			at += levels
		}
		r[d-1] = 1
	}
	return d, x
}

// scattered draws n rows of d columns with one entry in so many not zero.
func scattered(n, d, one int) []float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, n*d)
	for i := range x {
		if rng.IntN(one) == 0 {
			x[i] = rng.NormFloat64()
		}
	}
	return x
}

// Every loop over the rows of every storage, at shapes on both sides of where the
// sparse one pays. B/s is counted in entries of float64, stored or not, so that
// numbers of one shape compare. "pass" takes margins and row sums of blocks that fit
// into the cache, as an evaluation does. The work is spread over GOMAXPROCS threads.
func BenchmarkMatrix(b *testing.B) {
	const n = 1 << 17
	shapes := []struct {
		name string
		d    int
		x    []float64
	}{{name: "onehot"}}
	shapes[0].d, shapes[0].x = oneHot(n)
	for _, one := range []int{20, 8, 4, 2} {
		shapes = append(shapes, struct {
			name string
			d    int
			x    []float64
		}{fmt.Sprintf("one_in_%d", one), 100, scattered(n, 100, one)})
	}
	for _, s := range shapes {
		d := s.d
		rng := rand.New(rand.NewPCG(7, 8))
		u, v, x, dst := make([]float64, n), make([]float64, n), make([]float64, d), make([]float64, n)
		for i := range u {
			u[i], v[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		wide, square := padded(d), padded(d*d)
		sums, grams := make([]float64, shard.Limit*wide), make([]float64, shard.Limit*square)
		sum := func(s int) []float64 { return sums[s*wide:][:d] }
		for _, z := range storages(b, n, d, s.x) {
			block := max(16, 192<<10*n/int(z.Bytes()))
			for _, op := range []struct {
				name string
				run  func(s, lo, hi int)
			}{
				{"margins", func(_, lo, hi int) { z.MarginsTo(dst, x, lo, hi) }},
				{"rows", func(s, lo, hi int) { z.AddRowsTo(sum(s), u, v, lo, hi) }},
				{"pass", func(s, lo, hi int) {
					for ; lo < hi; lo += block {
						z.MarginsTo(dst, x, lo, min(lo+block, hi))
						z.AddRowsTo(sum(s), u, dst, lo, min(lo+block, hi))
					}
				}},
				{"gram", func(s, lo, hi int) { z.AddGramTo(grams[s*square:][:d*d], u, lo, hi) }},
				{"squares", func(s, lo, hi int) { z.AddSquaresTo(sum(s), u, lo, hi) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/%s", s.name, op.name, name(z)), func(b *testing.B) {
					b.SetBytes(8 * int64(n) * int64(d))
					for b.Loop() {
						shard.Run(n, op.run)
					}
				})
			}
		}
	}
}

// padded is the distance between the partial sums of two shards: no cache line, nor
// pair of lines, belongs to both. The sums of one-hot rows, which have few entries and
// write the last column every time, take twice as long on two threads without it.
func padded(n int) int { return (n + 31) &^ 15 }

func name(z design.Matrix) string {
	switch z.(type) {
	case *design.Dense:
		return "dense"
	case *design.Dense32:
		return "dense32"
	}
	return "sparse"
}

// storages returns the n×d matrix x, its entries rounded to float32, in every
// storage.
func storages(t testing.TB, n, d int, x []float64) []design.Matrix {
	t.Helper()
	x32 := make([]float32, len(x))
	for i, v := range x {
		x32[i] = float32(v)
		x[i] = float64(x32[i])
	}
	start, column, value := compress(n, d, x)
	dense, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	dense32, err := design.NewDense32(n, d, x32)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := design.NewSparse(n, d, start, column, value)
	if err != nil {
		t.Fatal(err)
	}
	return []design.Matrix{dense, dense32, sparse}
}

// compress returns the entries of the n×d matrix x that are not zero, by rows.
func compress(n, d int, x []float64) (start []int, column []int32, value []float64) {
	start = make([]int, 1, n+1)
	for i := range n {
		for j, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				column, value = append(column, int32(j)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	return start, column, value
}
