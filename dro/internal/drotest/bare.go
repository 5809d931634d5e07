package drotest

import (
	"github.com/drotrain/drotrain/dro/saddle"
)

// BareOracle has the methods of every oracle and no others.
type BareOracle struct{ saddle.Oracle }
