package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/report"
)

// measurePredictions evaluates a table of predictions. It returns the evaluation and the first line to print.
func (o *evalOptions) measurePredictions(ctx context.Context, a *app) (*report.Measured, string, error) {
	scores, err := o.scores()
	if err != nil {
		return nil, "", err
	}
	c := &o.Config
	o.shown.Begin(show.Reading)
	f, err := a.openTable(ctx, o.Predictions, c.Reading)
	if err != nil {
		return nil, "", err
	}
	a.noteUnusedReading(f, c.Reading)
	measured, err := report.Audit(ctx, f, report.AuditOptions{
		Options: o.measure, Name: o.Predictions, Label: c.Target, Scores: scores,
		Task: eval.Task(o.Task), Loss: c.Loss, Positive: c.Positive, HuberDelta: c.HuberDelta,
		Columns: o.Columns, Drop: c.Drop, Seed: c.Seed,
	})
	if err != nil {
		return nil, "", err
	}
	for _, n := range f.Notes {
		a.note("%s", n)
	}
	target := measured.Input.TargetName
	if in := measured.Input; in.Negative != "" {
		target += fmt.Sprintf(", %s against %s", in.Positive, in.Negative)
	} else if in.Positive != "" {
		target += ", positive class " + in.Positive
	}
	return measured, fmt.Sprintf("%s: %s, target %s", o.Predictions, show.Plural(measured.Evaluation.N, "row", "rows"),
		target), nil
}

// scores returns the columns of predictions with the names of their models.
func (o *evalOptions) scores() ([]report.Score, error) {
	c := &o.Config
	if err := checkRequirements(requiredOption{"target", c.Target,
		"name the column with the actual outcome, as in --target y"},
		requiredOption{"score", strings.Join(o.Scores, ""),
			"name the column with the predictions, as in --score p"}); err != nil {
		return nil, err
	}
	if kind, ok := losses.KindOf(c.Loss); ok && o.Task != "" && !kind.Measures(o.Task == "binary") {
		choose := printable.JoinWords(losses.Names(func(k losses.Kind) bool { return k.Measures(o.Task == "binary") }), "or")
		of := map[bool]string{true: "binary", false: "regression"}[kind.Classes]
		return nil, exit.Usagef("choose "+choose, "--loss %s needs --task %s", c.Loss, of)
	}
	if o.Task == "regression" && c.Positive != "" {
		return nil, exit.Usagef("leave out --positive, or set --task binary", "--positive needs --task binary")
	}
	var scores []report.Score
	var columns []string
	for _, s := range o.Scores {
		name, column := scoreName(s)
		if name == "" || column == "" {
			return nil, exit.Usagef("write --score NAME=COLUMN", "--score %q lacks a name or a column", s)
		}
		if slices.ContainsFunc(scores, func(s report.Score) bool { return s.Name == name }) {
			return nil, exit.Usagef("give the scores different names, as in --score old=p1,new=p2",
				"two score columns are called %q", name)
		}
		scores = append(scores, report.Score{Name: name, Column: column})
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	return scores, checkRoles(
		role{"target", []string{c.Target}, []string{"score", "weight", "columns"}}, role{"score", columns,
			[]string{"weight", "columns"}},
		role{"weight", []string{c.Weight}, []string{"columns", "groups"}}, role{"groups", c.Groups, nil},
		role{"columns", o.Columns, []string{"drop"}}, role{"drop", c.Drop, nil},
	)
}

// scoreName splits NAME=COLUMN. For a plain COLUMN, both results are the column.
func scoreName(s string) (name, column string) {
	if name, column, ok := strings.Cut(s, "="); ok {
		return strings.TrimSpace(name), strings.TrimSpace(column)
	}
	return s, s
}
