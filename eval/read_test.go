package eval

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// twoReport is the report of two models without a training.
func twoReport(t testing.TB) *Report {
	t.Helper()
	e, err := Evaluate(context.Background(), two(60, 2, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return &Report{Title: "two", Evaluation: e, Notes: []string{"a note"}}
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
