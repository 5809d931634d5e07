package encode

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// A fill is fitted and used for NaN as for nulls, so that both tables give the same rows.
func TestNaN_Fill(t *testing.T) {
	values := func(null bool) data.Column {
		c := data.Column{Name: "x", Kind: data.Numeric, Type: "float64", Number: []float64{1, math.NaN(), 3, 8}}
		if null {
			c.Number[1], c.Null = 0, []bool{false, true, false, false}
		}
		return c
	}
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "int64", Integer: true, Number: []float64{0, 1, 0, 1}}
	var rows [2][]float64
	for i, null := range []bool{false, true} {
		f, err := data.NewFrame(values(null), y)
		if err != nil {
			t.Fatal(err)
		}
		d := fitRows(t, f, nil, nil, Spec{Target: "y", Impute: "median"}, Sink{}).Train
		for r := range d.N {
			rows[i] = append(rows[i], d.Row(r)...)
		}
	}
	for i, v := range rows[0] {
		if v != rows[1][i] || math.IsNaN(v) {
			t.Errorf("with NaN %v, with nulls %v", rows[0], rows[1])
			break
		}
	}
}
