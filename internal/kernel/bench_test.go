package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const (
	inMemory = 256 << 20 // bytes of a matrix beyond any cache
	inCache  = 256 << 10 // bytes of one in the second cache, and of a fused block
)

var sink float64

// benchPaths runs f with the assembly and without.
func benchPaths(b *testing.B, f func(b *testing.B)) {
	withAndWithout(func(name string) { b.Run(name, f) })
}

// benchRows is a matrix with what the loops over its rows need.
type benchRows struct {
	n, d                 int
	X                    []float64
	X32                  []float32
	x                    []float64
	u, v, w, value, grad []float64
}

// newBenchRows fills a matrix of that many bytes, in single precision when size is
// 4.
func newBenchRows(bytes, d, size int) *benchRows {
	n := bytes / (size * d)
	rng := rand.New(rand.NewPCG(1, 2))
	some := make([]float64, 4096)
	for i := range some {
		some[i] = rng.NormFloat64()
	}
	fill := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = some[i%4095]
		}
		return v
	}
	r := &benchRows{n: n, d: d, x: fill(d), u: fill(n), v: fill(n), w: fill(n + 1)[1:], value: fill(n), grad: fill(d)}
	if size == 8 {
		r.X = fill(n * d)
		return r
	}
	r.X32 = make([]float32, n*d)
	for i := range r.X32 {
		r.X32[i] = float32(some[i%4095])
	}
	return r
}

func (r *benchRows) margins(lo, hi int) {
	if r.X != nil {
		MarginsTo(r.v, r.X, r.d, r.x, lo, hi)
	} else {
		Margins32To(r.v, r.X32, r.d, r.x, lo, hi)
	}
}

func (r *benchRows) addRows(dst []float64, lo, hi int) {
	if r.X != nil {
		AddRowsTo(dst, r.X, r.d, r.u, r.v, lo, hi)
	} else {
		AddRows32To(dst, r.X32, r.d, r.u, r.v, lo, hi)
	}
}

var benchColumns = []int{20, 100, 1000}

// BenchmarkRows is each loop over the rows alone, in the cache and in memory.
func BenchmarkRows(b *testing.B) {
	for _, size := range []int{8, 4} {
		for _, d := range benchColumns {
			for _, bytes := range []int{inCache, inMemory} {
				r := newBenchRows(bytes, d, size)
				where := map[int]string{inCache: "cache", inMemory: "memory"}[bytes]
				for _, f := range []struct {
					name string
					run  func()
				}{
					{"Margins", func() { r.margins(0, r.n) }},
					{"AddRows", func() { r.addRows(r.grad, 0, r.n) }},
				} {
					b.Run(fmt.Sprintf("%s/float%d/d=%d/%s", f.name, 8*size, d, where), func(b *testing.B) {
						benchPaths(b, func(b *testing.B) {
							b.SetBytes(int64(r.n * d * size))
							for b.Loop() {
								f.run()
							}
						})
					})
				}
			}
		}
	}
}

// BenchmarkGram reports GFlop/s, d(d+1) operations a row.
func BenchmarkGram(b *testing.B) {
	for _, size := range []int{8, 4} {
		for _, d := range benchColumns {
			r := newBenchRows(4<<20, d, size)
			dst := make([]float64, d*d)
			b.Run(fmt.Sprintf("float%d/d=%d", 8*size, d), func(b *testing.B) {
				benchPaths(b, func(b *testing.B) {
					b.SetBytes(int64(r.n * d * size))
					for b.Loop() {
						if size == 8 {
							AddGramTo(dst, r.X, d, r.u, 0, r.n)
						} else {
							AddGram32To(dst, r.X32, d, r.u, 0, r.n)
						}
					}
					flop := float64(r.n) * float64(d) * float64(d+1)
					b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
				})
			})
		}
	}
}

// BenchmarkVectors is each loop over a vector in the first cache.
func BenchmarkVectors(b *testing.B) {
	const n = 1024
	r := newBenchRows(8*n, 1, 8)
	target := make([]float64, n)
	for i := range target {
		target[i] = float64(i%2*2 - 1)
	}
	for _, f := range []struct {
		name string
		run  func()
	}{
		{"Exp", func() { sink = ExpTo(r.value, r.u, 0.5, 2) }},
		{"Logistic", func() { LogisticTo(r.value, r.w, r.u, target) }},
		{"Max", func() { sink = Max(r.u) }},
		{"Sum", func() { sink = Sum(r.u) }},
		{"Dot", func() { sink = Dot(r.u, r.v) }},
		{"PositivePart", func() { sink, _ = PositivePartTo(r.value, r.u, 0.5, 2) }},
		{"Excess", func() { sink, _ = ExcessOver(r.u, 0.5) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			benchPaths(b, func(b *testing.B) {
				for b.Loop() {
					f.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
			})
		})
	}
}

// BenchmarkCholesky reports GFlop/s, d³/3 operations.
func BenchmarkCholesky(b *testing.B) {
	for _, d := range []int{50, 200, 600, 2000} {
		b.Run(fmt.Sprintf("%d", d), func(b *testing.B) {
			a, f := make([]float64, d*d), make([]float64, d*d)
			for i := range a {
				if a[i] = 1 / float64(1+i%d+i/d); i/d == i%d {
					a[i] = float64(d)
				}
			}
			for range b.N {
				copy(f, a)
				Cholesky(f, d)
			}
			b.ReportMetric(float64(d)*float64(d)*float64(d)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}
