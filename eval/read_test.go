package eval

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var golden = flag.Bool("golden", false, "write the golden metrics and report again; only with a new schema")

// twoReport is the report of two models without a training.
func twoReport(t testing.TB) *Report {
	t.Helper()
	e, err := Evaluate(context.Background(), two(60, 2, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return &Report{Title: "two", Evaluation: e, Notes: []string{"a note"}}
}

// Metrics and reports of every schema that was released read, and hold what they held:
// written again they say the same.
func TestGoldenReports(t *testing.T) {
	metrics, report := filepath.Join("testdata", "metrics-1.json"), filepath.Join("testdata", "report-1.json")
	if *golden {
		r := twoReport(t)
		for path, write := range map[string]func(io.Writer) error{
			metrics: r.Evaluation.WriteJSON, report: func(w io.Writer) error { return WriteJSON(w, r) },
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
	e, err := ReadEvaluation(bytes.NewReader(old))
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
	r, err := ReadReport(bytes.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Notes, []string{"a note"}) || r.Title != "two" {
		t.Errorf("title %q, notes %q", r.Title, r.Notes)
	}
	if err := WriteHTML(io.Discard, r); err != nil {
		t.Error(err)
	}
	again := func(e *Evaluation) string {
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

func TestReadRefusesKeysGivenTwice(t *testing.T) {
	r := twoReport(t)
	var metrics, report bytes.Buffer
	if err := r.Evaluation.WriteJSON(&metrics); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&report, r); err != nil {
		t.Fatal(err)
	}
	double := func(b []byte) io.Reader {
		return strings.NewReader(strings.Replace(string(b), `"schema":`, `"Schema": "x", "schema":`, 1))
	}
	if _, err := ReadEvaluation(bytes.NewReader(metrics.Bytes())); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadEvaluation(double(metrics.Bytes())); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("metrics: %v", err)
	}
	if _, err := ReadReport(double(report.Bytes())); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("report: %v", err)
	}
	if _, err := ReadReport(strings.NewReader(report.String() + "{}")); err == nil {
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
	if err := WriteJSON(&report, r); err != nil {
		f.Fatal(err)
	}
	f.Add(report.Bytes())
	f.Add(metrics.Bytes())
	for _, change := range [][2]string{{`"n": 60`, `"n": -1`}, {`"task": "binary"`, `"task": "regression"`}, {`"models"`, `"modles"`}, {`"summary"`, `"sumary"`}} {
		f.Add(bytes.ReplaceAll(report.Bytes(), []byte(change[0]), []byte(change[1])))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := ReadEvaluation(bytes.NewReader(b)); err == nil {
			var w bytes.Buffer
			if err := e.WriteJSON(&w); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadEvaluation(&w); err != nil {
				t.Errorf("metrics that were written do not read: %v", err)
			}
		}
		r, err := ReadReport(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, write := range []func(io.Writer, *Report) error{WriteHTML, WriteMarkdown, WriteJSON} {
			if err := write(io.Discard, r); err != nil {
				t.Logf("refused: %v", err) // an error is an answer
			}
		}
	})
}
