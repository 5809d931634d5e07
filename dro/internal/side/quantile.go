package side

import (
	"math"
	"math/bits"
	"slices"
)

// upperQuantile returns the largest τ such that losses ≥ τ have at least the given proportion of the weight, or NaN if
// no sample has weight. It also returns the proportions of the weight on losses above τ and equal to τ. It uses a
// radix selection: every step divides the range that contains τ into 2048 parts, sums the weights in each part, and
// keeps the losses in the part that contains τ. The sums do not depend on the number of threads or ranks.
func (r *reference) upperQuantile(f []float64, proportion float64) (tau, above, ties float64) {
	const (
		digit    = 11    // number of bits of a digit, for 2048 parts
		rounding = 1e-12 // relative rounding error of a proportion
	)
	target := proportion * r.total * (1 - rounding)
	least, most := r.minMax(f)
	if !(least <= most) {
		return math.NaN(), 0, 0
	}
	lo, hi := orderedBits(least), orderedBits(most)
	shards := r.rows.Shards(len(f))
	parts, sums := r.rows.Partials(shards, 1<<digit), make([]float64, 1<<digit)
	var kept [][]int32 // for each shard, indices of the losses in the range; nil before step 1
	for step := 0; ; step++ {
		shift := max(0, bits.Len64(hi-lo)-digit)
		if step == 1 {
			kept = make([][]int32, shards)
		}
		parts.Clear()
		r.rows.Run(len(f), func(k, first, end int) {
			byPart, width := parts.Shard(k), hi-lo
			switch step {
			case 0:
				for j := first; j < end; j++ {
					if b := orderedBits(f[j]) - lo; b <= width {
						byPart[b>>shift] += r.weightAt(j)
					}
				}
			case 1:
				for j := first; j < end; j++ {
					if b := orderedBits(f[j]) - lo; b <= width {
						kept[k] = append(kept[k], int32(j))
						byPart[b>>shift] += r.weightAt(j)
					}
				}
			default:
				in := kept[k][:0]
				for _, j := range kept[k] {
					if b := orderedBits(f[j]) - lo; b <= width {
						in = append(in, j)
						byPart[b>>shift] += r.weightAt(int(j))
					}
				}
				kept[k] = in
			}
		})
		r.rows.SumTo(sums, parts)
		part, sum := -1, above
		for p := len(sums) - 1; p >= 0 && !(sum >= target); p-- {
			if sums[p] > 0 {
				part, above, sum = p, sum, sum+sums[p]
			}
		}
		if part < 0 {
			return math.NaN(), above / r.total, 0
		}
		if lo += uint64(part) << shift; shift == 0 {
			return fromOrderedBits(lo), above / r.total, sums[part] / r.total
		}
		hi = lo + min(hi-lo, 1<<shift-1)
	}
}

// minMax returns the least and the largest loss of the samples with weight, or +Inf and −Inf if there are none.
func (r *reference) minMax(f []float64) (least, most float64) {
	parts := [2][]float64{r.rows.Scalars(len(f)), r.rows.Scalars(len(f))}
	r.rows.Run(len(f), func(k, lo, hi int) {
		least, most := math.Inf(1), math.Inf(-1)
		for j, v := range f[lo:hi] {
			if (v < least || v > most) && r.weightAt(lo+j) > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
		parts[0][k], parts[1][k] = least, most
	})
	r.rows.AllGather(parts[:]...)
	return slices.Min(parts[0]), slices.Max(parts[1])
}

// orderedBits maps v to an integer with the same order; both zeros are equal.
func orderedBits(v float64) uint64 {
	b := math.Float64bits(v + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// fromOrderedBits inverts orderedBits.
func fromOrderedBits(b uint64) float64 {
	if b>>63 == 0 {
		return math.Float64frombits(^b)
	}
	return math.Float64frombits(b &^ (1 << 63))
}
