package train

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/verify"
)

// Prove returns a proof of the lower bound of the certificate, for package verify: weights of the adversary, and the
// slopes of the losses at the point that minimises the objective under these weights. Both are computed to the
// last digits, so that the bound does not depend on where the training stopped. It needs Config.KeepProof and
// Config.KeepRows; several ranks are an error, and so is an adversary or a regulariser of the caller's.
func (m *Model) Prove(ctx context.Context) (*verify.Proof, error) {
	const (
		gap    = 1e-9  // of the weights
		finest = 1e-24 // of the slopes: as far as double precision allows
		passes = 200   // for each solve
	)
	r := m.Run
	if r == nil || r.Weights == nil || r.rows != nil {
		return nil, errNoWeights
	}
	if m.Config.Own != nil || m.Config.Regulariser != nil {
		return nil, errors.New(
			"only adversaries and regularisers of this module can be proved, but this model was trained with another one")
	}
	oracle, err := m.tuneTable(r.Train).Oracle()
	if err != nil {
		return nil, err
	}
	dual, err := m.Config.Dual(r.levelRows())
	if err != nil {
		return nil, err
	}
	options := &dro.Options{X0: m.Coefficients, RelativeGap: min(gap, m.Config.Gap), MaxPasses: passes,
		Seed: m.Config.Seed, KeepDual: true}
	candidates := [][]float64{r.Weights, r.dual}
	if !m.Config.KeepsWeights() {
		res, err := dro.Solve(ctx, m.problem(oracle, dual), options)
		if err != nil {
			return nil, m.nameColumn(err)
		}
		candidates = append(candidates, res.Weights, res.Dual)
	}
	options.KeepDual = false
	var at, weights []float64
	best := math.Inf(-1)
	options.RelativeGap = finest
	for _, y := range candidates {
		if y == nil {
			continue
		}
		res, err := dro.Solve(ctx, m.problem(oracle, dro.Fixed{Weights: y}), options)
		if err != nil {
			return nil, m.nameColumn(err)
		}
		if lower := res.Certificate.Lower - dual.Value(y); at == nil || lower > best {
			at, weights, best = res.X, y, lower
		}
	}
	n, _, k := oracle.Dims()
	value, slope := make([]float64, n), make([]float64, n*k)
	oracle.EvalTo(value, slope, at, 0, n)
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int { return r.Train.Rows[i] - r.Train.Rows[j] })
	p := &verify.Proof{}
	for _, j := range order {
		p.Rows = append(p.Rows, r.Train.Rows[j])
		p.Weight = append(p.Weight, weights[j])
		p.Slope = append(p.Slope, slope[j*k:(j+1)*k]...)
	}
	if err := r.Err(); err != nil {
		return nil, errors.Join(errors.New("the proof could not be computed"), err)
	}
	return p, nil
}
