package drotest

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// BareOracle hides every ability of an oracle.
type BareOracle struct{ saddle.Oracle }
