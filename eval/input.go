package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// MostResamples is the maximum number of resamples; more would change intervals by less than a percent.
const MostResamples = 1_000_000

// An Input is the input of [Evaluate]. All slices with an entry for each row have the same order. The first model
// is the baseline (ERM), to which the others are compared.
type Input struct {
	Task     Task
	LossName string // "logistic", "huber(δ=1)", …
	LossUnit string // unit of Loss, e.g. "nats" or "(standard deviations of wage)²"

	// n targets: ±1 for Binary, the index of a class for Multiclass, original units for Regression
	Target     []float64
	Classes    []string // for Multiclass, at least three classes
	TargetName string
	TargetUnit string // unit of a regression target, such as "USD per week"; may be empty
	// positive and negative value for Binary, e.g. "deny = yes" and "deny = no"; Negative may be empty
	Positive, Negative string

	Models []Model
	Groups []facts.Grouping // may be empty; the last grouping (all columns crossed) determines the worst group

	// TrainShare[k], if not nil, maps the group labels of Groups[k] to their shares of the training rows, which
	// are the weights in weighted averages. A nil slice or a nil entry means the shares of the evaluated rows.
	TrainShare []map[string]float64

	// Weight, if not nil, holds n positive weights of the rows, such as survey weights or costs, which apply to
	// every measure, curve and interval. Only their ratios matter.
	Weight []float64 // n positive numbers, or nil

	RowID []int // n row numbers to use in messages; nil means 1, 2, 3, …

	Threshold    *float64 // Binary: rows with Score ≥ Threshold are predicted positive; nil means 0.5
	MinGroupSize int      // smaller groups are listed but cannot be the worst group; values below 1 mean 1

	Confidence float64 // confidence of every interval, in (0, 1); 0 means 0.95
	// number of draws for simultaneous intervals and the ECE, from 100 to MostResamples; 0 means that no
	// intervals are computed
	Resamples int
	Seed      uint64

	Split  Split  // describes the rows; empty means "evaluation rows"
	Table  string // name of the table with the rows, if they are not rows of the training run; may be empty
	Filter string // condition that selected the rows from their table; empty means all rows

	// Rate is the minimum ratio of the decrease in the worst group's risk to the increase in the average risk
	// for which a model is said to have helped; 0 means 2.
	Rate float64
	// Budget, if not nil, replaces Rate: the maximum increase in the average risk, as a share of the baseline's,
	// for which a model is said to have helped.
	Budget *float64
	// Tolerance is the maximum accepted difference between groups in selection rates and in true positive
	// rates; 0 means 0.1.
	Tolerance float64
	// Favourable is the outcome to which fairness criteria refer, or nil if it is unknown. ReferenceGroup is
	// the label, in the last grouping, of the reference group of the four-fifths rule; if it is empty,
	// this is the group with the highest rate.
	Favourable     *Favourable
	ReferenceGroup string
	// Constant holds n losses of the best constant prediction for the training rows or, if FitsConstant is true, for
	// the evaluated rows; if it is nil, models are not compared with this prediction.
	Constant     []float64
	FitsConstant bool
	// RejectedCandidates is the number of other candidates that cross-validation rejected when it kept the
	// standard model, which is then the only model; otherwise it is 0. ImprovingCandidates is the number of those
	// that measurably lower the criterion.
	RejectedCandidates, ImprovingCandidates int
	// StandardRecommended reports whether the only model is the standard one because the evaluation
	// after the training recommended it.
	StandardRecommended bool
	// EffectiveRows is the effective number 1/Σy² of the TrainingRows under the adversary of the training run; 0
	// means unknown.
	EffectiveRows, TrainingRows float64

	// Criterion is the criterion by which the model in focus was chosen: "worst-group", "worst-group-accuracy",
	// "average", "tail" or "trade-off"; it is empty if its level was set. Only the trade-off and a level that
	// was set are judged by Rate; the other criteria accept any cost within the budget.
	Criterion string
	// CriterionText describes the criterion within a sentence, such as "worst group's risk".
	CriterionText string
	// CriterionGroups is the name of the grouping by which the model was chosen, which may differ from the last one of
	// Groups; it is empty if there was none.
	CriterionGroups string
	// ChosenByValidation reports whether validation rows chose the model; otherwise cross-validation did.
	ChosenByValidation bool
	// Alternatives describes what other criteria would have chosen on the same rows, such as "the worst group’s
	// risk would choose group-balanced ERM".
	Alternatives []string

	// Chosen is the change in the criterion from the standard model to the model in focus, as estimated when
	// the model was chosen. It is pooled with the change on the evaluated rows unless the choice was made on
	// these. The zero value means unknown.
	Chosen ChosenChange

	// Untrained lists the labels of groups on which the predicting model was not trained, such as a group of a
	// single row in a cross-fitted evaluation. No results are reported for such groups.
	Untrained []string
	// Comparisons accounts for the choice of the model on the evaluated rows. The zero value means that it was
	// chosen on other rows.
	Comparisons Comparisons

	// Observe, if not nil, is called with the progress of the evaluation. Calls are frequent and come from one
	// goroutine at a time.
	Observe func(Progress)

	// Arena allocates vectors with one entry for each row; nil means the heap.
	Arena *memory.Arena

	// Columns are the columns in which bad slices are searched for; nil means no search.
	Columns []Column

	rows *measuredRows
}

// Comparisons holds effective numbers of independent comparisons: n means that the largest standardised deviation
// is distributed like the largest of n independent normal variables. Values below 1 mean 1.
type Comparisons struct {
	Groups  float64 // for the group risks and their changes, over all groups and candidates
	Average float64 // for the changes in the average risk, over all candidates
}

// A ChosenChange is an estimated change in a criterion and its standard error, as shares of the standard model's
// value.
type ChosenChange struct{ Change, SE float64 }

// newMeasuredRows returns the rows in the form in which they are evaluated.
func (in *Input) newMeasuredRows() *measuredRows {
	arena := in.Arena.NewChild()
	rows := interval.Rows{Target: in.Target, Weight: scaleWeights(arena, in.Weight), Arena: arena,
		Parallel: workerPool{in.Observe}.Parallel}
	var atLeast0 []bool
	for _, m := range in.Models {
		rows.Score, rows.Loss = append(rows.Score, m.Score), append(rows.Loss, m.Loss)
		atLeast0 = append(atLeast0, !slices.ContainsFunc(m.Loss, func(l float64) bool { return l < 0 }))
	}
	out := &measuredRows{Rows: rows, Task: in.Task, Classes: in.Classes, Models: in.Models, Threshold: in.threshold(),
		LossAtLeast0: atLeast0}
	out.setLogLoss()
	return out
}

func (in *Input) threshold() float64 {
	if in.Threshold == nil {
		return 0.5
	}
	return *in.Threshold
}

func (in *Input) rate() float64       { return cmp.Or(in.Rate, 2) }
func (in *Input) tolerance() float64  { return cmp.Or(in.Tolerance, 0.1) }
func (in *Input) confidence() float64 { return cmp.Or(in.Confidence, 0.95) }

func (in *Input) rowID(i int) int {
	if in.RowID == nil {
		return i + 1
	}
	return in.RowID[i]
}

// check returns an error if the input is invalid.
func (in *Input) check() error {
	n := len(in.Target)
	switch {
	case in.Task != Binary && in.Task != Regression && in.Task != Multiclass:
		return fmt.Errorf("eval: the task is %q; it must be %q, %q or %q", in.Task, Binary, Regression, Multiclass)
	case (in.Task == Multiclass) != (len(in.Classes) > 2):
		return fmt.Errorf("eval: a %s task cannot have %d classes", in.Task, len(in.Classes))
	case n == 0:
		return fmt.Errorf("eval: no rows to evaluate (%s is empty)", cmp.Or(string(in.Split), "the evaluation set"))
	case n > math.MaxInt32:
		return fmt.Errorf("eval: there are %d rows; at most %d are allowed", n, math.MaxInt32)
	case len(in.Models) == 0:
		return fmt.Errorf("eval: there is no model to evaluate")
	case in.RowID != nil && len(in.RowID) != n:
		return fmt.Errorf("eval: there are %d row ids for %d rows", len(in.RowID), n)
	case in.Constant != nil && len(in.Constant) != n:
		return fmt.Errorf("eval: there are %d losses of the constant prediction for %d rows", len(in.Constant), n)
	case in.Weight != nil && len(in.Weight) != n:
		return fmt.Errorf("eval: there are %d weights for %d rows", len(in.Weight), n)
	case in.TrainShare != nil && len(in.TrainShare) != len(in.Groups):
		return fmt.Errorf("eval: training proportions are given for %d of %d %s", len(in.TrainShare), len(in.Groups),
			printable.Noun(len(in.Groups), "grouping", "groupings"))
	case !(in.confidence() > 0 && in.confidence() < 1):
		return fmt.Errorf("eval: the confidence level is %v; it must be between 0 and 1", in.Confidence)
	case in.Resamples != 0 && (in.Resamples < 100 || in.Resamples > MostResamples):
		return fmt.Errorf("eval: there are %d %s; there must be 0 (no intervals) or from 100 to %d", in.Resamples,
			printable.Noun(in.Resamples, "resample", "resamples"), MostResamples)
	case !(in.rate() > 0) || !(in.tolerance() > 0):
		return fmt.Errorf("eval: the rate %v and the tolerance %v must be positive, or 0 for their defaults", in.Rate,
			in.Tolerance)
	case math.IsNaN(in.threshold()):
		return fmt.Errorf("eval: the threshold is NaN")
	}
	for i, t := range in.Target {
		if in.Task == Binary && t != 1 && t != -1 {
			return fmt.Errorf("eval: the target of row %d is %v; a binary target is +1 or −1", in.rowID(i), t)
		}
		if in.Task == Multiclass && !(t >= 0 && t < float64(len(in.Classes)) && t == math.Floor(t)) {
			return fmt.Errorf("eval: the target of row %d is %v; the classes are numbered from 0 to %d", in.rowID(i), t,
				len(in.Classes)-1)
		}
		if isNotFinite(t) {
			return fmt.Errorf("eval: the target of row %d is %v; it must be finite", in.rowID(i), t)
		}
	}
	for i, w := range in.Weight {
		if !(w > 0) || isNotFinite(w) {
			return fmt.Errorf("eval: the weight of row %d is %v; it must be positive and finite", in.rowID(i), w)
		}
	}
	seen := make(map[string]bool)
	for k, m := range in.Models {
		if m.Name == "" || seen[m.Name] {
			return fmt.Errorf("eval: the name %[2]q of model %[1]d is empty or already used by another model", k, m.Name)
		}
		seen[m.Name] = true
		if len(m.Score) != n || len(m.Loss) != n {
			return fmt.Errorf("eval: model %q has %d scores and %d losses, but there are %d rows", m.Name, len(m.Score),
				len(m.Loss), n)
		}
		if in.Task == Multiclass && (len(m.Class) != n || len(m.Place) != n) {
			return fmt.Errorf("eval: model %q has %d predicted classes and %d ranks of the true class, but there are %d rows",
				m.Name, len(m.Class), len(m.Place), n)
		}
		for i := range m.Class {
			if c := m.Class[i]; in.Task == Multiclass && (c < 0 || int(c) >= len(in.Classes)) {
				return fmt.Errorf("eval: model %q predicts class %d at row %[4]d, but there are only %[3]d classes", m.Name, c,
					len(in.Classes), in.rowID(i))
			}
		}
		for i := range n {
			switch s := m.Score[i]; {
			case isNotFinite(s):
				return fmt.Errorf("eval: the score of model %q at row %d is %v; it must be finite", m.Name, in.rowID(i), s)
			case in.Task != Regression && (s < 0 || s > 1):
				return fmt.Errorf("eval: the score of model %q at row %d is %v; it must be a probability in [0, 1]", m.Name,
					in.rowID(i),
					s)
			case isNotFinite(m.Loss[i]):
				return fmt.Errorf("eval: the loss of model %q at row %d is %v; it must be finite", m.Name, in.rowID(i), m.Loss[i])
			}
		}
	}
	if in.ReferenceGroup != "" && (len(in.Groups) == 0 ||
		!slices.Contains(in.Groups[len(in.Groups)-1].Labels, in.ReferenceGroup)) {
		var labels []string
		if len(in.Groups) > 0 {
			labels = in.Groups[len(in.Groups)-1].Labels
		}
		has := "there are no groups"
		if len(labels) > 0 {
			has = "the groups are " + printable.List(labels, 8)
		}
		return fmt.Errorf("eval: the reference group %q does not exist: %s%s", in.ReferenceGroup, has,
			didYouMean(in.ReferenceGroup, labels))
	}
	for _, g := range in.Groups {
		if err := checkGrouping(g, n); err != nil {
			return err
		}
	}
	for _, c := range in.Columns {
		if c.Load != nil {
			continue // checked where it is set
		}
		if err := c.Check(n); err != nil {
			return err
		}
	}
	return nil
}

func checkGrouping(g facts.Grouping, n int) error {
	if len(g.Index) != n {
		return fmt.Errorf("eval: grouping %q covers %d of %d rows", g.Name, len(g.Index), n)
	}
	for i, k := range g.Index {
		if k < 0 || int(k) >= len(g.Labels) {
			return fmt.Errorf("eval: grouping %q puts row %d into group %d, but has only %d groups", g.Name, i+1, k,
				len(g.Labels))
		}
	}
	return nil
}
