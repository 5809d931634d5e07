package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The factor is exact to the bound that its comment states, here doubled for the product that the test computes, and
// entries below the diagonal are not touched.
func TestCholesky_FactorOfMatrix(t *testing.T) {
	const u = 0x1p-53
	withAndWithout(func(path string) {
		for _, d := range []int{0, 1, 2, 3, 4, 7, 31, 32, 33, 36, 64, 65, 96, 131} {
			t.Run(fmt.Sprintf("%s/%d", path, d), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(d), 4))
				root := make([]float64, d*d)
				for i := range root {
					root[i] = rng.NormFloat64()
				}
				a := make([]float64, d*d)
				for i := range d {
					for j := range d {
						for k := range d {
							a[i*d+j] += root[k*d+i] * root[k*d+j]
						}
						if i == j {
							a[i*d+j] += 1e-3
						} else if i > j {
							a[i*d+j] = math.NaN()
						}
					}
				}
				f := slices.Clone(a)
				if !Cholesky(f, d) {
					t.Fatal("not positive definite")
				}
				for i := range d {
					for j := range i {
						if !math.IsNaN(f[i*d+j]) {
							t.Fatalf("entry %d, %d below the diagonal was changed", i, j)
						}
					}
					for j := i; j < d; j++ {
						product, absolute := 0.0, 0.0
						for k := range i + 1 {
							product += f[k*d+i] * f[k*d+j]
							absolute += math.Abs(f[k*d+i] * f[k*d+j])
						}
						if off := math.Abs(product - a[i*d+j]); !(off <= 2*float64(d+1)*u*absolute) {
							t.Fatalf("entry %d, %d: %v is %v off", i, j, a[i*d+j], off)
						}
					}
				}
			})
		}
	})
}

func TestCholesky_NotPositiveDefinite(t *testing.T) {
	withAndWithout(func(path string) {
		for _, d := range []int{1, 5, 33, 70} {
			for _, at := range []int{0, d / 2, d - 1} {
				for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
					a := make([]float64, d*d)
					for i := range d {
						a[i*d+i] = 2
					}
					if a[at*d+at] = v; Cholesky(a, d) {
						t.Errorf("%s: %d columns with %v at %d are positive definite", path, d, v, at)
					}
				}
			}
			if d > 1 {
				a := make([]float64, d*d)
				for i := range a {
					a[i] = 1
				}
				a[d-1] = math.NaN()
				if Cholesky(a, d) {
					t.Errorf("%s: %d columns with NaN beside the diagonal are positive definite", path, d)
				}
			}
		}
	})
}
