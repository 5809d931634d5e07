package train

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// fitSmearing sets the factor that converts predictions of a log-transformed target from medians to means, and adds a
// note: the mean of the exponentials of the training residuals, weighted by Run.Weight (Duan, Smearing Estimate, JASA
// 1983). If the factor is not finite and positive, predictions stay medians. It sets no factor for the loss of a
// quantile, since the quantile of the target is the exponential of the quantile of its logarithm.
func (m *Model) fitSmearing() {
	t := &m.Encoder.Target
	if t.Transform == "" {
		return
	}
	if q, ok := m.loss.(losses.Quantile); ok {
		m.addNotes(fmt.Sprintf("the model fits the %s of the target; predictions are converted to units of the target, in "+
			"which they are quantiles %v too", t.Transform, q.Level))
		return
	}
	d, arena := m.Run.Train, m.Run.arena()
	margin := memory.Make[float64](arena, d.N)
	defer memory.Release(arena, margin)
	weight := m.Run.Weight
	sums := m.Run.rows.Totals(d.N, 2, func(sums []float64, lo, hi int) {
		d.X.MarginsTo(margin, m.ScoringCoefficients(), lo, hi)
		for i := lo; i < hi; i++ {
			w := 1.0
			if weight != nil {
				w = weight[i]
			}
			sums[0] += w * math.Exp(t.Scale*(d.Target[i]-margin[i]))
			sums[1] += w
		}
	})
	factor := sums[0] / sums[1]
	if math.IsNaN(factor) || math.IsInf(factor, 0) || factor <= 0 {
		m.addNotes(fmt.Sprintf(
			"the model fits the %s of the target; the residuals are too large for a smearing factor, so predictions are medians",
			t.Transform))
		return
	}
	t.Smear = factor
	m.addNotes(fmt.Sprintf(
		"the model fits the %s of the target; predictions are means in the units of the target (medians times the smearing "+
			"factor %.4g of the training rows)", t.Transform, factor))
}
