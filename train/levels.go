package train

import (
	"context"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// smallRange is the maximum range of the predictions of a constant model: of probabilities, or of numbers in
// standard deviations of the target.
const smallRange = 1e-3

// assessLevels computes the range of levels of an adversary over rows at which a constant prediction is optimal. It
// adds a note about the range, which is a warning if the level of the model is in the range. It does nothing for
// averages, adversaries over groups, and rows on several ranks.
func (m *Model) assessLevels(ctx context.Context) (err error) {
	if m.Run.rows != nil { // the rows are on several ranks
		return nil
	}
	if asked := m.Config.Level; asked.Average != "" || asked.IsGroupwise() {
		return nil
	}
	m.Result.Levels, err = m.tuneTable(m.Run.Train).LevelRange(ctx, m.Config.Level, m.Config.Seed)
	if err != nil {
		return err
	}
	text := m.Result.Levels.String()
	if m.Result.Levels.Contains(m.Config.Level) {
		text = fmt.Sprintf("%sthe robustness (%s) is too strong: %s", warningMark, m.Config.Level, text)
	}
	m.addNotes(text)
	return nil
}

// isConstantModel reports whether the model makes the same prediction for all training rows, to within smallRange.
func (m *Model) isConstantModel(oracle dro.Oracle) bool {
	k, n, d := max(1, m.coefficientsPerColumn()), m.Run.Train.N, m.Run.Train.D
	x, margin := make([]float64, d), memory.Make[float64](m.Run.arena(), n)
	defer memory.Release(m.Run.arena(), margin)
	marginsTo := m.Run.Train.X.MarginsTo
	if o, ok := oracle.(*losses.Linear); ok { // the type that can combine rows of several ranks
		marginsTo = o.MarginsTo
	}
	spreadOf := func(class int) (low, high float64) {
		for i := range x {
			if x[i] = m.Coefficients[i*k+class]; k > 1 {
				// adding a constant to the margins of all classes does not change the probabilities
				x[i] -= m.Coefficients[i*k]
			}
		}
		m.Run.rows.Run(n, func(_, lo, hi int) { marginsTo(margin, x, lo, hi) })
		high = m.Run.rows.Max(n, func(lo, hi int) float64 { return largestSigned(margin[lo:hi], 1) })
		return -m.Run.rows.Max(n, func(lo, hi int) float64 { return largestSigned(margin[lo:hi], -1) }), high
	}
	if k > 1 {
		// if margins differ by at most ε, probabilities differ by at most ε/2
		for class := 1; class < k; class++ {
			if low, high := spreadOf(class); high-low > 2*smallRange {
				return false
			}
		}
		return true
	}
	low, high := spreadOf(0)
	if kind, _ := losses.KindOf(m.Config.Loss); kind.Classes {
		probability := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
		return probability(high)-probability(low) < smallRange
	}
	target := m.Run.Train.Target
	mean := m.Run.weightedAverage(target)
	m.Run.rows.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			margin[j] = (target[j] - mean) * (target[j] - mean)
		}
	})
	deviation := math.Sqrt(m.Run.weightedAverage(margin))
	return deviation > 0 && high-low < smallRange*deviation
}

// largestSigned returns the largest of sign·a over the entries a of v.
func largestSigned(v []float64, sign float64) float64 {
	most := math.Inf(-1)
	for _, a := range v {
		most = max(most, sign*a)
	}
	return most
}
