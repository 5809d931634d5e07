package dro

import "github.com/drotrain/drotrain/dro/internal/drotest"

// For the tests of package dro_test.
const (
	ClosedForm = drotest.ClosedForm
	KKT        = drotest.KKT
	Solver     = drotest.Solver
)

var Long = drotest.Long
