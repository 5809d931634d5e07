package tune

import (
	"context"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

const (
	// rangeWork is the maximum of rows × columns² for which the range of levels is computed from all rows, and
	// rangeRows the minimum number of rows of a sample for each column.
	rangeWork = 5e6
	rangeRows = 50

	// smallRange is the range of probabilities below which a prediction counts as constant.
	smallRange = 1e-3
)

// LevelRange returns the levels of an adversary over rows at which a constant prediction is optimal on the table.
// If there are many rows, it uses a sample. The levels of the total variation require a separate bisection, and are
// only computed if that is the penalty of asked. It returns nil if there are too many columns for a sample. All rows
// must be on this rank.
func (t *Table) LevelRange(ctx context.Context, asked level.Level, seed uint64) (*level.Range, error) {
	_, d := t.X.Dims()
	columns := d * max(1, t.Outputs)
	rows := int(min(float64(t.N), rangeWork/float64(columns)/float64(columns)))
	if rows < t.N && rows < rangeRows*columns {
		return nil, nil
	}
	of := t
	if rows < t.N {
		of = t.Select(t.sample(rows, seed))
	}
	oracle, err := of.Oracle()
	if err != nil {
		return nil, err
	}
	assess := func(dual dro.Dual) (dro.ConstantPrediction, error) {
		return dro.AssessConstant(ctx, &dro.Problem{Oracle: oracle, Dual: dual, Primal: of.Primal})
	}
	r := &level.Range{Rows: of.N, Of: t.N}
	const anyRadius = 1e6
	for _, divergence := range dro.Divergences() {
		if !divergence.HasPenalty() {
			continue
		}
		a, err := assess(dro.Ball{Divergence: divergence, Radius: anyRadius, Weights: of.Weights})
		if err != nil {
			return nil, err
		}
		if !a.Optimal || !(a.Divergence > 0) {
			continue
		}
		b := level.BallRange{Penalty: divergence, Ess: divergence.SizeOfRadius(a.Divergence), Radius: a.Divergence}
		if t.hasClasses() && t.Outputs <= 1 { // p ≈ ½ + z·x/4
			if spread := of.marginSpread(a.Direction); spread > 0 {
				b.Nu = 4 * smallRange / spread
			}
		}
		r.Balls = append(r.Balls, b)
	}
	r.Protect, err = mildestConstant(of.N, func(alpha float64) (bool, error) {
		a, err := assess(dro.CVaR{Alpha: alpha, Weights: of.Weights})
		return a.Optimal, err
	})
	if err != nil || asked.Penalty != dro.TotalVariation {
		return r, err
	}
	kept, err := mildestConstant(of.N, func(kept float64) (bool, error) { // proportion of the weight that is not moved
		a, err := assess(dro.Ball{Divergence: dro.TotalVariation, Radius: 1 - kept, Weights: of.Weights})
		return a.Optimal, err
	})
	if kept != nil {
		shift := 1 - *kept
		r.Shift = &shift
	}
	return r, err
}

// mildestConstant returns the largest proportion, of rows or of weight, at which a constant is optimal, found by
// bisection, or nil if there is none. The larger the proportion, the milder the level. The result is at least 1/rows.
func mildestConstant(rows int, isConstant func(proportion float64) (bool, error)) (*float64, error) {
	low, high := 1/float64(rows), 1.0
	if is, err := isConstant(low); err != nil || !is {
		return nil, err
	}
	for high-low > 0.01*high {
		middle := (low + high) / 2
		is, err := isConstant(middle)
		if err != nil {
			return nil, err
		}
		if is {
			low = middle
		} else {
			high = middle
		}
	}
	return &low, nil
}

// marginSpread returns the largest minus the smallest margin of the rows at x.
func (t *Table) marginSpread(x []float64) float64 {
	margin := memory.Make[float64](t.arena(), t.N)
	defer memory.Release(t.arena(), margin)
	t.X.MarginsTo(margin, x, 0, t.N)
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range margin {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

// withoutConstantLevels returns the levels at which a constant prediction is not optimal.
func withoutConstantLevels(all []level.Level, r *level.Range) []level.Level {
	return slices.DeleteFunc(all, r.Contains)
}
