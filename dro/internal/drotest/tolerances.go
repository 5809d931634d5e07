package drotest

import (
	"flag"
	"os"
)

// The tolerances of the tests, by kind of comparison.
const (
	ClosedForm = 1e-12 // closed form against an independent evaluation, relative
	KKT        = 1e-8  // optimality conditions, relative to the scale of the problem
	Solver     = 10    // multiple of the requested gap
)

// Long enables tests that take minutes; setting the environment variable DROTRAIN_LONG also enables them.
var Long = flag.Bool("long", os.Getenv("DROTRAIN_LONG") != "", "run the long proofs")
