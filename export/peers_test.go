package export

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/score"
)

// A peerCase is what other programs check a formula with.
type peerCase struct {
	Name    string    `json:"name"`
	Score   string    `json:"score"`
	Columns []string  `json:"columns"`
	Types   []string  `json:"types"` // number, date (days since 1970), text or bool
	Null    []string  `json:"null"`  // of text, in ONNX
	Rows    [][]any   `json:"rows"`
	Want    []float64 `json:"want"`

	// Far are rows with a number that is very large or very small: the score is that of the
	// model, or null for the large ones. Unscored are rows that have none.
	Far      [][]any    `json:"far"`
	WantFar  []*float64 `json:"want_far"`
	Nulls    [][]any    `json:"nulls"`    // a null without a fill: no score in any format
	Unscored [][]any    `json:"unscored"` // NaN or an infinity, by name: no score in SQL
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

func newPeerCase(t *testing.T, f *score.Formula, name string) peerCase {
	t.Helper()
	s := score.New(f)
	c := peerCase{Name: name, Score: scoreName(f), Columns: s.Inputs(), Rows: edgeRows(f), Far: [][]any{}, WantFar: []*float64{}, Nulls: [][]any{}, Unscored: [][]any{}}
	for i, term := range f.Terms {
		typ := strings.TrimPrefix(goType(term), "*")
		typ = map[string]string{"float64": "number", "string": "text", "bool": "bool"}[typ]
		if term.Date {
			typ = "date"
			for _, row := range c.Rows {
				if v, ok := row[i].(float64); ok {
					row[i] = math.Round(v)
				}
			}
		}
		c.Types = append(c.Types, typ)
		null := ""
		if term.Null {
			null = nullText(term)
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
	for i, term := range f.Terms {
		if term.Kind != score.Numeric || term.Date {
			continue
		}
		with := func(v any) []any {
			row := slices.Clone(c.Rows[0])
			row[i] = v
			return row
		}
		for _, v := range []float64{1e300, -1e300, 1e120, 5e-324, -1e-200} {
			row := with(v)
			if v == 5e-324 && hasLog(f, i) {
				continue // math.Log is wrong there on amd64
			}
			c.Far = append(c.Far, row)
			if want, err := s.Values(row...); err == nil && !math.IsInf(want, 0) && !math.IsNaN(want) {
				c.WantFar = append(c.WantFar, &want)
			} else {
				c.WantFar = append(c.WantFar, nil)
			}
		}
		c.Unscored = append(c.Unscored, with("NaN"), with("Infinity"), with("-Infinity"))
		if term.Fill == nil {
			c.Nulls = append(c.Nulls, with(nil))
		}
	}
	return c
}

// hasLog reports whether the logarithm of a term is a feature.
func hasLog(f *score.Formula, term int) bool {
	for _, p := range f.Products {
		for _, x := range p.Factors {
			if x.Term == term && x.Function.Name == "log" {
				return true
			}
		}
	}
	return false
}
