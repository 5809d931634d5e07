// Package pooled chooses between coefficients that all groups share and partially pooled coefficients of groups, by
// cross-validating the average loss. The margin of a row z that has level l_c in each group term c is
//
//	⟨z, w⟩ + Σ_c ⟨z_Q(c), u_c,l_c⟩,    penalised by μ/2·(‖w‖² + Σ_c κ_c·‖u_c‖²).
//
// A term is a group column or a crossing of several. The terms are added in steps: first the single columns with
// one κ, then, with this κ fixed, the crossings of two columns with a second κ, and so on.
//
// Newton's method forms one Hessian for every combination of levels, so a step takes as many products as a step of
// the shared model.
package pooled

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/tune"
)

// A Group is a group column or a crossing of several: the level of every row, and the columns whose coefficients
// may differ between levels.
type Group struct {
	Level   []int32 // level of every row; -1 means that the group adds no coefficients to the row
	Levels  int     // number of levels
	Columns []int   // columns with group coefficients

	ridge float64 // κ
}

// A Problem holds rows with their groups. Rows of one unit are in the same fold and count as one observation in
// standard errors; a nil Unit makes each row a separate unit.
type Problem struct {
	X         design.Matrix
	Target    []float64
	Weight    []float64 // nil if all are equal
	Unit      []int32
	Fold      []int32 // fold of every row, from 0
	Folds     int
	Steps     [][]Group // groups that each step adds: single group columns, then crossings of two, and so on
	Loss      losses.Loss
	Mu        float64               // weight of the penalty, above 0
	Intercept int                   // index of the column that is not penalised, or -1
	Observe   func(done, total int) // called after every fit with a ridge; may be nil
}

// A step is accepted if the average loss decreases by this number of standard errors: firstError relative to shared
// coefficients, and laterError relative to the coefficients of an accepted step.
const (
	firstError = 2
	laterError = 1
)

// segmentRows is the maximum number of rows that are summed together.
const segmentRows = 1 << 14

// A segment is a range of rows of one cell and one fold.
type segment struct {
	cell, fold, lo, hi int
	gram               []float64 // upper triangle of a p×p matrix
	gradient           []float64
	value, weight      float64
}

// A fit is a Problem whose rows are sorted by cell and, within a cell, by fold; a cell is a combination of levels.
type fit struct {
	*Problem
	p        int   // number of columns
	order    []int // row of the Problem at each sorted index
	weight   []float64
	target   []float64
	x        design.Matrix
	cells    [][]int32 // levels by group
	segments []*segment

	margin, value, slope, curvature []float64 // by sorted index
}

// Compare fits shared coefficients, and group coefficients with each of the ridges, given in ascending order, with
// each fold left out in turn, and compares the losses of the left-out rows. Each step keeps the groups and the best
// ridges of the preceding steps. The steps end after the first crossing that is not accepted. If must is set, the
// first step is always accepted.
func (pr *Problem) Compare(ctx context.Context, ridges []float64, must bool) (*tune.GroupChoice, error) {
	f := newFit(pr)
	n := len(f.order)
	c := &tune.GroupChoice{}
	x := make([][]float64, pr.Folds) // warm starts: the solutions of the preceding step for its best ridge
	shared := make([]float64, n)
	var start []float64
	for fold := range pr.Folds {
		var err error
		if start, err = f.minimise(ctx, fold, nil, start); err != nil {
			return nil, err
		}
		x[fold] = start
		f.storeFoldLosses(shared, fold, nil, start)
	}
	c.Shared, _, _ = f.compareLosses(shared, shared)
	var before []Group // groups of the preceding steps, with their ridges
	// losses with the accepted groups, and with the groups before the current step
	taken, previous := shared, shared
	for step, added := range pr.Steps {
		groups := slices.Concat(before, added)
		tried, losses, at, err := f.fitRidges(ctx, groups, len(before), ridges, x, previous)
		if err != nil {
			return nil, err
		}
		var candidates []tune.GroupCandidate
		for k, ridge := range tried {
			q := tune.GroupCandidate{Ridge: ridge}
			q.Risk, q.Change, q.SE = f.compareLosses(losses[k], shared)
			_, q.StepChange, q.StepSE = f.compareLosses(losses[k], taken)
			candidates = append(candidates, q)
		}
		slices.Reverse(candidates)
		c.Steps = append(c.Steps, candidates)
		best := c.Best(step)
		needed := float64(firstError)
		if c.Taken > 0 {
			needed = laterError
		}
		k := slices.Index(tried, best.Ridge)
		improves := best.StepChange < 0 && best.StepChange <= -needed*best.StepSE
		if improves || must && step == 0 {
			c.Taken, taken = step+1, losses[k]
		} else if step > 0 {
			break
		}
		setRidge(groups[len(before):], best.Ridge)
		before, x, previous = groups, at[k], losses[k]
	}
	return c, nil
}

// setRidge sets the ridge of groups.
func setRidge(groups []Group, ridge float64) {
	for i := range groups {
		groups[i].ridge = ridge
	}
}

// fitRidges fits the groups, with each fold left out in turn, for each ridge of the groups from index first on, in
// descending order. It stops after a ridge for which the left-out rows are predicted worse than for the preceding
// ridge, or worse than without these groups (the losses previous), since weaker ridges are worse still. It returns
// the ridges tried and, for each ridge, the losses of the left-out rows and the coefficients for every fold. start
// holds the initial coefficients for each fold.
func (f *fit) fitRidges(
	ctx context.Context, groups []Group, first int, ridges []float64, start [][]float64,
	previous []float64,
) (tried []float64, losses [][]float64, x [][][]float64, err error) {
	last, _, _ := f.compareLosses(previous, previous)
	for i, ridge := range slices.Backward(ridges) {
		setRidge(groups[first:], ridge)
		loss, at := make([]float64, len(f.order)), make([][]float64, f.Folds)
		for fold := range f.Folds {
			if at[fold], err = f.minimise(ctx, fold, groups, start[fold]); err != nil {
				return nil, nil, nil, err
			}
			f.storeFoldLosses(loss, fold, groups, at[fold])
		}
		if f.Observe != nil {
			f.Observe(len(ridges)-i, len(ridges))
		}
		tried, losses, x, start = append(tried, ridge), append(losses, loss), append(x, at), at
		risk, _, _ := f.compareLosses(loss, previous)
		if risk > last {
			break
		}
		last = risk
	}
	return tried, losses, x, nil
}

// newFit returns the fit of a problem, with its rows sorted and divided into segments.
func newFit(pr *Problem) *fit {
	n, p := pr.X.Dims()
	f := &fit{Problem: pr, p: p, order: make([]int, n), weight: make([]float64, n), target: make([]float64, n)}
	cell := make([]int, n)
	known := map[string]int{}
	all := slices.Concat(pr.Steps...)
	key := make([]byte, 4*len(all))
	for j := range n {
		f.order[j] = j
		for c, g := range all {
			l := uint32(g.Level[j] + 1)
			key[4*c], key[4*c+1], key[4*c+2], key[4*c+3] = byte(l), byte(l>>8), byte(l>>16), byte(l>>24)
		}
		k, ok := known[string(key)]
		if !ok {
			k = len(f.cells)
			known[string(key)] = k
			levels := make([]int32, len(all))
			for c, g := range all {
				levels[c] = g.Level[j]
			}
			f.cells = append(f.cells, levels)
		}
		cell[j] = k
	}
	slices.SortStableFunc(f.order, func(a, b int) int {
		if d := cell[a] - cell[b]; d != 0 {
			return d
		}
		return int(pr.Fold[a]) - int(pr.Fold[b])
	})
	f.x = pr.X.Select(f.order)
	for i, j := range f.order {
		f.target[i], f.weight[i] = pr.Target[j], 1
		if pr.Weight != nil {
			f.weight[i] = pr.Weight[j]
		}
		last := len(f.segments) - 1
		if last < 0 || f.segments[last].cell != cell[j] || f.segments[last].fold != int(pr.Fold[j]) ||
			i-f.segments[last].lo >= segmentRows {
			f.segments = append(f.segments, &segment{cell: cell[j], fold: int(pr.Fold[j]), lo: i, gradient: make([]float64, p),
				gram: make([]float64, p*p)})
			last++
		}
		f.segments[last].hi = i + 1
		f.segments[last].weight += f.weight[i]
	}
	f.margin, f.value, f.slope, f.curvature = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64,
		n)
	return f
}

// layout returns the number d of coefficients, shared ones first, and the index of the first coefficient of every group.
func (f *fit) layout(groups []Group) (d int, first []int) {
	d = f.p
	for _, g := range groups {
		first = append(first, d)
		d += g.Levels * len(g.Columns)
	}
	return d, first
}

// cellCoefficientsTo stores in dst, for each column, the sum of the coefficients that apply to a cell.
func (f *fit) cellCoefficientsTo(dst []float64, cell int, groups []Group, first []int, x []float64) {
	copy(dst, x[:f.p])
	for c, g := range groups {
		if l := int(f.cells[cell][c]); l >= 0 {
			at := first[c] + l*len(g.Columns)
			for k, j := range g.Columns {
				dst[j] += x[at+k]
			}
		}
	}
}

// forSegments calls do for the segments of all folds except the given one or, if held is set, of that fold only. Before,
// it evaluates the losses of their rows at x; coefficients are those of the cell of the segment.
func (f *fit) forSegments(
	ctx context.Context, fold int, held bool, groups []Group, x []float64, do func(s *segment, coefficients []float64),
) error {
	_, first := f.layout(groups)
	return shard.Parallel(ctx, len(f.segments), func(i int) error {
		if s := f.segments[i]; (s.fold == fold) == held {
			w := make([]float64, f.p)
			f.cellCoefficientsTo(w, s.cell, groups, first, x)
			f.x.MarginsTo(f.margin, w, s.lo, s.hi)
			f.Loss.EvalTo(f.value[s.lo:s.hi], f.slope[s.lo:s.hi], f.margin[s.lo:s.hi], f.target[s.lo:s.hi])
			do(s, w)
		}
		return nil
	})
}

// storeFoldLosses stores in dst the losses of the rows of a fold.
func (f *fit) storeFoldLosses(dst []float64, fold int, groups []Group, x []float64) {
	_ = f.forSegments(context.Background(), fold, true, groups, x,
		func(s *segment, _ []float64) { copy(dst[s.lo:s.hi], f.value[s.lo:s.hi]) })
}

// objective returns the penalised average loss with a fold left out, and the total weight of the rows of the other
// folds. If derivatives is set, it stores the gradient and the Gram matrix, weighted by the curvature, in the segments.
func (f *fit) objective(
	ctx context.Context, fold int, groups []Group, x []float64, derivatives bool,
) (value, weight float64, err error) {
	err = f.forSegments(ctx, fold, false, groups, x, func(s *segment, _ []float64) {
		lo, hi := s.lo, s.hi
		s.value = 0
		for i := lo; i < hi; i++ {
			s.value += f.weight[i] * f.value[i]
		}
		if !derivatives {
			return
		}
		f.Loss.CurvatureTo(f.curvature[lo:hi], f.slope[lo:hi], f.target[lo:hi])
		for i := lo; i < hi; i++ {
			f.curvature[i] *= f.weight[i]
		}
		clear(s.gradient)
		clear(s.gram)
		f.x.AddRowsTo(s.gradient, f.weight, f.slope, lo, hi)
		f.x.AddGramTo(s.gram, f.curvature, lo, hi)
	})
	for _, s := range f.segments {
		if s.fold != fold {
			value += s.value
			weight += s.weight
		}
	}
	value /= weight
	for j, penalty := range f.penalties(groups) {
		value += 0.5 * penalty * x[j] * x[j]
	}
	return value, weight, err
}

// penalties returns the penalty of every coefficient.
func (f *fit) penalties(groups []Group) []float64 {
	d, first := f.layout(groups)
	out := make([]float64, d)
	for j := range f.p {
		if j != f.Intercept {
			out[j] = f.Mu
		}
	}
	for c, g := range groups {
		for j := range g.Levels * len(g.Columns) {
			out[first[c]+j] = f.Mu * g.ridge
		}
	}
	return out
}

const (
	newtonSteps = 50   // maximum number of steps
	accuracy    = 1e-8 // squared Newton decrement, relative to the objective, at which minimise ends
	// Near the minimum, a step squares the relative decrement, up to a factor. After a full step from a squared decrement
	// of at most lastDecrement, relative to the objective, minimise ends.
	lastDecrement = 1e-5
)

// minimise minimises the penalised average loss with a fold left out by Newton's method, starting at from;
// coefficients beyond the length of from start at 0.
func (f *fit) minimise(ctx context.Context, fold int, groups []Group, from []float64) ([]float64, error) {
	d, _ := f.layout(groups)
	x := make([]float64, d)
	copy(x, from)
	for range newtonSteps {
		value, weight, err := f.objective(ctx, fold, groups, x, true)
		if err != nil {
			return nil, err
		}
		step, decrease := f.newtonStep(fold, groups, x, weight)
		if !(decrease > accuracy*math.Abs(value)) {
			break
		}
		t := 1.0
		for try := make([]float64, d); ; t /= 2 {
			for j := range try {
				try[j] = x[j] - t*step[j]
			}
			next, _, err := f.objective(ctx, fold, groups, try, false)
			if err != nil {
				return nil, err
			}
			if next <= value-1e-4*t*decrease {
				x = try
				break
			}
			if t < 1e-6 {
				return x, nil // rounding prevents a further decrease
			}
		}
		if t == 1 && decrease <= lastDecrement*math.Abs(value) {
			break
		}
	}
	return x, nil
}

// newtonStep returns the Newton step at x, to be subtracted, and the squared Newton decrement. weight is the total weight
// of the rows, as returned by objective.
func (f *fit) newtonStep(fold int, groups []Group, x []float64, weight float64) (step []float64, decrement float64) {
	d, first := f.layout(groups)
	gradient := make([]float64, d)
	h := make([]float64, d*d)
	for j, penalty := range f.penalties(groups) {
		gradient[j] = penalty * x[j]
		h[j*d+j] = penalty
	}
	// The segments of a cell are summed before they are added to the Hessian.
	sum, grad := make([]float64, f.p*f.p), make([]float64, f.p)
	for i := 0; i < len(f.segments); {
		cell, some := f.segments[i].cell, false
		for ; i < len(f.segments) && f.segments[i].cell == cell; i++ {
			s := f.segments[i]
			if s.fold == fold {
				continue
			}
			if !some {
				clear(sum)
				clear(grad)
			}
			some = true
			for k, v := range s.gram {
				sum[k] += v / weight
			}
			for k, v := range s.gradient {
				grad[k] += v / weight
			}
		}
		if some {
			f.addCell(quadratic{h, gradient}, segmentSums{sum, grad}, cell, groups, first)
		}
	}
	factor := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: d, Stride: d, Data: slices.Clone(h)}
	for jitter := 1e-14; !kernel.Cholesky(factor.Data, d); jitter *= 100 {
		for j := range d {
			h[j*d+j] += jitter * (1 + h[j*d+j])
		}
		copy(factor.Data, h)
	}
	// the line search judges a step from an ill-conditioned system
	step = slices.Clone(gradient)
	blas64.Trsv(blas.Trans, factor, blas64.Vector{N: d, Inc: 1, Data: step})
	blas64.Trsv(blas.NoTrans, factor, blas64.Vector{N: d, Inc: 1, Data: step})
	return step, floats.Dot(gradient, step)
}

// segmentSums holds the Gram matrix and the gradient of a cell or segment.
type segmentSums struct{ gram, gradient []float64 }

// A quadratic holds the gradient and the Hessian of the objective; only the upper triangle of the Hessian is used.
type quadratic struct{ hessian, gradient []float64 }

// addCell adds the gradient and the Gram matrix of a cell to the entries of q for the coefficients that apply to
// the cell; those of group c begin at first[c].
func (f *fit) addCell(q quadratic, of segmentSums, cell int, groups []Group, first []int) {
	d := len(q.gradient)
	columns, at := make([]int, 0, 2*f.p), make([]int, 0, 2*f.p)
	for j := range f.p {
		columns, at = append(columns, j), append(at, j)
	}
	for c, g := range groups {
		if l := int(f.cells[cell][c]); l >= 0 {
			for k, j := range g.Columns {
				columns, at = append(columns, j), append(at, first[c]+l*len(g.Columns)+k)
			}
		}
	}
	for a, j := range columns {
		q.gradient[at[a]] += of.gradient[j]
		row := q.hessian[at[a]*d : (at[a]+1)*d]
		for b := a; b < len(columns); b++ {
			k := columns[b]
			row[at[b]] += of.gram[min(j, k)*f.p+max(j, k)]
		}
	}
}

// compareLosses returns the weighted mean of losses, its difference from the mean of reference, and the standard error
// of the difference, for which each unit is one observation. With a single observation, the error is +Inf.
func (f *fit) compareLosses(losses, reference []float64) (risk, change, se float64) {
	total := 0.0
	for i, w := range f.weight {
		risk += w * losses[i]
		change += w * (losses[i] - reference[i])
		total += w
	}
	risk, change = risk/total, change/total
	units := map[int32]float64{}
	sum, count := 0.0, 0.0
	for i, w := range f.weight {
		influence := w * (losses[i] - reference[i] - change) / total
		if f.Unit == nil {
			sum += influence * influence
			count++
			continue
		}
		units[f.Unit[f.order[i]]] += influence
	}
	if f.Unit != nil {
		keys := make([]int32, 0, len(units))
		for u := range units {
			keys = append(keys, u)
		}
		slices.Sort(keys) // a fixed order, so that every run yields the same bits
		for _, u := range keys {
			sum += units[u] * units[u]
			count++
		}
	}
	if count < 2 {
		return risk, change, math.Inf(1)
	}
	return risk, change, math.Sqrt(sum * count / (count - 1))
}
