package train

import (
	"fmt"
	"math"
	"slices"
)

const (
	heavyTailRows = 200 // minimum number of residuals that are examined
	heavyTailGain = 1.5 // minimum of huberGain for suggesting the Huber loss
	// distance of the mean from Huber's centre, in units of the scale, that does not indicate skewness; nor
	// does a distance of two standard errors
	heavyTailSkew   = 0.1
	normalMAD       = 1.4826 // standard deviation of a normal variable, in median absolute deviations
	huberEfficiency = 1.345  // δ in standard deviations at which Huber's estimate has 95 % efficiency for normal errors
)

// suggestHuber adds a note if the residuals of ERM under the squared loss have symmetric heavy tails, so that the
// Huber loss would estimate the same coefficients from fewer rows. It adds none for weighted or sharded rows or for
// other losses.
func (m *Model) suggestHuber() {
	d := m.Run.Train
	if m.Config.Loss != "squared" || m.Config.comm != nil || m.Run.Weight != nil || m.Baseline == nil ||
		d.N < heavyTailRows {
		return
	}
	residual := make([]float64, d.N)
	d.X.MarginsTo(residual, m.Baseline, 0, d.N)
	for j := range residual {
		residual[j] -= d.Target[j]
	}
	if gain, symmetric := huberGain(residual); symmetric && gain >= heavyTailGain {
		m.addNotes(fmt.Sprintf(
			"the residuals of ERM have heavy tails: with --loss huber, about %.0f %% of the rows would give "+
				"coefficients of the same precision", 100/gain))
	}
}

// huberGain returns the asymptotic efficiency of Huber's estimator relative to least squares for the given
// residuals, and whether both estimate about the same centre.
func huberGain(residual []float64) (gain float64, symmetric bool) {
	sorted := slices.Clone(residual)
	slices.Sort(sorted)
	centre := sorted[len(sorted)/2]
	for j, v := range residual {
		sorted[j] = math.Abs(v - centre)
	}
	slices.Sort(sorted)
	scale := normalMAD * sorted[len(sorted)/2]
	if !(scale > 0) || math.IsInf(scale, 1) {
		return 1, false
	}
	delta, n := huberEfficiency*scale, float64(len(residual))
	var mean, variance, square, inside float64
	for range 20 { // iteration towards Huber's estimate of the centre
		step := 0.0
		for _, v := range residual {
			step += max(-delta, min(delta, v-centre)) / n
		}
		centre += step
	}
	for _, v := range residual {
		mean += v / n
		psi := max(-delta, min(delta, v-centre))
		square += psi * psi / n
		if math.Abs(v-centre) < delta {
			inside += 1 / n
		}
	}
	for _, v := range residual {
		variance += (v - mean) * (v - mean) / n
	}
	return variance * inside * inside / square, math.Abs(mean-centre) <= max(heavyTailSkew*scale, 2*math.Sqrt(variance/n))
}
