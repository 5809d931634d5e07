package main

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
)

// checkGates applies gates to an evaluation and stores the results there. A gate on a measure that does not
// exist is a usage error.
func checkGates(e *eval.Evaluation, conditions []eval.Gate) error {
	for _, c := range conditions {
		r, err := c.Check(e)
		if err != nil {
			return exit.Usagef("", "--fail-if: %s", strings.TrimPrefix(err.Error(), "eval: "))
		}
		e.Gates = append(e.Gates, r)
	}
	return nil
}

// reportGates prints the results of all gates on stderr. It returns an error with exit code 4 if one failed.
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
