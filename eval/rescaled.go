package eval

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/resample"
	"github.com/drotrain/drotrain/internal/memory"
)

// beatsRescaled reports whether the model in focus is measurably more accurate than the rescaled
// baseline in the baseline's worst group, or ranks its rows measurably better: neither is what
// less confident scores can do. Two classes; over all rows without groups.
func (j *judge) beatsRescaled() bool {
	if j.Task != Binary {
		return false
	}
	s := j.strata.All
	if w := j.Models[0].WorstGroup; w != nil {
		last := len(j.Groupings) - 1
		s = &j.strata.Groups[last][slices.IndexFunc(j.Groupings[last].Groups, func(g Group) bool { return g.Label == w.Label })]
	}
	r := j.rescaled()
	gain, se := j.accuracyGain(s, r)
	z := resample.Student(j.Confidence, max(1, float64(len(s.Rows)-1)))
	if gain > z*se {
		return true
	}
	gain, se = j.rankingGain(s, r)
	return gain > z*se
}

// accuracyGain returns by how much the model in focus is more accurate than model r on rows,
// and the standard error.
func (j *judge) accuracyGain(s *measure.Stratum, r int) (gain, se float64) {
	right := func(k int, i int32) float64 {
		if (j.in.Models[k].Score[i] >= j.in.threshold()) == (j.in.Target[i] > 0) {
			return 1
		}
		return 0
	}
	var sum, weights, squares measure.Summer
	weight := func(i int32) float64 {
		if j.in.Weight == nil {
			return 1
		}
		return j.in.Weight[i]
	}
	for _, i := range s.Rows {
		sum.Add(weight(i) * (right(j.k, i) - right(r, i)))
		weights.Add(weight(i))
	}
	gain = sum.Sum() / weights.Sum()
	for _, i := range s.Rows {
		d := weight(i) * (right(j.k, i) - right(r, i) - gain)
		squares.Add(d * d)
	}
	return gain, math.Sqrt(squares.Sum()) / weights.Sum()
}

// rankingGain returns by how much the AUC of the model in focus on rows is above that of model
// r, and DeLong's standard error; NaN of weighted rows or of a single class.
func (j *judge) rankingGain(s *measure.Stratum, r int) (gain, se float64) {
	if j.in.Weight != nil {
		return math.NaN(), math.NaN()
	}
	arena, n := j.in.rows.Arena, len(s.Rows)
	place, diff, comp := memory.Make[int32](arena, len(j.in.Target)), memory.Make[float64](arena, n), memory.Make[float64](arena, n)
	defer memory.Release(arena, diff, comp)
	defer memory.Release(arena, place)
	for at, i := range s.Rows {
		place[i] = int32(at)
	}
	for _, k := range []int{j.k, r} {
		resample.DelongComponents(s.Ties(j.in.rows, k), comp)
		sign := 1.0
		if k == r {
			sign = -1
		}
		for at, i := range s.Order[k] {
			diff[place[i]] += sign * comp[at]
		}
	}
	positive, total := 0.0, 0.0
	for at, i := range s.Rows {
		if j.in.Target[i] > 0 {
			positive++
			total += diff[at]
		}
	}
	return total / positive, math.Sqrt(resample.DelongVariance(diff, func(at int) bool { return j.in.Target[s.Rows[at]] > 0 }))
}
