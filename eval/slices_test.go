package eval_test

import (
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// A slice planted in the data is found and confirmed; none is in noise.
func TestSlices_PlantedAreFoundAndNoneInNoise(t *testing.T) {
	in := evaltest.Two(4000, 4, 0, 1)
	level := eval.Column{Name: "site", Levels: []string{"a", "b", "c"}}
	age := eval.Column{Name: "age", Unit: "years"}
	for i := range in.Target {
		level.Code = append(level.Code, int32(i*7%3))
		age.Value = append(age.Value, float64(20+i*13%50))
	}
	in.Columns = []eval.Column{level, age}
	e := evaltest.Evaluate(t, in)
	if e.Slices.Confirmed > 0 {
		t.Errorf("found in noise: %+v", e.Slices.Found)
	}
	for i := range in.Target {
		if level.Code[i] == 1 && age.Value[i] > 59 {
			for k := range in.Models {
				in.Models[k].Loss[i]++
			}
		}
	}
	e = evaltest.Evaluate(t, in)
	if s := e.Slices.Found; len(s) == 0 || !s[0].Confirmed || s[0].Condition != "site = b and age > 59 (years)" {
		t.Errorf("%+v", s)
	}
}
