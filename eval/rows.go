package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
)

// A Role states which model of a training run a model is.
type Role string

// Roles of models. The zero value denotes a model that drotrain did not train.
const (
	OtherModel    Role = ""
	StandardModel Role = "erm"
	RobustModel   Role = "robust"
	BalancedModel Role = "group-balanced erm"
	// ERM with group weights half-way between equal row weights and balanced ones
	HalfBalanced  Role = "half-balanced erm"
	SubsetModel   Role = "balanced subsets" // the mean of models on balanced subsets
	RescaledModel Role = "rescaled erm"
)

// A Model holds the predictions of a model for the evaluated rows.
type Model struct {
	Name string // "ERM", "robust", …; unique
	Role Role   // OtherModel for predictions from elsewhere
	// n scores: P(positive) in [0, 1], P(actual class), or the predicted value in original units of the target
	Score []float64
	// n training losses of the rows, in the units of the objective; if nil in an Input, they are computed from
	// the scores by LossName
	Loss []float64

	// Class and Place are set for more than two classes: the index of the most probable class, and the rank of
	// the actual class by its probability, counted from 1.
	Class, Place []int32
}

// measuredRows holds the n ≥ 1 rows of an Input that has been checked: all slices have length n, numbers are
// finite, and names of models are unique.
type measuredRows struct {
	interval.Rows // targets are ±1, the index of a class, or in original units; weights have mean 1

	Task      Task
	Classes   []string // classes of a Multiclass target
	Models    []Model
	Threshold float64 // for two classes, the minimum score of rows that are predicted positive

	LossAtLeast0 []bool // by model: no row has a loss below 0
	// for each model and row, the log loss of the clipped probability of the actual class; nil for regression
	LogLoss [][]float64
}

// setLogLoss computes LogLoss.
func (in *measuredRows) setLogLoss() {
	if in.Task == Regression {
		return
	}
	for k := range in.Models {
		loss := memory.Make[float64](in.Arena, len(in.Target))
		shard.Run(len(loss), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				loss[i] = -math.Log(in.probabilityOfClass(k, i))
			}
		})
		in.LogLoss = append(in.LogLoss, loss)
	}
}

// probabilityOfClass returns the probability that model k gives to the actual class of row i, clipped.
func (in *measuredRows) probabilityOfClass(k, i int) float64 {
	s := in.Models[k].Score[i]
	if in.Task == Multiclass {
		return max(s, logLossClip)
	}
	p := min(max(s, logLossClip), 1-logLossClip)
	if in.Target[i] > 0 {
		return p
	}
	return 1 - p
}

// scaleWeights returns the weights scaled to mean 1, or nil if weight is nil. A nil arena means the heap.
func scaleWeights(arena *memory.Arena, weight interval.Weights) interval.Weights {
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

// effectiveRows returns Kish's effective number of rows, (Σw)²/Σw².
func effectiveRows(weight []float64) float64 {
	var s, q compensated.Sum
	for _, w := range weight {
		s.Add(w)
		q.Add(w * w)
	}
	return s.Value() * s.Value() / q.Value()
}
