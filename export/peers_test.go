package export

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train"
)

// A peerCase is what other programs check a formula with.
type peerCase struct {
	Name    string    `json:"name"`
	Score   string    `json:"score"`
	Columns []string  `json:"columns"`
	Types   []string  `json:"types"` // number, text or bool
	Null    []string  `json:"null"`  // of text, in ONNX
	Rows    [][]any   `json:"rows"`
	Want    []float64 `json:"want"`
}

// peerTolerance is the largest relative difference of a score by another program.
const peerTolerance = 1e-12

// Other programs score the edge rows as the model does: onnxruntime, DuckDB, Google's
// engine of BigQuery's language and a PMML evaluator, as far as the Python that
// DROTRAIN_PYTHON names has them.
func TestPeers(t *testing.T) {
	python := os.Getenv("DROTRAIN_PYTHON")
	if python == "" {
		t.Skip("DROTRAIN_PYTHON names no Python with onnxruntime, duckdb, zetasql or jpmml_evaluator")
	}
	dir := t.TempDir()
	formulas := trained(t)
	var all []peerCase
	for name, f := range formulas {
		all = append(all, newPeerCase(t, f, name))
		write := func(ending string, format Format, o Options) {
			b, err := written(f, format, o, "test")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name+ending), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(".onnx", ONNX, Options{})
		write(".pmml", PMML, Options{})
		for _, d := range Dialects() {
			write("-"+d+".sql", SQL, Options{Dialect: d})
		}
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cases.json"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, filepath.Join("peers", "check.py"), dir).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func newPeerCase(t *testing.T, f *train.Formula, name string) peerCase {
	t.Helper()
	s := train.NewScorer(f)
	c := peerCase{Name: name, Score: scoreName(f), Columns: s.Inputs(), Rows: edgeRows(f)}
	for _, term := range f.Terms {
		typ := strings.TrimPrefix(goType(term), "*")
		c.Types = append(c.Types, map[string]string{"float64": "number", "string": "text", "bool": "bool"}[typ])
		null := ""
		if term.Null {
			var err error
			if null, err = nullText(term); err != nil {
				t.Fatal(err)
			}
		}
		c.Null = append(c.Null, null)
	}
	for _, row := range c.Rows {
		v, err := s.Values(row...)
		if err != nil || math.IsNaN(v) {
			t.Fatal(v, err)
		}
		c.Want = append(c.Want, v)
	}
	return c
}
