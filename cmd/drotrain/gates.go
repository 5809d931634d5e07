package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
)

// gates are the conditions of a command and their outcome.
type gates struct {
	list    []eval.Gate
	results []eval.GateResult
}

// check applies the gates. A gate on something that does not exist is a wrong
// command line.
func (g *gates) check(e *eval.Evaluation) error {
	for _, gate := range g.list {
		r, err := gate.Check(e)
		if err != nil {
			return exit.Usagef("", "--fail-if: %s", strings.TrimPrefix(err.Error(), "eval: "))
		}
		g.results = append(g.results, r)
	}
	e.Gates = g.results
	return nil
}

// writeJUnit writes the outcome for the test tab of a build server.
func (g *gates) writeJUnit(w io.Writer) error { return eval.WriteJUnit(w, "drotrain", g.results) }

// report prints the outcome of every gate on stderr, and is an error of exit
// code 4 if one failed.
func (g *gates) report(a *app) error {
	failed := 0
	for _, r := range g.results {
		if r.Failed {
			failed++
		}
		if r.Failed {
			a.log(logInfo, "gate "+r.Message)
		} else {
			a.info("gate %s", r.Message)
		}
	}
	if failed == 0 {
		return nil
	}
	return exit.WithCode(exit.Gate, fmt.Errorf("%d of %s failed", failed, show.Plural(len(g.results), "gate", "gates")), "")
}
