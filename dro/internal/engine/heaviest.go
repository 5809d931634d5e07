package engine

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/ranks"
)

// HeaviestSamples returns the samples with the largest weights, in ascending order. They have at least the
// proportion share of the total weight, and there are at least minCount of them if that many have weight. Weights
// are only distinguished up to powers of two.
func HeaviestSamples(rows *ranks.Rows, y []float64, share float64, minCount int) []int {
	least := weightCutoff(rows, y, 1-share, minCount)
	var out []int
	first, end := rows.LocalRange(len(y))
	for j := first; j < end; j++ {
		if y[j] >= least {
			out = append(out, j)
		}
	}
	all, _ := ranks.GatherAll(rows.Comm(), out)
	return all
}

// weightCutoff returns a power of two such that the positive weights below it have at most the proportion share of the
// total weight, and at least count weights are not below it. If there is none, it returns the smallest positive number.
// Weights must be at most 1.
func weightCutoff(rows *ranks.Rows, y []float64, share float64, count int) float64 {
	const binades = 1024 // the last one holds all subnormal weights
	part := rows.Partials(rows.Shards(len(y)), 2*binades)
	part.Clear()
	rows.Run(len(y), func(s, lo, hi int) {
		mass, number := part.Shard(s)[:binades], part.Shard(s)[binades:]
		for _, v := range y[lo:hi] {
			if v > 0 {
				k := min(binades-1, max(0, 1023-int(math.Float64bits(v)>>52))) // 2^−k ≤ v < 2^(1−k)
				mass[k] += v
				number[k]++
			}
		}
	})
	all := make([]float64, 2*binades)
	rows.SumTo(all, part)
	mass, number := all[:binades], all[binades:]
	total, above, have := Sum(mass), 0.0, 0
	for k := range binades - 1 {
		above += mass[k]
		have += int(number[k])
		if total-above <= share*total && have >= count {
			return math.Ldexp(1, -k)
		}
	}
	return math.SmallestNonzeroFloat64
}

// SamplesWithSmallestKeys returns the count samples of n with the smallest finite keys ≥ 0, or all samples with
// finite keys if there are fewer, in ascending order of their numbers. Keys within a factor of 17/16 count as equal;
// among these, samples of lower shards are preferred.
func SamplesWithSmallestKeys(rows *ranks.Rows, n, count int, key func(j int) float64) []int {
	const bins, shift = 512, 48 // 16 bins for each factor of two; the first holds all keys far below the largest
	top := rows.Max(n, func(lo, hi int) float64 {
		most := 0.0
		for j := lo; j < hi; j++ {
			if v := key(j); v > most && !math.IsInf(v, 1) {
				most = v
			}
		}
		return most
	})
	highest := int(math.Float64bits(top) >> shift)
	binOf := func(j int) int { // at most bins for finite keys
		v := key(j)
		if !(v <= top) {
			return bins
		}
		return max(0, bins-1-highest+int(math.Float64bits(v)>>shift))
	}
	part := rows.Partials(rows.Shards(n), bins)
	part.Clear()
	rows.Run(n, func(s, lo, hi int) {
		number := part.Shard(s)
		for j := lo; j < hi; j++ {
			if k := binOf(j); k < bins {
				number[k]++
			}
		}
	})
	number := make([]float64, bins)
	rows.SumTo(number, part)
	last, left := 0, float64(count) // last bin, and the number of samples used from it
	for ; last < bins && number[last] <= left; last++ {
		left -= number[last]
	}
	among := rows.Scalars(n)
	if last < bins {
		rows.Run(n, func(s, lo, hi int) { among[s] = part.Shard(s)[last] })
		rows.AllGather(among)
	}
	for s, have := range among {
		among[s] = min(have, left)
		left -= among[s]
	}
	taken := make([][]int, len(among))
	rows.Run(n, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			switch k := binOf(j); {
			case k < last:
				taken[s] = append(taken[s], j)
			case k == last && among[s] > 0:
				taken[s] = append(taken[s], j)
				among[s]--
			}
		}
	})
	all, _ := ranks.GatherAll(rows.Comm(), slices.Concat(taken...))
	return all
}
