package main

import (
	"slices"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/report"
)

// check refuses what the command line alone shows to be wrong, and returns the
// scores.
func (o *auditOptions) check() ([]report.Score, error) {
	score := ""
	if len(o.scores) > 0 {
		score = o.scores[0]
	}
	if err := needed(need{"label", o.label, "name the column of what occurred, as in --label y"}, need{"score", score, "name the column of the predictions, as in --score p"}); err != nil {
		return nil, err
	}
	if kind, ok := losses.KindOf(o.loss); ok && o.task != "" && !kind.Measures(o.task == "binary") {
		choose := losses.Either(losses.Names(func(k losses.Kind) bool { return k.Measures(o.task == "binary") }))
		of := map[bool]string{true: "binary", false: "regression"}[kind.Classes]
		return nil, exit.Usagef("choose "+choose, "--loss %s is for --task %s", o.loss, of)
	}
	switch {
	case o.task == "regression" && o.positive != "":
		return nil, exit.Usagef("leave one of them out", "--positive is for --task binary")
	}
	var names, columns []string
	var scores []report.Score
	for _, s := range o.scores {
		name, column := scoreName(s)
		if name == "" || column == "" {
			return nil, exit.Usagef("write --score NAME=COLUMN", "--score %q: a name or a column is missing", s)
		}
		if slices.Contains(names, name) {
			return nil, exit.Usagef("name them, as in --score old=p1,new=p2", "two score columns are called %q", name)
		}
		names, columns = append(names, name), append(columns, column)
		scores = append(scores, report.Score{Name: name, Column: column})
	}
	once := slices.Compact(slices.Sorted(slices.Values(columns)))
	one := []string{o.label}
	weight := []string{}
	if o.measure.Weight != "" {
		weight = []string{o.measure.Weight}
	}
	err := options.CheckRoles(
		options.Columns("label", one, "score", "weight", "columns"), options.Columns("score", once, "weight", "columns"),
		options.Columns("weight", weight, "columns", "groups"), options.Columns("groups", o.measure.Groups),
		options.Columns("columns", o.columns, "drop"), options.Columns("drop", o.drop),
	)
	if err != nil {
		return nil, err
	}
	return scores, o.out.check()
}
