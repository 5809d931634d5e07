package main

import (
	"fmt"
	"os"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// inspectResult describes metrics.json or report.json. done is false if path is neither.
func inspectResult(a *app, path string, asJSON bool) (done bool, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, nil // a directory or a missing file, about which loadModel returns an error
	}
	e, schema, err := readEvaluation(raw)
	switch name, named := schema.(string); {
	case schema == nil:
		return false, nil
	case err != nil:
		return true, fmt.Errorf("%s: %w", path, err)
	case e == nil && named:
		return true, fmt.Errorf("%s has the unknown schema %q; this version reads models, %s and %s", path, name, eval.Schema,
			eval.ReportSchema)
	case e == nil:
		return false, nil
	}
	if asJSON {
		return true, e.WriteJSON(a.stdout)
	}
	for _, w := range e.Verdict.Warnings {
		a.warn(w)
	}
	show.Evaluation(a.stdout, e, fmt.Sprintf("%s: an evaluation of %s on %s", printable.EscapeLine(path),
		printable.EscapeLine(e.Target), e.DescribeRows()))
	return true, nil
}
