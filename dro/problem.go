package dro

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// A Problem is min over x, max over y in Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x).
type Problem = saddle.Problem
