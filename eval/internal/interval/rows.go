package interval

import (
	"context"

	"github.com/drotrain/drotrain/memory"
)

// Rows holds n rows and what models predicted for them.
type Rows struct {
	Target      []float64 // n; of two classes, ±1
	Weight      Weights   // n, or nil
	Score, Loss [][]float64

	// Parallel runs f(0), …, f(n−1) and returns the error of the lowest index, or ctx's error. It reports the progress
	// of the phase unless that is empty.
	Parallel func(ctx context.Context, phase string, n int, f func(i int) error) error
	Arena    *memory.Arena // of slices that are as long as the rows; nil: the heap
}

// A Stratum holds the rows of a group, sorted by every model. Rows are sorted once, over all groups.
type Stratum struct {
	Rows  []int32   // ascending
	Order [][]int32 // for each model, the rows in ascending order of score
	Flag  [][]uint8 // two classes, by model: along Order, as in Ties
	Size  [][]int32 // for a regression and each model, the rows in ascending order of |error|
}

// Ties returns the rows in ascending order of the score of model k, for two classes.
func (s *Stratum) Ties(weight Weights, k int) Ties { return Ties{s.Order[k], s.Flag[k], weight} }
