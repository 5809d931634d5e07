package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
)

func TestBilinear(t *testing.T) {
	o, err := NewBilinear(2, 3, []float64{1, -5, 2, 0, 3, 4}, []float64{10, 20}, false)
	if err != nil {
		t.Fatal(err)
	}
	value, slope, g := make([]float64, 2), make([]float64, 2), make([]float64, 3)
	o.EvalTo(value, slope, []float64{1, 1, 2}, 0, 2)
	if value[0] != 10 || value[1] != 31 { // 1 − 5 + 4 + 10 and 3 + 8 + 20
		t.Errorf("A x + b = %v", value)
	}
	o.AddGradTo(g, []float64{2, 1}, slope, 0, 2)
	if g[0] != 2 || g[1] != -7 || g[2] != 8 {
		t.Errorf("Aᵀy = %v", g)
	}
	h, m := make([]float64, 2), make([]float64, 2)
	if o.ConstantsTo(h, m, nil); !drotest.Near(h[0], math.Sqrt(30), drotest.ClosedForm, 0) || h[1] != 5 || drotest.MaxAbs(m) != 0 {
		t.Errorf("H = %v, M = %v", h, m)
	}
	o, _ = NewBilinear(2, 3, []float64{1, -5, 2, 0, 3, 4}, nil, true)
	if o.ConstantsTo(h, m, nil); h[0] != 5 || h[1] != 4 {
		t.Errorf("H = %v in the maximum norm", h)
	}
	for _, bad := range [][2]int{{2, 2}, {0, 3}, {3, 0}} {
		if _, err := NewBilinear(bad[0], bad[1], make([]float64, 6), nil, false); err == nil {
			t.Errorf("6 entries as %v are accepted", bad)
		}
	}
	if _, err := NewBilinear(2, 3, make([]float64, 6), make([]float64, 3), false); err == nil {
		t.Error("a constant of the wrong length is accepted")
	}
}
