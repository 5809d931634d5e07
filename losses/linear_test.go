package losses

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// linearOver returns the oracle over rows drawn at random, in every storage.
func linearOver(t *testing.T, l Loss, n, d int) []*Linear {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 10))
	x, x32, target := make([]float64, n*d), make([]float32, n*d), make([]float64, n)
	start := []int{0}
	var column []int32
	var value []float64
	for i := range n {
		target[i] = targets(l)[rng.IntN(len(targets(l)))]
		for k := range d {
			if rng.IntN(2) == 0 {
				v := float32(rng.NormFloat64())
				x[i*d+k], x32[i*d+k] = float64(v), v
				column, value = append(column, int32(k)), append(value, float64(v))
			}
		}
		start = append(start, len(value))
	}
	double, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	single, err := design.NewDense32(n, d, x32)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := design.NewSparse(n, d, start, column, value)
	if err != nil {
		t.Fatal(err)
	}
	var oracles []*Linear
	for _, z := range []design.Matrix{double, single, sparse} {
		o, err := NewLinear(l, z, target)
		if err != nil {
			t.Fatal(err)
		}
		oracles = append(oracles, o)
	}
	return oracles
}

// Selected samples keep their losses, slopes, curvatures and constants, bit for bit, in the given order and
// multiplicity.
func TestSelect_KeepsSamples(t *testing.T) {
	const n, d = 11, 4
	x := []float64{0.4, -1.1, 0.2, 0.9}
	rows := []int{7, 0, 7, 10, 3}
	for _, l := range all {
		for _, o := range linearOver(t, l, n, d) {
			s := o.Select(rows).(*Linear)
			if m, k, slope := s.Dims(); m != len(rows) || k != d || slope != 1 {
				t.Fatalf("%#v: %d samples, %d parameters, slopes of %d", l, m, k, slope)
			}
			got, want := everything(s, x), everything(o, x)
			for which := range got {
				for k, j := range rows {
					if got[which][k] != want[which][j] {
						t.Errorf("%#v %T: quantity %d of sample %d is %v, selected %v", l, o.z, which, j, want[which][j], got[which][k])
					}
				}
			}
			a, b := make([]float64, d), make([]float64, d)
			weight, once := []float64{1, 2, 3, 4, 5}, make([]float64, n)
			for k, j := range rows {
				once[j] += weight[k]
			}
			s.AddGradTo(a, weight, got[1], 0, len(rows))
			o.AddGradTo(b, once, want[1], 0, n)
			for k := range a {
				if !(math.Abs(a[k]-b[k]) <= closedForm*(1+math.Abs(b[k]))) {
					t.Errorf("%#v %T: gradient %v, selected %v", l, o.z, b, a)
				}
			}
			if s.NonNegative() != o.NonNegative() {
				t.Errorf("%#v: bounds change", l)
			}
			if empty, k, _ := o.Select(nil).Dims(); empty != 0 || k != d {
				t.Errorf("%#v: no samples are %d×%d", l, empty, k)
			}
		}
	}
}

// everything returns values, slopes, curvatures and constants by sample.
func everything(o *Linear, x []float64) [5][]float64 {
	n, _, _ := o.Dims()
	var v [5][]float64
	for k := range v {
		v[k] = make([]float64, n)
	}
	o.EvalTo(v[0], v[1], x, 0, n)
	o.CurvatureTo(v[2], v[1], 0, n)
	o.ConstantsTo(v[3], v[4], x)
	return v
}

// A selection is a copy that does not refer to the original matrix and targets.
func TestSelect_IsACopy(t *testing.T) {
	x, target := []float64{1, 2, 3}, []float64{0.5, -1, 2}
	z, err := design.NewDense(3, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewLinear(Squared{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	s := o.Select([]int{2, 1}).(*Linear)
	before := everything(s, []float64{1})
	clear(x)
	clear(target)
	if after := everything(s, []float64{1}); !slices.EqualFunc(before[:], after[:], slices.Equal) {
		t.Errorf("%v, and %v after the original changed", before, after)
	}
	if want := []float64{0.5, 4.5}; !slices.Equal(before[0], want) { // ½(3 − 2)², ½(2 + 1)²
		t.Errorf("losses %v, want %v", before[0], want)
	}
}
