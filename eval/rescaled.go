package eval

import (
	"math"
)

// beatsRescaled reports whether the model in focus is measurably more accurate than the rescaled baseline in
// the baseline's worst group, or ranks its rows measurably better: less confident scores alone can do neither.
// It is for two classes; without groups it uses all rows.
func (j *judge) beatsRescaled() bool {
	if j.Task != Binary {
		return false
	}
	s := j.strata.All
	if w := j.Models[0].WorstGroup; w != nil {
		s = &j.strata.Groups[len(j.Groupings)-1][j.Headline().find(w.Label)]
	}
	r := j.rescaledModel()
	gain, se := j.accuracyGain(s, r)
	z := studentQuantile(j.Confidence, max(1, float64(len(s.Rows)-1)))
	if gain > z*se {
		return true
	}
	gain, se = rankingGain(j.in.rows, s, j.k, r)
	return gain > z*se
}

// accuracyGain returns the accuracy of the model in focus minus that of model r in a stratum, and its standard
// error.
func (j *judge) accuracyGain(s *stratum, r int) (gain, se float64) {
	right := func(k int, i int32) float64 {
		if (j.in.Models[k].Score[i] >= j.in.threshold()) == (j.in.Target[i] > 0) {
			return 1
		}
		return 0
	}
	var sum, weights, squares compensatedSum
	weight := j.in.rows.WeightOf
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
