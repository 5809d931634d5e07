package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// The functions below translate a Config into the terms of packages data, losses and dro.

// dataSpec returns the encode.Spec of the configuration.
func (c Config) dataSpec() encode.Spec {
	task := encode.Auto
	if kind, ok := losses.KindOf(c.Loss); ok {
		if task = encode.Regression; kind.Classes {
			task = encode.Binary
		}
	}
	return encode.Spec{
		Target: c.Target, Task: task, Features: c.Features, Drop: c.nonFeatures(), Groups: c.Groups,
		GroupFeatures: c.GroupFeatures,
		Categorical:   c.Categorical, Positive: c.Positive, Scale: c.Scale, ScaleTarget: c.ScalesTarget(),
		Intercept: c.Intercept, Impute: c.Impute, MaxLevels: c.MaxLevels, MinCount: c.MinCount, Reference: parseReferences(
			c.Reference), Weight: c.Weight, Exposure: c.Exposure, TargetTransform: c.TargetTransform,
		Transforms: c.dataTransforms(),
	}
}

// dataTransforms returns the derived columns. The configuration must be valid.
func (c Config) dataTransforms() encode.Transforms {
	t := encode.Transforms{Log: c.Log, Square: c.Square}
	for _, s := range c.Spline {
		if t.Spline == nil {
			t.Spline = map[string]int{}
		}
		column, knots := cutKnots(s)
		t.Spline[column], _ = strconv.Atoi(knots)
	}
	for _, pair := range c.Interact {
		a, b, _ := strings.Cut(pair, ":")
		t.Interact = append(t.Interact, [2]string{a, b})
	}
	return t
}

// cutKnots splits column:knots at its last colon, since column names may contain colons.
func cutKnots(s string) (column, knots string) {
	at := strings.LastIndexByte(s, ':')
	if at < 0 {
		return s, ""
	}
	return s[:at], s[at+1:]
}

// parseReferences splits strings of the form column=level at their first equals sign.
func parseReferences(list []string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, text := range list {
		column, level, _ := strings.Cut(text, "=")
		out[column] = level
	}
	return out
}

// nonFeatures returns the columns that are not features: dropped columns, group columns that are derived from the
// target and, unless Config.Features names them, the columns of weights, of exposures, and of the hold-out.
func (c Config) nonFeatures() []string {
	out := slices.Clone(c.Drop)
	for _, name := range []string{c.Weight, c.Exposure, c.Split, c.GroupHoldout, c.Time} {
		if name != "" && !slices.Contains(out, name) && !slices.Contains(c.Features, name) {
			out = append(out, name)
		}
	}
	if c.examined != nil {
		out = append(out, c.examined.leaky...)
	}
	return out
}

// ScalesTarget reports whether a numeric target is standardised: ScaleTarget is set, and the loss permits scaling.
func (c Config) ScalesTarget() bool {
	kind, known := losses.KindOf(c.Loss)
	return c.ScaleTarget && (!known || kind.Scalable || kind.Classes)
}

// isClassLoss reports whether the named loss is for targets of two classes.
func isClassLoss(loss string) bool {
	kind, _ := losses.KindOf(loss)
	return kind.Classes
}

// checkTargets returns an error that names the first row of d whose target the loss does not accept. f is the table of
// the rows, which the error names; it may be nil. For the training rows it is a collective call.
func (m *Model) checkTargets(f *data.Frame, d *encode.Dataset) error {
	if m.loss == nil || d == nil || d.Target == nil || m.Classes() != nil {
		return nil
	}
	meaning := m.loss.Meaning()
	if meaning.Valid == nil {
		return nil // the encoder accepts only finite numbers and known classes
	}
	refused := func(lo, hi int) (first, count int) {
		first = -1
		for j := hi - 1; j >= lo; j-- {
			if !meaning.Accepts(d.Target[j]) {
				first, count = j, count+1
			}
		}
		return first, count
	}
	lo, hi := 0, d.N
	// with several ranks, all of them must return an error
	if m.Run != nil && d == m.Run.Train && m.Run.rows != nil {
		lo, hi = m.Run.rows.LocalRange(d.N)
		if m.Run.rows.Sum(d.N, func(lo, hi int) float64 { _, count := refused(lo, hi); return float64(count) }) == 0 {
			return nil
		}
	}
	first, _ := refused(lo, hi)
	switch {
	case first >= 0 && f != nil:
		e := m.targetError(d.Rows[first], d.Target[first])
		e.Path, e.Row = f.Where(d.Rows[first])
		return e
	case first >= 0:
		return m.targetError(d.Rows[first], d.Target[first])
	case lo > 0 || hi < d.N:
		return &data.Error{Column: m.Encoder.Target.Name,
			Msg: fmt.Sprintf("a row on a different rank has an invalid target: the loss %s requires %s", m.loss.Name(),
				meaning.DescribeTargets())}
	}
	return nil
}

// targetError returns the error for a target that the loss does not accept; row counts from 0.
func (m *Model) targetError(row int, target float64) *data.Error {
	meaning := m.loss.Meaning()
	return &data.Error{
		Column: m.Encoder.Target.Name, Row: row + 1,
		Msg: fmt.Sprintf("the target is %v, but the loss %s requires %s", m.Encoder.Target.Shift+
			m.Encoder.Target.Scale*target,
			m.loss.Name(), meaning.DescribeTargets()),
		Hint: "correct the value, leave out rows with invalid targets by a filter, or choose another loss",
	}
}

// fillFromData sets the fields that depend on the data: the loss, which depends on the task, and μ = 1/n, where n
// is the total weight of the training rows.
func (c Config) fillFromData(task encode.Task, n float64) Config {
	if c.Loss == "" {
		c.Loss = losses.DefaultName(task != encode.Regression)
	}
	if c.Mu == nil {
		mu := 1 / n
		c.Mu = &mu
	}
	return c
}

// checkTask returns an error if a setting does not fit the task of the target.
func (c Config) checkTask(task encode.Task) error {
	switch {
	case c.Recalibrate && task != encode.Binary && !c.keepsClasses:
		return fmt.Errorf("Config.Recalibrate needs a target with two classes; %q is not one", c.Target)
	case c.Threshold != nil && task != encode.Binary:
		return fmt.Errorf("Config.Threshold needs a target with two classes; %q is not one", c.Target)
	case isClassLoss(c.Loss) != (task != encode.Regression):
		return fmt.Errorf("the %s loss does not fit a target of task %s", c.Loss, task)
	}
	return nil
}

// checkFairness returns an error if a setting for the fairness criteria of reports does not fit the target.
func (c Config) checkFairness(t *encode.Target) error {
	switch {
	case c.Favourable != "" && t.Task != encode.Binary:
		return fmt.Errorf("Config.Favourable needs a target with two classes; %q is not one", c.Target)
	case c.ReferenceGroup != "" && t.Task != encode.Binary:
		return fmt.Errorf("Config.ReferenceGroup needs a target with two classes; %q is not one", c.Target)
	case c.Favourable != "" && c.Favourable != t.Positive && c.Favourable != t.Negative:
		return fmt.Errorf("Config.Favourable %q is not a value of %s; the values are %q and %q", c.Favourable, c.Target,
			t.Positive, t.Negative)
	}
	return nil
}

// checkReferenceGroup returns an error if the reference group of reports is not a group of the rows on which the model
// will be evaluated: the hold-out rows or, if holdout is nil, the training rows.
func (c Config) checkReferenceGroup(train, holdout *encode.Dataset) error {
	if c.ReferenceGroup == "" {
		return nil
	}
	groupings := train.Groups
	if holdout != nil {
		groupings = holdout.Groups
	}
	if len(groupings) == 0 {
		return errors.New("Config.ReferenceGroup needs Config.Groups")
	}
	labels := groupings[len(groupings)-1].Labels
	if slices.Contains(labels, c.ReferenceGroup) {
		return nil
	}
	err := fmt.Errorf("Config.ReferenceGroup %q is not a group; the groups are %s", c.ReferenceGroup,
		printable.QuoteFirst(labels, 8))
	if near := printable.Nearest(c.ReferenceGroup, labels, 3); len(near) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, printable.QuoteList(near, "or"))
	}
	return err
}

// NewProblem returns the robust problem of cfg on all rows of a table, in their order, without holding rows out and
// without group coefficients. It ignores Config.Weight and Config.Filter. It also returns cfg with the fields that
// depend on the data set. cfg must be valid and set a level.
func NewProblem(ctx context.Context, frame *data.Frame, cfg Config) (*dro.Problem, Config, error) {
	encoder, err := encode.NewEncoder(ctx, frame, nil, cfg.dataSpec())
	if err != nil {
		return nil, cfg, err
	}
	rows, _, err := encoder.Encode(ctx, frame, nil)
	if err != nil {
		return nil, cfg, err
	}
	cfg = cfg.fillFromData(encoder.Target.Task, float64(rows.N))
	m := &Model{Config: cfg, Encoder: encoder, Run: &Run{}}
	if err = m.setLoss(); err != nil {
		return nil, cfg, err
	}
	if err = m.checkTargets(frame, rows); err != nil {
		return nil, cfg, err
	}
	oracle, err := m.tuneTable(rows).Oracle()
	if err != nil {
		return nil, cfg, err
	}
	dual, err := cfg.Dual(Rows(rows, rows.Exposure))
	if err != nil {
		return nil, cfg, err
	}
	return m.problem(oracle, dual), cfg, nil
}

// problem returns the robust problem with the given losses and adversary, and the regulariser of the model.
func (m *Model) problem(oracle tune.Oracle, dual dro.Dual) *dro.Problem {
	return &dro.Problem{Oracle: oracle, Dual: dual, Primal: m.primal()}
}

// A Regulariser is a regulariser defined by the caller's program. Model files and reports contain only its name: a
// program that lacks it can read, score and report the model, but cannot train it again.
type Regulariser struct {
	Name string `json:"name"`

	// Primal returns the regulariser for coefficients of the given number of columns, of which the last is
	// constant if intercept is set; outputs is the number of coefficients for each column, which is K for K
	// classes. Primal is nil in a model that was read from a file. Before a solve, two results of Primal are
	// compared with each other (dro.Problem).
	Primal func(mu float64, columns, outputs int, intercept bool) dro.Primal `json:"-"`
}

// Rows returns the weights and groups of d in the form that package level requires. The groups are the combinations
// of all group columns.
func Rows(d *encode.Dataset, weights []float64) level.Rows {
	r := level.Rows{N: d.N, Weights: weights}
	if len(d.Groups) > 0 {
		last := d.Groups[len(d.Groups)-1]
		r.Group, r.Labels = last.Index, last.Labels
	}
	return r
}

// primal returns the regulariser of the model: that of Config or, if it has none, the ridge penalty. A Wasserstein
// ball adds the norm of the coefficients to the ridge penalty.
func (m *Model) primal() dro.Primal {
	if r := m.Config.Regulariser; r != nil && r.Primal != nil {
		return r.Primal(*m.Config.Mu, len(m.Encoder.Columns), m.coefficientsPerColumn(), m.Config.Intercept)
	}
	if radius := m.Config.Wasserstein; radius != nil {
		return dro.Wasserstein{Mu: *m.Config.Mu, Radius: *radius * m.loss.Lipschitz(), Intercept: m.Config.Intercept}
	}
	return m.regulariser()
}

// checkWasserstein returns an error if the risk of the model's loss over a Wasserstein ball is not known.
func (m *Model) checkWasserstein() error {
	switch {
	case m.Config.Wasserstein == nil:
	case math.IsInf(m.loss.Lipschitz(), 1):
		return fmt.Errorf("Config.Wasserstein needs a loss with bounded slope (logistic, huber or quantile): the largest "+
			"expected value of the %s loss over the ball is infinite", m.Config.Loss)
	case m.coefficientsPerColumn() > 1:
		return errors.New("Config.Wasserstein supports numeric targets and targets with two classes, but this target has " +
			"more classes")
	}
	return nil
}

// regulariser returns the ridge penalty of the model, which its baselines have even if Config.Regulariser is set.
func (m *Model) regulariser() dro.L2 { return m.regulariserAt(*m.Config.Mu) }

// regulariserAt returns the ridge penalty with coefficient mu.
func (m *Model) regulariserAt(mu float64) dro.L2 {
	return dro.L2{Mu: mu, Intercept: m.Config.Intercept, FreeModulus: m.loss.Smoothness(),
		Classes: m.coefficientsPerColumn()}
}
