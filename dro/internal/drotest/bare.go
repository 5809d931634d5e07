package drotest

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// BareOracle has the methods of every oracle and no others.
type BareOracle struct{ saddle.Oracle }
