package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// inspectResult describes metrics.json or report.json; done is false where path
// is neither.
func inspectResult(a *app, path string, asJSON bool) (done bool, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, nil // a directory, or nothing: loadModel says what is wrong
	}
	var head struct {
		Schema any `json:"schema"`
	}
	if json.Unmarshal(raw, &head) != nil {
		return false, nil
	}
	var e *eval.Evaluation
	switch head.Schema {
	case eval.Schema:
		e, err = eval.ReadEvaluation(bytes.NewReader(raw))
	case eval.ReportSchema:
		var r *eval.Report
		if r, err = eval.ReadReport(bytes.NewReader(raw)); err == nil {
			e = r.Evaluation
		}
	default:
		if s, ok := head.Schema.(string); ok {
			return true, fmt.Errorf("%s has the schema %q: this version reads models, %s and %s", path, s, eval.Schema, eval.ReportSchema)
		}
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", path, err)
	}
	if asJSON {
		return true, e.WriteJSON(a.stdout)
	}
	for _, w := range e.Verdict.Warnings {
		a.warn(w)
	}
	show.Evaluation(a.stdout, e, fmt.Sprintf("%s: an evaluation of %s on the %s (%s)", printable.Line(path), printable.Line(e.Target), e.Split, show.Plural(e.N, "row", "rows")))
	return true, nil
}
