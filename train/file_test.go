package train

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/train/level"
)

// goldenModel is a small model with a number, a category of two levels, one of three levels with nulls, a bool, and
// groups.
func goldenModel(t testing.TB) (*Model, *data.Frame) {
	t.Helper()
	f, err := data.Read(t.Context(), filepath.Join("testdata", "golden.csv"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Holdout, cfg.MinGroupSize = "golden.csv", "pay", []string{"sex"}, 0, 1
	cfg.Nu = level.At(1)
	m := fitFrame(t, f, cfg)
	return m, f
}

func document(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := m.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// Model files of every released schema can be read and give the recorded predictions.
func TestGoldenModels_ScoreAsRecorded(t *testing.T) {
	m, f := goldenModel(t)
	if goldentest.Updating() {
		p := predict(t, m, f)
		scores, _ := json.Marshal(p.Score)
		for name, b := range map[string][]byte{"model-1.json": document(t, m), "model-1-scores.json": scores} {
			path := filepath.Join("testdata", name)
			if _, err := os.Stat(path); err == nil {
				continue // a released schema does not change: delete the file to write it again
			}
			put(t, path, string(b))
		}
	}
	for _, name := range []string{"model-1"} {
		old, err := Load(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(old.Warnings) > 0 {
			t.Errorf("%s: %q", name, old.Warnings)
		}
		var want []float64
		raw, err := os.ReadFile(filepath.Join("testdata", name+"-scores.json"))
		if err == nil {
			err = json.Unmarshal(raw, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := old.Predict(t.Context(), f)
		if err != nil || len(p.Score) != len(want) {
			t.Fatalf("%s: %d scores, %v", name, len(p.Score), err)
		}
		for i, s := range p.Score {
			if !(math.Abs(s-want[i]) <= closedForm*math.Abs(want[i])) {
				t.Errorf("%s, row %d: %v, then %v", name, i+1, s, want[i])
			}
		}
	}
}

// All functions that read a model give the same model.
func TestLoad_EveryWayGivesOneModel(t *testing.T) {
	m, f := goldenModel(t)
	want := predict(t, m, f)
	raw := document(t, m)
	var whole Model
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	var inside struct{ Models []Model }
	if err := json.Unmarshal(slices.Concat([]byte(`{"models":[`), raw, []byte(`]}`)), &inside); err != nil {
		t.Fatal(err)
	}
	read := readModel(t, bytes.NewReader(raw))
	for i, m := range []*Model{&whole, &inside.Models[0], read} {
		p, err := m.Predict(t.Context(), f)
		if err != nil || !slices.Equal(p.Score, want.Score) || !slices.Equal(p.Loss, want.Loss) {
			t.Errorf("way %d: other predictions, %v", i, err)
		}
		if !bytes.Equal(document(t, m), raw) {
			t.Errorf("way %d: written again it is another document", i)
		}
	}
	// A model that nobody made is an error, not a panic.
	for _, m := range []*Model{{}, {Encoder: m.Encoder}, {Encoder: m.Encoder, Coefficients: m.Coefficients}} {
		if _, err := m.Predict(t.Context(), f); err == nil {
			t.Error("an incomplete model predicts")
		}
	}
}

// Fields that a newer version added are ignored with a warning.
func TestLoad_FieldsOfNewerVersion(t *testing.T) {
	m, f := goldenModel(t)
	raw := edit(t, document(t, m), func(v map[string]any) {
		v["version"] = "v9"
		v["speed"] = 7
		v["config"].(map[string]any)["solver"] = "quantum"
		v["encoder"].(map[string]any)["inputs"].([]any)[0].(map[string]any)["colour"] = "red"
	})
	newer := readModel(t, bytes.NewReader(raw))
	if w := strings.Join(newer.Warnings, "\n"); !strings.Contains(w, `"speed"`) || !strings.Contains(w,
		`"encoder.inputs[].colour"`) || !strings.Contains(w, "v9") {
		t.Errorf("warnings %q", w)
	}
	many, err := ReadModel(bytes.NewReader(edit(t, document(t, m), func(v map[string]any) {
		for _, key := range strings.Fields("a b c d e f g") {
			v["new_"+key] = true
		}
	})))
	if err != nil || len(many.Warnings) != 6 || !strings.Contains(many.Warnings[4], `"new_e"`) ||
		many.Warnings[5] != "the model has 2 more such fields" {
		t.Errorf("seven new fields: %q, %v", many.Warnings, err)
	}
	p := predict(t, newer, f)
	q, err := m.Predict(t.Context(), f)
	if err != nil || !slices.Equal(p.Score, q.Score) {
		t.Errorf("other predictions, %v", err)
	}
}

func edit(t *testing.T, raw []byte, change func(map[string]any)) []byte {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	change(v)
	out := marshal(t, v)
	return out
}

func TestLoad_Refuses(t *testing.T) {
	m, _ := goldenModel(t)
	raw := document(t, m)
	type object = map[string]any
	in := func(v object, keys ...string) object {
		for _, k := range keys {
			v = v[k].(object)
		}
		return v
	}
	input := func(v object, i int) object { return in(v, "encoder")["inputs"].([]any)[i].(object) }
	column := func(v object, i int) object { return in(v, "encoder")["columns"].([]any)[i].(object) }
	changes := map[string]func(object){
		"a later schema":         func(v object) { v["schema"] = 99 },
		"a missing weight":       func(v object) { v["coefficients"] = []float64{1} },
		"no weights":             func(v object) { delete(v, "coefficients") },
		"baseline of one":        func(v object) { v["erm_coefficients"] = []float64{1} },
		"no baseline":            func(v object) { delete(v, "erm_coefficients") },
		"balanced of one":        func(v object) { v["group_weighted_coefficients"] = []float64{1} },
		"its encoder is missing": func(v object) { delete(v, "encoder") },
		"an empty encoder":       func(v object) { v["encoder"] = object{} },
		"no loss":                func(v object) { in(v, "config")["loss"] = "" },
		"rows of a fraction":     func(v object) { v["train_rows"] = 1.5 },
		"a weight beyond":        func(v object) { v["coefficients"].([]any)[0] = json.Number("1e400") },
		"a seed below 0":         func(v object) { in(v, "config")["seed"] = -1 },
		"an unknown loss":        func(v object) { in(v, "config")["loss"] = "hinge" },
		"an unknown penalty":     func(v object) { in(v, "config")["penalty"] = "js" },
		"no mu":                  func(v object) { in(v, "config")["mu"] = nil },
		"negative mu":            func(v object) { in(v, "config")["mu"] = -1 },
		"logistic of a number": func(v object) {
			in(v, "config")["loss"] = "logistic"
			in(v, "result")["loss"] = "logistic"
		},
		"first −1":         func(v object) { input(v, 0)["first"] = -1 },
		"first 999":        func(v object) { input(v, 1)["first"] = 999 },
		"first of another": func(v object) { input(v, 1)["first"] = 0 },
		"no inputs":        func(v object) { in(v, "encoder")["inputs"] = []any{} },
		"an input twice": func(v object) {
			e := in(v, "encoder")
			e["inputs"] = append(e["inputs"].([]any), input(v, 0))
		},
		"an input that is one":   func(v object) { input(v, 1)["name"] = input(v, 0)["name"] },
		"an input is the target": func(v object) { input(v, 0)["name"] = "pay" },
		"an input without name":  func(v object) { input(v, 0)["name"] = "" },
		"an input of no kind":    func(v object) { input(v, 0)["kind"] = "other" },
		"levels gone":            func(v object) { input(v, 2)["levels"] = []string{} },
		"levels doubled":         func(v object) { l := input(v, 2)["levels"].([]any); l[1] = l[0] },
		"one level more":         func(v object) { l := input(v, 2); l["levels"] = append(l["levels"].([]any), "zzz") },
		"a group of nothing":     func(v object) { in(v, "encoder")["groups"] = []any{object{}} },
		"a task of junk":         func(v object) { in(v, "encoder", "target")["task"] = "junk" },
		"a target without name":  func(v object) { in(v, "encoder", "target")["name"] = "" },
		"another target":         func(v object) { in(v, "encoder", "target")["name"] = "wage" },
		"a target without scale": func(v object) { in(v, "encoder", "target")["scale"] = 0 },
		"a column without scale": func(v object) { column(v, 0)["scale"] = 0 },
		"a column of negative":   func(v object) { column(v, 0)["scale"] = -1 },
		"a column of another":    func(v object) { column(v, 0)["source"] = "site" },
		"a column of no kind":    func(v object) { column(v, 0)["kind"] = "junk" },
		"an imputation of junk":  func(v object) { in(v, "encoder", "spec")["impute"] = "junk" },
		"an empty result":        func(v object) { v["result"] = object{} },
		"no result":              func(v object) { delete(v, "result") },
		"a result without ERM":   func(v object) { in(v, "result")["erm"] = nil },
		"a result of another ν":  func(v object) { in(v, "result")["nu"] = 7 },
		"other training rows":    func(v object) { v["train_rows"] = 1 },
		"negative hold-out":      func(v object) { v["holdout_rows"] = -1 },
	}
	for name, of := range map[string]struct {
		want   string
		change func(object)
	}{
		"tempered of one": {"1 tempered_coefficients for",
			func(v object) { v["tempered_coefficients"] = []float64{1} }},
		"recalibrated of one": {"1 recalibrated_coefficients for",
			func(v object) { v["recalibrated_coefficients"] = []float64{1} }},
		"recalibrated unasked": {"recalibrated_coefficients do not agree with the setting",
			func(v object) { v["recalibrated_coefficients"] = v["coefficients"] }},
		"recalibrated, missing": {"", func(v object) { in(v, "config")["recalibrate"] = true }},
		"groups of every column of an older version": {"the option adversary_groups, which this version does not support",
			func(v object) {
				in(v, "config")["adversary_groups"] = "each"
			}},
		"a latent subgroup of an older version": {"trained with the option latent, which this version does not support",
			func(v object) {
				in(v, "config")["latent"] = 0.4
			}},
		"a result of another μ": {"a different configuration", func(v object) { in(v, "result")["mu"] = 7 }},
		"of another penalty":    {"a different configuration", func(v object) { in(v, "result")["penalty"] = "chi2" }},
		"of another loss":       {"a different configuration", func(v object) { in(v, "result")["loss"] = "logistic" }},
		"no status":             {"no status", func(v object) { in(v, "result")["status"] = "" }},
		"a result of no rows":   {"has 0 rows", func(v object) { in(v, "result")["n"] = 0 }},
		"of other columns":      {"1 columns, but its encoder has 9", func(v object) { in(v, "result")["d"] = 1 }},
		"a choice of nothing": {"chose a candidate that does not exist",
			func(v object) { in(v, "result")["selection"] = object{"chosen": 0, "candidates": []any{}} }},
		"a choice before all": {"chose a candidate that does not exist",
			func(v object) { in(v, "result")["selection"] = object{"chosen": -1, "candidates": []any{object{}}} }},
		"no robustness":      {"robustness setting is missing", func(v object) { in(v, "config")["nu"] = nil }},
		"weights unmeasured": {"different baselines", func(v object) { delete(v, "group_weighted_coefficients") }},
	} {
		_, err := ReadModel(bytes.NewReader(edit(t, raw, of.change)))
		if err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %q", name, err, of.want)
		}
	}
	documents := map[string][]byte{
		"empty":            {},
		"not JSON":         []byte("PAR1"),
		"another document": []byte(`{"a": 1}`),
		"a list":           []byte(`[1]`),
		"null":             []byte(`null`),
		"truncated":        raw[:len(raw)/2],
		"a key twice": bytes.Replace(raw, []byte(`"schema": 1,`), []byte(`"schema": 1, "train_rows": 3,`),
			1),
		"a key twice, in another case": bytes.Replace(raw, []byte(`"schema": 1,`),
			[]byte(`"schema": 1, "Coefficients": [1],`), 1),
		"something behind": append(slices.Clone(raw), "{}"...),
	}
	for name, change := range changes {
		documents[name] = edit(t, raw, change)
	}
	path := filepath.Join(t.TempDir(), "bad.json")
	for name, b := range documents {
		put(t, path, string(b))
		if m, err := Load(path); err == nil || m != nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: loaded, error %v", name, err)
		}
		var m Model
		if err := json.Unmarshal(b, &m); err == nil && name != "null" {
			t.Errorf("%s: unmarshalled", name)
		}
	}
	if _, err := ReadModel(bytes.NewReader(documents["a later schema"])); err == nil ||
		!strings.Contains(err.Error(), "the model has schema 99") {
		t.Error(err)
	}
}

// A document that can be read as a model predicts, explains and scores without a panic.
func FuzzReadModel(f *testing.F) {
	raw, err := os.ReadFile(filepath.Join("testdata", "model-1.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	for _, change := range [][2]string{
		{`"first": 1`, `"first": -1`}, {`"task": "regression"`, `"task": "junk"`}, {`"kind": "indicator"`,
			`"kind": "numeric"`},
		{`"missing": true`, `"missing": false`}, {`"erm": {`, `"ern": {`}, {`"squared"`, `"huber"`},
	} {
		f.Add(bytes.ReplaceAll(raw, []byte(change[0]), []byte(change[1])))
	}
	frame, err := data.Read(f.Context(), filepath.Join("testdata", "golden.csv"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadModel(bytes.NewReader(b))
		if err != nil {
			return
		}
		m.Explain()
		m.Summary("")
		if _, err := m.Formula(); err != nil {
			t.Errorf("no formula: %v", err)
		}
		if p, err := m.Predict(t.Context(), frame); err == nil && len(p.Score) != len(p.Rows) {
			t.Errorf("%d scores of %d rows", len(p.Score), len(p.Rows))
		}
		var w bytes.Buffer
		if _, err := m.WriteTo(&w); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(&w); err != nil {
			t.Errorf("what was written does not read: %v", err)
		}
	})
}
