package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// A Named is a model with its name in a comparison.
type Named struct {
	Name  string
	Model *train.Model
}

// Compare evaluates several models on the same rows, with paired intervals; the first model is the baseline. If f
// is not nil, it evaluates the rows of f that pass Options.Filter, and f must have the target. Otherwise it
// evaluates the hold-out rows of the training runs, which must be the same for all models and in Model.Run (see
// Model.Rerun). It returns an error if the models differ in target, classes or units of the loss.
func Compare(ctx context.Context, models []Named, f *data.Frame, o Options) (*Measured, error) {
	if len(models) < 2 {
		return nil, &OptionError{"model", "needs at least two models", ""}
	}
	first := models[0].Model
	for k, m := range models {
		if m.Model == nil {
			return nil, fmt.Errorf("%s has no model", m.Name)
		}
		if slices.ContainsFunc(models[:k], func(o Named) bool { return o.Name == m.Name }) {
			return nil, &OptionError{"model", fmt.Sprintf("has two models called %q", m.Name),
				"rename the file or the directory of one of them"}
		}
		if err := checkComparable(first, m.Model); err != nil {
			return nil, fmt.Errorf("%s and %s cannot be compared: %w", models[0].Name, m.Name, err)
		}
	}
	x := &Measured{options: o, model: first, compared: models}
	if f != nil {
		return x, x.evaluateTable(ctx, f)
	}
	if first.Run == nil || first.Run.Holdout == nil {
		return nil, &OptionError{"model", fmt.Sprintf("%s has no hold-out rows", models[0].Name),
			"name a table to evaluate on"}
	}
	rows := first.Run.Holdout.Rows
	for _, m := range models[1:] {
		if m.Model.Run == nil || m.Model.Run.Holdout == nil || !slices.Equal(m.Model.Run.Holdout.Rows, rows) {
			return nil, &OptionError{"model", fmt.Sprintf("%s and %s have different hold-out rows", models[0].Name, m.Name),
				"name a table to evaluate on"}
		}
	}
	if !slices.IsSorted(rows) {
		rows = slices.Sorted(slices.Values(rows))
	}
	return x, x.evaluateRows(ctx, first.Run.Frame, rows, eval.Holdout)
}

// checkComparable returns an error if the risks of two models cannot be compared.
func checkComparable(a, b *train.Model) error {
	for _, m := range []*train.Model{a, b} {
		if err := m.UnregisteredLoss(); err != nil {
			return err
		}
	}
	s, t := a.Encoder.Target, b.Encoder.Target
	switch {
	case s.Name != t.Name:
		return fmt.Errorf("one predicts %s, the other %s", s.Name, t.Name)
	case s.Task != t.Task:
		return fmt.Errorf("the task of one is %s, that of the other %s", s.Task, t.Task)
	case !slices.Equal(s.Classes, t.Classes):
		return fmt.Errorf("their targets have different classes")
	case s.Positive != t.Positive:
		return fmt.Errorf("their positive classes are %q and %q", s.Positive, t.Positive)
	case lossName(a.Config) != lossName(b.Config):
		return fmt.Errorf("their losses are %s and %s", lossName(a.Config), lossName(b.Config))
	case s.Task == encode.Regression && s.Scale != t.Scale:
		return fmt.Errorf("their losses are in different units: one divides %s by %.4g, the other by %.4g", s.Name, s.Scale,
			t.Scale)
	}
	return nil
}

// comparisonReport returns the report of Compare.
func (x *Measured) comparisonReport() *eval.Report {
	r := &eval.Report{Evaluation: x.Evaluation, Notes: append([]string{}, x.notes...), Command: x.options.Command,
		Card: x.options.Card}
	for _, c := range x.compared {
		s, day := c.Model.Summary(""), ""
		if at := c.Model.Trained; !at.IsZero() {
			day = " on " + at.Format(time.DateOnly)
		}
		r.Facts = append(r.Facts, eval.Fact{Key: c.Name,
			Value: fmt.Sprintf("%s (%s), %s loss, trained on %s of %s by drotrain %s%s, certified: %v",
				Name(c.Model), s.Level, s.Loss, printable.Plural(c.Model.TrainRows, "row", "rows"), c.Model.Config.Data,
				c.Model.Version, day, s.Certified)})
	}
	r.Title, r.Subtitle = comparedTitle(x.Evaluation), measuredOn(x.Evaluation, x.table)
	return r
}

// comparedTitle returns a title that states which of two models is recommended or, if there is no recommendation or
// another number of models, which models are evaluated.
func comparedTitle(e *eval.Evaluation) string {
	names := e.Names()
	switch len(names) {
	case 1:
		return "Predictions of " + e.Target
	case 2:
		switch e.Verdict.Recommended {
		case names[0]:
			return fmt.Sprintf("%s is kept for predicting %s (compared with %s)", names[0], e.Target, names[1])
		case names[1]:
			return fmt.Sprintf("%s is better than %s at predicting %s", names[1], names[0], e.Target)
		}
	}
	return strings.Join(names, " against ") + ": " + e.Target
}

// measuredOn states which rows were evaluated.
func measuredOn(e *eval.Evaluation, table string) string {
	if e.Split == eval.Table && table != "" {
		return fmt.Sprintf("Measured on %s (%s).", table, e.CountRows())
	}
	return fmt.Sprintf("Measured on %s.", e.DescribeRows())
}
