package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// inspectResult describes the evaluation in a metrics.json or report.json. done is false if the file may be a model.
func inspectResult(a *app, path string, asJSON bool) (done bool, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, fmt.Errorf("there is no file %s", path)
	} else if err != nil {
		return false, nil // a directory that contains a model, or a file about which loadModel returns an error
	}
	e, schema, err := readEvaluation(raw)
	switch name, named := schema.(string); {
	case schema == nil && err != nil:
		return true, exit.WithHint(fmt.Errorf("%s: %w", path, err), "if the file is a table of JSON Lines, rename it to .jsonl")
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
