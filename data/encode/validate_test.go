package encode

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

// An encoder that was read from somewhere is refused where its parts cannot belong together,
// by which of them it is.
func TestEncoder_Validate(t *testing.T) {
	good, err := NewEncoder(t.Context(), tableOf(&datatest.Faulty{}), nil,
		Spec{Target: "y", Drop: []string{"last"}, Groups: []string{"group", "flag"}, Impute: "mean", Intercept: true,
			Transforms: Transforms{Square: []string{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	text := datatest.Marshal(t, good)
	input := func(e *Encoder, name string) *Input {
		for i := range e.Inputs {
			if e.Inputs[i].Name == name {
				return &e.Inputs[i]
			}
		}
		t.Fatalf("no input %q of %+v", name, e.Inputs)
		return nil
	}
	for says, change := range map[string]func(e *Encoder){
		"the target has no name":                      func(e *Encoder) { e.Target.Name = "" },
		`unknown imputation "zero"`:                   func(e *Encoder) { e.Spec.Impute = "zero" },
		"has no inputs":                               func(e *Encoder) { e.Inputs = nil },
		"input 1 of the encoder has no name":          func(e *Encoder) { e.Inputs[0].Name = "" },
		`"a", occurs twice or is the target`:          func(e *Encoder) { e.Inputs[1].Name = "a" },
		`"y", occurs twice or is the target`:          func(e *Encoder) { e.Inputs[0].Name = "y" },
		"begins at the encoded column 2 instead of 1": func(e *Encoder) { e.Inputs[1].First = 2 },
		`"b", has the fill value NaN`:                 func(e *Encoder) { input(e, "b").Fill = math.NaN() },
		`"b", has the fill value +Inf`:                func(e *Encoder) { input(e, "b").Fill = math.Inf(1) },
		`"square(a)": unknown function "cube"`: func(e *Encoder) {
			input(e,
				"square(a)").Of[0].Function.Name = "cube"
		},
		`"region", has fewer than two levels: ["north"]`: func(e *Encoder) {
			in := input(e, "region")
			in.Levels,
				in.Missing = []string{"north"}, false
		},
		`lists a level twice: ["east" "north" "south" "north"]`: func(e *Encoder) { input(e, "region").Levels[3] = "north" },
		`has the reference level "down"`:                        func(e *Encoder) { input(e, "region").Reference = "down" },
		`"b", is neither a number nor a category`:               func(e *Encoder) { input(e, "b").Kind = data.Other },
		`"region", needs 5 encoded columns, but only 2`:         func(e *Encoder) { e.Columns = e.Columns[:3] },
		`"a", does not match the encoded column "z"`: func(e *Encoder) {
			e.Columns[0].Name,
				e.Columns[0].Source = "z", "z"
		},
		`"a", does not match the encoded column "a"`: func(e *Encoder) { e.Columns[0].Kind = "indicator" },
		`"(intercept)" belongs to no input`: func(e *Encoder) {
			e.Columns = append(e.Columns,
				e.Columns[len(e.Columns)-1])
		},
		`"more" belongs to no input`: func(
			e *Encoder) {
			e.Columns[len(e.Columns)-1] = Coding{Name: "more", Kind: "numeric", Scale: 1}
		},
		`the encoded column "(intercept)" has the shift 0`:       func(e *Encoder) { e.Columns[len(e.Columns)-1].Scale = 0 },
		"grouping 1 of the encoder names no columns":             func(e *Encoder) { e.Groups[0].Sources = nil },
		"grouping 3 of the encoder names no columns":             func(e *Encoder) { e.Groups[2].Sources[1] = "" },
		`grouping 2 of the encoder, "flag", has an unknown kind`: func(e *Encoder) { e.Groups[1].Kind = data.Bool + 1 },
	} {
		var e Encoder
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		change(&e)
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, not %q", err, says)
		}
	}
}
