package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// goldenInputs are small and have everything: both tasks, weights, groups with few rows,
// several groupings, a tempered model, slices planted and missing values.
func goldenInputs(t *testing.T) map[string]eval.Input {
	t.Helper()
	f := evaltest.Read(t)
	weighted := f.Input(eval.Binary)
	second, third := eval.Model{Name: "robust"}, eval.Model{Name: "tempered"}
	for i, s := range weighted.Models[0].Score {
		weighted.Weight = append(weighted.Weight, 0.5+float64(i%5)/2)
		for _, m := range []struct {
			to   *eval.Model
			pull float64
		}{{&second, 0.7 + 0.1*float64(i%3)}, {&third, 0.8}} {
			p := 0.5 + m.pull*(s-0.5)
			q := p
			if weighted.Target[i] < 0 {
				q = 1 - p
			}
			m.to.Score, m.to.Loss = append(m.to.Score, p), append(m.to.Loss, -math.Log(q))
		}
	}
	weighted.Models = append(weighted.Models, second, third)
	weighted.Tempered, weighted.Resamples, weighted.Seed, weighted.MinGroupSize, weighted.Confidence = "tempered", 150, 3, 60, 0.9

	sliced := evaltest.Two(1200, 4, 0.2, 3)
	site, age := eval.Column{Name: "site", Levels: []string{"a", "b", "c"}}, eval.Column{Name: "age", Unit: "years"}
	other := data.Grouping{Name: "site", Labels: site.Levels}
	for i := range sliced.Target {
		site.Code, age.Value = append(site.Code, int32(i*7%3)), append(age.Value, float64(20+i*13%50))
		other.Index = append(other.Index, int32(i*7%3))
		if site.Code[i] == 1 && age.Value[i] > 50 {
			sliced.Models[1].Loss[i]++
		}
		if i%97 == 0 {
			site.Code[i], age.Value[i] = -1, math.NaN()
		}
	}
	sliced.Columns, sliced.Groups = []eval.Column{site, age}, append(sliced.Groups, other)
	sliced.Resamples = 150
	return map[string]eval.Input{"weighted": weighted, "sliced": sliced, "regression": f.Input(eval.Regression), "loans": evaltest.Loans()}
}

// Every number of an evaluation and of an adversary is what it was, to five digits: a seed
// stands for the same numbers, and nothing of what is measured changes unnoticed.
func TestEvaluationsAreGolden(t *testing.T) {
	for name, in := range goldenInputs(t) {
		e, err := eval.Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		last := in.Models[len(in.Models)-1]
		all := map[string]any{"evaluation": e}
		for _, penalty := range []string{"kl", "chi2"} {
			worst := map[string]func([]float64, float64) ([]float64, eval.WorstCase, error){"kl": eval.WorstCaseKL, "chi2": eval.WorstCaseChiSquare}[penalty]
			y, w, err := worst(last.Loss, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			a, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: y, Penalty: penalty, Nu: 0.5, Rows: "hold-out", Loss: last.Loss, Groups: in.Groups, Columns: in.Columns})
			if err != nil {
				t.Fatal(err)
			}
			all[penalty], all[penalty+" worst"] = a, w
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "golden-"+name+".json")
		if goldentest.Updating() {
			if err := os.WriteFile(path, append(short(t, text), '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if difference := differ(name, decoded(t, text), decoded(t, raw)); difference != "" {
			t.Errorf("%s: look at it, then run with -update", difference)
		}
	}
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// short writes every number with seven digits.
func short(t *testing.T, text []byte) []byte {
	t.Helper()
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		case []any:
			for k := range v {
				v[k] = walk(v[k])
			}
		case json.Number:
			f, _ := v.Float64()
			return json.Number(strconv.FormatFloat(f, 'g', 7, 64))
		}
		return v
	}
	out, err := json.Marshal(walk(decoded(t, text)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differ says where two documents do, "" for nowhere.
func differ(at string, got, want any) string {
	switch g := got.(type) {
	case map[string]any:
		w, ok := want.(map[string]any)
		if !ok || len(w) != len(g) {
			return fmt.Sprintf("%s has other keys", at)
		}
		for k := range g {
			if d := differ(at+"."+k, g[k], w[k]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		w, ok := want.([]any)
		if !ok || len(w) != len(g) {
			return fmt.Sprintf("%s has another length", at)
		}
		for k := range g {
			if d := differ(fmt.Sprintf("%s[%d]", at, k), g[k], w[k]); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		w, ok := want.(json.Number)
		a, _ := g.Float64()
		b, _ := w.Float64()
		if !ok || math.Abs(a-b) > 1e-5*math.Max(math.Abs(a), math.Abs(b))+1e-12 {
			return fmt.Sprintf("%s is %v, not %v", at, g, w)
		}
		return ""
	}
	if got != want {
		return fmt.Sprintf("%s is %v, not %v", at, got, want)
	}
	return ""
}
