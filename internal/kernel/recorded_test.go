package kernel

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
)

// The bits of every loop, with the assembly and without: the order in which a loop adds is part
// of what it promises, since results are the same everywhere for the same arguments.
func TestBitsAreRecorded(t *testing.T) {
	var out strings.Builder
	record := func(path string) {
		rng := rand.New(rand.NewPCG(23, 7))
		say := func(what string, n, d int, vs ...[]float64) {
			sum, bits := 0.0, fnv.New32a()
			for _, v := range vs {
				for _, a := range v {
					sum += math.Abs(a)
					fmt.Fprintf(bits, "%x ", math.Float64bits(a))
				}
			}
			fmt.Fprintf(&out, "%s %s %d × %d: %.6g ~%08x\n", path, what, n, d, sum, bits.Sum32())
		}
		for _, size := range [][2]int{{4, 3}, {9, 1}, {90, 13}, {300, 30}, {70, 300}, {6, 200}} {
			n, d := size[0], size[1]
			X, x, u, v, p, q := normal(rng, n*d), normal(rng, d), weightsWithZeros(rng, n), normal(rng, n), normal(rng, n), normal(rng, n)
			X32, _ := single(X)
			of := func(length int, do func(dst []float64)) []float64 {
				dst := make([]float64, length)
				do(dst)
				return dst
			}
			say("margins", n, d, of(n, func(dst []float64) { MarginsTo(dst, X, d, x, 0, n) }), of(n, func(dst []float64) { Margins32To(dst, X32, d, x, 0, n) }))
			say("rows", n, d, of(d, func(dst []float64) { AddRowsTo(dst, X, d, u, v, 0, n) }), of(d, func(dst []float64) { AddRows32To(dst, X32, d, u, v, 0, n) }))
			say("change", n, d, of(d, func(dst []float64) { AddChangeTo(dst, X, d, u, v, p, q, 0, n) }), of(d, func(dst []float64) { AddChange32To(dst, X32, d, u, v, p, q, 0, n) }))
			say("gram", n, d, of(d*d, func(dst []float64) { AddGramTo(dst, X, d, u, 0, n) }), of(d*d, func(dst []float64) { AddGram32To(dst, X32, d, u, 0, n) }))
			say("many margins", n, d, of(n, func(dst []float64) { ManyMarginsTo([][]float64{dst}, X, d, [][]float64{x}, 0, n) }),
				of(n, func(dst []float64) { ManyMargins32To([][]float64{dst}, X32, d, [][]float64{x}, 0, n) }))
			say("many rows", n, d, of(d, func(dst []float64) { ManyAddRowsTo([][]float64{dst}, X, d, [][]float64{u}, [][]float64{v}, 0, n) }),
				of(d, func(dst []float64) {
					ManyAddRows32To([][]float64{dst}, X32, d, [][]float64{u}, [][]float64{v}, 0, n)
				}))
			value, slope := make([]float64, n), make([]float64, n)
			LogisticTo(value, slope, u, v)
			small, none := make([]float64, n), make([]float64, n)
			for i := range small {
				small[i] = 5.6 + math.Abs(p[i])/10 // of exponentials below the first knot of log1p
			}
			LogisticTo(small, none, small, slices.Repeat([]float64{1}, n))
			excess, _ := ExcessOver(v, 0.3)
			say("entries", n, d, value, slope, small, of(n, func(dst []float64) { dst[0] += ExpTo(dst, v, 0.1, 0.7) }),
				of(n, func(dst []float64) { part, _ := PositivePartTo(dst, v, 0.1, 0.7); dst[0] += part }), []float64{Max(v), Sum(v), Dot(p, q), excess})
		}
	}
	if !avx2 { // numbers are nearly the same
		record("avx2")
	}
	withAndWithout(record)
	goldentest.Record(t, "testdata/recorded.txt", "# The bits of every loop on a few matrices, with the assembly and without: a size, and a\n# sum of the bits. go test ./internal/kernel -run Recorded -update\n", out.String(), 1e-9)
}
