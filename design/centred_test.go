package design_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// Columns far from zero are moved there without rounding, in every storage, and no others:
// not the last, nor one with an entry far from the rest.
func TestCentred(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, d = 300, 6
	x := make([]float64, n*d)
	for i := range n {
		far := 5e5
		if i == 250 {
			far = 0
		}
		copy(x[i*d:], []float64{rng.NormFloat64(), 1e6 + 100*rng.NormFloat64(), far, -7, math.Exp(rng.NormFloat64()), 1})
		for k := range d {
			x[i*d+k] = float64(float32(x[i*d+k]))
		}
	}
	single := make([]float32, len(x))
	start, column, value := []int{0}, []int32{}, []float64{}
	for i := range n {
		for k := range d {
			if single[i*d+k] = float32(x[i*d+k]); x[i*d+k] != 0 {
				column, value = append(column, int32(k)), append(value, x[i*d+k])
			}
		}
		start = append(start, len(column))
	}
	dense, err := design.NewDense(n, d, x)
	dense32, err32 := design.NewDense32(n, d, single)
	sparse, errSparse := design.NewSparse(n, d, start, column, value)
	if err != nil || err32 != nil || errSparse != nil {
		t.Fatal(err, err32, errSparse)
	}
	for _, m := range []design.Matrix{dense, dense32, sparse} {
		z, by := design.Centred(m, 1)
		if z == nil {
			t.Fatalf("%T: nothing moves", m)
		}
		if by[0] != 0 || by[2] != 0 || by[4] != 0 || by[5] != 0 || by[3] != -7 || math.Abs(by[1]-1e6) > 200 {
			t.Errorf("%T: moved by %v", m, by)
		}
		row, most := make([]float64, d), make([]float64, d)
		for i := range n {
			z.RowTo(row, i)
			for k, v := range row {
				if v+by[k] != x[i*d+k] || by[k] != 0 && x[i*d+k]-v != by[k] {
					t.Fatalf("%T: row %d, column %d: %v moved by %v is %v", m, i, k, x[i*d+k], by[k], v)
				}
				most[k] = max(most[k], math.Abs(v))
			}
		}
		for k, v := range z.Largest() {
			if v != most[k] {
				t.Errorf("%T: column %d is said to have entries up to %v, not %v", m, k, v, most[k])
			}
		}
		if again, _ := design.Centred(z, 1); again != nil {
			t.Errorf("%T: moves twice", m)
		}
		if z, _ := design.Centred(m, d); z != nil {
			t.Errorf("%T: columns that are kept are moved", m)
		}
	}
}

// Near is within a 64th, the ends with it, and of entries that are not all zero.
func TestNearItsEnds(t *testing.T) {
	for _, q := range []struct {
		v    []float64
		at   float64
		near bool
	}{
		{[]float64{64, 64, 65}, 64, true}, {[]float64{64, 64, 63}, 64, true}, {[]float64{-64, -65, -63}, -64, true},
		{[]float64{64, 64, math.Nextafter(65, 66)}, 0, false}, {[]float64{64, 64, 0}, 0, false}, {[]float64{0, 0, 0}, 0, false}, {[]float64{7}, 7, true},
	} {
		if at, near := design.Near(q.v); at != q.at || near != q.near {
			t.Errorf("%v: %v, %v", q.v, at, near)
		}
	}
}
