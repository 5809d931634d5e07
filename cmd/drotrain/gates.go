package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// checkGates applies gates to an evaluation and stores the results there. A gate on a measure that does not exist,
// or with a limit outside the range of the measure, fails; the first such error is returned, as a usage error, after
// all gates have been checked.
func checkGates(e *eval.Evaluation, conditions []eval.Gate) (wrong error) {
	var results []eval.GateResult
	for _, c := range conditions {
		r, err := c.Check(e)
		if err != nil {
			why := cmp.Or(errors.Unwrap(err), err).Error() // without the text of the gate
			r = eval.FailedGate(c.Text, why)
			wrong = cmp.Or(wrong, exit.Usagef("", "--fail-if %q: %s", printable.ShortenMiddle(c.Text, 200), why))
		}
		results = append(results, r)
	}
	e.Conclude(results...)
	return wrong
}

// hasFailed reports whether a gate failed.
func hasFailed(gates []eval.GateResult) bool {
	return slices.ContainsFunc(gates, func(r eval.GateResult) bool { return r.Failed })
}

// strictGate is the name of the gate that --strict adds.
const strictGate = "--strict: the features look like the training rows"

// writeFailure writes the files that gates and their readers need if an evaluation ended with err. The metrics and
// the JUnit file state that no gate could be checked. It returns err, with the exit code of a failed gate if the
// table lacks something that the gates require.
func (o *evalOptions) writeFailure(ctx context.Context, a *app, out *outputDir, err error) error {
	if ctx.Err() != nil {
		return err
	}
	why, _ := exit.Describe(err)
	var gates []eval.GateResult
	for _, c := range o.Gates {
		gates = append(gates, eval.FailedGate(c.Text, why))
	}
	if gates == nil {
		gates = []eval.GateResult{eval.FailedGate("the rows can be evaluated", why)}
	}
	for k, format := range o.formats {
		write := map[string]func(io.Writer) error{
			"metrics": func(w io.Writer) error { return eval.WriteFailure(w, why, gates) },
			"junit":   func(w io.Writer) error { return eval.WriteJUnit(w, "drotrain", gates) },
		}[format]
		if write == nil || o.writesToStream() {
			continue
		}
		path, failed := "", error(nil)
		if out != nil {
			path, failed = o.writeNamed(a, out, documents[format].file, true, write)
		} else {
			path, failed = o.writeNamed(a, nil, o.Outputs[k], true, write)
		}
		if failed != nil {
			a.warn(fmt.Sprintf("cannot write %s: %v", path, failed))
		}
	}
	var one *data.Error
	var several data.Problems
	if len(o.Gates) > 0 && (errors.As(err, &one) || errors.As(err, &several)) && exit.Code(ctx, err) == exit.Failed {
		return exit.WithCode(exit.Gate, err, "")
	}
	return err
}

// writeNamed writes an output and returns its path. If a gate failed, the file that --against names is not
// replaced; the output is then written beside it, with ".failed" in its name.
func (o *evalOptions) writeNamed(
	a *app, out *outputDir, name string, failed bool, content func(io.Writer) error,
) (path string, err error) {
	if path = name; out != nil {
		path = out.File(name)
	}
	if failed && o.isReference(path) {
		beside := failedName(name)
		a.warn(fmt.Sprintf("a gate failed, so %s, the reference of --against, was not replaced; the new numbers are in "+
			"%s", path,
			failedName(path)))
		name, path = beside, failedName(path)
		if out == nil {
			return path, a.inputs.WriteFile(path, true, content)
		}
	}
	if out != nil {
		return path, out.Write(name, content)
	}
	return path, a.inputs.WriteFile(path, o.Force, content)
}

// isReference reports whether path refers to the file of --against, possibly by another name.
func (o *evalOptions) isReference(path string) bool {
	if o.Against == "" {
		return false
	}
	was, err := os.Stat(referenceFile(o.Against))
	if err != nil {
		return false
	}
	is, err := os.Stat(path)
	return err == nil && os.SameFile(was, is)
}

// failedName puts ".failed" before the extension of a path.
func failedName(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".failed" + ext
}

// reportGates prints the results of gates on stderr; those of passed gates are omitted if the run is quiet. It returns
// an error with exit code 4 if a gate failed.
func (a *app) reportGates(results []eval.GateResult) error {
	failed := 0
	for _, r := range results {
		if r.Failed {
			failed++
			a.log(logInfo, "gate "+r.Message)
		} else {
			a.info("gate %s", r.Message)
		}
	}
	if failed == 0 {
		return nil
	}
	return exit.WithCode(exit.Gate, fmt.Errorf("%d of %s failed", failed, show.Plural(len(results), "gate", "gates")), "")
}
