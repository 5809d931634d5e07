package train

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// Predictions block by block equal those of the whole table, to the bit, with the kept columns and one report: for
// Parquet, which is read by blocks, and for text.
func TestPredict_ByBlocksEqualsWholeTable(t *testing.T) {
	const blockRows = 1 << 12
	const n = 3*blockRows + 17
	f := wide(t, n)
	big := data.Column{Name: "big", Kind: data.Numeric, Type: "int64", Number: make([]float64, n), Int: make([]int64, n),
		Null: make([]bool, n)}
	text := data.Column{Name: "text", Kind: data.Categorical, Type: "string", Level: []string{"", "common", "rare"},
		Code: make([]int32, n)}
	for i := range n {
		big.Int[i] = 1<<60 + int64(i)
		big.Number[i], big.Null[i], text.Code[i] = float64(big.Int[i]), i > blockRows && i%7 == 0, 1
	}
	text.Code[blockRows+5], text.Code[2*blockRows+9] = 2, 0
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Drop, cfg.Gap = "y", level.At(1), []string{"big"}, 1e-3
	cfg.Interact, cfg.Impute = []string{"a:b"}, "mean"
	var columns []data.Column
	for _, c := range append(f.Columns, &big) {
		columns = append(columns, *c)
	}
	known := text
	known.Code = make([]int32, n)
	for i := range known.Code {
		known.Code[i] = int32(i % 2)
	}
	g := newFrame(t, append(columns, known)...)
	m := fitFrame(t, g, cfg)
	for _, name := range []string{"t.parquet", "t.csv"} {
		path := filepath.Join(t.TempDir(), name)
		if err := data.WriteTable(path, append(columns, text), false); err != nil {
			t.Fatal(err)
		}
		f := openTable(t, path)
		defer f.Close()
		d, report, err := m.Encoder.Encode(t.Context(), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.PredictDataset(d, m.ScoringCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		keep := []string{"big", "text", "b"}
		exact, err := f.Exact(t.Context(), keep)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := exact.Rows(t.Context(), 0, f.Rows)
		if err != nil {
			t.Fatal(err)
		}
		threshold := 0.3
		o := BlockOptions{Keep: keep, Threshold: &threshold, size: blockRows}
		want, err := m.predictionColumns(p, 0, kept, &o)
		if err != nil {
			t.Fatal(err)
		}
		blocks, at := 0, 0
		got, err := m.PredictBlocks(t.Context(), f, o, func(cols []data.Column) error {
			blocks++
			for j, c := range cols {
				if c.Name != want[j].Name || c.Kind != want[j].Kind || c.Type != want[j].Type {
					return fmt.Errorf("column %d is %s, not %s", j, c.Name, want[j].Name)
				}
				for i := range c.Len() {
					if c.Text(i) != want[j].Text(at+i) || c.IsNull(i) != want[j].IsNull(at+i) ||
						c.Number != nil && c.Number[i] != want[j].Number[at+i] {
						return fmt.Errorf("row %d of %s: %s, at once %s", at+i+1, c.Name, c.Text(i), want[j].Text(at+i))
					}
				}
			}
			at += cols[0].Len()
			return nil
		})
		if err != nil || at != n || blocks != 4 {
			t.Errorf("%s: %d rows of %d in %d blocks: %v", name, at, n, blocks, err)
		}
		got.Drift, got.Training = nil, nil // of blocks alone
		if !reflect.DeepEqual(got, report) || len(got.Unseen) != 1 || got.Unseen[0].Count < 1 {
			t.Errorf("%s: report %+v, at once %+v", name, got, report)
		}
	}
	// An error names the row as the table counts it.
	a := *f.Columns[1]
	a.Null = make([]bool, n)
	a.Null[2*blockRows+3] = true
	cfg.Impute, cfg.Interact = "error", nil
	if _, err := FitFrame(t.Context(), f, cfg); err == nil {
		t.Fatal("a column that is not there was left out")
	}
	cfg.Drop = nil
	m = fitFrame(t, f, cfg)
	holed := newFrame(t, *f.Columns[0], a, *f.Columns[2], *f.Columns[3])
	_, err := m.PredictBlocks(t.Context(), holed, BlockOptions{size: blockRows}, func([]data.Column) error { return nil })
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d", 2*blockRows+4)) {
		t.Errorf("%v", err)
	}
}
