package train

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
	"github.com/drotrain/drotrain/verify"
	"gonum.org/v1/gonum/mat"
)

// Prove returns a proof of the lower bound of the certificate, for package verify: weights of the adversary, and the
// slopes of the losses at the point that minimises the objective under these weights. Unless the weights are fixed
// (see [level.Level.KeepsWeights]), Prove first solves the problem to a relative gap of 1e-9, in at most 200 passes,
// and uses the resulting weights if they prove a larger bound than those of the training run. The slopes are as exact
// as double precision allows. The bound therefore hardly depends on where training stopped. Without a regulariser, the
// minimiser may be far away or not exist; the slopes are then those at the coefficients if they prove a larger bound.
// For a mean of models, the proof holds the slopes of every averaged model on the rows of its subset. Prove needs
// Config.KeepProof and Config.KeepRows. It returns an error for rows on several ranks, and for an adversary or a
// regulariser that the caller's program defines.
func (m *Model) Prove(ctx context.Context) (*verify.Proof, error) {
	r := m.Run
	if r == nil || r.Weights == nil || r.rows != nil {
		return nil, errNoWeights
	}
	if m.Config.Own != nil || m.Config.Regulariser != nil {
		return nil, errors.New(
			"a proof can be computed only for the adversaries and regularisers of this module, but this model was trained " +
				"with a different one")
	}
	p := &verify.Proof{}
	var err error
	if m.Config.IsMeanOfModels() {
		err = m.proveSubsets(ctx, p)
	} else {
		err = m.proveOptimum(ctx, p)
	}
	if err == nil && r.Err() != nil {
		err = errors.Join(errors.New("the proof could not be computed"), r.Err())
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

const passesOfProof = 200 // maximum number of passes of each solve

// proveOptimum adds the proof of a model that is the optimum of one problem.
func (m *Model) proveOptimum(ctx context.Context, p *verify.Proof) error {
	const gap = 1e-9 // relative gap of the weights
	r := m.Run
	table := m.tuneTable(r.Train)
	dual, err := m.Config.Dual(r.levelRows())
	if err != nil {
		return err
	}
	candidates, points := [][]float64{r.Weights, r.dual}, [][]float64{m.Coefficients}
	if !m.Config.KeepsWeights() {
		oracle, err := table.Oracle()
		if err != nil {
			return err
		}
		res, err := dro.Solve(ctx, m.problem(oracle, dual), &dro.Options{X0: m.Coefficients,
			RelativeGap: min(gap, m.Config.Gap), MaxPasses: passesOfProof, Seed: m.Config.Seed, KeepDual: true})
		if err != nil {
			return m.nameColumn(err)
		}
		candidates, points = append(candidates, res.Weights, res.Dual), append(points, res.X)
	}
	var best *weightedOptimum
	for _, y := range candidates {
		if y == nil {
			continue
		}
		o, err := m.proveUnder(ctx, table, y, points)
		if err != nil {
			return err
		}
		if o.lower -= dual.Value(y); best == nil || o.lower > best.lower {
			best = o
		}
	}
	best.addTo(p, r.Train.Rows)
	return nil
}

// proveSubsets adds the proofs of averaged models, one after the other.
func (m *Model) proveSubsets(ctx context.Context, p *verify.Proof) error {
	table, rows := m.subsetsTable(), m.Run.Train.Rows
	if m.Config.Average == level.ValidationSubsets {
		rows = m.Run.validation.Rows
	}
	subsets, err := level.Subsets(table.Rows)
	if err != nil {
		return err
	}
	for k, subset := range subsets {
		y, of := make([]float64, len(subset)), make([]int, len(subset))
		for i, j := range subset {
			y[i], of[i] = 1/float64(len(subset)), rows[j]
			p.Parts = append(p.Parts, k)
		}
		o, err := m.proveUnder(ctx, table.Select(subset), y, [][]float64{m.Averaged[k]})
		if err != nil {
			return err
		}
		o.addTo(p, of)
	}
	return nil
}

// A weightedOptimum is the optimum of the objective under fixed weights.
type weightedOptimum struct {
	lower   float64 // lower bound of the mean loss plus the regulariser; an estimate if there is no regulariser
	weights []float64
	slopes  []float64 // slopes of the losses at the point
}

// proveUnder minimises the mean loss plus the regulariser under weights y as far as double precision allows, starting at
// the first of the given points. Without a regulariser, it returns the slopes at that one of the points and the
// minimiser whose estimated bound is largest, after cancelSlopes if that helps.
func (m *Model) proveUnder(ctx context.Context, t *tune.Table, y []float64, points [][]float64) (*weightedOptimum,
	error) {
	const finest = 1e-24
	oracle, err := t.Oracle()
	if err != nil {
		return nil, err
	}
	res, err := dro.Solve(ctx, m.problem(oracle, dro.Fixed{Weights: y}), &dro.Options{X0: points[0], RelativeGap: finest,
		MaxPasses: passesOfProof, Seed: m.Config.Seed})
	if err != nil {
		return nil, m.nameColumn(err)
	}
	n, _, k := oracle.Dims()
	best := &weightedOptimum{res.Certificate.Lower, y, make([]float64, n*k)}
	oracle.EvalTo(make([]float64, n), best.slopes, res.X, 0, n)
	if *m.Config.Mu > 0 || m.Config.Wasserstein != nil {
		return best, nil
	}
	best.lower = math.Inf(-1)
	for _, x := range append(slices.Clone(points), res.X) {
		value, slopes := make([]float64, n), make([]float64, n*k)
		oracle.EvalTo(value, slopes, x, 0, n)
		mean, off := unpenalisedBound(oracle, t, y, value, slopes)
		if k == 1 && off < nearOptimum {
			moved := slices.Clone(slopes)
			cancelSlopes(oracle, t, y, moved)
			if _, less := unpenalisedBound(oracle, t, y, value, moved); less < off {
				slopes, off = moved, less
			}
		}
		if lower := mean * (1 - off); lower > best.lower {
			best = &weightedOptimum{lower, y, slopes}
		}
	}
	return best, nil
}

// nearOptimum is the relative size of a gradient below which slopes are moved to cancel it. The bound then decreases by
// about the square of this size, and hardly any slope reaches the end of its range.
const nearOptimum = 1e-6

// cancelSlopes changes the slopes s_j at a point to their linear approximations after a Newton step of the mean loss
// under weights y. Σ y_j s_j z_j is then closer to 0 than at any point in double precision. It does nothing if there are
// more than verify.MaxFreeColumns columns, or if the Hessian cannot be factorised.
func cancelSlopes(oracle tune.Oracle, t *tune.Table, y, slopes []float64) {
	n, d, _ := oracle.Dims()
	if d > verify.MaxFreeColumns {
		return
	}
	gradient, curvature, row := mat.NewVecDense(d, nil), make([]float64, n), mat.NewVecDense(d, nil)
	oracle.AddGradTo(gradient.RawVector().Data, y, slopes, 0, n)
	t.Loss.CurvatureTo(curvature, slopes, t.Target)
	h := mat.NewSymDense(d, nil)
	for j, v := range y {
		if v *= curvature[j]; v > 0 {
			t.X.RowTo(row.RawVector().Data, j)
			h.SymRankOne(h, v, row)
		}
	}
	for i := range d {
		if v := h.At(i, i); v > 0 {
			h.SetSym(i, i, v*(1+1e-12))
		} else {
			h.SetSym(i, i, 1)
		}
	}
	var factor mat.Cholesky
	if step := mat.NewVecDense(d, nil); factor.Factorize(h) && factor.SolveVecTo(step, gradient) == nil {
		for j, v := range curvature {
			if v > 0 {
				t.X.RowTo(row.RawVector().Data, j)
				slopes[j] -= v * mat.Dot(row, step)
			}
		}
	}
}

// unpenalisedBound estimates the lower bound of the mean loss under weights y that the losses and slopes at a point
// prove without a regulariser, which is mean·(1 − off): the mean loss, and off = Σ |g_i|/(σ_i·s), with the gradient
// g = Σ y_j s_j z_j of the point, the root mean square σ_i of column i, and the largest slope s.
func unpenalisedBound(oracle tune.Oracle, t *tune.Table, y, value, slopes []float64) (mean, off float64) {
	n, size, k := oracle.Dims()
	gradient, squares, row := make([]float64, size), make([]float64, size/k), make([]float64, size/k)
	oracle.AddGradTo(gradient, y, slopes, 0, n)
	steepest := 0.0
	for j, v := range y {
		mean += v * value[j]
		if t.X.RowTo(row, j); v > 0 {
			for i, z := range row {
				squares[i] += v * z * z
			}
			for _, s := range slopes[j*k : (j+1)*k] {
				steepest = max(steepest, math.Abs(s))
			}
		}
	}
	for i, g := range gradient {
		if g != 0 {
			off += math.Abs(g) / (math.Sqrt(squares[i/k]) * steepest)
		}
	}
	return mean, off
}

// addTo adds the weights and slopes to a proof, in ascending order of rows, which holds the row of the table for each
// weight.
func (o *weightedOptimum) addTo(p *verify.Proof, rows []int) {
	order := make([]int, len(rows))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int { return rows[i] - rows[j] })
	k := len(o.slopes) / max(1, len(rows))
	for _, j := range order {
		p.Rows = append(p.Rows, rows[j])
		p.Weight = append(p.Weight, o.weights[j])
		p.Slope = append(p.Slope, o.slopes[j*k:(j+1)*k]...)
	}
}
