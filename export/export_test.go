package export

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// edgeModel is a model with a term of every kind, and names and levels that are
// hard to write.
func edgeModel(task data.Task) *train.Model {
	m := &train.Model{Version: "test"}
	e := &data.Encoder{Target: data.Target{Name: "y", Task: task, Scale: 1}}
	if task == data.Binary {
		e.Target.Positive, e.Target.Negative = "it's <ok>", "no"
	} else {
		e.Target.Shift, e.Target.Scale = -250.25, 12.5
	}
	number := func(name string, fill, shift, scale, w float64) {
		e.Inputs = append(e.Inputs, data.Input{Name: name, Kind: data.Numeric, First: len(e.Columns), Fill: fill})
		e.Columns = append(e.Columns, data.Coding{Name: name, Source: name, Kind: "numeric", Shift: shift, Scale: scale})
		m.Coefficients = append(m.Coefficients, w)
	}
	category := func(name string, kind, stored data.Kind, missing bool, levels []string, w ...float64) {
		e.Inputs = append(e.Inputs, data.Input{Name: name, Kind: kind, Stored: stored, First: len(e.Columns), Levels: levels, Missing: missing})
		all := append([]string{}, levels...)
		if missing {
			all = append(all, data.MissingLabel)
		}
		if len(all) == 2 {
			all = all[1:]
		}
		if len(w) != len(all) {
			panic("a weight a column")
		}
		for _, l := range all {
			e.Columns = append(e.Columns, data.Coding{Name: name + "=" + l, Source: name, Kind: "indicator", Level: l, Scale: 1})
		}
		m.Coefficients = append(m.Coefficients, w...)
	}
	number("age", 40, 1e6, 1.0/3, 0.25)
	number(`odd "na'me"`, -2, 0.1, 7, -0.75)
	category("region", data.Categorical, data.Categorical, true, []string{"", "Côte d'Ivoire", `back\slash "q"`, "süd"}, 0.5, -0.25, 0.125, 0.0625, 0.75)
	category("side", data.Categorical, data.Categorical, false, []string{"left", "right"}, 0.375)
	category("few", data.Categorical, data.Categorical, true, []string{"x"}, -0.4)
	category("known", data.Bool, data.Bool, false, []string{"false", "true"}, -0.3)
	category("maybe", data.Bool, data.Bool, true, []string{"false", "true"}, 0.11, 0.22, 0.33)
	category("floors", data.Categorical, data.Numeric, false, []string{"-1", "0", "2.1"}, 0.3, 0.2, -0.6)
	category("code", data.Categorical, data.Numeric, true, []string{"1", "2"}, 0.9, -0.8, 0.7)
	category("model", data.Categorical, data.Categorical, false, []string{"1", "1.0", "01"}, 0.15, 0.25, 0.35)
	e.Spec.Impute = "median"
	e.Columns = append(e.Columns, data.Coding{Name: data.InterceptName, Kind: "intercept", Scale: 1})
	m.Coefficients = append(m.Coefficients, -0.5)
	m.Baseline = make([]float64, len(m.Coefficients))
	m.Encoder = e
	return m
}

// The words of each format stand as reviewed; that they say what the model does is
// shown by TestPeers and, for Go, by TestGoSource.
func TestGolden(t *testing.T) {
	for name, task := range map[string]data.Task{"binary": data.Binary, "regression": data.Regression} {
		m := edgeModel(task)
		for _, f := range Formats() {
			dialect := []string{""}
			if f == SQL {
				dialect = Dialects()
			}
			for _, d := range dialect {
				var b bytes.Buffer
				if err := Write(&b, m, f, Options{Dialect: d}); err != nil {
					t.Fatalf("%s, %s: %v", name, f, err)
				}
				path := filepath.Join("testdata", strings.Trim(name+"-"+d, "-")+"."+string(f))
				if f == Go {
					path += ".txt" // no source of this module
				}
				if *update {
					if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Errorf("%s differs: look at it with git diff after go test ./export -update", path)
				}
			}
		}
	}
}

// The source and its test, written by one version, pass in a module of their own.
func TestGoSource(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	for _, task := range []data.Task{data.Binary, data.Regression} {
		m, dir := edgeModel(task), t.TempDir()
		write := func(name string, f func(b *bytes.Buffer) error) {
			var b bytes.Buffer
			if err := f(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("go.mod", func(b *bytes.Buffer) error { _, err := b.WriteString("module score\n\ngo 1.21\n"); return err })
		write("score.go", func(b *bytes.Buffer) error { return Write(b, m, Go, Options{Package: "score"}) })
		write("score_test.go", func(b *bytes.Buffer) error { return WriteGoTest(b, m, Options{Package: "score"}) })
		c := exec.Command("go", "test", "-vet=all", "./...")
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// A peerCase is what the script in peers/ checks a model with.
type peerCase struct {
	Name    string    `json:"name"`
	Score   string    `json:"score"`
	Columns []string  `json:"columns"`
	Types   []string  `json:"types"` // number, text or bool
	Null    []string  `json:"null"`  // of text, in ONNX
	Rows    [][]any   `json:"rows"`
	Want    []float64 `json:"want"`
}

// Other programs score the edge rows as the model does: onnxruntime, DuckDB and a
// PMML evaluator, as far as the Python that DROTRAIN_PYTHON names has them.
func TestPeers(t *testing.T) {
	python := os.Getenv("DROTRAIN_PYTHON")
	if python == "" {
		t.Skip("DROTRAIN_PYTHON names no Python with onnxruntime, duckdb or jpmml_evaluator")
	}
	dir := t.TempDir()
	var cases []peerCase
	models := map[string]*train.Model{"binary": edgeModel(data.Binary), "regression": edgeModel(data.Regression)}
	for name, target := range map[string]string{"hmda": "deny", "cps1988": "wage"} {
		cfg := train.DefaultConfig()
		cfg.Data, cfg.Target, cfg.Loss = "builtin:"+name, target, map[string]string{"wage": "huber"}[target]
		m, err := train.Fit(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	for name, m := range models {
		c := newPeerCase(t, m, name)
		cases = append(cases, c)
		for _, f := range []Format{ONNX, SQL, PMML} {
			var b bytes.Buffer
			if err := Write(&b, m, f, Options{}); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name+"."+string(f)), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := json.Marshal(cases)
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

func newPeerCase(t *testing.T, m *train.Model, name string) peerCase {
	t.Helper()
	f, err := formulaOf(m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	c := peerCase{Name: name, Score: scoreName(f), Columns: s.Inputs(), Rows: edgeRows(f)}
	for _, term := range f.Terms {
		typ := strings.TrimPrefix(goType(term), "*")
		c.Types = append(c.Types, map[string]string{"float64": "number", "string": "text", "bool": "bool"}[typ])
		null := ""
		if term.Null {
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

// Every level, an unseen one and a null of every column are among the edge rows.
func TestEdgeRows(t *testing.T) {
	f, err := edgeModel(data.Binary).Formula()
	if err != nil {
		t.Fatal(err)
	}
	rows := edgeRows(f)
	for i, term := range f.Terms {
		seen, nulls, others := map[string]bool{}, 0, 0
		for _, r := range rows {
			switch v := r[i].(type) {
			case nil:
				nulls++
			case string:
				seen[v] = true
			case float64:
				seen[data.LevelOfNumber(data.Categorical, v)] = true
			case bool:
				seen[data.LevelOfNumber(data.Bool, map[bool]float64{true: 1}[v])] = true
			}
		}
		for _, l := range term.Levels {
			if !seen[l] {
				t.Errorf("%s: no row has level %q", term.Column, l)
			}
			delete(seen, l)
		}
		others = len(seen)
		if (nulls > 0) != (term.Null || term.Fill != nil) || others == 0 && term.Kind != data.Bool {
			t.Errorf("%s: %d nulls, %d values that are no level", term.Column, nulls, others)
		}
	}
}

func TestRefuses(t *testing.T) {
	with := func(change func(m *train.Model)) *train.Model {
		m := edgeModel(data.Binary)
		change(m)
		return m
	}
	twins := with(func(m *train.Model) { m.Encoder.Inputs[3].Name = "AGE" })
	nul := with(func(m *train.Model) { m.Encoder.Inputs[2].Levels[1] = "a\x00b" })
	bell := with(func(m *train.Model) { m.Encoder.Inputs[2].Levels[1] = "a\x07b" })
	full := with(func(m *train.Model) { m.Encoder.Inputs[2].Levels[1] = data.MissingLabel })
	infinite := with(func(m *train.Model) { m.Coefficients[0] = math.Inf(1) })
	none := with(func(m *train.Model) {
		m.Encoder.Inputs, m.Encoder.Columns, m.Coefficients = nil, m.Encoder.Columns[:1], m.Coefficients[:1]
	})
	for _, c := range []struct {
		m    *train.Model
		f    Format
		o    Options
		want string
	}{
		{twins, SQL, Options{}, "differ in case"},
		{nul, SQL, Options{}, "region"},
		{bell, PMML, Options{}, "XML"},
		{full, ONNX, Options{}, "region"},
		{infinite, CSV, Options{}, "damaged"},
		{none, ONNX, Options{}, "no column"},
		{edgeModel(data.Binary), SQL, Options{Dialect: "bigquery"}, ""},
		{edgeModel(data.Binary), SQL, Options{Dialect: "oracle"}, "dialect"},
		{edgeModel(data.Binary), SQL, Options{Table: "a; drop table b"}, "table"},
		{edgeModel(data.Binary), Go, Options{Package: "a b"}, "package"},
		{edgeModel(data.Binary), "excel", Options{}, "format"},
		{&train.Model{}, Go, Options{}, "coefficients"},
	} {
		var b bytes.Buffer
		err := Write(&b, c.m, c.f, c.o)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.f, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("%s: %v, wanted %q (%d bytes written)", c.f, err, c.want, b.Len())
		}
	}
	if err := Write(&bytes.Buffer{}, twins, SQL, Options{Dialect: "postgres"}); err != nil {
		t.Errorf("postgres tells case apart: %v", err)
	}
}
