package eval_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/memory"
)

// Where vectors lie changes no number, and nothing of them is left where they were.
func TestArena_ChangesNoNumber(t *testing.T) {
	f := evaltest.Read(t)
	heavy := evaltest.Two(1500, 1, 0.1, 1) // some of whose sums are resampled by rows
	heavy.Models[0].Loss[5] = 1e6
	weighted := f.Input(eval.Regression)
	weighted.Weight = f.Weight
	for name, in := range map[string]eval.Input{"binary": f.Input(eval.Binary), "regression": weighted,
		"large": evaltest.Two(2500, 2, 0.2, 2), "heavy": heavy} {
		second := in.Models[0]
		second.Name = "second"
		in.Models = append(in.Models, second)
		in.Resamples = 100
		in.Columns = []eval.Column{{Name: "x", Value: in.Models[0].Score}, {Name: "z", Value: in.Models[0].Loss}}
		var text [2]bytes.Buffer
		arena, err := memory.NewArena(t.TempDir(), 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		defer arena.Close()
		arena.MinSize = 1
		for k, r := range []*memory.Arena{nil, arena} {
			in.Arena = r
			e, err := eval.Evaluate(context.Background(), in)
			if err != nil {
				t.Fatal(name, err)
			}
			if err := e.WriteJSON(&text[k]); err != nil {
				t.Fatal(err)
			}
		}
		if text[0].String() != text[1].String() {
			t.Errorf("%s: another evaluation", name)
		}
		if n := arena.Slices(); n != 0 || arena.Err() != nil {
			t.Errorf("%s: %d slices are left, %v", name, n, arena.Err())
		}
	}
}
