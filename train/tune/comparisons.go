package tune

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Comparisons states how much wider intervals must be because the candidate was chosen on the evaluated rows, as
// effective numbers of comparisons. A number n means that the largest standardised deviation is distributed like the
// largest of n independent normal variables.
type Comparisons struct {
	Groups float64 `json:"groups"` // over the eligible groups, for risks of all candidates and changes from ERM

	// Average is over all candidates, for changes in the average risk from ERM. If a candidate replaces ERM, it
	// is divided by the share of resamples in which one does. Intervals then have the stated coverage given
	// that ERM was replaced, like those of Benjamini and Yekutieli (2005) for selected parameters.
	Average float64 `json:"average"`
}

const (
	comparisonDraws      = 600
	comparisonConfidence = 0.95 // confidence at which the effective number of comparisons is matched
	maxComparisonRows    = 20_000
)

// countComparisons returns the effective numbers of comparisons among candidates; losses[c] holds the row losses of
// candidate c, and candidate 0 is ERM. The numbers are computed with normal multipliers of the rows' influences. If
// there are many rows, the first maxComparisonRows are used, which are a random sample because the rows are shuffled.
func (m *measure) countComparisons(losses [][]float64, seed uint64) Comparisons {
	n := min(len(losses[0]), maxComparisonRows)
	groups := len(m.eligible)
	group := func(j int) int { // eligible group of a row, or −1
		if m.rows.Group == nil || m.rows.Group[j] < 0 || !m.eligible[m.rows.Group[j]] {
			return -1
		}
		return int(m.rows.Group[j])
	}
	k := len(losses)
	// A family consists of the risks of all candidates, followed by their changes from ERM.
	risk := newDeviations(groups, k)
	change := newDeviations(groups+1, k-1) // the last element is over all rows
	visit := func(weight []float64, add func(d *deviations, s, c int, v, w float64)) {
		for c := range k {
			for j := range n {
				if g := group(j); g >= 0 {
					if add(risk, g, c, losses[c][j], weight[j]); c > 0 {
						add(change, g, c-1, losses[c][j]-losses[0][j], weight[j])
					}
				}
				if c > 0 {
					add(change, groups, c-1, losses[c][j]-losses[0][j], weight[j])
				}
			}
		}
	}
	visit(m.weight, (*deviations).addMean)
	risk.finishMeans()
	change.finishMeans()
	visit(m.weight, (*deviations).addVariance)
	const stream = 0x6d617874
	byGroup, average := make([]float64, comparisonDraws), make([]float64, comparisonDraws)
	z := make([]float64, n)
	for b := range comparisonDraws {
		rng := rand.New(rand.NewPCG(seed, stream+uint64(b)))
		for j := range z {
			z[j] = m.weight[j] * rng.NormFloat64()
		}
		risk.reset()
		change.reset()
		visit(z, (*deviations).addDraw)
		byGroup[b] = max(risk.largest(0, groups), change.largest(0, groups))
		average[b] = change.largest(groups, groups+1)
	}
	return Comparisons{effectiveComparisons(byGroup), effectiveComparisons(average)}
}

// effectiveComparisons returns the number of independent normal variables whose largest absolute value has the same
// quantile at comparisonConfidence; it is at least 1.
func effectiveComparisons(largest []float64) float64 {
	slices.Sort(largest)
	c := largest[min(len(largest)-1, int(math.Ceil(comparisonConfidence*float64(len(largest)))))]
	inside := math.Erf(c / math.Sqrt2)
	if !(inside > comparisonConfidence) {
		return 1
	}
	return math.Log(comparisonConfidence) / math.Log(inside)
}

// deviations holds weighted means of candidates in strata, their variances, and one draw of their errors. All
// slices are indexed by stratum·candidates + candidate.
type deviations struct {
	candidates               int
	mass, mean, square, draw []float64
}

// newDeviations returns deviations without rows.
func newDeviations(strata, candidates int) *deviations {
	size := strata * candidates
	return &deviations{candidates, make([]float64, size), make([]float64, size), make([]float64, size),
		make([]float64, size)}
}

// addMean adds the value v of a row with weight w to the mean of candidate c in stratum s.
func (d *deviations) addMean(s, c int, v, w float64) {
	i := s*d.candidates + c
	d.mass[i] += w
	d.mean[i] += w * v
}

// finishMeans divides the sums of addMean by the weights.
func (d *deviations) finishMeans() {
	for i, w := range d.mass {
		d.mean[i] /= w
	}
}

// addVariance adds the squared influence of a row.
func (d *deviations) addVariance(s, c int, v, w float64) {
	i := s*d.candidates + c
	v = w * (v - d.mean[i])
	d.square[i] += v * v
}

// reset starts a draw.
func (d *deviations) reset() { clear(d.draw) }

// addDraw adds the influence of a row, multiplied by a random multiplier; w is the product of the row's weight and
// the multiplier.
func (d *deviations) addDraw(s, c int, v, w float64) {
	i := s*d.candidates + c
	d.draw[i] += w * (v - d.mean[i])
}

// largest returns the largest standardised deviation of the draw in the strata [lo, hi).
func (d *deviations) largest(lo, hi int) float64 {
	most := 0.0
	for i := lo * d.candidates; i < hi*d.candidates; i++ {
		if d.square[i] > 0 {
			most = max(most, math.Abs(d.draw[i])/math.Sqrt(d.square[i]))
		}
	}
	return most
}
