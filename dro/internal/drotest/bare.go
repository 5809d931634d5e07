package drotest

import (
	"github.com/drotrain/drotrain/dro/saddle"
)

// BareOracle hides all methods of an oracle except those that every oracle has.
type BareOracle struct{ saddle.Oracle }
