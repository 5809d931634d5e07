package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/memory"
)

// A CVaRPoint is a point on a CVaR curve.
type CVaRPoint struct {
	Alpha float64 `json:"alpha"` // in (0, 1]
	Value Num     `json:"value"` // mean of the worst α-fraction of the losses
}

// sortedLosses holds losses in descending order and their running sums; w are the weights of the rows, with mean 1.
type sortedLosses struct {
	loss []float64
	cum  []float64 // cum[k] = Σ_{i<k} w[i]; nil if all weights are 1, so that cum[k] = k
	sum  []float64 // sum[k] = Σ_{i<k} w[i] (loss[i] − base)
	base float64   // the mean of the losses, whose subtraction avoids cancellation in the sums
}

// weightOfLargest returns the total weight of the k largest losses.
func (s *sortedLosses) weightOfLargest(k int) float64 {
	if s.cum == nil {
		return float64(k)
	}
	return s.cum[k]
}

// sortLosses sorts losses; a nil arena means the heap. It returns an error if there are no losses or a loss is not
// finite.
func sortLosses(arena *memory.Arena, loss []float64, weight interval.Weights) (*sortedLosses, error) {
	if len(loss) == 0 {
		return nil, fmt.Errorf("eval: there are no losses")
	}
	for i, l := range loss {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return nil, fmt.Errorf("eval: the loss of row %d is %v; it must be finite", i+1, l)
		}
	}
	n := len(loss)
	s := &sortedLosses{loss: memory.Make[float64](arena, n), base: weight.SumOf(loss) / float64(n)}
	order := argsort(arena, n, func(i int) float64 { return -loss[i] })
	defer memory.Release(arena, order)
	s.sum = memory.Make[float64](arena, n+1)
	if weight != nil {
		s.cum = memory.Make[float64](arena, n+1)
	}
	var total, a compensated.Sum
	for k, i := range order {
		w := weight.Of(i)
		s.loss[k] = loss[i]
		a.Add((s.loss[k] - s.base) * w)
		s.sum[k+1] = a.Value()
		if weight != nil {
			total.Add(w)
			s.cum[k+1] = total.Value()
		}
	}
	return s, nil
}

// CVaRAt returns the mean of the worst fraction α of the losses, and the loss at the boundary (a 1−α quantile):
//
//	CVaR_α = min_q  q + mean((ℓ − q)₊)/α = (1/αn) (Σ_{i≤k} ℓ_(i) + (αn − k) ℓ_(k+1)),  k = ⌊αn⌋
//
// with ℓ_(1) ≥ ℓ_(2) ≥ …; α = 1 yields the mean and α ≤ 1/n the largest loss.
func (s *sortedLosses) CVaRAt(alpha float64) (value, quantile float64) {
	m := alpha * float64(len(s.loss))
	k := min(int(m), len(s.loss)-1)
	if s.cum != nil { // the largest k with cum[k] ≤ m
		k = min(sort.Search(len(s.cum), func(i int) bool { return s.cum[i] > m })-1, len(s.loss)-1)
	}
	if k == 0 || m <= s.weightOfLargest(1) {
		return s.loss[0], s.loss[0]
	}
	return s.base + (s.sum[k]+(m-s.weightOfLargest(k))*(s.loss[k]-s.base))/m, s.loss[k]
}

// cvarLevels returns levels of a CVaR curve from max(1/n, 0.001) to 1, spaced more densely near 0. They include
// common levels such as 0.05.
func cvarLevels(n int) []float64 {
	lo := math.Max(1/float64(n), 1e-3)
	round := []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	levels := slices.DeleteFunc(slices.Clone(round), func(a float64) bool { return a < lo })
	const k = 40
	for i := range k {
		a := lo * math.Pow(1/lo, float64(i)/k)
		// omit levels that equal a round one up to rounding
		if !slices.ContainsFunc(round, func(b float64) bool { return float32(a) == float32(b) }) {
			levels = append(levels, a)
		}
	}
	slices.Sort(levels)
	return levels
}

// TailAlpha is the level of the CVaR that is compared between models.
const TailAlpha = 0.1
