package interval

import (
	"context"

	"github.com/drotrain/drotrain/memory"
)

// Rows holds n rows and the predictions of all models for them.
type Rows struct {
	Target      []float64 // of length n; ±1 for two classes
	Weight      Weights   // of length n, or nil
	Score, Loss [][]float64

	// Parallel runs f(0), …, f(n−1) and returns the error of the lowest index, or that of ctx. It reports the
	// progress of the phase unless phase is empty.
	Parallel func(ctx context.Context, phase string, n int, f func(i int) error) error
	Arena    *memory.Arena // memory for slices with an element per row; nil for the heap
}

// A Stratum holds the rows of a group, sorted by the score of every model. All rows are sorted once, before they
// are divided into groups.
type Stratum struct {
	Rows  []int32   // ascending
	Order [][]int32 // for each model, the rows in ascending order of score
	Flag  [][]uint8 // for two classes and each model, the flags of the rows in the order of Order, as in Ties
	Size  [][]int32 // for a regression and each model, the rows in ascending order of |error|
}

// Ties returns the rows, which belong to two classes, in ascending order of the score of model k.
func (s *Stratum) Ties(weight Weights, k int) Ties { return Ties{s.Order[k], s.Flag[k], weight} }
