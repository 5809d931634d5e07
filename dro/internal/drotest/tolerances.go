package drotest

import (
	"flag"
	"os"
)

// The tolerances of the tests, by class.
const (
	ClosedForm = 1e-12 // a closed form against an independent evaluation, relative
	KKT        = 1e-8  // optimality conditions, relative to the scale of the problem
	Solver     = 10    // × the gap asked for
)

// Long runs the proofs that take minutes; the environment variable DROTRAIN_LONG=1 sets it.
var Long = flag.Bool("long", os.Getenv("DROTRAIN_LONG") != "", "run the long proofs")
