package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
)

// gatesValue is a repeatable option: conditions on an evaluation that fail the
// command.
type gatesValue struct{ p *[]eval.Gate }

func (v *gatesValue) String() string { return "" }
func (v *gatesValue) Type() string   { return "gate" }
func (v *gatesValue) Set(s string) error {
	g, err := eval.ParseGate(s)
	if err != nil {
		return options.Must("be a measure, a comparison and a number",
			`as in --fail-if "worst_group.risk > 0.6" or "change.worst_group.risk.high > 0"`)
	}
	*v.p = append(*v.p, g)
	return nil
}

// gates are the conditions of a command and their outcome.
type gates struct {
	list    []eval.Gate
	results []eval.GateResult
}

func (g *gates) define(fs *pflag.FlagSet) {
	fs.Var(&gatesValue{&g.list}, "fail-if", "`condition` that fails the command with exit code 4, as in \"worst_group.risk > 0.6\"; repeatable")
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
	return nil
}

// writeJUnit writes the outcome for the test tab of a build server.
func (g *gates) writeJUnit(w io.Writer) error { return eval.WriteJUnit(w, "drotrain", g.results) }

// tell prints the outcome of every gate on stderr, and is an error of exit
// code 4 if one failed.
func (g *gates) tell(a *app, quiet bool) error {
	failed := 0
	for _, r := range g.results {
		if r.Failed {
			failed++
		}
		if r.Failed || !quiet {
			a.note("gate %s", r.Message)
		}
	}
	if failed == 0 {
		return nil
	}
	return exit.With(exit.Gate, fmt.Errorf("%d of %s failed", failed, show.Plural(len(g.results), "gate", "gates")), "")
}
