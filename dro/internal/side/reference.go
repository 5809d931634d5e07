package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// A reference holds the reference weights of n samples and their sum; a nil w means equal weights.
type reference struct {
	rows  *ranks.Rows // distribution of the samples over ranks; nil for a single process
	w     []float64   // weights; nil if equal
	total float64     // sum of the weights, which is n for equal weights
}

// newReference returns the reference weights of n samples; w may be nil, or longer than n.
func newReference(rows *ranks.Rows, w []float64, n int) reference {
	if w == nil {
		return reference{rows, nil, float64(n)}
	}
	return reference{rows, w[:n], totalOf(rows, w[:n])}
}

// weightAt returns the weight of sample j before division by the total.
func (r *reference) weightAt(j int) float64 {
	if r.w == nil {
		return 1
	}
	return r.w[j]
}

// weightsTo stores the reference weights, normalised to sum 1, in y.
func (r *reference) weightsTo(y []float64) {
	r.rows.Run(len(y), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = r.weightAt(j) / r.total
		}
	})
}

// largestLoss returns the largest loss of a sample with a reference weight, or NaN if one of these losses is NaN.
func (r *reference) largestLoss(f []float64) float64 {
	return r.rows.Max(len(f), func(lo, hi int) float64 { return r.largestOf(f, lo, hi) })
}

// largestOf works like largestLoss for the samples in [lo, hi).
func (r *reference) largestOf(f []float64, lo, hi int) float64 {
	if r.w == nil {
		return kernel.Max(f[lo:hi])
	}
	m := math.Inf(-1)
	for j := lo; j < hi; j++ {
		if r.w[j] > 0 {
			m = max(m, f[j])
		}
	}
	return m
}

// checkWeights returns an error if w is not a valid slice of reference weights for n samples; nil is valid.
func checkWeights(rows *ranks.Rows, w []float64, n int) error {
	if w == nil {
		return nil
	}
	if len(w) < n {
		return fmt.Errorf("there are %d weights for %d samples", len(w), n)
	}
	return checkMass(rows, w)
}

func totalOf(rows *ranks.Rows, w []float64) float64 {
	return rows.Sum(len(w), func(lo, hi int) float64 { return kernel.Sum(w[lo:hi]) })
}

// minTotal is the minimum supported sum of weights; the smallest positive number is 2⁻⁷⁴ times it.
const minTotal = 0x1p-1000

// checkMass returns an error unless weights are finite, ≥ 0, and not all close to zero. If samples are distributed
// over MPI ranks, it checks the samples of this rank, whose weights may all be zero.
func checkMass(rows *ranks.Rows, w []float64) error {
	total := 0.0
	lo, hi := rows.LocalRange(len(w))
	for j, v := range w[lo:hi] {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("the weight of sample %d is %v; it must be finite and ≥ 0", lo+j, v)
		}
		total += v
	}
	switch {
	case !(total > 0) && rows == nil || math.IsInf(total, 1):
		return fmt.Errorf("the weights sum to %v; the sum must be finite and > 0", total)
	case total < minTotal && rows == nil:
		return fmt.Errorf("the weights sum to %v, so small that their proportions underflow: multiply all weights by a "+
			"constant", total)
	}
	return nil
}

// arenaOf returns the arena for vectors with one entry for each sample. With several ranks only entries of this
// rank occupy memory.
func arenaOf(rows *ranks.Rows) *memory.Arena {
	if rows == nil {
		return nil
	}
	return memory.NewVirtual()
}
