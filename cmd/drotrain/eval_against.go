package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// readReference returns the results of an earlier evaluation, read from a metrics file, a report, a model, or a
// directory that contains one of these. It returns nil if path is empty.
func readReference(path string) (*eval.Reference, error) {
	if path == "" {
		return nil, nil
	}
	path = referenceFile(path)
	const hint = "give --against the metrics.json of an earlier evaluation, or a model.json"
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, exit.WithHint(fmt.Errorf("--against %s: cannot read the file: %w", path, pathless(err)), hint)
	}
	r, err := parseReference(raw, path)
	if err != nil {
		return nil, exit.WithHint(fmt.Errorf("--against %s: %w", path, err), hint)
	}
	return r, nil
}

// referenceFile returns the file to read for --against: for a directory, the metrics or the model in it.
func referenceFile(path string) string {
	for _, name := range []string{metricsFile, modelFile} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return path
}

// parseReference returns the results in a metrics file or report with the given name, or in a model.
func parseReference(raw []byte, name string) (*eval.Reference, error) {
	e, _, err := readEvaluation(raw)
	if err != nil {
		return nil, err
	}
	if e != nil {
		r := eval.NewReference(e)
		r.Name = name
		return r, nil
	}
	m, err := train.ReadModel(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if len(m.Reference) == 0 {
		return nil, fmt.Errorf(
			"the model stores no hold-out evaluation, because the model was trained with --report none or by an older " +
				"version")
	}
	return eval.ReadReference(bytes.NewReader(m.Reference))
}

// readEvaluation reads a metrics file or a report. For any other document it returns nil and the schema of the
// document.
func readEvaluation(raw []byte) (e *eval.Evaluation, schema any, err error) {
	var head struct {
		Schema any `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) { // the text of err names a type of Go
			err = fmt.Errorf("it is a JSON %s, not an object", kind.Value)
		}
		return nil, nil, fmt.Errorf("the file is neither an evaluation nor a model: %w", err)
	}
	switch head.Schema {
	case eval.Schema:
		e, err = eval.ReadEvaluation(bytes.NewReader(raw))
	case eval.ReportSchema:
		var r *eval.Report
		if r, err = eval.ReadReport(bytes.NewReader(raw)); err == nil {
			e = r.Evaluation
		}
	}
	return e, head.Schema, err
}
