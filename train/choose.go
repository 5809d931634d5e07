package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Choice specifies how the level is chosen if none is set.
type Choice struct {
	Select string `json:"select,omitempty"` // one of tune.Criteria; empty selects the default of tune.Options
	Folds  int    `json:"folds,omitempty"`  // 0 for tune.DefaultFolds
	// weight of the average risk in the trade-off with the worst group's risk
	Rate float64 `json:"rate,omitempty"`
	// estimate risks as functions of the number of training rows; see Selection.Curve
	LearningCurve bool `json:"-"`

	// Budget is the maximum increase in the average risk, as a proportion of ERM's average risk. If it is nil,
	// the maximum is 0.01 if the criterion tail was requested, 0 if tail is the default criterion, and otherwise
	// there is none.
	Budget *float64 `json:"budget,omitempty"`
}

// tuneOptions converts the choice to options of package tune.
func (c Choice) tuneOptions() tune.Options {
	o := tune.DefaultOptions()
	o.Criterion, o.Folds, o.Rate, o.Curve = c.Select, c.Folds, c.Rate, c.LearningCurve
	if c.Budget != nil {
		o.Budget = *c.Budget
	}
	return o
}

func (c Choice) validate() error {
	if c == (Choice{}) { // the model was written by an earlier version
		return nil
	}
	if c.Budget != nil && (math.IsNaN(*c.Budget) || math.IsInf(*c.Budget, 0)) {
		return fmt.Errorf("Config.Budget is %v; it must be finite, or nil for the criterion's default budget", *c.Budget)
	}
	return c.tuneOptions().Validate()
}

// maxPathWork is the maximum of rows × columns for which the optimum is bounded at every ν, as the report shows.
const maxPathWork = 400_000

// maxUnstable is the proportion of resamples that may choose a different family without a warning.
const maxUnstable = 1.0 / 3

// minChoiceRows is the smallest number of rows to which a choice with group coefficients is reduced.
const minChoiceRows = 10_000

// chooseLevel chooses the level, starting from ERM's solution x. If there are too few rows and no choice was
// requested, ERM is kept, with a note. The seed determines the order of the rows and the folds.
func (m *Model) chooseLevel(ctx context.Context, x []float64, began time.Time) error {
	o := m.Config.Choice.tuneOptions()
	o.Ridge = !m.muGiven && m.Config.Solver == autoSolver
	if g := m.Result.Design; !g.IsShared() { // group coefficients multiply the cost of a Newton step
		d := m.Run.Train.D
		o.Few, o.SharedColumns = true, d-g.Columns
		ratio := float64(d-g.Columns) / float64(d)
		o.Rows = min(o.Rows, max(minChoiceRows, int(float64(o.Rows)*ratio*ratio)))
	}
	o.Embeddings = m.hasEmbeddings()
	o.Range = m.Result.Levels
	o.Observe = m.Config.countObserver("choosing", began)
	o.Comparisons = m.Config.Evaluate == EvaluateCrossfit
	o.Path = m.mustChoose || min(m.Run.Train.N, o.Rows)*m.Run.Train.D <= maxPathWork
	s, err := m.selectOrResume(ctx, x, o)
	var few *tune.FewRowsError
	asked := m.mustChoose || m.Run.validation != nil || m.Config.Choice.Select != "" ||
		m.Config.Choice.Folds > tune.DefaultFolds
	if errors.As(err, &few) && !asked {
		m.addNotes(fmt.Sprintf("cross-validation could not choose the robustness (%v), so ERM is trained", err))
		m.Config.Level = level.Level{Average: "plain", Penalty: m.Config.Penalty}
		return nil
	} else if err != nil {
		return err
	}
	m.Result.Selection = s
	m.Config.Level = s.Best().Level
	given := *m.Config.Mu
	mu, erm, balanced := s.Best().Mu, s.MuOf("erm", given), s.MuOf("balanced", given)
	if mu != given {
		m.addNotes(fmt.Sprintf(
			"μ = %s was chosen by the %s (default: %s; μ of ERM, with which it was compared: %s)",
			printable.Setting(mu), tune.CriterionText(s.Criterion, s.Rate), printable.Setting(given),
			printable.Setting(s.Candidates[0].Mu)))
	}
	m.Config.Mu, m.Config.baselineMu, m.Config.balancedMu = &mu, &erm, &balanced
	m.addNotes(m.followAccuracyChoice(s)...)
	if s.Unstable > maxUnstable {
		m.addNotes(fmt.Sprintf(
			"%sthe choice is uncertain: in %.0f\u00a0%% of the resamples, a kind of model other than %s is chosen",
			warningMark, 100*s.Unstable, s.Best().Name))
	}
	if s.Rows < s.Of {
		m.addNotes(fmt.Sprintf("the robustness was chosen on %s of the %s training rows; the model is trained "+
			"on all training rows",
			printable.Count(s.Rows), printable.Count(s.Of)))
	}
	return nil
}

// hasEmbeddings reports whether the default criterion for classes is the accuracy of the worst group: no named group
// column is a feature, Rate is the default, and there are many numeric features or validation rows.
func (m *Model) hasEmbeddings() bool {
	in, _ := splitGroupFeatures(m.Encoder)
	numbers := 0
	for _, c := range m.Encoder.Columns {
		if c.Kind == "numeric" {
			numbers++
		}
	}
	return len(m.Config.Groups) > 0 && len(in) == 0 && (numbers >= tune.WideColumns || m.Run.validation != nil) &&
		m.Config.Choice.Rate == tune.DefaultOptions().Rate
}

// followAccuracyChoice requests that probabilities be rescaled if a model other than ERM was chosen by the accuracy of
// the worst group, since this criterion ignores probabilities. It returns notes: the reason for the criterion, unless
// the user requested it, and a warning that probabilities are not calibrated, if they cannot be rescaled. For any
// other criterion it does nothing.
func (m *Model) followAccuracyChoice(s *tune.Selection) (notes []string) {
	if s.Criterion != "worst-group-accuracy" {
		return nil
	}
	switch {
	case s.ByDefault && s.Validation > 0:
		notes = append(notes,
			"no group column is a feature, so the model was chosen by the worst group’s error rate on the validation rows; "+
				"--select trade-off chooses by the risks instead")
	case s.ByDefault:
		notes = append(notes,
			fmt.Sprintf("%d or more features are numeric and no group column is a feature, which is typical of embeddings, so "+
				"the model was chosen by the worst group’s error rate; --select trade-off chooses by the risks instead",
				tune.WideColumns))
	}
	if s.Chosen > 0 && !m.Config.Recalibrate && !m.mustChoose {
		if m.Config.comm == nil {
			m.Config.Recalibrate, m.Config.keepsClasses = true, true
		} else {
			notes = append(notes, "the model was chosen by accuracy: its probabilities are not calibrated")
		}
	}
	return notes
}

// Choose chooses a level for the training rows of a table, as FitFrame does if cfg sets none, but does not train a
// model; it ignores the level of cfg. notes are remarks on the rows and on the choice. If there are too few rows for a
// choice, it returns a *tune.FewRowsError.
func Choose(ctx context.Context, frame *data.Frame, cfg Config) (s *tune.Selection, notes []string, err error) {
	cfg.Level = level.Level{Penalty: cfg.Penalty}
	m, _, err := prepareTraining(ctx, frame, cfg)
	if err != nil {
		return nil, nil, err
	}
	defer m.Run.Close()
	m.mustChoose = true
	if err := m.Run.disk.addAdvice(m.nameColumn(m.chooseLevel(ctx, nil, time.Now()))); err != nil {
		return nil, nil, err
	}
	return m.Result.Selection, m.Notes, nil
}

// tuneTable converts the rows of d to a tune.Table.
func (m *Model) tuneTable(d *encode.Dataset) *tune.Table {
	rows := Rows(d, m.Run.Weight)
	if d == m.Run.Train && m.Run.inferred != nil {
		rows = *m.Run.inferred
	}
	return &tune.Table{Rows: rows, X: d.X, Target: d.Target, Loss: m.loss, Outputs: m.coefficientsPerColumn(),
		Primal: m.regulariser()}
}

// inferGroups assigns the training rows to clusters of their features, which serve as groups, if the level is
// chosen on validation rows with groups and the training rows have none. The validation rows then decide whether
// these groups help.
func (m *Model) inferGroups() {
	v := m.Run.validation
	if v == nil || m.Config.Level.IsSet() && !m.Config.GroupsInferred || len(m.Config.Groups) == 0 {
		return
	}
	trained, known := Rows(m.Run.Train, nil), Rows(v.Dataset, nil)
	if len(known.Labels) < 2 || len(trained.Labels) > 1 ||
		len(trained.Labels) == 1 && !strings.HasSuffix(trained.Labels[0], encode.MissingLabel) {
		return
	}
	rows := m.tuneTable(m.Run.Train).InferGroups()
	if len(rows.Labels) < 3 { // no class can be divided into clusters
		return
	}
	m.Run.inferred = &rows
	if m.Config.GroupsInferred { // the model was loaded
		return
	}
	m.Config.GroupsInferred = true
	m.addNotes("only the validation rows have groups, so the training rows of each class are divided into two clusters " +
		"by their features, and the clusters are used as groups; the validation rows decide whether this helps")
}

// validationTable returns the validation rows as a tune.Table, or nil if there are none.
func (m *Model) validationTable() *tune.Table {
	v := m.Run.validation
	if v == nil {
		return nil
	}
	t := m.tuneTable(v.Dataset)
	t.Weights = v.weight
	return t
}

// hasUniqueWeights reports whether the losses always determine the weights of the adversary uniquely.
func (c Config) hasUniqueWeights() bool {
	return c.Protect == nil && (c.Nu == nil || *c.Nu > 0) && c.Spectral == "" && c.Own == nil && c.Penalty.HasPenalty()
}

// weightedAverage returns the mean of v, which has one entry for each training row, under the sample weights.
func (r *Run) weightedAverage(v []float64) float64 { return weightedMean(r.rows, v, r.Weight) }

// lossesAt returns the training loss of every row at x.
func lossesAt(o tune.Oracle, x []float64) []float64 {
	n, _, s := o.Dims()
	arena := o.Arena()
	value, slope := memory.Make[float64](arena, n), memory.Make[float64](arena, n*s)
	defer memory.Release(arena, slope)
	var rows *ranks.Rows // nil if all rows are here
	if l, ok := o.(*losses.Linear); ok {
		rows = ranks.RowsOf(l.Rows())
	}
	rows.Run(n, func(_, lo, hi int) { o.EvalTo(value, slope, x, lo, hi) })
	return value
}
