package solvetest_test

import (
	"github.com/drotrain/drotrain/dro/internal/engine"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// A linear model has all methods that an oracle can have: a slip in a signature would
// lose one without a word.
var (
	_ dro.Oracle         = (*losses.Linear)(nil)
	_ saddle.Conditioned = (*losses.Linear)(nil)
	_ engine.LinearModel = (*losses.Linear)(nil)
	_ engine.ClassModel  = (*losses.Softmax)(nil)
)
