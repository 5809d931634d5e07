package export

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/train/score"
)

// A peerCase is what other programs check a formula with.
type peerCase struct {
	Name    string      `json:"name"`
	Score   string      `json:"score"`
	Columns []string    `json:"columns"`
	Types   []string    `json:"types"`  // number, date (days since 1970), text or bool
	Null    []string    `json:"null"`   // of text, in ONNX
	Vector  []string    `json:"vector"` // of a column, the vector that it is an entry of, or ""
	Entry   []int       `json:"entry"`  // its place there
	Classes []string    `json:"classes"`
	Rows    [][]any     `json:"rows"`
	Want    [][]float64 `json:"want"` // of a row: the score, or the probability of every class

	// Far are rows with a number that is very large or very small: the score is that of the
	// model, or null for the large ones. Unscored are rows that have none.
	Far      [][]any     `json:"far"`
	WantFar  [][]float64 `json:"want_far"` // null: none
	Nulls    [][]any     `json:"nulls"`    // a null without a fill: no score in any format
	Unscored [][]any     `json:"unscored"` // NaN or an infinity, by name: no score in SQL
}

// peerTolerance is the largest relative difference of a score by another program.
const peerTolerance = 1e-12

// Other programs score the edge rows as the model does: onnxruntime, DuckDB, SQLite, Spark and
// Google's engine of BigQuery's language, as far as the Python that DROTRAIN_PYTHON names has them; the other dialects
// of SQL are parsed by sqlglot.
func TestPeers_ScoreAsTheModel(t *testing.T) {
	python := os.Getenv("DROTRAIN_PYTHON")
	if python == "" {
		t.Skip("DROTRAIN_PYTHON names no Python with onnxruntime, duckdb or zetasql")
	}
	dir := t.TempDir()
	formulas := trained(t)
	var all []peerCase
	for name, f := range formulas {
		all = append(all, newPeerCase(t, f, name))
		write := func(ending string, format Format, o Options) {
			b, err := encodeFormulas(f, format, o, "test")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name+ending), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(".onnx", ONNX, Options{})
		for _, d := range dialects {
			if d.entry != "" || f[0].Terms[len(f[0].Terms)-1].Vector == "" {
				write("-"+d.name+".sql", SQL, Options{Dialect: d.name})
			}
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

func newPeerCase(t *testing.T, formulas []*score.Formula, name string) peerCase {
	t.Helper()
	f, m := formulas[0], must(newModel(formulas))
	c := peerCase{Name: name, Score: m.scoreName(), Rows: edgeRows(f), Far: [][]any{}, WantFar: [][]float64{},
		Nulls: [][]any{}, Unscored: [][]any{}, Classes: f.Target.Classes}
	for i, term := range f.Terms {
		c.Columns, c.Vector, c.Entry = append(c.Columns, term.Column), append(c.Vector, term.Vector), append(c.Entry,
			m.columns[i].entry)
		typ := "text"
		switch {
		case term.Date:
			typ = "date"
			for _, row := range c.Rows {
				if v, ok := row[i].(float64); ok {
					row[i] = math.Round(v)
				}
			}
		case m.columns[i].holdsNumbers():
			typ = "number"
		case term.Kind == score.Bool:
			typ = "bool"
		}
		c.Types = append(c.Types, typ)
		null := ""
		if term.Null {
			null = nullText(term.Levels)
		}
		c.Null = append(c.Null, null)
	}
	for _, row := range c.Rows {
		v, err := scoreRow(formulas, row)
		if err != nil || math.IsNaN(v[0]) {
			t.Fatal(v, err)
		}
		c.Want = append(c.Want, v)
	}
	for i, term := range f.Terms {
		if term.Kind != score.Numeric || term.Date || c.Entry[i] > 1 {
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
			if want, err := scoreRow(formulas, row); err == nil && !math.IsInf(want[0], 0) && !math.IsNaN(want[0]) {
				c.WantFar = append(c.WantFar, want)
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
