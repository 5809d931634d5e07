package eval

import "github.com/drotrain/drotrain/internal/memory"

// A Role says which of the models of a training a model is.
type Role string

// The roles. The zero value is a model from elsewhere.
const (
	OtherModel    Role = ""
	StandardModel Role = "erm"
	RobustModel   Role = "robust"
	BalancedModel Role = "group-balanced erm"
	RescaledModel Role = "rescaled erm"
)

// A Model holds the predictions of a model for the rows evaluated.
type Model struct {
	Name  string    // "ERM", "robust", …; unique
	Role  Role      // OtherModel for predictions from elsewhere
	Score []float64 // n: P(positive) in [0, 1], P(actual class), or the predicted value in the target's original units
	Loss  []float64 // n: training loss of each row, in the units of the objective; nil in an input: of the scores, by LossName

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
	Weight    []float64 // n of mean 1, or nil for equal ones
	Models    []Model
	Threshold float64 // binary: predicted positive from this score on
	workerPool
}

// WeightOf returns the weight of row i.
func (in *measuredRows) WeightOf(i int32) float64 {
	if in.Weight == nil {
		return 1
	}
	return in.Weight[i]
}

// scaleWeights returns the weights scaled to mean 1, or nil for nil. A nil arena means the heap.
func scaleWeights(arena *memory.Arena, weight []float64) []float64 {
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

// weightedSum returns Σ w x; nil means weights of 1.
func weightedSum(x, weight []float64) float64 {
	var s compensatedSum
	for i, v := range x {
		if weight != nil {
			v *= weight[i]
		}
		s.Add(v)
	}
	return s.Sum()
}

// sumAt returns the total weight of rows; nil means weights of 1.
func sumAt(weight []float64, rows []int32) float64 {
	if weight == nil {
		return float64(len(rows))
	}
	var s compensatedSum
	for _, i := range rows {
		s.Add(weight[i])
	}
	return s.Sum()
}

// Effective returns Kish's effective number of rows, (Σw)²/Σw².
func effectiveRows(weight []float64) float64 {
	var s, q compensatedSum
	for _, w := range weight {
		s.Add(w)
		q.Add(w * w)
	}
	return s.Sum() * s.Sum() / q.Sum()
}
