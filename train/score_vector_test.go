package train

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// The scorer of a model of sparse vectors agrees with the model, for every way to give a vector.
func TestScorer_SparseVector(t *testing.T) {
	for _, classes := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d classes", classes), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(classes)))
			var text strings.Builder
			var rows []map[int]float64
			for range 300 {
				row := map[int]float64{}
				for range 1 + r.IntN(4) {
					row[r.IntN(20)] = math.Round(100*r.Float64()) / 100
				}
				fmt.Fprintf(&text, "%d", (len(row)+r.IntN(2))%classes)
				for k := range 20 {
					if v, ok := row[k]; ok {
						fmt.Fprintf(&text, " %d:%v", k, v)
					}
				}
				text.WriteString("\n")
				rows = append(rows, row)
			}
			cfg := keepingRows()
			cfg.Data, cfg.Target, cfg.Loss, cfg.Holdout, cfg.Nu =
				filepath.Join(t.TempDir(), "t.svm"), "label", "logistic", 0, level.At(1)
			put(t, cfg.Data, text.String())
			m := fit(t, cfg)
			f := openTable(t, cfg.Data)
			s, err := m.Scorer()
			if err != nil {
				t.Fatal(err)
			}
			want := predict(t, m, f)
			for i, row := range rows {
				dense, object := make([]float64, 20), map[string]any{}
				for k, v := range row {
					dense[k], object[fmt.Sprint(k)] = v, json.Number(fmt.Sprint(v))
				}
				for _, x := range []any{row, dense, object} {
					got, err := s.Explain(map[string]any{"x": x})
					if err != nil {
						t.Fatal(err)
					}
					p := []float64{want.Score[i]}
					if classes > 2 {
						p = want.Probability[classes*i : classes*(i+1)]
					} else {
						got.Probabilities = []float64{got.Score}
					}
					for k := range p {
						if math.Abs(got.Probabilities[k]-p[k]) > 1e-12 {
							t.Fatalf("row %d as %T: %v, want %v", i, x, got.Probabilities, p)
						}
					}
				}
			}
			for _, x := range []any{nil, 1.5, "a", map[int]float64{-1: 1}, map[int]float64{1: math.Inf(1)},
				map[string]any{"a": 1.0}} {
				if _, err := s.Map(map[string]any{"x": x}); err == nil {
					t.Errorf("the vector %v is accepted", x)
				}
			}
		})
	}
}
