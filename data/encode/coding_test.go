package encode

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// An input is made of one column or two, of kinds that have numbers, with finite fills.
func TestValidateMade_RefusesWhatHasNoNumbers(t *testing.T) {
	for kind, ok := range map[data.Kind]bool{data.Other: false, data.Numeric: true, data.Categorical: true,
		data.Bool: true, data.Bool + 1: false} {
		in := Input{Kind: data.Numeric, Of: []Operand{{Column: "a", Kind: kind}}}
		if (in.validateOperands() == nil) != ok {
			t.Errorf("kind %v: %v", kind, in.validateOperands())
		}
	}
	a := Operand{Column: "a", Kind: data.Numeric}
	for n, ok := range []bool{true, true, true, false} {
		in := Input{Kind: data.Numeric}
		for range n {
			in.Of = append(in.Of, a)
		}
		if (in.validateOperands() == nil) != ok {
			t.Errorf("%d columns: %v", n, in.validateOperands())
		}
	}
	for _, fill := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
		a.Fill = &fill
		in := Input{Kind: data.Numeric, Of: []Operand{a}}
		if (in.validateOperands() == nil) != (fill == 0) {
			t.Errorf("filled with %v: %v", fill, in.validateOperands())
		}
	}
	if in := (Input{Kind: data.Numeric, Of: []Operand{{Kind: data.Numeric}}}); in.validateOperands() == nil {
		t.Error("a column without a name")
	}
	if in := (Input{Kind: data.Categorical, Of: []Operand{{Column: "a",
		Kind: data.Numeric}}}); in.validateOperands() == nil {
		t.Error("a category that is made")
	}
}
