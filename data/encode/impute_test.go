package encode

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// What stands for a null in a product or a spline is what stands for it in the column itself, to
// the last bit, of however many stripes.
func TestImpute_DerivedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, n := range []int{9, 2*2048 + 300} {
		a, b, y := data.Column{Name: "a", Kind: data.Numeric, Null: make([]bool, n)}, data.Column{Name: "b",
			Kind: data.Numeric}, data.Column{Name: "y", Kind: data.Numeric}
		for i := range n {
			a.Null[i] = i%7 == 3
			a.Number, b.Number, y.Number = append(a.Number, math.Exp(3*rng.NormFloat64())), append(b.Number,
				rng.Float64()), append(y.Number, rng.Float64())
		}
		f := newFrame(t, a, b, y)
		for _, how := range []string{"mean", "median"} {
			e := newEncoder(t, f, nil, Spec{Target: "y", Impute: how,
				Transforms: Transforms{Square: []string{"a"}, Interact: [][2]string{{"a", "b"}}}})
			told := 0
			for _, in := range e.Inputs {
				for _, o := range in.Of {
					if o.Column == "a" {
						if told++; o.Fill == nil || *o.Fill != e.Inputs[0].Fill {
							t.Errorf("%d rows: the %s of a in %q is %v, by itself %v", n, how, in.Name, o.Fill, e.Inputs[0].Fill)
						}
					}
				}
			}
			if told < 2 {
				t.Errorf("%d columns are made of a: %+v", told, e.Inputs)
			}
		}
	}
}
