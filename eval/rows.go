package eval

import (
	"math"

	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/memory"
)

// A Role says which of the models of a training a model is.
type Role string

// The roles of models. The zero value is for a model that drotrain did not train.
const (
	OtherModel    Role = ""
	StandardModel Role = "erm"
	RobustModel   Role = "robust"
	BalancedModel Role = "group-balanced erm"
	HalfBalanced  Role = "half-balanced erm" // with group weights half-way to balanced ones
	SubsetModel   Role = "balanced subsets"  // the mean of models on balanced subsets
	RescaledModel Role = "rescaled erm"
)

// A Model holds the predictions of a model for the rows evaluated.
type Model struct {
	Name  string    // "ERM", "robust", …; unique
	Role  Role      // OtherModel for predictions from elsewhere
	Score []float64 // n: P(positive) in [0, 1], P(actual class), or the predicted value in the target's original units
	// n: training loss of each row, in the units of the objective; nil in an input: of the scores, by LossName
	Loss []float64

	// Of more than two classes: the index of the most probable class, and the place of the actual class
	// by its probability, from 1.
	Class, Place []int32
}

// measuredRows holds the n ≥ 1 rows of an Input that has been checked: all slices have length n, numbers
// are finite, and names of models are unique.
type measuredRows struct {
	Task      Task
	Target    []float64 // n: ±1, the index of a class, or original units
	Classes   []string  // of Multiclass
	Weight    weights   // n of mean 1, or nil
	Models    []Model
	Threshold float64 // binary: predicted positive from this score on
	workerPool
}

// weights holds the weights of rows; nil means 1 for each.
type weights []float64

// weightOf returns the weight of row i.
func (w weights) weightOf(i int32) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// scaleWeights returns the weights scaled to mean 1, or nil for nil. A nil arena means the heap.
func scaleWeights(arena *memory.Arena, weight weights) weights {
	if weight == nil {
		return nil
	}
	m := meanOf(weight)
	out := memory.Make[float64](arena, len(weight))
	for i, w := range weight {
		out[i] = w / m
	}
	return out
}

// SumOf returns Σ w x over all rows.
func (w weights) SumOf(x []float64) float64 {
	var s compensated.Sum
	for i, v := range x {
		s.Add(w.weightOf(int32(i)) * v)
	}
	return s.Value()
}

// Total returns the total weight of rows.
func (w weights) Total(rows []int32) float64 {
	var s compensated.Sum
	for _, i := range rows {
		s.Add(w.weightOf(i))
	}
	return s.Value()
}

// Mean returns the mean of x over rows and its standard error.
func (w weights) Mean(rows []int32, x func(i int32) float64) (mean, se float64) {
	var s, q compensated.Sum
	total := w.Total(rows)
	for _, i := range rows {
		s.Add(w.weightOf(i) * x(i))
	}
	mean = s.Value() / total
	for _, i := range rows {
		d := w.weightOf(i) * (x(i) - mean)
		q.Add(d * d)
	}
	return mean, math.Sqrt(q.Value()) / total
}

// StandardError returns the standard error of the mean of a − b over rows; a nil b is 0.
func (w weights) StandardError(a, b []float64, rows []int32) float64 {
	_, se := w.Mean(rows, func(i int32) float64 {
		if b == nil {
			return a[i]
		}
		return a[i] - b[i]
	})
	return se
}

// Effective returns Kish's effective number of rows, (Σw)²/Σw².
func effectiveRows(weight []float64) float64 {
	var s, q compensated.Sum
	for _, w := range weight {
		s.Add(w)
		q.Add(w * w)
	}
	return s.Value() * s.Value() / q.Value()
}
