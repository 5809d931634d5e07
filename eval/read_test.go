package eval_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/eval/page"
)

// Whatever is read is either refused or can be rendered: mutants of a report,
// one node of its JSON replaced at a time.
func TestReadReport_MutatedIsAnErrorOrSafe(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		var b bytes.Buffer
		whole := evaltest.Sample(t, task)
		whole.Evaluation.Groupings = whole.Evaluation.Groupings[2:] // the others say the same of other groups
		if err := whole.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(11, 1))
		read := 0
		for range *mutantCount {
			var tree any
			if err := json.Unmarshal(b.Bytes(), &tree); err != nil {
				t.Fatal(err)
			}
			mutate(r, tree)
			m, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := eval.ReadReport(bytes.NewReader(m))
			if err != nil {
				continue
			}
			read++
			for _, write := range []func(io.Writer, *eval.Report) error{page.WriteHTML, page.WriteMarkdown,
				func(w io.Writer, r *eval.Report) error { return r.WriteJSON(w) }} {
				if err := write(io.Discard, rep); err != nil {
					t.Error(err)
				}
			}
		}
		if read < *mutantCount/10 {
			t.Errorf("only %d of %d mutants could be read", read, *mutantCount)
		}
	}
}

var mutantCount = flag.Int("mutants", 40, "mutated reports to try for each task")

// mutate replaces or removes one node on a random path.
func mutate(r *rand.Rand, node any) {
	odd := []any{nil, -1.0, 0.0, 1e300, -1e300, 1e-300, "", []any{}, map[string]any{}, true}
	for {
		var next any
		set := func(any) {}
		switch n := node.(type) {
		case map[string]any:
			if len(n) == 0 {
				return
			}
			keys := slices.Sorted(maps.Keys(n))
			k := keys[r.IntN(len(keys))]
			next, set = n[k], func(v any) { n[k] = v }
		case []any:
			if len(n) == 0 {
				return
			}
			k := r.IntN(len(n))
			next, set = n[k], func(v any) { n[k] = v }
		}
		if _, ok := next.(string); ok || r.IntN(4) == 0 || next == nil {
			set(odd[r.IntN(len(odd))])
			return
		}
		switch next.(type) {
		case map[string]any, []any:
			node = next
		default:
			set(odd[1+r.IntN(5)])
			return
		}
	}
}

var golden = flag.Bool("golden", false, "write the golden metrics and report again; only with a new schema")

// twoReport is the report of two models without a training run.
func twoReport(t testing.TB) *eval.Report {
	t.Helper()
	e := evaltest.Evaluate(t, evaltest.Two(60, 2, 0, 1))
	return &eval.Report{Title: "two", Evaluation: e, Notes: []string{"a note"}}
}

// Metrics and reports of every schema that was released read, and hold what they held:
// written again they say the same.
func TestGoldenReports_AreRead(t *testing.T) {
	metrics, report := filepath.Join("testdata", "metrics-1.json"), filepath.Join("testdata", "report-1.json")
	if *golden {
		r := twoReport(t)
		for path, write := range map[string]func(io.Writer) error{
			metrics: r.Evaluation.WriteJSON, report: r.WriteJSON,
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	old, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.ReadEvaluation(bytes.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	if risk, ok := e.Models[1].Overall.Get("risk"); !ok || e.N != 60 || len(e.Models) != 2 || !(risk > 0) {
		t.Errorf("%d rows, %d models, risk %v", e.N, len(e.Models), risk)
	}
	old, err = os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.ReadReport(bytes.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Notes, []string{"a note"}) || r.Title != "two" {
		t.Errorf("title %q, notes %q", r.Title, r.Notes)
	}
	if err := page.WriteHTML(io.Discard, r); err != nil {
		t.Error(err)
	}
	again := func(e *eval.Evaluation) string {
		var b bytes.Buffer
		if err := e.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if again(r.Evaluation) != again(e) {
		t.Error("the report holds another evaluation than the metrics")
	}
}

func TestRead_RefusesRepeatedKeys(t *testing.T) {
	r := twoReport(t)
	var metrics, report bytes.Buffer
	if err := r.Evaluation.WriteJSON(&metrics); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&report); err != nil {
		t.Fatal(err)
	}
	double := func(b []byte) io.Reader {
		return strings.NewReader(strings.Replace(string(b), `"schema":`, `"Schema": "x", "schema":`, 1))
	}
	if _, err := eval.ReadEvaluation(bytes.NewReader(metrics.Bytes())); err != nil {
		t.Fatal(err)
	}
	if _, err := eval.ReadEvaluation(double(metrics.Bytes())); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("metrics: %v", err)
	}
	if _, err := eval.ReadReport(double(report.Bytes())); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("report: %v", err)
	}
	if _, err := eval.ReadReport(strings.NewReader(report.String() + "{}")); err == nil {
		t.Error("something behind the report was ignored")
	}
}

// A document that reads as metrics or as a report is shown in every format without a
// panic, and reads back after it was written.
func FuzzReadReport(f *testing.F) {
	r := twoReport(f)
	var metrics, report bytes.Buffer
	if err := r.Evaluation.WriteJSON(&metrics); err != nil {
		f.Fatal(err)
	}
	if err := r.WriteJSON(&report); err != nil {
		f.Fatal(err)
	}
	f.Add(report.Bytes())
	f.Add(metrics.Bytes())
	for _, change := range [][2]string{{`"n": 60`, `"n": -1`}, {`"task": "binary"`, `"task": "regression"`},
		{`"models"`, `"modles"`}, {`"summary"`, `"sumary"`}} {
		f.Add(bytes.ReplaceAll(report.Bytes(), []byte(change[0]), []byte(change[1])))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := eval.ReadEvaluation(bytes.NewReader(b)); err == nil {
			var w bytes.Buffer
			if err := e.WriteJSON(&w); err != nil {
				t.Fatal(err)
			}
			if _, err := eval.ReadEvaluation(&w); err != nil {
				t.Errorf("metrics that were written do not read: %v", err)
			}
		}
		r, err := eval.ReadReport(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, write := range []func(io.Writer, *eval.Report) error{page.WriteHTML, page.WriteMarkdown,
			func(w io.Writer, r *eval.Report) error { return r.WriteJSON(w) }} {
			if err := write(io.Discard, r); err != nil {
				t.Logf("refused: %v", err) // an error is an answer
			}
		}
	})
}

func TestReport_RoundTrip(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		r := evaltest.Sample(t, task)
		var b, c bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		evaltest.Finite(t, b.Bytes())
		back, err := eval.ReadReport(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := back.WriteJSON(&c); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Error("the report changes on its way through JSON", err)
		}
		var p, q bytes.Buffer
		if err := page.WriteHTML(&p, r); err != nil {
			t.Fatal(err)
		}
		if err := page.WriteHTML(&q, back); err != nil || !bytes.Equal(p.Bytes(), q.Bytes()) {
			t.Error("the page of the report read back differs", err)
		}
		b.Reset()
		if err := r.Evaluation.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		e, err := eval.ReadEvaluation(&b)
		if err != nil || e.Verdict.Headline != r.Evaluation.Verdict.Headline ||
			!reflect.DeepEqual(e.Caveats, r.Evaluation.Caveats) {
			t.Error(e, err)
		}
	}
	r := evaltest.Sample(t, eval.Binary)
	r.Objective.Nu = math.Inf(1)
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"nu": null`) {
		t.Error("infinite ν:", err)
	}
	if back, err := eval.ReadReport(&b); err != nil || !math.IsInf(back.Objective.Nu, 1) || back.Objective.Mu != 0.01 ||
		back.Objective.Penalty != "chi2" {
		t.Error("infinite ν read back:", err)
	}
	if _, err := eval.ReadReport(strings.NewReader(`{"schema":"drotrain.report/99"}`)); err == nil {
		t.Error("unknown schema accepted")
	}
	if _, err := eval.ReadReport(strings.NewReader(`{"schema":"drotrain.report/1"}`)); err == nil {
		t.Error("report without evaluation accepted")
	}
}

// Of many groups a file has everything of the worst, the rest in short, and says the same
// when it is read and written again; all of it where that was asked for.
func TestWriteJSON_ShortensManyGroups(t *testing.T) {
	in := evaltest.Two(3000, 300, 0.1, 1)
	in.Resamples = 100
	e := evaltest.Evaluate(t, in)
	write := func(e *eval.Evaluation) []byte {
		var b bytes.Buffer
		if err := e.WriteJSON(&b); err != nil || !json.Valid(b.Bytes()) {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	short := write(e)
	back, err := eval.ReadEvaluation(bytes.NewReader(short))
	if err != nil {
		t.Fatal(err)
	}
	g := back.Headline()
	if n := len(g.Groups); n < eval.MostGroups || n > eval.MostGroups+2 || g.Count() != 300 ||
		len(back.Compared[0].Groups) != n {
		t.Errorf("%d groups of %d, %d changes", n, g.Count(), len(back.Compared[0].Groups))
	}
	risk := make(map[string]eval.Num)
	for _, h := range e.Headline().Groups {
		risk[h.Label] = h.Models[1].Values.Risk()
	}
	for i, label := range g.Others.Label {
		if g.Others.Risk[1][i] != risk[label] || g.Others.N[i] != 10 {
			t.Errorf("%s: risk %v of %d rows, was %v", label, g.Others.Risk[1][i], g.Others.N[i], risk[label])
		}
	}
	if !bytes.Equal(write(back), short) {
		t.Error("written again it differs")
	}
	if err := page.WriteHTML(io.Discard, &eval.Report{Title: "short", Evaluation: back}); err != nil {
		t.Error(err)
	}
	// The group that a model is said to be worst in keeps everything, where it is of the
	// grouping that is shortened.
	was := e.Models[0].WorstGroup
	least := g.Others.Label[0]
	for _, name := range []string{e.Headline().Name, "another"} {
		e.Models[0].WorstGroup = &eval.WorstGroup{Grouping: name, Label: least}
		var file struct {
			Groupings []struct {
				Groups []struct {
					Group string `json:"group"`
				} `json:"by_group"`
			} `json:"groupings"`
		}
		if err := json.Unmarshal(write(e), &file); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range file.Groupings[0].Groups {
			found = found || h.Group == least
		}
		if found != (name != "another") {
			t.Errorf("worst group %s of %s: all is kept of it: %v", least, name, found)
		}
		if found { // one more than there is room for, and others already
			one := write(e)
			again, err := eval.ReadEvaluation(bytes.NewReader(one))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // and what is written is left as it was
				if !bytes.Equal(write(again), one) {
					t.Error("with one more group it differs when it is written again")
				}
			}
		}
	}
	e.Models[0].WorstGroup = was
	e.AllGroups = true
	whole := write(e)
	if back, err = eval.ReadEvaluation(bytes.NewReader(whole)); err != nil || len(back.Headline().Groups) != 300 ||
		len(whole) < 2*len(short) {
		t.Errorf("%d bytes of all, %d in short: %v", len(whole), len(short), err)
	}
}

// A report of another program, or an edited one, may leave out the summary of a grouping or the measures of a
// comparison.
func TestReport_InTargetUnitsWithoutSummaries(t *testing.T) {
	r := evaltest.Sample(t, eval.Regression)
	for i := range r.Evaluation.Groupings {
		for k := range r.Evaluation.Groupings[i].Summary {
			r.Evaluation.Groupings[i].Summary[k].Spread = nil
		}
	}
	for k := range r.Evaluation.Compared {
		r.Evaluation.Compared[k].Measures = nil
	}
	if err := page.WriteHTML(io.Discard, r); err != nil {
		t.Error(err)
	}
}
