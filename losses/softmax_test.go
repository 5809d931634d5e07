package losses

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/exact"
)

// Losses and slopes agree with 256-bit arithmetic up to a small relative error, for equal margins and for margins
// thousands apart, for every class of the sample.
func TestSoftmax_LossesAndSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 600 {
		classes := 2 + rng.IntN(60)
		m := make([]float64, classes)
		for c := range m {
			m[c] = math.Ldexp(rng.NormFloat64(), k%12-3)
		}
		class := rng.IntN(classes)
		if k%2 == 0 {
			m[class] += float64(k % 40)
		}
		sum, others := exact.New(0), exact.New(0)
		power := make([]exact.Real, classes)
		for c, v := range m { // differences as they are computed
			lead := m[0]
			for _, w := range m {
				lead = max(lead, w)
			}
			power[c] = exact.Exp(exact.New(v - lead))
			sum = exact.Add(sum, power[c])
			if c != class {
				others = exact.Add(others, power[c])
			}
		}
		want, _ := exact.Log(exact.Div(sum, power[class])).Float64()
		if want < 1e-50 { // log(1 + r) is r there
			want, _ = exact.Div(others, power[class]).Float64()
		}
		slope := append([]float64(nil), m...)
		got := softmaxTo(slope, class)
		if !(math.Abs(got-want) <= 0x1p-49*want) {
			t.Errorf("margins %v, class %d: loss %v, not %v", m, class, got, want)
		}
		total := 0.0
		for c, v := range slope {
			p := power[c]
			if c == class {
				p = others
			}
			want, _ := exact.Div(p, sum).Float64()
			if c == class {
				want = -want
			}
			if total += v; !(math.Abs(v-want) <= 24*0x1p-53*math.Abs(want)+0x1p-1060) {
				t.Errorf("margins %v, class %d: slope %d is %v, not %v", m, class, c, v, want)
			}
		}
		if !(math.Abs(total) <= 1e-14) {
			t.Errorf("slopes sum to %v", total)
		}
	}
}

func TestNewSoftmax_Refusals(t *testing.T) {
	z, err := design.NewDense(2, 1, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class   []int
		classes int
		want    string
	}{
		{[]int{0}, 2, "1 class indices for 2 rows"}, {[]int{0, 2}, 2, "row 1 has the class 2, but there are 2 classes"},
		{[]int{0, -1}, 3, "row 1"},
		{[]int{0, 0}, 1, "2 to"}, {[]int{0, 0}, maxClasses + 1, "2 to"},
	} {
		if _, err := NewSoftmax(z, c.class, c.classes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
