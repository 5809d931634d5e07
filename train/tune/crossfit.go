package tune

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// accuracy is the relative gap to which the problems of candidates are solved. Only differences above a standard error
// matter, and a standard error is larger than this gap.
const accuracy = 1e-4

// Solve minimises the risk of the level on the table, starting at x (nil means zero), to a relative gap that suffices
// for comparing candidates, in at most 300 passes. It returns the solution and the number of passes. For a mean of
// models it returns their mean.
func (t *Table) Solve(ctx context.Context, l level.Level, x []float64) ([]float64, float64, error) {
	if l.IsMeanOfModels() {
		return t.solveSubsets(ctx, x)
	}
	dual, err := l.Dual(t.Rows)
	if err != nil {
		return nil, 0, err
	}
	oracle, err := t.Oracle()
	if err != nil {
		return nil, 0, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: t.Primal}
	res, err := dro.Solve(ctx, p, &dro.Options{X0: x, RelativeGap: accuracy, MaxPasses: 300})
	if err != nil {
		return nil, 0, err
	}
	return res.X, res.Passes, nil
}

// solveSubsets returns the mean of the models of the balanced subsets, and the passes in units of passes over all rows.
func (t *Table) solveSubsets(ctx context.Context, x []float64) (mean []float64, passes float64, err error) {
	subsets, err := level.Subsets(t.Rows)
	if err != nil {
		return nil, 0, err
	}
	for _, rows := range subsets {
		one, took, err := t.Select(rows).Solve(ctx, erm, x)
		if err != nil {
			return nil, 0, err
		}
		if mean == nil {
			mean = make([]float64, len(one))
		}
		for i, v := range one {
			mean[i] += v / float64(len(subsets))
		}
		passes += took * float64(len(rows)) / float64(t.N)
	}
	return mean, passes, nil
}

// An Oracle evaluates the losses of rows: losses.Linear, or losses.Softmax for more than two classes.
type Oracle interface {
	dro.Oracle
	Arena() *memory.Arena
}

// Oracle returns the oracle of the losses of the rows. It returns an error if the loss does not accept a target.
func (t *Table) Oracle() (Oracle, error) {
	if t.Outputs <= 1 {
		return losses.NewLinear(t.Loss, t.X, t.Target)
	}
	return t.softmax()
}

// softmax returns the oracle of more than two classes.
func (t *Table) softmax() (*losses.Softmax, error) {
	class := make([]int, len(t.Target))
	for j, v := range t.Target {
		class[j] = int(v)
	}
	return losses.NewSoftmax(t.X, class, t.Outputs)
}

// A Memory stores finished parts of a choice, indexed by name, so that an interrupted choice can resume. Load
// decodes a part into the variable that into points to, and reports whether the part was found.
type Memory interface {
	Load(part string, into any) (bool, error)
	Store(part string, value any)
}

// A solvedProblem is the stored solution of a problem.
type solvedProblem struct {
	X      []float64
	Passes float64
}

// solveOrLoad works like Solve, but loads the solution from the memory if it is there.
func (t *Table) solveOrLoad(ctx context.Context, name string, l level.Level, x []float64) ([]float64, float64, error) {
	if t.Memory == nil {
		return t.Solve(ctx, l, x)
	}
	var s solvedProblem
	ok, err := t.Memory.Load(name, &s)
	if err != nil {
		return nil, 0, err
	}
	// a solution of the wrong size is computed again
	if _, d := t.X.Dims(); ok && len(s.X) == d*max(1, t.Outputs) && allFinite(s.X) {
		return s.X, s.Passes, nil
	}
	x, passes, err := t.Solve(ctx, l, x)
	if err == nil {
		t.Memory.Store(name, solvedProblem{x, passes})
	}
	return x, passes, err
}

// allFinite reports whether no entry of x is NaN or infinite.
func allFinite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// lossesAt returns the loss of every row at x.
func (t *Table) lossesAt(x []float64) ([]float64, error) {
	oracle, err := t.Oracle()
	if err != nil {
		return nil, err
	}
	value, slope := make([]float64, t.N), make([]float64, t.N*max(1, t.Outputs))
	oracle.EvalTo(value, slope, x, 0, t.N)
	return value, nil
}

// Margins returns the out-of-fold margins of the rows, laid out as by MarginsAt, by models of the level that are fitted
// without the fold of the row. The solver starts at start; nil means zero. Margins calls progress, if it is not nil,
// after every fold.
func (t *Table) Margins(
	ctx context.Context, l level.Level, folds int, seed uint64, start []float64, progress func(done, total int),
) ([]float64, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	fold, err := t.Folds(folds, seed)
	if err != nil {
		return nil, err
	}
	defer memory.Release(t.arena(), fold)
	r := &foldRun{table: t, name: "margins", fold: fold, folds: folds, progress: newProgressCounter(progress)}
	if err := r.fitSpecs(ctx, []spec{{l, 1, -1}}, start); err != nil {
		return nil, err
	}
	if t.Outputs <= 1 {
		return r.margins[0], nil
	}
	memory.Release(t.arena(), r.margins[0], r.leads[0])
	scores := memory.Make[float64](t.arena(), t.N*t.Outputs)
	for k := range folds {
		if err := r.scoreFold(scores, k); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// scoreFold stores the scores of all classes of the rows in fold k, by the first spec, in scores.
func (r *foldRun) scoreFold(scores []float64, k int) error {
	_, rest, heldOut, free := r.split(k)
	defer free()
	of, err := rest.MarginsAt(r.x[k][0])
	if err != nil {
		return err
	}
	defer memory.Release(rest.arena(), of)
	classes := r.table.Outputs
	for i, j := range heldOut {
		copy(scores[j*classes:(j+1)*classes], of[i*classes:(i+1)*classes])
	}
	return nil
}

// MarginsAt returns the margin of every row at x, or, if there are more than two classes, the scores of all classes,
// row by row.
func (t *Table) MarginsAt(x []float64) ([]float64, error) {
	if t.Outputs <= 1 {
		margin := memory.Make[float64](t.arena(), t.N)
		t.X.MarginsTo(margin, x, 0, t.N)
		return margin, nil
	}
	oracle, err := t.softmax()
	if err != nil {
		return nil, err
	}
	scores := memory.Make[float64](t.arena(), t.N*t.Outputs)
	oracle.MarginsTo(scores, x, 0, t.N)
	return scores, nil
}
