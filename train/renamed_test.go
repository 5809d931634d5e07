package train

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// A scorer renames values as the reading of the training table did, and treats values that mark missing values as
// nulls.
func TestFormula_RenamesValues(t *testing.T) {
	ages, sites, floors := []float64{999, 8, 4, 5, 7}, []string{"a", "B", "?", "c", "b"}, []float64{1, 2, 99}
	text := "age,site,floor,y\n"
	for i := range 300 {
		text += fmt.Sprintf("%v,%s,%v,%d\n", ages[i%5], sites[i*7%11%5], floors[i%3], i*i/7%2)
	}
	cfg := DefaultConfig()
	cfg.Target, cfg.Loss, cfg.Holdout, cfg.Evaluate, cfg.Impute, cfg.Nu = "y", "logistic", 0, "", "mean", level.At(1)
	cfg.Reading = data.Reading{Relabel: map[string]string{"B": "b", "8": "4", "5": "999"}}
	cfg.Reading.Text.Missing = []string{"age=999", "?", "floor=99"}
	cfg.Categorical, cfg.Square, cfg.Interact = []string{"floor"}, []string{"age"}, []string{"site:age"}
	f, err := data.ReadBytes(t.Context(), "t.csv", []byte(text), cfg.Reading)
	if err != nil {
		t.Fatal(err)
	}
	m := readModel(t, bytes.NewReader(marshal(t, fitFrame(t, f, cfg))))
	want := predict(t, m, f)
	s := scorer(t, m)
	for i := range 300 {
		row := map[string]any{"age": ages[i%5], "site": sites[i*7%11%5], "floor": floors[i%3]}
		if got, err := s.Map(row); err != nil || !(math.Abs(got-want.Score[i]) <= 1e-12) {
			t.Fatalf("%v: %v, not %v, %v", row, got, want.Score[i], err)
		}
	}
}
