package drotest

import (
	"github.com/drotrain/drotrain/dro/internal/side"
)

// ShiftedL2 is L2 plus a constant.
type ShiftedL2 struct {
	side.L2
	Constant float64
}

func (s ShiftedL2) Value(x []float64) float64 { return s.L2.Value(x) + s.Constant }
