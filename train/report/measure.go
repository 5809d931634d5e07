package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Measured is an evaluation with the additional data that a report needs. Its methods panic unless a function of
// this package returned it.
type Measured struct {
	Evaluation *eval.Evaluation
	Input      *eval.Input   // input of the evaluation
	Encoding   encode.Report // encoding of the rows: unseen levels, filled nulls

	options Options
	model   *train.Model     // nil for an audit
	run     *train.Run       // rows of the training run, if Measure evaluated them; otherwise nil
	folds   *train.OutOfFold // predictions by models trained without the rows; nil if there are none

	notes []string // see Notes
	table string   // name of the evaluated table; if empty, rows of the training were evaluated

	arena    *memory.Arena // storage of the evaluated rows of a table; nil means memory
	audit    *audit        // nil for a model
	compared []Named       // the models of a comparison

	adversary struct { // result of describeAdversary
		sync.Once
		is  *eval.Adversary
		err error
	}
}

// Measure evaluates a model and its baselines on the hold-out rows of its training or, if there are none, on the
// training rows; with Config.Evaluate crossfit it first calls Model.CrossFit and evaluates the out-of-fold predictions.
// For a model that was loaded, Model.Rerun must have been called. Groups named by the options must be columns of the
// table. With several ranks it is a collective call that must precede other methods that need the rows; it returns nil
// on all ranks except rank 0.
func Measure(ctx context.Context, m *train.Model, o Options) (*Measured, error) {
	if m.Run == nil {
		return nil, errors.New(
			"the model has not kept its training rows: set Config.KeepRows before training, or call Rerun")
	}
	if c := ranks.FromContext(ctx); c != nil {
		return measureRanks(ctx, c, m, o)
	}
	run, err := runWithGroups(ctx, m, o.Groups)
	if err != nil {
		return nil, err
	}
	rows, split := run.Holdout, eval.Holdout
	if rows == nil {
		rows, split = run.Train, eval.Training
	}
	x := &Measured{options: o, model: m, run: run}
	// The adversary is described while the rows are measured. The rows may be released after Measure has returned.
	go func() { _, _ = x.describeAdversary() }()
	defer func() { _, _ = x.describeAdversary() }()
	run.Evict()
	if m.Config.Evaluate == train.EvaluateCrossfit {
		if x.folds, err = m.CrossFit(ctx); err != nil {
			return nil, &train.CrossfitError{Err: err}
		}
		split = eval.OutOfFold
	}
	t, err := x.scoreRows(ctx, run.Frame, rows)
	if err != nil {
		return nil, err
	}
	if err := run.Err(); err != nil {
		return nil, err
	}
	if x.folds != nil && t.arena != nil {
		t.sort() // columns are read in the order of the table
	}
	err = x.evaluate(ctx, run.Frame, t, split)
	return x, cmp.Or(run.Err(), err)
}

// runWithGroups returns the rows of the training run, with different groupings if groups names any.
func runWithGroups(ctx context.Context, m *train.Model, groups []string) (*train.Run, error) {
	if len(groups) == 0 {
		return m.Run, nil
	}
	encoder, err := m.Encoder.WithGroups(ctx, m.Run.Frame, groups)
	if err != nil {
		return nil, err
	}
	return m.Run.WithGroups(ctx, encoder)
}

// MeasureTable evaluates a model and its baselines on the rows of f that pass Options.Filter. The table must
// have the target.
func MeasureTable(ctx context.Context, m *train.Model, f *data.Frame, o Options) (*Measured, error) {
	if err := m.UnregisteredLoss(); err != nil {
		return nil, err
	}
	x := &Measured{options: o, model: m}
	return x, x.evaluateTable(ctx, f)
}

// selectionBudget returns the maximum increase in the average risk, as a proportion, with which the level was chosen. It
// returns Config.Budget if the level was not chosen, or was chosen without a budget or with the budget 0.
func selectionBudget(m *train.Model) *float64 {
	s := m.Result.Selection
	if m.Config.Budget != nil || s == nil || s.Budget == nil || *s.Budget == 0 {
		return m.Config.Budget
	}
	return s.Budget
}

// alternatives describes the models that other criteria would choose.
func alternatives(s *tune.Selection) (out []string) {
	for _, a := range s.Alternatives {
		k, chosen := s.Candidates[a.Chosen], s.Best()
		if k.Family == chosen.Family && k.Name == chosen.Name {
			continue // the models differ in μ at most
		}
		out = append(out, fmt.Sprintf("the %s would choose %s", tune.CriterionText(a.Criterion, s.Rate), k.Name))
	}
	return out
}

// filterRows returns the rows that pass a filter; nil means all rows.
func filterRows(ctx context.Context, f *data.Frame, filter string) ([]int, error) {
	if filter == "" {
		return nil, nil
	}
	rows, err := f.Filter(ctx, filter)
	if err == nil && len(rows) == 0 {
		err = &data.Error{Path: f.Name(), Msg: fmt.Sprintf("no row satisfies the filter %q; the table has %s", filter,
			printable.Plural(f.Rows, "row", "rows"))}
	}
	return rows, err
}

// evaluate evaluates the scored rows of f, and sets Input and Evaluation.
func (x *Measured) evaluate(ctx context.Context, f *data.Frame, rows *scoredRows, split eval.Split) error {
	m, o := x.model, x.options
	target := m.Encoder.Target
	in := &eval.Input{
		Task: eval.Regression, LossName: lossName(m.Config), LossUnit: LossUnit(m.Config),
		TargetName: target.Name, TargetUnit: cmp.Or(o.Unit, builtinUnit(m.Config)), Target: rows.Target,
		Groups: o.relabelGroups(rows.Groups), RowID: rowNumbers(rows.arena, rows.Rows), Arena: rows.arena,
		MinGroupSize: o.MinGroupSize, Resamples: o.resampleCount(len(rows.Rows)), Confidence: o.Confidence,
		Seed: m.Config.Seed, Split: split, Rate: cmp.Or(o.Rate,
			m.Config.Rate), Budget: selectionBudget(m), Tolerance: o.Tolerance, Observe: o.Observe,
	}
	if split == eval.Table {
		in.Table, in.Filter = x.table, o.Filter
	}
	if o.Weight == "" && !o.Unweighted {
		o.Weight = m.Config.Weight
		if x.compared != nil {
			o.Weight = commonWeight(x.compared)
		}
		if split == eval.Table && o.Weight != "" && !f.Has(o.Weight) {
			x.notes = append(x.notes,
				fmt.Sprintf("the model was trained with the row weights %q, which the table lacks, so every row counts once",
					o.Weight))
			o.Weight = ""
		}
	}
	if o.Weight != "" {
		var err error
		if in.Weight, err = readWeights(ctx, f, rows.Rows, rows.arena, o.Weight); err != nil {
			return err
		}
	}
	if target.Task == encode.Multiclass {
		in.Task, in.Classes = eval.Multiclass, target.Classes
		in.Groups = append([]encode.Grouping{classGrouping(target.Name, target.Classes, rows.Target)}, in.Groups...)
	} else if target.Task == encode.Binary {
		in.Task = eval.Binary
		in.Positive = fmt.Sprintf("%s = %s", target.Name, target.Positive)
		in.Negative = fmt.Sprintf("%s = %s", target.Name, target.Negative)
		var err error
		if o.Favourable == "" {
			o.Favourable = m.Config.Favourable
		}
		if o.ReferenceGroup == "" && len(o.Groups) == 0 {
			o.ReferenceGroup = m.Config.ReferenceGroup
		}
		if in.Favourable, err = o.favourable(target.Name, target.Positive, target.Negative); err != nil {
			return err
		}
		in.ReferenceGroup = o.ReferenceGroup
		if in.Threshold = o.Threshold; in.Threshold == nil {
			threshold := m.Threshold()
			in.Threshold = &threshold
		}
	} else {
		column, err := columnAt(ctx, f, target.Name, rows.Rows, rows.arena)
		if err != nil {
			return err
		}
		in.Target = numbersOf(rows.arena, column)
		if target.Exposure != "" {
			if err := x.divideByExposures(ctx, f, in, rows); err != nil {
				return err
			}
		}
	}
	if err := o.checkTask(target.Name, in.Task); err != nil {
		return err
	}
	if s := m.Result.Selection; s != nil && x.compared == nil {
		in.ChosenByValidation = s.Validation > 0
		if n := len(m.Encoder.Groups); n > 0 {
			in.CriterionGroups = m.Encoder.Groups[n-1].Name
		}
		in.Criterion, in.CriterionText, in.Alternatives =
			s.Criterion, tune.CriterionText(s.Criterion, s.Rate), alternatives(s)
		if k, value := s.Best(), math.Abs(s.Candidates[0].Value); value > 0 {
			in.Chosen = eval.ChosenChange{Change: -k.Improvement / value, SE: k.SE / value}
		}
	}
	if x.compared == nil && roleOf(m) == eval.StandardModel {
		if s := m.Result.Selection; s != nil {
			in.RejectedCandidates, in.ImprovingCandidates = len(s.Candidates)-1, s.CountImproving()
		} else {
			in.StandardRecommended = m.Result.Recommended == train.VariantERM
		}
	}
	// an effective size near the number of training rows is no fault of the adversary
	if x.compared == nil && m.Config.Average != "plain" && m.Result.EffectiveSampleSize < float64(m.TrainRows)/2 {
		in.EffectiveRows, in.TrainingRows = m.Result.EffectiveSampleSize, float64(m.TrainRows)
	}
	if x.folds != nil {
		in.Untrained = x.folds.Untrained
		if s := m.Result.Selection; s != nil {
			in.Comparisons = eval.Comparisons{Groups: s.Comparisons.Groups, Average: s.Comparisons.Average}
		}
	}
	in.Models = rows.models
	if constant := memory.Make[float64](rows.arena, len(rows.Target)); m.ConstantLosses(constant, rows.Target) {
		in.Constant = constant
	}
	left := 0
	if !o.Quick {
		in.Columns, left = rawColumns(ctx, f, rows.along.inputsByVariation(m.Encoder), rows.Rows, rows.arena)
	}
	if x.run != nil {
		in.TrainShare = groupShares(in.Groups, o.relabelGroups(x.run.Train.Groups))
	}
	x.Input = in
	var err error
	if x.Evaluation, err = eval.Evaluate(ctx, *in); err != nil {
		return err
	}
	x.Evaluation.AllGroups, x.Evaluation.Findings = o.AllGroups, m.Findings
	if split == eval.Table {
		x.Evaluation.TrainingRows = x.Encoding.Training.String()
	}
	x.Evaluation.Levels = levelRangeOf(m.Result.Levels)
	x.Evaluation.Attributes = eval.ListedAttributes(x.featureColumns())
	if split == eval.Table {
		for _, d := range x.Encoding.Drift {
			x.Evaluation.Drift = append(x.Evaluation.Drift, eval.Drift{Drift: d, Finding: d.String()})
		}
	}
	if s := x.Evaluation.Slices; s != nil && left > 0 {
		s.Method += fmt.Sprintf(" Of %d columns, the %d along which the loss varies most were searched.", maxColumns+left,
			maxColumns)
	}
	x.Evaluation.Conclude()
	return nil
}

// levelRangeOf converts a range of levels, or returns nil if r is nil.
func levelRangeOf(r *level.Range) *eval.LevelRange {
	if r == nil {
		return nil
	}
	out := &eval.LevelRange{Rows: r.Rows, Of: r.Of, Text: r.String()}
	if r.Protect != nil {
		protect := eval.Num(*r.Protect)
		out.Protect = &protect
	}
	for _, b := range r.Balls {
		out.Balls = append(out.Balls, eval.BallRange{Penalty: string(b.Penalty), Ess: eval.Num(b.Ess),
			Radius: eval.Num(b.Radius), Nu: eval.Num(b.Nu)})
	}
	return out
}

// classGrouping returns a grouping of the rows by class, so that the risk of each class has an interval like that
// of a group.
func classGrouping(name string, classes []string, target []float64) encode.Grouping {
	g := encode.Grouping{Name: name, Labels: classes, Index: make([]int32, len(target))}
	for i, c := range target {
		g.Index[i] = int32(c)
	}
	return g
}

// divideByExposures divides the counts of an input by the exposures of their rows, and multiplies the weights by
// the exposures.
func (x *Measured) divideByExposures(ctx context.Context, f *data.Frame, in *eval.Input, rows *scoredRows) error {
	t := x.model.Encoder.Target
	exposures, err := readNumbers(ctx, f, rows.Rows, rows.arena, numberColumn{t.Exposure, "an exposure", isAboveZero,
		"a number above 0", adviseToFilter(t.Exposure)})
	if err != nil {
		return err
	}
	in.TargetName = t.Name + " per " + t.Exposure
	rates, weights := memory.Make[float64](rows.arena, len(exposures)), memory.Make[float64](rows.arena, len(exposures))
	for i, v := range exposures {
		rates[i], weights[i] = in.Target[i]/v, v
		if in.Weight != nil {
			weights[i] *= in.Weight[i]
		}
	}
	in.Target, in.Weight = rates, weights
	return nil
}

// commonWeight returns the name of the weight column that all models were trained with, or "" if the names differ.
func commonWeight(models []Named) string {
	for _, m := range models[1:] {
		if m.Model.Config.Weight != models[0].Model.Config.Weight {
			return ""
		}
	}
	return models[0].Model.Config.Weight
}

// Notes returns notes on the evaluation, such as that the table lacks the row weights.
func (x *Measured) Notes() []string { return x.notes }

// groupShares returns, for each grouping, the proportion of each group among the training rows by label, or nil if the
// training rows do not have the grouping.
func groupShares(groups, trained []encode.Grouping) []map[string]float64 {
	out := make([]map[string]float64, len(groups))
	shares := eval.Shares(trained)
	for k, g := range groups {
		for j, t := range trained {
			if t.Name == g.Name {
				out[k] = shares[j]
			}
		}
	}
	return out
}

// builtinUnit returns the unit of the default target of a built-in data set.
func builtinUnit(c train.Config) string {
	if !strings.HasPrefix(c.Data, datasets.Prefix) {
		return ""
	}
	info, err := datasets.Get(c.Data)
	if err != nil || info.Target != c.Target {
		return ""
	}
	return info.Unit
}

// featureColumns returns the columns of the table that the models use as features, by themselves or in products.
func (x *Measured) featureColumns() (out []string) {
	models := []Named{{Model: x.model}}
	if x.compared != nil {
		models = x.compared
	}
	for _, m := range models {
		for _, in := range m.Model.Encoder.Inputs {
			if in.Of == nil {
				out = append(out, in.Name)
			}
			for _, o := range in.Of {
				out = append(out, o.Column)
			}
		}
	}
	return out
}
