package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
)

// Options specifies how to choose a level. DefaultOptions returns suitable initial values.
type Options struct {
	// one of Criteria; if empty, tail with fewer than two eligible groups; otherwise worst-group-accuracy if Embeddings
	// is set and the targets are classes, and trade-off if not
	Criterion  string
	Embeddings bool // the target is predicted from many numbers without the group, as on a last layer
	Folds      int  // ≥ 2; 0 means DefaultFolds, or validationFolds for validation rows
	// weight of the average risk in the trade-off, in which the worst group's risk has weight 1
	Rate float64
	// maximum cost as a proportion of ERM's average; +Inf means none; NaN means 0.01 if tail was requested, 0 if
	// tail is the default, and none otherwise
	Budget        float64
	Rows          int          // maximum number of rows used for the choice
	Few           bool         // try fewer penalty coefficients, and do not try half-balanced ERM
	SharedColumns int          // number of columns whose coefficients all groups share; 0 means all columns
	Path          bool         // bound the optima for every penalty coefficient
	Curve         bool         // estimate risks as functions of the number of rows used for fitting
	Ridge         bool         // whether μ is also chosen
	Range         *level.Range // levels at which a constant is optimal, which are not tried; nil if unknown
	Comparisons   bool         // compute the effective numbers of comparisons
	Seed          uint64
	Observe       func(done, total int) // called after every solved model, never concurrently; may be nil
}

// DefaultOptions returns the options that `drotrain train` uses to choose a level.
func DefaultOptions() Options {
	return Options{Rate: 2, Budget: math.NaN(), Rows: 100_000}
}

// Criteria lists the criteria: the risk of the worst group, its error rate, the average risk, the mean of the
// worst tenth of the losses, and (worst + rate·average)/(1 + rate) of the risks.
var Criteria = []string{"worst-group", "worst-group-accuracy", "average", "tail", "trade-off"}

// Validate returns all errors of the options that do not depend on the rows.
func (o Options) Validate() error {
	var wrong []string
	say := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	say(o.Criterion == "" || slices.Contains(Criteria, o.Criterion), "Config.Select is %q; it must be one of %s",
		o.Criterion,
		strings.Join(Criteria, ", "))
	say(o.Folds == 0 || o.Folds >= 2, "Config.Folds is %d; it must be at least 2", o.Folds)
	say(o.Rate >= 0 && !math.IsInf(o.Rate, 1), "Config.Rate is %v; it must be finite and ≥ 0", o.Rate)
	say(math.IsNaN(o.Budget) || o.Budget >= 0, "Config.Budget is %v; it must be ≥ 0", o.Budget)
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// A Selection is a choice with the estimates on which it is based. Its methods panic if there are no candidates.
type Selection struct {
	Criterion string `json:"criterion"` // one of Criteria
	// the criterion is worst-group-accuracy because Options.Embeddings was set
	ByDefault bool     `json:"by_default,omitempty"`
	Rate      float64  `json:"rate"`
	Budget    *float64 `json:"budget"` // maximum cost as a proportion of ERM's average; null means no budget
	// folds of the rows used for the choice, or of the validation rows for their balanced subsets
	Folds int `json:"folds"`
	// number of validation rows on which the candidates were evaluated; 0 means cross-validation
	Validation int         `json:"validation,omitempty"`
	Rows       int         `json:"rows"`            // number of training rows used for the choice
	Of         int         `json:"of"`              // number of training rows
	Passes     float64     `json:"passes"`          // passes over the rows used for the choice
	Paths      []Path      `json:"paths,omitempty"` // paths of the adversaries over rows, if requested
	Candidates []Candidate `json:"candidates"`      // candidates, with ERM first
	Chosen     int         `json:"chosen"`          // index

	Alternatives []Alternative `json:"alternatives,omitempty"` // the choices of other criteria
	// proportion of resamples of the rows in which a different family is chosen
	Unstable float64 `json:"unstable"`
	Replaced float64 `json:"replaced"` // proportion of resamples in which the rule replaces ERM
	Reason   string  `json:"reason"`

	// for intervals on the rows used for the choice, if requested
	Comparisons Comparisons `json:"comparisons,omitzero"`

	// learning curves of ERM and then of the chosen level, if requested
	Curve []CurvePoint `json:"learning_curve,omitempty"`

	// starting point of the solver for the chosen level: the mean of its solutions over the folds
	Start []float64 `json:"-"`
}

// An Alternative is the candidate that a different criterion would choose.
type Alternative struct {
	Criterion string `json:"criterion"`
	Chosen    int    `json:"chosen"` // index
}

// Best returns the chosen candidate.
func (s *Selection) Best() *Candidate { return &s.Candidates[s.Chosen] }

// Select chooses a level for the table by cross-validation or, if the table has validation rows, on these. start is a
// starting point for the solver; nil means zero. If there are too few rows for folds, it returns a *FewRowsError.
func Select(ctx context.Context, t *Table, start []float64, o Options) (*Selection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Rows < 2 {
		return nil, fmt.Errorf("Options.Rows is %d; it must be at least 2", o.Rows)
	}
	for _, t := range []*Table{t, t.Validation} {
		if err := t.check(); err != nil {
			return nil, err
		}
	}
	c := &selectionRun{Selection: &Selection{Rate: o.Rate, Of: t.N}, options: o, table: t}
	if n := t.choiceRows(o.Rows); n < t.N {
		c.table = t.Select(t.sample(n, o.Seed))
	}
	c.Rows, c.measured = c.table.N, c.table
	if v := t.Validation; v != nil {
		if c.measured = v; v.choiceRows(o.Rows) < v.N {
			c.measured = v.Select(v.sample(v.choiceRows(o.Rows), o.Seed))
		}
		c.Validation = c.measured.N
	}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	x, passes, err := c.table.Solve(ctx, erm, start)
	if err != nil {
		return nil, err
	}
	c.start = x
	if err := c.compareCandidates(ctx); err != nil {
		return nil, err
	}
	c.Passes = passes + c.run.passes
	if o.Curve {
		if c.Curve, err = c.learningCurve(ctx); err != nil {
			return nil, err
		}
	}
	if o.Path {
		c.Paths, err = c.table.boundPaths(ctx, c.Candidates, x)
	}
	return c.Selection, err
}

// A selectionRun holds the state of choosing the level.
type selectionRun struct {
	*Selection
	options Options
	table   *Table // table of the training rows used for the choice
	measure *measure
	budget  float64   // maximum cost as a proportion of ERM's average; +Inf means no budget
	start   []float64 // solution of ERM on all rows

	measured      *Table       // rows on which candidates are evaluated: those of table, or validation rows
	run           *foldRun     // run of the candidates that are fitted to the rows of table
	validationRun *foldRun     // run of the candidates that are fitted to the validation rows; may be nil
	solved        []solvedSpec // solutions for each candidate
	values        values
}

// validationFolds is the default number of folds of the validation rows, for models on their balanced subsets.
// These subsets have few rows, so a model fitted without a third of them would be worse than the delivered model.
const validationFolds = 10

const (
	maxEntries = 2e7    // maximum number of matrix entries of the choice
	minRows    = 10_000 // minimum number of rows to which maxEntries may reduce the rows
)

// Memory in bytes for each row used for the choice: its vectors in a copy of the rows, and its margins and losses
// for twenty candidates.
const (
	copyBytes      = 90
	candidateBytes = 20 * 3 * 8
)

// MemoryBytes returns the memory in bytes that a choice by cross-validation on a dense table of rows × columns takes in
// addition to the table: for its sample of rows, and for a copy for every fold that is solved concurrently.
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

// check returns an error if the parts of the table are inconsistent. The table may be nil.
func (t *Table) check() error {
	if t == nil {
		return nil
	}
	if t.X == nil || t.Loss == nil {
		return errors.New("the table has no matrix or no loss")
	}
	if n, _ := t.X.Dims(); n != t.N || len(t.Target) != n || t.Weights != nil && len(t.Weights) != n ||
		t.Group != nil && len(t.Group) != n {
		return fmt.Errorf("there are %d rows, but the matrix has %d rows, and the slices Target, Weights and Group have "+
			"%d, %d and %d entries", t.N, n, len(t.Target), len(t.Weights), len(t.Group))
	}
	return nil
}

// choiceRows returns the number of rows that the choice uses, which is at most most.
func (t *Table) choiceRows(most int) int {
	_, d := t.X.Dims()
	if pass, _ := t.X.Work(); pass > 0 {
		return min(t.N, most, max(minRows, int(maxEntries*float64(t.N)/pass)))
	}
	return min(t.N, most, max(minRows, int(maxEntries/float64(max(1, d)))))
}

// prepare assigns folds and sets the criterion and the budget. It returns an error if the criterion does not fit the
// rows.
func (c *selectionRun) prepare() (err error) {
	o := c.options
	c.Folds = cmp.Or(o.Folds, DefaultFolds)
	c.run = &foldRun{table: c.table, name: "choice", folds: c.Folds, progress: newProgressCounter(o.Observe)}
	if c.measured != c.table {
		c.run.validation, c.run.folds, c.run.fold = c.measured, 1, make([]int, c.measured.N)
		c.Folds = cmp.Or(o.Folds, validationFolds)
	} else if c.run.fold, err = c.table.Folds(c.Folds, o.Seed); err != nil {
		return err
	}
	c.measure = newMeasure(c.measured.Rows, c.run.fold, c.run.folds, minDecidingRows)
	groups := c.measure.countEligible()
	if c.Criterion = o.Criterion; c.Criterion == "" {
		if c.Criterion = "tail"; groups > 1 {
			c.Criterion = "trade-off"
			if o.Embeddings && c.table.hasClasses() {
				c.Criterion, c.ByDefault = "worst-group-accuracy", true
			}
		}
	}
	if isByGroup(c.Criterion) && groups == 0 {
		if c.Validation > 0 {
			return fmt.Errorf("Config.Select %s needs a group of at least %d validation rows", c.Criterion, minDecidingRows)
		}
		return fmt.Errorf("Config.Select %s needs groups of at least %d rows, with some in every fold", c.Criterion,
			minDecidingRows)
	}
	if c.Criterion == "worst-group-accuracy" && !c.table.hasClasses() {
		return errors.New("Config.Select worst-group-accuracy needs a target with classes: use worst-group")
	}
	if c.budget = o.Budget; math.IsNaN(c.budget) {
		switch c.budget = math.Inf(1); {
		case o.Criterion == "tail":
			c.budget = 0.01
		case c.Criterion == "tail": // robustness was not requested, so it must not cost anything
			c.budget = 0
		}
	}
	if !math.IsInf(c.budget, 1) {
		c.Budget = &c.budget
	}
	return nil
}

// compareCandidates evaluates the candidates and chooses one: averages on paths of μ; group DRO from the μ of
// group-balanced ERM on; and adversaries over rows if fewer than two groups are eligible or the criterion is tail.
func (c *selectionRun) compareCandidates(ctx context.Context) error {
	factors := []float64{1}
	_, d := c.table.X.Dims()
	search := c.options.Ridge && c.table.Primal.Mu > 0 && c.table.N < ridgeRows*d
	if search {
		factors = pathFactors
	}
	loss, err := c.measured.lossesAt(c.start)
	if err != nil {
		return err
	}
	mean, deviation := c.measure.mean(loss), c.measure.deviation(loss)
	averages, families := map[string]level.Level{}, []string{"erm"}
	if c.measure.countEligible() > 1 && mean > 0 {
		averages = c.table.averages(&c.options)
		if c.addValidationRun() {
			averages[validationFamily] = level.Level{Average: level.ValidationSubsets}
		}
		families = append(families, slices.Sorted(maps.Keys(averages))...)
	}
	averages["erm"] = erm
	paths := map[string]*path{}
	for _, family := range families { // one family at a time; the next starts from the best ERM candidate
		if family != "erm" {
			factors = []float64{c.factorOf(paths["erm"].best)}
		}
		p, more := c.startPath(family, averages[family], factors)
		from := make([]int, len(more))
		for i := range from {
			if from[i] = i - 1; family != "erm" { // a candidate of ERM starts from the next larger μ
				from[i] = paths["erm"].best
			}
		}
		paths[family] = p
		if err := c.solve(ctx, more, from); err != nil {
			return err
		}
		c.chooseBest(p)
	}
	all := make([]*path, 0, len(paths)+1)
	for _, family := range families {
		all = append(all, paths[family])
	}
	if search {
		if err := c.extendPaths(ctx, all); err != nil {
			return err
		}
	}
	if balanced := paths["balanced"]; balanced != nil {
		p, err := c.compareGroupLevels(ctx, balanced, mean)
		if err != nil {
			return err
		}
		if search {
			if err := c.extendPaths(ctx, []*path{p}); err != nil {
				return err
			}
		}
	}
	if (paths["balanced"] == nil || c.Criterion == "tail") && deviation > 0 {
		if err := c.compareRowLevels(ctx, paths["erm"].best, deviation); err != nil {
			return err
		}
	}
	c.chooseCandidate()
	chosen := c.solved[c.Chosen]
	c.Start = chosen.run.meanSolution(chosen.spec)
	return nil
}

// addValidationRun prepares the run of candidates that are fitted to the validation rows, out of fold, and reports
// whether this is possible: there are enough validation rows for folds and balanced subsets. It may reduce the number
// of folds.
func (c *selectionRun) addValidationRun() bool {
	if c.measured == c.table {
		return false
	}
	fold, err := c.measured.Folds(c.Folds, c.options.Seed)
	for err != nil && c.Folds > 2 && c.options.Folds == 0 { // a class has fewer rows
		c.Folds--
		fold, err = c.measured.Folds(c.Folds, c.options.Seed)
	}
	if err != nil {
		return false
	}
	for k := range c.Folds {
		inside, _ := splitFold(nil, fold, k)
		if _, err := level.Subsets(c.measured.Rows.Select(inside)); err != nil {
			return false
		}
	}
	c.validationRun = &foldRun{table: c.measured, name: "choice, validation rows", fold: fold, folds: c.Folds,
		progress: c.run.progress}
	return true
}

// factorOf returns the μ of a candidate as a multiple of the table's μ.
func (c *selectionRun) factorOf(candidate int) float64 {
	if mu := c.table.Primal.Mu; mu > 0 {
		return c.Candidates[candidate].Mu / mu
	}
	return 1
}

// compareGroupLevels evaluates group DRO at the best μ of group-balanced ERM and returns the path of the best level.
// mean is ERM's mean loss.
func (c *selectionRun) compareGroupLevels(ctx context.Context, balanced *path, mean float64) (*path, error) {
	factor := c.factorOf(balanced.best)
	var more []Candidate
	var from []int
	first := len(c.Candidates)
	for i, l := range groupLevels(mean, c.options.Few) {
		more = append(more, c.table.newCandidate("groups", l, factor))
		if from = append(from, balanced.best); i > 0 {
			from[i] = first + i - 1
		}
	}
	if err := c.solve(ctx, more, from); err != nil {
		return nil, err
	}
	best := first
	for i := first; i < len(c.Candidates); i++ {
		if c.valueOf(i) < c.valueOf(best) {
			best = i
		}
	}
	return &path{family: "groups", level: c.Candidates[best].Level, best: best, top: best, bottom: best}, nil
}

// compareRowLevels evaluates χ² over rows with the μ of candidate at, from whose solution the solver starts. deviation
// is the standard deviation of ERM's losses.
func (c *selectionRun) compareRowLevels(ctx context.Context, at int, deviation float64) error {
	factor := c.factorOf(at)
	var more []Candidate
	var from []int
	first := len(c.Candidates)
	for i, l := range withoutConstantLevels(rowLevels(deviation, c.options.Few), c.options.Range) {
		more = append(more, c.table.newCandidate(rowsFamily, l, factor))
		if from = append(from, at); i > 0 {
			from[i] = first + i - 1
		}
	}
	return c.solve(ctx, more, from)
}

// MuOf returns the μ of the chosen candidate if it is in the family. Otherwise it returns the μ of the best candidate of
// the family by the criterion (for erm, that of the reference with which candidates are compared), or fallback if the
// family has no candidate.
func (s *Selection) MuOf(family string, fallback float64) float64 {
	if s.Best().Family == family {
		return s.Best().Mu
	}
	if family == "erm" {
		return s.Candidates[0].Mu
	}
	best, mu := math.Inf(1), fallback
	for _, k := range s.Candidates {
		if k.Family == family && k.Value < best {
			best, mu = k.Value, k.Mu
		}
	}
	return mu
}

// lossesOf returns the losses of the rows at their margins.
func (t *Table) lossesOf(margin []float64) []float64 {
	if t.Outputs > 1 {
		return margin // the values are losses already
	}
	loss := make([]float64, len(margin))
	t.Loss.EvalTo(loss, make([]float64, len(margin)), margin, t.Target)
	return loss
}

// leadsOf returns, for every row, the margin of its class over the other one, given the margins of the model. It is
// negative if the model predicts the wrong class.
func (t *Table) leadsOf(margin []float64) []float64 {
	lead := make([]float64, len(margin))
	for j, m := range margin {
		if lead[j] = m; t.Target[j] < 0 {
			lead[j] = -m
		}
	}
	return lead
}

// classLeads returns, for every row, the log-odds by which x prefers the row's class to the most probable other
// class, if there are more than two.
func (t *Table) classLeads(x []float64) ([]float64, error) {
	oracle, err := t.Oracle()
	if err != nil {
		return nil, err
	}
	k := t.Outputs
	lead, slope := make([]float64, t.N), make([]float64, t.N*k)
	oracle.EvalTo(lead, slope, x, 0, t.N)
	for j, loss := range lead {
		other, actual := math.SmallestNonzeroFloat64, int(t.Target[j])
		for c, p := range slope[j*k : (j+1)*k] {
			if c != actual {
				other = max(other, p)
			}
		}
		lead[j] = -loss - math.Log(other)
	}
	return lead, nil
}
