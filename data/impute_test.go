package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Nulls that are filled are rows with the fill in them: a table encoded with the mean or the
// median of a column in place of nulls has the columns of one where the number is written
// out. The median is that of the values in order, for an odd number of them and an even one.
func TestImpute_RowsWithTheFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for n := 9; n < 15; n++ {
		value := make([]float64, n)
		null := make([]bool, n)
		var there []float64
		for i := range value {
			value[i] = math.Round(64*rng.NormFloat64()) / 8
			if null[i] = i%4 == 2; !null[i] {
				there = append(there, value[i])
			}
		}
		slices.Sort(there)
		mean := 0.0
		for _, v := range there {
			mean += v / float64(len(there))
		}
		fills := map[string]float64{"mean": mean, "median": (there[(len(there)-1)/2] + there[len(there)/2]) / 2}
		for impute, fill := range fills {
			for _, scale := range []string{"standard", "none"} {
				var with, without strings.Builder
				with.WriteString("y,x,z\n")
				without.WriteString("y,x,z\n")
				for i, v := range value {
					is := fmt.Sprint(v)
					if null[i] {
						is = ""
						v = fill
					}
					fmt.Fprintf(&with, "%d,%s,%d\n", i*i, is, i%3)
					fmt.Fprintf(&without, "%d,%v,%d\n", i*i, v, i%3)
				}
				a, err := Fit(t.Context(), frameOf(t, with.String()), nil, nil, Spec{Target: "y", Impute: impute, Scale: scale}, Float64)
				if err != nil {
					t.Fatal(err)
				}
				b, err := Fit(t.Context(), frameOf(t, without.String()), nil, nil, Spec{Target: "y", Scale: scale}, Float64)
				if err != nil {
					t.Fatal(err)
				}
				if got := a.Encoder.Inputs[0].Fill; !(math.Abs(got-fill) <= 1e-13*(1+math.Abs(fill))) {
					t.Errorf("%d rows: %s %v, not %v", n, impute, got, fill)
				}
				x, y := make([]float64, a.Train.D), make([]float64, b.Train.D)
				for i := range n {
					a.Train.X.RowTo(x, i)
					b.Train.X.RowTo(y, i)
					for k := range x {
						if !(math.Abs(x[k]-y[k]) <= 1e-12*(1+math.Abs(y[k]))) {
							t.Errorf("%d rows, %s, %s: row %d is %v, with the number written out %v", n, impute, scale, i, x, y)
							break
						}
					}
				}
			}
		}
	}
}

// What stands for a null in a product or a spline is what stands for it in the column itself, to
// the last bit, of however many stripes.
func TestImpute_DerivedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, n := range []int{9, 2*2048 + 300} {
		a, b, y := Column{Name: "a", Kind: Numeric, Null: make([]bool, n)}, Column{Name: "b", Kind: Numeric}, Column{Name: "y", Kind: Numeric}
		for i := range n {
			a.Null[i] = i%7 == 3
			a.Number, b.Number, y.Number = append(a.Number, math.Exp(3*rng.NormFloat64())), append(b.Number, rng.Float64()), append(y.Number, rng.Float64())
		}
		f, err := NewFrame(a, b, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []string{"mean", "median"} {
			e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Impute: how, Transforms: Transforms{Square: []string{"a"}, Interact: [][2]string{{"a", "b"}}}})
			if err != nil {
				t.Fatal(err)
			}
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
