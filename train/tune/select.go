package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/internal/shard"
)

// Options says how to choose. Start from DefaultOptions.
type Options struct {
	Criterion    string  // one of Criteria; empty: worst-group with two eligible groups, else tail
	Folds        int     // ≥ 2; 0: DefaultFolds
	Rate         float64 // decrease of the worst group's risk required for every unit of cost, ≥ 0
	Budget       float64 // largest cost, a share of ERM's average; +Inf: none; NaN: 1 % if tail is asked for, 0 if tail is the default, else none
	MinGroupSize int     // rows of an eligible group
	Rows         int     // largest number of rows used for the choice
	Few          bool    // whether to try half as many penalty coefficients
	Path         bool    // whether to bracket the optima at every penalty coefficient
	Curve        bool    // whether to estimate risks by the number of rows fitted to
	Ridge        bool    // whether to choose μ too
	Comparisons  bool    // whether to count the effective comparisons
	Seed         uint64
	Observe      func(done, total int) // called after every model solved, one call at a time; may be nil
}

// DefaultOptions returns the options of `drotrain train`.
func DefaultOptions() Options {
	return Options{Rate: 2, Budget: math.NaN(), MinGroupSize: 20, Rows: 100_000}
}

// Criteria lists the criteria.
var Criteria = []string{"worst-group", "worst-group-accuracy", "tail", "average"}

// Validate returns all errors of the options that do not depend on the rows.
func (o Options) Validate() error {
	var wrong []string
	say := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	say(o.Criterion == "" || slices.Contains(Criteria, o.Criterion), "Config.Select is %q: one of %s", o.Criterion, strings.Join(Criteria, ", "))
	say(o.Folds == 0 || o.Folds >= 2, "Config.Folds is %d: it must be at least 2", o.Folds)
	say(o.Rate >= 0 && !math.IsInf(o.Rate, 1), "Config.Rate is %v: it must be finite and ≥ 0", o.Rate)
	say(math.IsNaN(o.Budget) || o.Budget >= 0, "Config.Budget is %v: it must be ≥ 0", o.Budget)
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// A Selection is a choice with the estimates it is based on.
type Selection struct {
	Criterion  string      `json:"criterion"` // one of Criteria
	Rate       float64     `json:"rate"`
	Budget     *float64    `json:"budget"` // share of ERM's average; null: none
	Folds      int         `json:"folds"`
	Rows       int         `json:"rows"`             // rows of the choice
	Of         int         `json:"of"`               // training rows
	Passes     float64     `json:"passes"`           // passes over the rows of the choice
	Mu         float64     `json:"mu"`               // of all candidates
	Ridges     []Ridge     `json:"ridges,omitempty"` // how μ was chosen; absent if it was given or makes no difference
	Paths      []Path      `json:"paths,omitempty"`  // of the adversaries over rows, if asked for
	Candidates []Candidate `json:"candidates"`       // ERM first
	Chosen     int         `json:"chosen"`           // index
	Reason     string      `json:"reason"`

	Comparisons Comparisons `json:"comparisons,omitzero"` // for intervals on the rows of the choice, if asked for

	Curve []CurvePoint `json:"learning_curve,omitempty"` // if asked for: of ERM, then of the chosen level

	Start []float64 `json:"-"` // where to start the solver for the chosen level: the mean of its solutions by fold
}

// Best returns the chosen candidate.
func (s *Selection) Best() *Candidate { return &s.Candidates[s.Chosen] }

// Select chooses a level for the table by cross-validation. start is a starting point for the solver; nil means
// zero.
func Select(ctx context.Context, t *Table, start []float64, o Options) (*Selection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &selectionRun{Selection: &Selection{Rate: o.Rate, Of: t.N, Mu: t.Primal.Mu}, options: o, table: t}
	if n := t.choiceRows(o.Rows); n < t.N {
		c.table = t.Select(t.sample(n, o.Seed))
	}
	c.Rows = c.table.N
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if o.Ridge {
		if err := c.chooseRidge(ctx, start); err != nil {
			return nil, err
		}
	}
	x, passes, err := c.table.Solve(ctx, erm, start)
	if err != nil {
		return nil, err
	}
	c.Passes += passes
	if err := c.compareCandidates(ctx, x); err != nil {
		return nil, err
	}
	if o.Curve {
		if c.Curve, err = c.learningCurve(ctx); err != nil {
			return nil, err
		}
	}
	if o.Path {
		c.Paths, err = c.table.solvePaths(ctx, c.Candidates, x)
	}
	return c.Selection, err
}

// A selectionRun is the state of a choice of the level.
type selectionRun struct {
	*Selection
	options Options
	table   *Table // the rows of the choice
	fold    []int
	measure *measure
	budget  float64 // share of ERM's average; +Inf: none
}

const (
	maxEntries = 2e7    // matrix entries of the choice
	minRows    = 10_000 // that maxEntries does not go below
)

// Bytes of a row of the choice: its vectors in a copy of the rows, and its margins and losses by
// twelve candidates.
const (
	copyBytes      = 90
	candidateBytes = 12 * 2 * 8
)

// MemoryBytes returns the memory that a choice on a dense table of rows × columns takes in addition to the
// table: its sample of rows and a copy for every fold solved in parallel.
func (o Options) MemoryBytes(rows, columns int) int64 {
	n := min(rows, o.Rows, max(minRows, int(maxEntries)/max(1, columns)))
	size := int64(n) * int64(8*columns+copyBytes)
	copies := min(cmp.Or(o.Folds, DefaultFolds), shard.Threads())
	if n*columns > largeTable {
		copies = 1
	}
	if n < rows {
		copies++
	}
	return int64(copies)*size + int64(n)*candidateBytes
}

// choiceRows returns the largest number of rows that the choice uses.
func (t *Table) choiceRows(most int) int {
	_, d := t.X.Dims()
	if pass, _ := t.X.Work(); pass > 0 {
		return min(t.N, most, max(minRows, int(maxEntries*float64(t.N)/pass)))
	}
	return min(t.N, most, max(minRows, int(maxEntries/float64(max(1, d)))))
}

// prepare assigns folds and sets the criterion and the budget.
func (c *selectionRun) prepare() (err error) {
	o := c.options
	c.Folds = cmp.Or(o.Folds, DefaultFolds)
	if c.fold, err = c.table.Folds(c.Folds, o.Seed); err != nil {
		return err
	}
	c.measure = newMeasure(c.table.Rows, c.fold, c.Folds, o.MinGroupSize)
	groups := c.measure.countEligible()
	if c.Criterion = o.Criterion; c.Criterion == "" {
		if c.Criterion = "tail"; groups > 1 {
			c.Criterion = "worst-group"
		}
	}
	if c.isByGroup() && groups == 0 {
		return fmt.Errorf("Config.Select %s needs groups of at least %d rows, with some in every fold", c.Criterion, o.MinGroupSize)
	}
	if c.Criterion == "worst-group-accuracy" && !c.table.hasClasses() {
		return errors.New("Config.Select worst-group-accuracy needs a target of classes: take worst-group")
	}
	if c.budget = o.Budget; math.IsNaN(c.budget) {
		switch c.budget = math.Inf(1); {
		case o.Criterion == "tail":
			c.budget = 0.01
		case c.Criterion == "tail": // nobody asked for robustness: it must cost nothing
			c.budget = 0
		}
	}
	if !math.IsInf(c.budget, 1) {
		c.Budget = &c.budget
	}
	return nil
}

// newFoldRun returns a cross-validation on the rows of the choice.
func (c *selectionRun) newFoldRun(name string, progress func()) *foldRun {
	return &foldRun{table: c.table, name: name, fold: c.fold, folds: c.Folds, progress: progress}
}

// compareCandidates cross-validates the candidates and chooses one. Penalty coefficients are scaled by the
// losses of ERM's solution x.
func (c *selectionRun) compareCandidates(ctx context.Context, x []float64) error {
	loss, err := c.table.lossesAt(x)
	if err != nil {
		return err
	}
	c.Candidates = candidates(c.table.Rows, c.measure.average(loss).value, c.measure.deviation(loss), c.options.Few)
	specs := make([]spec, len(c.Candidates))
	for i, k := range c.Candidates {
		specs[i] = spec{level: k.Level, ridge: 1, from: -1}
		if i > 0 && k.Family == c.Candidates[i-1].Family {
			specs[i].from = i - 1
		} else if i > 0 {
			specs[i].from = 0
		}
	}
	folds := c.newFoldRun("choice", progressCounter(c.options.Observe, c.Folds*len(specs)))
	folds.errors = c.Criterion == "worst-group-accuracy"
	margins, points, passes, err := folds.run(ctx, specs, x)
	if err != nil {
		return err
	}
	c.Passes += passes
	values := make([][]float64, len(margins))
	for i, v := range margins {
		if values[i] = c.table.lossesOf(v); c.Criterion == "worst-group-accuracy" {
			values[i] = c.table.errorsOf(v)
		}
	}
	if c.options.Comparisons && !folds.errors {
		c.Comparisons = c.measure.countComparisons(values, c.options.Seed)
	}
	c.estimate(c.measure, values)
	c.choose(c.budget)
	c.Start = points[c.Chosen]
	return nil
}

// lossesOf returns the losses of the rows at their margins.
func (t *Table) lossesOf(margin []float64) []float64 {
	if t.Outputs > 1 {
		return margin // losses already
	}
	loss := make([]float64, len(margin))
	t.Loss.EvalTo(loss, make([]float64, len(margin)), margin, t.Target)
	return loss
}

// errorsOf returns 1 for every row whose margin predicts the wrong class, else 0.
func (t *Table) errorsOf(margin []float64) []float64 {
	if t.Outputs > 1 {
		return margin // errors already
	}
	wrong := make([]float64, len(margin))
	for j, v := range margin {
		if (v >= 0) != (t.Target[j] > 0) {
			wrong[j] = 1
		}
	}
	return wrong
}

// classErrors returns 1 for every row for which x predicts the wrong one of more than two classes, else 0.
func (t *Table) classErrors(x []float64) ([]float64, error) {
	oracle, err := t.Oracle()
	if err != nil {
		return nil, err
	}
	k := t.Outputs
	wrong, slope := make([]float64, t.N), make([]float64, t.N*k)
	oracle.EvalTo(wrong, slope, x, 0, t.N)
	for j := range wrong {
		row, actual := slope[j*k:(j+1)*k], int(t.Target[j])
		wrong[j] = 0
		for c, v := range row {
			if c != actual && v > 1+row[actual] {
				wrong[j] = 1
			}
		}
	}
	return wrong, nil
}
