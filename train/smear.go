package train

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/memory"
)

// fitSmearing makes predictions of a target whose logarithm was fitted means instead of
// medians, by the mean of the exponentials of the residuals of the training rows: Duan,
// Smearing Estimate, JASA 1983.
func (m *Model) fitSmearing() {
	t := &m.Encoder.Target
	if t.Transform == "" {
		return
	}
	d := m.Run.Train
	margin := make([]float64, d.N)
	if m.Run.rows != nil {
		margin = memory.Make[float64](m.Run.arena(), d.N)
		defer memory.Release(m.Run.arena(), margin)
	}
	lo, hi := m.Run.rows.LocalRange(d.N)
	d.X.MarginsTo(margin, m.Scoring(), lo, hi)
	add := func(lo, hi int) float64 {
		sum := 0.0
		for i := lo; i < hi; i++ {
			sum += math.Exp(t.Scale * (d.Target[i] - margin[i]))
		}
		return sum
	}
	sum := 0.0
	if m.Run.rows == nil {
		sum = add(0, d.N)
	} else {
		sum = m.Run.rows.Sum(d.N, add)
	}
	factor := sum / float64(d.N)
	if math.IsNaN(factor) || math.IsInf(factor, 0) || factor <= 0 {
		m.note(fmt.Sprintf("the %s of the target is fitted; its residuals are too large for a smearing factor, so predictions are medians", t.Transform))
		return
	}
	t.Smear = factor
	m.note(fmt.Sprintf("the %s of the target is fitted; predictions are means, in its own units: medians times the smearing factor %.4g of the training rows", t.Transform, factor))
}
